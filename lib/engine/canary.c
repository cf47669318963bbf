/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/canary.h"

#include "base/clock.h"
#include "codec/stat_ttest.h"
#include "engine/compare_arms.h"
#include "engine/compare_cells.h"
#include "engine/compare_design.h"
#include "engine/gate.h"

#include <stdio.h>

#define NAME_ROOM  48
#define LABEL_ROOM 25
#define DAY_LENGTH 16 /* 2026-03-01T12:00 */

enum tape_status
tape_canary_name_arms(
    struct tape_compare_set *set, const char *label, struct tape_err *err)
{
	struct tape_strs found;
	struct tape_str *v;
	bool by_name = false;
	enum tape_status st =
	    tape_compare_find_arms(set, &found, &by_name, err);

	if (st != TAPE_OK)
		return st;
	if (found.n != TAPE_COMPARE_ARMS ||
	    (!tape_str_is(found.v[0], label) &&
		!tape_str_is(found.v[1], label)))
		return tape_err_set(err, TAPE_E_USAGE,
		    "--canary: a session has runs of two arms, one of them "
		    "'%s'",
		    label);
	v = tape_arena_alloc(&set->arena, TAPE_COMPARE_ARMS, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	v[0] = found.v[tape_str_is(found.v[0], label) ? 0 : 1];
	v[1] = found.v[tape_str_is(found.v[0], label) ? 1 : 0];
	set->arms = (struct tape_strs){ v, TAPE_COMPARE_ARMS };
	return TAPE_OK;
}

/* What was said of something, with its name. */
static void
copy_notes(const struct tape_compare_notes *from, const char *of,
    struct tape_compare_notes *to)
{
	for (size_t i = 0; i < from->n; i++)
		tape_compare_note(to, from->v[i].severity, from->v[i].code,
		    "%s: %s", of, from->v[i].text);
	if (from->status != TAPE_OK)
		to->status = from->status;
}

/* The reference has to have done the same in both sessions. */
static void
check_reference(const struct tape_canary *c,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes)
{
	struct tape_compare_pair pair = { .b_first = false };
	struct tape_compare_design of = { .pairs = &pair, .k = 1 };
	struct tape_compare_notes found = { .v = NULL };

	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		if (c->of[arm]->design.k == 0)
			return;
		pair.run[arm] = c->of[arm]->design.pairs[0].run[TAPE_COMPARE_A];
	}
	tape_compare_check_conditions(&of, vary, &found);
	copy_notes(&found, "the reference, in the sessions of A and B", notes);
	tape_compare_notes_release(&found);
}

static void
set_row(const struct tape_compare_row *a, const struct tape_compare_row *b,
    struct tape_compare_judged *j)
{
	struct tape_compare_figures *f = &j->f;
	struct tape_stat_ttest t;

	if (!a->usable || !b->usable || a->statistic != b->statistic ||
	    tape_stat_welch((struct tape_stat_sample){ b->d, b->k },
		(struct tape_stat_sample){ a->d, a->k }, TAPE_COMPARE_LEVEL, &t,
		NULL) != TAPE_OK)
		return;
	f->ratio = tape_compare_scale(b, t.estimate);
	f->ci.lo = tape_compare_scale(b, t.ci.lo);
	f->ci.hi = tape_compare_scale(b, t.ci.hi);
	f->drift_ci = f->ci;
	f->p = t.p_two;
	f->constant = t.constant;
	j->status = TAPE_COMPARE_UNDECIDED;
}

static void
set_rows(struct tape_canary *c)
{
	const struct tape_compare_member *a = c->of[TAPE_COMPARE_A];
	const struct tape_compare_member *b = c->of[TAPE_COMPARE_B];
	bool enough = a->design.k >= TAPE_COMPARE_PAIRS_MIN &&
		      b->design.k >= TAPE_COMPARE_PAIRS_MIN;

	c->verdict.overall = c->notes.refused || !enough
				 ? TAPE_COMPARE_ALL_NONE
				 : TAPE_COMPARE_ALL_UNDECIDED;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		struct tape_compare_judged *j = &c->verdict.rows[i];

		j->f.ratio = j->f.p = j->p_adjusted = TAPE_ABSENT_F64;
		j->f.ci.lo = j->f.ci.hi = TAPE_ABSENT_F64;
		j->status = TAPE_COMPARE_NONE;
		if (c->verdict.overall != TAPE_COMPARE_ALL_NONE)
			set_row(&a->rows[i], &b->rows[i], j);
	}
}

enum tape_status
tape_canary_compare(struct tape_canary *c, const char *label,
    const struct tape_compare_member *a, const struct tape_compare_member *b,
    const struct tape_canary_opts *o, struct tape_err *err)
{
	enum tape_status st;

	memset(c, 0, sizeof(*c));
	c->label = tape_str_of(label);
	c->of[TAPE_COMPARE_A] = a;
	c->of[TAPE_COMPARE_B] = b;
	c->set = b->view;
	copy_notes(&a->notes, "session of A", &c->notes);
	copy_notes(&b->notes, "session of B", &c->notes);
	tape_compare_note(&c->notes, TAPE_COMPARE_WARN, "cross-session",
	    "cross-session: B/A is through '%s', and holds as far as what "
	    "changed between the sessions changed that alike",
	    label);
	check_reference(c, o->vary, &c->notes);
	set_rows(c);
	c->report = (struct tape_compare_report){ &c->set, &c->none, b->rows,
		&c->verdict, &c->notes, o->opts, { NULL, 0 }, NULL };
	st = tape_compare_notes_status(&c->notes, err);
	if (st == TAPE_OK)
		st = tape_gate_judge(
		    o->gate, &c->report, o->policy, &c->gated, err);
	c->report.gate = &c->gated;
	return st;
}

void
tape_canary_release(struct tape_canary *c)
{
	tape_compare_notes_release(&c->notes);
}

/* "A=base (8 pairs from 2026-02-28T12:00)" */
static void
print_session(const struct tape_compare_member *m, const char *letter,
    struct tape_buf *out)
{
	char label[LABEL_ROOM], iso[TAPE_CLOCK_ISO];

	(void)tape_buf_add_fmt(out, "  %s=%s (", letter,
	    tape_compare_show(
		m->view.arm_name[TAPE_COMPARE_B], label, sizeof(label)));
	(void)tape_buf_add_fmt(
	    out, "%zu pair%s", m->design.k, m->design.k == 1 ? "" : "s");
	if (m->design.k > 0)
		(void)tape_buf_add_fmt(out, " from %.*s", DAY_LENGTH,
		    tape_clock_print_iso(
			tape_compare_first(&m->design.pairs[0])->start_ns,
			iso));
	(void)tape_buf_add_char(out, ')');
}

/* A session's mean of deployment/reference. */
static const char *
print_mean(const struct tape_compare_row *row, char dst[NAME_ROOM])
{
	double sum = 0;

	for (size_t i = 0; i < row->k; i++)
		sum += row->d[i];
	if (!row->usable)
		(void)snprintf(dst, NAME_ROOM, "n/a");
	else if (tape_compare_is_share(row))
		(void)snprintf(
		    dst, NAME_ROOM, "%+.1f pt", 100 * sum / (double)row->k);
	else
		(void)snprintf(
		    dst, NAME_ROOM, "%.3f", exp(sum / (double)row->k));
	return dst;
}

static void
print_row(const struct tape_canary *c, size_t i, struct tape_buf *out)
{
	const struct tape_compare_row *a = &c->of[TAPE_COMPARE_A]->rows[i];
	const struct tape_compare_row *b = &c->of[TAPE_COMPARE_B]->rows[i];
	const struct tape_compare_judged *j = &c->verdict.rows[i];
	char name[NAME_ROOM], x[NAME_ROOM], y[NAME_ROOM];
	char ratio[TAPE_COMPARE_CELL], p[TAPE_NUM_TEXT];

	if (a->empty && b->empty)
		return;
	(void)tape_buf_add_fmt(out, "%-8s %-12s %9s %9s  %-21s %6s\n",
	    b->def->phase, tape_compare_row_name(b->def, name, sizeof(name)),
	    print_mean(a, x), print_mean(b, y),
	    tape_compare_cell_ratio(b, &j->f, ratio),
	    tape_compare_cell_p(j->f.p, p));
}

void
tape_canary_print(const struct tape_canary *c, struct tape_buf *out)
{
	static const char *const marks[] = { "refused:", "!", "-" };
	char label[LABEL_ROOM];

	(void)tape_buf_add_str(out, "ab-compare  cross-session");
	print_session(c->of[TAPE_COMPARE_A], "A", out);
	print_session(c->of[TAPE_COMPARE_B], "B", out);
	(void)tape_buf_add_fmt(out,
	    "  through ref=%s\n\n%-8s %-12s %9s %9s  %-21s %6s\n",
	    tape_compare_show(c->label, label, sizeof(label)), "phase",
	    "metric", "A/ref", "B/ref", "B/A [95 % CI]", "p");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		print_row(c, i, out);
	(void)tape_buf_add_char(out, '\n');
	tape_gate_print(&c->gated, out);
	for (int s = TAPE_COMPARE_REFUSE; s <= TAPE_COMPARE_NOTE; s++)
		for (size_t i = 0; i < c->notes.n; i++)
			if ((int)c->notes.v[i].severity == s)
				(void)tape_buf_add_fmt(out, "%s %s\n", marks[s],
				    c->notes.v[i].text);
}
