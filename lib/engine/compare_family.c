/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_family.h"

#include "base/mem.h"
#include "engine/compare_data.h"
#include "engine/compare_design.h"
#include "engine/compare_point.h"
#include "engine/compare_power.h"

#include <string.h>

void
tape_compare_family_release(struct tape_compare_family *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct tape_compare_member *m = &f->v[i];

		tape_compare_notes_release(&m->notes);
		tape_compare_rows_release(m->rows);
		tape_compare_design_release(&m->design);
		tape_mem_free(m->view.runs);
	}
	tape_mem_free(f->v);
	memset(f, 0, sizeof(*f));
}

/* Which of two arms a run is of, as the member has them. */
static size_t
arm_of(const struct tape_compare_set *set, const struct tape_compare_run *run,
    size_t candidate)
{
	if (set->many.n == 0)
		return run->arm;
	if (tape_str_equal(run->label, set->many.v[0]))
		return TAPE_COMPARE_A;
	return tape_str_equal(run->label, set->many.v[candidate])
		   ? TAPE_COMPARE_B
		   : TAPE_COMPARE_ARMS;
}

/* The runs of a member; point: of each run, or NULL. */
static enum tape_status
view_runs(const struct tape_compare_set *set, const struct tape_str *point,
    size_t candidate, struct tape_compare_member *m, struct tape_err *err)
{
	struct tape_compare_run *runs =
	    tape_mem_calloc(set->run_count + 1, sizeof(*runs));
	size_t n = 0;

	if (runs == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < set->run_count; i++) {
		if (point != NULL && !tape_str_equal(point[i], m->point))
			continue;
		runs[n] = set->runs[i];
		runs[n].arm = arm_of(set, &set->runs[i], candidate);
		n += set->many.n == 0 || runs[n].arm < TAPE_COMPARE_ARMS;
	}
	m->view = *set;
	m->view.runs = runs;
	m->view.run_count = n;
	if (set->many.n > 0)
		m->view.arm_name[TAPE_COMPARE_B] = set->many.v[candidate];
	return TAPE_OK;
}

static enum tape_status
pair_up(struct tape_compare_member *m, const struct tape_compare_family_opts *o,
    struct tape_err *err)
{
	enum tape_status st = tape_compare_pair_runs(
	    &m->view, o->by_order, &m->design, &m->notes, err);

	if (st != TAPE_OK)
		return st;
	tape_compare_check_design(&m->view, o->vary, &m->design, &m->notes);
	tape_compare_check_data(&m->design, &m->notes);
	return tape_compare_rows(&m->design, m->rows, err);
}

/* The points of all runs, and which there are. */
struct points {
	struct tape_str *of; /* each run's; NULL: no sweep */
	struct tape_str list[TAPE_COMPARE_POINTS_MAX];
	size_t n;
};

/* Points by candidates, points slowest. */
static enum tape_status
add_members(const struct tape_compare_set *set,
    const struct tape_compare_family_opts *o, const struct points *points,
    struct tape_compare_family *f, struct tape_err *err)
{
	size_t candidates = set->many.n > 0 ? set->many.n - 1 : 1;
	size_t n = points->n * candidates;
	enum tape_status st = TAPE_OK;

	if (n > TAPE_COMPARE_MEMBERS_MAX)
		return tape_err_set(err, TAPE_E_USAGE,
		    "%zu comparisons: at most %d at once", n,
		    TAPE_COMPARE_MEMBERS_MAX);
	f->v = tape_mem_calloc(n, sizeof(*f->v));
	if (f->v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n && st == TAPE_OK; i++) {
		struct tape_compare_member *m = &f->v[f->n++];

		if (points->of != NULL)
			m->point = points->list[i / candidates];
		st = view_runs(set, points->of, i % candidates + 1, m, err);
		if (st == TAPE_OK)
			st = pair_up(m, o, err);
	}
	return st;
}

enum tape_status
tape_compare_family_build(struct tape_compare_set *set,
    const struct tape_compare_family_opts *o, struct tape_compare_family *f,
    struct tape_err *err)
{
	struct points points = { .n = 1 };
	enum tape_status st = TAPE_OK;

	memset(f, 0, sizeof(*f));
	if (o->by != NULL && set->run_count > 0) {
		points.of = tape_mem_calloc(set->run_count, sizeof(*points.of));
		if (points.of == NULL)
			return tape_err_nomem(err);
		st = tape_compare_find_points(set, o->by, points.of, err);
		if (st == TAPE_OK)
			st = tape_compare_list_points(points.of, set->run_count,
			    points.list, &points.n, err);
	}
	if (st == TAPE_OK)
		st = add_members(set, o, &points, f, err);
	tape_mem_free(points.of);
	return st;
}

enum tape_status
tape_compare_family_judge(struct tape_compare_family *f,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	struct tape_compare_case *cases =
	    tape_mem_calloc(f->n + 1, sizeof(*cases));
	enum tape_status st;

	if (cases == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < f->n; i++) {
		struct tape_compare_member *m = &f->v[i];

		cases[i] = (struct tape_compare_case){ &m->design, m->rows,
			&m->verdict, &m->notes };
	}
	st = tape_compare_judge_all(cases, f->n, opts, err);
	tape_mem_free(cases);
	for (size_t i = 0; i < f->n && st == TAPE_OK; i++)
		tape_compare_power(f->v[i].rows, opts, &f->v[i].verdict);
	return st;
}
