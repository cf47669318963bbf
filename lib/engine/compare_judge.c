/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_judge.h"

#include "base/mem.h"
#include "codec/stat_adjust.h"
#include "codec/stat_maxt.h"
#include "engine/compare_design.h"
#include "engine/compare_doubt.h"

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

/* Adjusts over the rows that have a p. */
static enum tape_status
adjust(const struct tape_compare_row *rows, size_t k,
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = { .seed = opts->seed };
	double p[TAPE_COMPARE_ROWS], *d;
	size_t at[TAPE_COMPARE_ROWS], n = 0;
	enum tape_status st = TAPE_OK;

	d = tape_mem_calloc(TAPE_COMPARE_ROWS * k, sizeof(*d));
	if (d == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		if (isnan(out->rows[i].f.p))
			continue;
		memcpy(d + n * k, rows[i].d, k * sizeof(*d));
		p[n] = out->rows[i].f.p;
		at[n++] = i;
	}
	out->family = n;
	if (n > 0 && k >= TAPE_COMPARE_PAIRS_FLIP)
		st = tape_stat_maxt(d, n, k, &fo, p, err);
	else if (n > 0)
		st = tape_stat_adjust(TAPE_STAT_HOLM, p, n, p, err);
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		out->rows[at[i]].p_adjusted = p[i];
	tape_mem_free(d);
	return st;
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
	if (may && f->worse && j->p_adjusted <= alpha)
		return TAPE_COMPARE_LOSS;
	if ((may && f->worse && f->p <= alpha) ||
	    all_worse(row, f->ci, null_of(row)))
		return TAPE_COMPARE_POSSIBLE_LOSS;
	if (may && !f->worse && j->p_adjusted <= alpha)
		return TAPE_COMPARE_WIN;
	if (f->tost_p <= alpha)
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
	j->noninferior = j->f.noninferior_p <= opts->alpha;
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

enum tape_status
tape_compare_judge(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	bool verdict = design->k >= TAPE_COMPARE_PAIRS_MIN && !notes->refused;
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		out->rows[i].p_adjusted = TAPE_ABSENT_F64;
		out->rows[i].status = TAPE_COMPARE_NONE;
		out->rows[i].flags[TAPE_COMPARE_FLAG_NO_VALUE] =
		    !rows[i].usable && !rows[i].empty;
		st = tape_compare_infer(
		    design, &rows[i], verdict, opts, &out->rows[i].f, err);
	}
	if (st == TAPE_OK && verdict)
		st = adjust(rows, design->k, opts, out, err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		if (verdict)
			judge_row(&rows[i], opts,
			    tape_compare_fixed_order(design), &out->rows[i]);
		out->counts[out->rows[i].status]++;
	}
	out->beyond = fmax(opts->alpha, 1 - TAPE_COMPARE_LEVEL);
	out->by_chance = (double)out->family * out->beyond / 2;
	out->overall = verdict ? overall_of(rows, out) : TAPE_COMPARE_ALL_NONE;
	return tape_compare_doubt(design, rows, out, notes, err);
}
