/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_judge.h"

#include "base/mem.h"
#include "codec/stat_adjust.h"
#include "codec/stat_fit.h"
#include "codec/stat_flip.h"
#include "codec/stat_flipci.h"
#include "codec/stat_hl.h"
#include "codec/stat_maxt.h"
#include "codec/stat_power.h"
#include "codec/stat_ttest.h"
#include "engine/compare_doubt.h"

#define PAIRS_T     3
#define PAIRS_FLIP  6
#define LEVEL       0.95
#define POWER       0.8
#define NEED_EFFECT 0.02 /* that pairs are counted for, without a margin */

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

static bool
is_share(const struct tape_compare_row *row)
{
	return row->statistic == TAPE_COMPARE_DIFFERENCE;
}

/* From the scale of d to that of the row. */
static double
scale(const struct tape_compare_row *row, double d)
{
	return is_share(row) ? d : exp(d);
}

static double
margin_of(const struct tape_compare_row *row, double margin_ratio)
{
	return is_share(row) ? margin_ratio : log1p(margin_ratio);
}

static bool
agree(const struct tape_compare_row *row)
{
	size_t up = 0, down = 0;

	for (size_t i = 0; i < row->k; i++) {
		up += row->d[i] > 0 ? 1U : 0U;
		down += row->d[i] < 0 ? 1U : 0U;
	}
	return up == row->k || down == row->k;
}

static void
init_judged(struct tape_compare_judged *j)
{
	static const struct tape_stat_interval none = { (double)NAN,
		(double)NAN };

	memset(j, 0, sizeof(*j));
	j->ratio = j->ci_exact_level = j->hl_ratio = TAPE_ABSENT_F64;
	j->p = j->p_min = j->p_t = j->p_adjusted = TAPE_ABSENT_F64;
	j->tost_p = j->noninferior_p = j->mde_ratio = TAPE_ABSENT_F64;
	j->drift_ratio = TAPE_ABSENT_F64;
	j->ci = j->ci_exact = j->loo = j->drift_ci = none;
	j->pairs_needed = j->pairs_needed_upper = TAPE_ABSENT_I64;
	j->status = TAPE_COMPARE_NONE;
}

static struct tape_stat_interval
scale_interval(const struct tape_compare_row *row, struct tape_stat_interval d)
{
	struct tape_stat_interval v = { scale(row, d.lo), scale(row, d.hi) };

	return v;
}

static int64_t
pairs_or_absent(double effect_sd, double alpha)
{
	uint64_t n = tape_stat_pairs_needed(effect_sd, alpha, POWER);

	return n == 0 || n > TAPE_STAT_PAIRS_MAX ? TAPE_ABSENT_I64 : (int64_t)n;
}

/* What these pairs could have seen, and how many would see the margin. */
static void
judge_power(const struct tape_compare_row *row, double sd,
    const struct tape_compare_opts *opts, struct tape_compare_judged *j)
{
	double k = (double)row->k, effect;
	double m = isnan(opts->margin_ratio) ? NEED_EFFECT : opts->margin_ratio;

	if (!(sd > 0))
		return;
	j->mde_ratio =
	    scale(row, sd * tape_stat_detectable(k, opts->alpha, POWER));
	effect = margin_of(row, m);
	j->pairs_needed = pairs_or_absent(effect / sd, opts->alpha);
	j->pairs_needed_upper = pairs_or_absent(
	    effect / tape_stat_sd_upper(sd, k, POWER), opts->alpha);
}

static enum tape_status
judge_flip(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_judged *j,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = { .seed = opts->seed };
	struct tape_stat_flip flip;
	struct tape_stat_flipci ci;
	enum tape_status st;

	st = tape_stat_flip(row->d, row->k, &fo, &flip, err);
	if (st == TAPE_OK)
		st = tape_stat_flipci(row->d, row->k, LEVEL, &fo, &ci, err);
	if (st != TAPE_OK)
		return st;
	j->test = "sign-flip";
	j->p = flip.p_two;
	j->p_min = flip.exact ? 2 / (double)flip.total : 1 / (double)flip.total;
	j->ci_exact = scale_interval(row, ci.ci);
	j->ci_exact_level = ci.level;
	return TAPE_OK;
}

static enum tape_status
judge_equivalence(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_judged *j,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = { .seed = opts->seed };
	struct tape_stat_tost tost;
	double margin;
	enum tape_status st;

	if (isnan(opts->margin_ratio))
		return TAPE_OK;
	margin = margin_of(row, opts->margin_ratio);
	if (row->k >= PAIRS_FLIP)
		st = tape_stat_tost_flip(
		    row->d, row->k, margin, &fo, &tost, err);
	else
		st = tape_stat_tost_t(row->d, row->k, margin, &tost, err);
	if (st != TAPE_OK)
		return st;
	j->tost_p = tost.p;
	j->noninferior_p =
	    row->def->better[0] == 'l' ? tost.p_upper : tost.p_lower;
	return TAPE_OK;
}

/* The t figures; from 6 pairs on the test is the sign flip. */
static enum tape_status
judge_tests(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_judged *j,
    struct tape_err *err)
{
	struct tape_stat_ttest t;
	struct tape_stat_hl hl;
	struct tape_stat_interval loo;
	enum tape_status st;

	st = tape_stat_paired_t(row->d, row->k, 0, LEVEL, &t, err);
	if (st == TAPE_OK)
		st = tape_stat_hodges_lehmann(row->d, row->k, LEVEL, &hl, err);
	if (st == TAPE_OK)
		st = tape_stat_leave_one_out(row->d, row->k, &loo, err);
	if (st != TAPE_OK)
		return st;
	j->constant = t.constant;
	j->ci = scale_interval(row, t.ci);
	j->hl_ratio = scale(row, hl.estimate);
	j->loo = scale_interval(row, loo);
	j->signs_agree = agree(row);
	j->test = "paired-t";
	/* Equal differences say nothing about noise: their p of 0 is none. */
	if (!t.constant || t.estimate == 0)
		j->p = j->p_t = t.p_two;
	if (row->k >= PAIRS_FLIP)
		st = judge_flip(row, opts, j, err);
	judge_power(row, t.constant ? 0 : t.sd, opts, j);
	return st == TAPE_OK ? judge_equivalence(row, opts, j, err) : st;
}

/* The effect with a linear drift over the session taken out; left unknown when
   the runs do not determine it. */
static enum tape_status
judge_drift(const struct tape_compare_design *design,
    const struct tape_compare_row *row, struct tape_compare_judged *j,
    struct tape_err *err)
{
	struct tape_stat_run *runs;
	struct tape_stat_ancova fit;
	int64_t origin_ns = design->pairs[0].run[TAPE_COMPARE_A]->start_ns;
	size_t n = 0;
	enum tape_status st;

	runs = tape_mem_calloc(2 * row->k, sizeof(*runs));
	if (runs == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < row->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++, n++) {
			int64_t t = design->pairs[i].run[arm]->start_ns;

			runs[n].y = row->level[arm][i];
			runs[n].arm = (double)arm;
			runs[n].time = (double)(t - origin_ns) / 1e9;
		}
	st = tape_stat_fit_ancova(runs, n, LEVEL, &fit, NULL);
	tape_mem_free(runs);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		return TAPE_OK;
	j->drift_ratio = scale(row, fit.arm.value);
	j->drift_ci = scale_interval(row, fit.arm.ci);
	return TAPE_OK;
}

static enum tape_status
judge_row(const struct tape_compare_design *design,
    const struct tape_compare_row *row, bool verdict,
    const struct tape_compare_opts *opts, struct tape_compare_judged *j,
    struct tape_err *err)
{
	enum tape_status st;
	double sum = 0;

	init_judged(j);
	if (!row->usable)
		return TAPE_OK;
	for (size_t i = 0; i < row->k; i++)
		sum += row->d[i];
	j->ratio = scale(row, sum / (double)row->k);
	j->slower = row->def->better[0] == 'l' ? sum > 0 : sum < 0;
	if (!verdict)
		return TAPE_OK;
	st = judge_tests(row, opts, j, err);
	return st == TAPE_OK ? judge_drift(design, row, j, err) : st;
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
	enum tape_status st;

	d = tape_mem_calloc(TAPE_COMPARE_ROWS * k, sizeof(*d));
	if (d == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		if (isnan(out->rows[i].p))
			continue;
		memcpy(d + n * k, rows[i].d, k * sizeof(*d));
		p[n] = out->rows[i].p;
		at[n++] = i;
	}
	out->family = n;
	if (n == 0)
		st = TAPE_OK;
	else if (k >= PAIRS_FLIP)
		st = tape_stat_maxt(d, n, k, &fo, p, err);
	else
		st = tape_stat_adjust(TAPE_STAT_HOLM, p, n, p, err);
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		out->rows[at[i]].p_adjusted = p[i];
	tape_mem_free(d);
	return st;
}

static enum tape_compare_status
status_of(const struct tape_compare_judged *j, size_t k, double alpha)
{
	bool may = k >= PAIRS_FLIP || j->signs_agree;

	if (isnan(j->ratio))
		return TAPE_COMPARE_NONE;
	if (may && j->slower && j->p_adjusted <= alpha)
		return TAPE_COMPARE_LOSS;
	if (may && j->slower && j->p <= alpha)
		return TAPE_COMPARE_POSSIBLE_LOSS;
	if (may && !j->slower && j->p_adjusted <= alpha)
		return TAPE_COMPARE_WIN;
	if (j->tost_p <= alpha)
		return TAPE_COMPARE_EQUIVALENT;
	return TAPE_COMPARE_UNDECIDED;
}

/* Whether a finding rests on an order that never changed, and goes away when a
   drift is taken out. */
static bool
withheld(const struct tape_compare_design *design,
    const struct tape_compare_row *row, const struct tape_compare_judged *j)
{
	double zero = is_share(row) ? 0 : 1;
	bool fixed = design->a_first == 0 || design->a_first == design->k;

	if (!fixed || j->status > TAPE_COMPARE_WIN)
		return false;
	if (isnan(j->drift_ratio))
		return true;
	return (j->drift_ci.lo <= zero && j->drift_ci.hi >= zero) ||
	       (j->drift_ratio > zero) != (j->ratio > zero);
}

/* Every row but those that win must be shown not to lose by the margin. */
static bool
none_inferior(const struct tape_compare_verdict *v, double alpha)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_judged *j = &v->rows[i];

		if (j->status == TAPE_COMPARE_NONE ||
		    j->status == TAPE_COMPARE_WIN)
			continue;
		if (!(j->noninferior_p <= alpha))
			return false;
	}
	return true;
}

static enum tape_compare_overall
overall_of(const struct tape_compare_verdict *v, double alpha)
{
	const size_t *n = v->counts;
	size_t judged = TAPE_COMPARE_ROWS - n[TAPE_COMPARE_NONE];

	if (judged == 0)
		return TAPE_COMPARE_ALL_NONE;
	if (n[TAPE_COMPARE_LOSS] > 0)
		return n[TAPE_COMPARE_WIN] > 0 ? TAPE_COMPARE_ALL_MIXED
					       : TAPE_COMPARE_ALL_LOSS;
	if (n[TAPE_COMPARE_WIN] > 0)
		return n[TAPE_COMPARE_POSSIBLE_LOSS] == 0 &&
			       none_inferior(v, alpha)
			   ? TAPE_COMPARE_ALL_WIN
			   : TAPE_COMPARE_ALL_WIN_UNPROVEN;
	return n[TAPE_COMPARE_EQUIVALENT] == judged
		   ? TAPE_COMPARE_ALL_EQUIVALENT
		   : TAPE_COMPARE_ALL_UNDECIDED;
}

enum tape_status
tape_compare_judge(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	bool verdict = design->k >= PAIRS_T && !notes->refused;
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++)
		st = judge_row(
		    design, &rows[i], verdict, opts, &out->rows[i], err);
	if (st == TAPE_OK && verdict)
		st = adjust(rows, design->k, opts, out, err);
	if (st != TAPE_OK)
		return st;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		struct tape_compare_judged *j = &out->rows[i];

		if (verdict)
			j->status = status_of(j, design->k, opts->alpha);
		if (verdict && withheld(design, &rows[i], j)) {
			j->status = TAPE_COMPARE_UNDECIDED;
			(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
			    "drift",
			    "%s %s: withheld, since one arm is always first and "
			    "the drift-adjusted estimate does not confirm it",
			    rows[i].def->phase, rows[i].def->metric);
		}
		out->counts[j->status]++;
	}
	out->by_chance = (double)out->family * opts->alpha / 2;
	out->overall =
	    verdict ? overall_of(out, opts->alpha) : TAPE_COMPARE_ALL_NONE;
	if (!verdict)
		return TAPE_OK;
	return tape_compare_doubt(design, rows, opts, out, notes, err);
}
