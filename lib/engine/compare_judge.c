/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_judge.h"

#include "engine/compare_adjust.h"
#include "engine/compare_design.h"
#include "engine/compare_doubt.h"
#include "engine/compare_seq.h"

#include <string.h>

const char *
tape_compare_status_name(enum tape_compare_status s)
{
	static const char *const names[] = { "loss", "possible-loss", "win",
		"equivalent", "undecided", "none" };

	return names[s];
}

const char *
tape_compare_overall_name(enum tape_compare_overall o)
{
	static const char *const names[] = { "loss", "mixed", "win",
		"win-unproven", "equivalent", "undecided", "none" };

	return names[o];
}

const char *
tape_compare_flag_name(enum tape_compare_flag f)
{
	static const char *const names[] = { "no-value", "medians", "constant",
		"one-pair-decides", "withheld", "within-margin" };

	return names[f];
}

bool
tape_compare_fixed_order(const struct tape_compare_design *design)
{
	return design->a_first == 0 || design->a_first == design->k;
}

const char *
tape_compare_progress_name(enum tape_compare_progress p)
{
	static const char *const names[] = { "none", "add-pairs", "decided",
		"exhausted" };

	return names[p];
}

/* Whether an interval lies wholly where B is worse than at, or better. */
static bool
all_worse(const struct tape_compare_row *row, struct tape_stat_interval ci,
    struct tape_stat_interval at)
{
	return row->def->lower_is_better ? ci.lo > at.hi : ci.hi < at.lo;
}

static bool
all_better(const struct tape_compare_row *row, struct tape_stat_interval ci,
    struct tape_stat_interval at)
{
	return row->def->lower_is_better ? ci.hi < at.lo : ci.lo > at.hi;
}

static bool
inside(struct tape_stat_interval ci, struct tape_stat_interval margin)
{
	return ci.lo >= margin.lo && ci.hi <= margin.hi;
}

static struct tape_stat_interval
null_of(const struct tape_compare_row *row)
{
	double null = tape_compare_null(row);
	struct tape_stat_interval v = { null, null };

	return v;
}

static enum tape_compare_status
status_of(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, double alpha)
{
	const struct tape_compare_figures *f = &j->f;
	bool may = row->k >= TAPE_COMPARE_PAIRS_FLIP || f->signs_agree;

	if (isnan(f->ratio))
		return TAPE_COMPARE_NONE;
	if (f->worse && j->found)
		return TAPE_COMPARE_LOSS;
	if ((may && f->worse && f->p <= alpha) ||
	    all_worse(row, f->ci, null_of(row)))
		return TAPE_COMPARE_POSSIBLE_LOSS;
	if (!f->worse && j->found)
		return TAPE_COMPARE_WIN;
	if (j->equivalent)
		return TAPE_COMPARE_EQUIVALENT;
	return TAPE_COMPARE_UNDECIDED;
}

/* Whether the drift-adjusted interval agrees with a status. */
static bool
confirmed(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, struct tape_stat_interval margin)
{
	switch (j->status) {
	case TAPE_COMPARE_LOSS:
	case TAPE_COMPARE_POSSIBLE_LOSS:
		return all_worse(row, j->f.drift_ci, null_of(row));
	case TAPE_COMPARE_WIN:
		return all_better(row, j->f.drift_ci, null_of(row));
	case TAPE_COMPARE_EQUIVALENT:
		return inside(j->f.drift_ci, margin);
	case TAPE_COMPARE_UNDECIDED:
	case TAPE_COMPARE_NONE:
		break;
	}
	return true;
}

static bool
was_found(enum tape_compare_status s)
{
	return s == TAPE_COMPARE_LOSS || s == TAPE_COMPARE_POSSIBLE_LOSS ||
	       s == TAPE_COMPARE_WIN;
}

static void
judge_row(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, bool fixed_order,
    struct tape_compare_judged *j)
{
	struct tape_stat_interval margin =
	    tape_compare_margin(row, opts->margin_ratio);
	double null = tape_compare_null(row);

	j->status = status_of(row, j, opts->alpha);
	if (fixed_order && row->def->lower_is_better)
		j->noninferior &= j->f.drift_ci.hi < margin.hi;
	else if (fixed_order)
		j->noninferior &= j->f.drift_ci.lo > margin.lo;
	if (fixed_order && !confirmed(row, j, margin)) {
		j->status = TAPE_COMPARE_UNDECIDED;
		j->flags[TAPE_COMPARE_FLAG_WITHHELD] = true;
	}
	j->flags[TAPE_COMPARE_FLAG_MEDIANS] =
	    row->usable && row->statistic != row->def->statistic;
	j->flags[TAPE_COMPARE_FLAG_CONSTANT] =
	    j->f.constant && j->f.ratio != null;
	j->flags[TAPE_COMPARE_FLAG_ONE_PAIR] =
	    was_found(j->status) && j->f.loo.lo <= null && j->f.loo.hi >= null;
	j->flags[TAPE_COMPARE_FLAG_WITHIN] =
	    was_found(j->status) && inside(j->f.ci, margin);
}

/* Every row but those that win must be shown not to lose by the margin; one
   that some runs lack cannot be. */
static bool
none_inferior(
    const struct tape_compare_row *rows, const struct tape_compare_verdict *v)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!rows[i].empty && v->rows[i].status != TAPE_COMPARE_WIN &&
		    !v->rows[i].noninferior)
			return false;
	return true;
}

static enum tape_compare_overall
overall_of(
    const struct tape_compare_row *rows, const struct tape_compare_verdict *v)
{
	const size_t *n = v->counts;
	size_t there = 0;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		there += rows[i].empty ? 0U : 1U;
	if (n[TAPE_COMPARE_NONE] == TAPE_COMPARE_ROWS)
		return TAPE_COMPARE_ALL_NONE;
	if (n[TAPE_COMPARE_LOSS] > 0)
		return n[TAPE_COMPARE_WIN] > 0 ? TAPE_COMPARE_ALL_MIXED
					       : TAPE_COMPARE_ALL_LOSS;
	if (n[TAPE_COMPARE_WIN] > 0)
		return n[TAPE_COMPARE_POSSIBLE_LOSS] == 0 &&
			       none_inferior(rows, v)
			   ? TAPE_COMPARE_ALL_WIN
			   : TAPE_COMPARE_ALL_WIN_UNPROVEN;
	return n[TAPE_COMPARE_EQUIVALENT] == there ? TAPE_COMPARE_ALL_EQUIVALENT
						   : TAPE_COMPARE_ALL_UNDECIDED;
}

/* Whether pairs are all that a refused comparison lacks. */
static bool
only_too_few(const struct tape_compare_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->v[i].severity == TAPE_COMPARE_REFUSE &&
		    strcmp(notes->v[i].code, "one-pair") != 0 &&
		    strcmp(notes->v[i].code, "two-pairs") != 0)
			return false;
	return notes->n > 0 && notes->status == TAPE_OK;
}

static bool
all_equivalent(
    const struct tape_compare_case *c, const struct tape_compare_opts *opts)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (tape_compare_is_primary(opts, i) && !c->rows[i].empty &&
		    c->verdict->rows[i].status != TAPE_COMPARE_EQUIVALENT)
			return false;
	return true;
}

/* A row that was found ends it, or that all are equivalent. */
static enum tape_compare_progress
progress_of(
    const struct tape_compare_case *c, const struct tape_compare_opts *opts)
{
	const struct tape_compare_seq *seq = &opts->seq;
	size_t k = c->design->k;

	if (seq->plan == TAPE_COMPARE_FIXED)
		return TAPE_COMPARE_NOT_SEQUENTIAL;
	if (!c->verdict->judged)
		return only_too_few(c->notes) ? TAPE_COMPARE_ADD_PAIRS
					      : TAPE_COMPARE_NOT_SEQUENTIAL;
	if (c->verdict->counts[TAPE_COMPARE_LOSS] > 0 ||
	    c->verdict->counts[TAPE_COMPARE_WIN] > 0 || all_equivalent(c, opts))
		return TAPE_COMPARE_DECIDED;
	if ((seq->max_pairs > 0 && k >= seq->max_pairs) ||
	    tape_compare_next_look(seq, k) == 0)
		return TAPE_COMPARE_EXHAUSTED;
	return TAPE_COMPARE_ADD_PAIRS;
}

/* What each row says by itself. */
static enum tape_status
infer(const struct tape_compare_case *c, const struct tape_compare_opts *opts,
    struct tape_err *err)
{
	bool verdict =
	    c->design->k >= TAPE_COMPARE_PAIRS_MIN && !c->notes->refused;
	struct tape_compare_verdict *out = c->verdict;
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		out->rows[i].p_adjusted = TAPE_ABSENT_F64;
		out->rows[i].status = TAPE_COMPARE_NONE;
		out->rows[i].flags[TAPE_COMPARE_FLAG_NO_VALUE] =
		    !c->rows[i].usable && !c->rows[i].empty;
		st = tape_compare_infer(c->design, &c->rows[i], verdict, opts,
		    &out->rows[i].f, err);
		out->tested += isnan(out->rows[i].f.p) ? 0U : 1U;
	}
	out->judged = verdict;
	return st;
}

static enum tape_status
conclude(const struct tape_compare_case *c,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	struct tape_compare_verdict *v = c->verdict;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		if (v->judged)
			judge_row(&c->rows[i], opts,
			    tape_compare_fixed_order(c->design), &v->rows[i]);
		v->counts[v->rows[i].status]++;
	}
	v->beyond = fmax(opts->alpha, 1 - TAPE_COMPARE_LEVEL);
	v->by_chance = (double)v->tested * v->beyond / 2;
	v->overall = v->judged ? overall_of(c->rows, v) : TAPE_COMPARE_ALL_NONE;
	v->progress = progress_of(c, opts);
	return tape_compare_doubt(c->design, c->rows, v, c->notes, err);
}

enum tape_status
tape_compare_judge_all(const struct tape_compare_case *cases, size_t n,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t c = 0; c < n && st == TAPE_OK; c++)
		st = infer(&cases[c], opts, err);
	if (st == TAPE_OK)
		st = tape_compare_adjust(cases, n, opts, err);
	for (size_t c = 0; c < n && st == TAPE_OK; c++)
		st = conclude(&cases[c], opts, err);
	return st;
}

enum tape_status
tape_compare_judge(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	struct tape_compare_case one = { design, rows, out, notes };

	return tape_compare_judge_all(&one, 1, opts, err);
}
