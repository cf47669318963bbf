/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/canary.h"

#include "codec/stat_ttest.h"
#include "engine/compare_arms.h"
#include "engine/compare_design.h"
#include "engine/gate.h"

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
judge_row(const struct tape_compare_row *a, const struct tape_compare_row *b,
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
	f->ci_level = TAPE_COMPARE_LEVEL;
	f->ci_basis = "welch";
	f->drift_ci = f->ci;
	f->test = "welch";
	f->p = t.p_two;
	f->constant = t.constant;
	j->status = TAPE_COMPARE_UNDECIDED;
}

/* Of A the deployment of its session, of B likewise; no pairs. */
static void
set_row(struct tape_canary *c, size_t i)
{
	const struct tape_compare_row *a = &c->of[TAPE_COMPARE_A]->rows[i];
	const struct tape_compare_row *b = &c->of[TAPE_COMPARE_B]->rows[i];

	c->rows[i] = (struct tape_compare_row){ .def = b->def,
		.statistic = b->statistic,
		.empty = a->empty && b->empty,
		.value = {
		    a->value[TAPE_COMPARE_B], b->value[TAPE_COMPARE_B] } };
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

		set_row(c, i);
		tape_compare_figures_init(&j->f);
		j->p_adjusted = TAPE_ABSENT_F64;
		j->status = TAPE_COMPARE_NONE;
		if (c->verdict.overall != TAPE_COMPARE_ALL_NONE)
			judge_row(&a->rows[i], &b->rows[i], j);
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
	c->set.arm_name[TAPE_COMPARE_A] = a->view.arm_name[TAPE_COMPARE_B];
	copy_notes(&a->notes, "session of A", &c->notes);
	copy_notes(&b->notes, "session of B", &c->notes);
	tape_compare_note(&c->notes, TAPE_COMPARE_WARN, "cross-session",
	    "cross-session: B/A is through '%s', and holds as far as what "
	    "changed between the sessions changed that alike",
	    label);
	check_reference(c, o->vary, &c->notes);
	set_rows(c);
	c->report = (struct tape_compare_report){ .set = &c->set,
		.design = &c->none,
		.rows = c->rows,
		.verdict = &c->verdict,
		.notes = &c->notes,
		.opts = o->opts,
		.canary = c };
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

size_t
tape_canary_pairs(const struct tape_canary *c)
{
	size_t a = c->of[TAPE_COMPARE_A]->design.k;
	size_t b = c->of[TAPE_COMPARE_B]->design.k;

	return a < b ? a : b;
}
