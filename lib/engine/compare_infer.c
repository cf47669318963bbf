/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_infer.h"

#include "base/mem.h"
#include "codec/stat_fit.h"
#include "codec/stat_flip.h"
#include "codec/stat_flipci.h"
#include "codec/stat_hl.h"
#include "codec/stat_ttest.h"
#include "engine/compare_boot.h"

#include <stdio.h>

#define NAME_ROOM 64

double
tape_compare_null(const struct tape_compare_row *row)
{
	return tape_compare_is_share(row) ? 0 : 1;
}

double
tape_compare_margin_d(const struct tape_compare_row *row, double margin_ratio)
{
	return tape_compare_is_share(row) ? margin_ratio : log1p(margin_ratio);
}

struct tape_stat_interval
tape_compare_margin(const struct tape_compare_row *row, double margin_ratio)
{
	double m = tape_compare_margin_d(row, margin_ratio);
	struct tape_stat_interval v = { tape_compare_scale(row, -m),
		tape_compare_scale(row, m) };

	return v;
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

void
tape_compare_figures_init(struct tape_compare_figures *f)
{
	static const struct tape_stat_interval none = { (double)NAN,
		(double)NAN };

	memset(f, 0, sizeof(*f));
	f->ratio = f->ci_exact_level = f->hl_ratio = TAPE_ABSENT_F64;
	f->p = f->p_min = f->p_t = TAPE_ABSENT_F64;
	f->tost_p = f->noninferior_p = f->mde_ratio = TAPE_ABSENT_F64;
	f->drift_ratio = f->sd = f->hl_level = TAPE_ABSENT_F64;
	f->ci = f->ci_exact = f->hl_ci = f->loo = f->drift_ci = none;
	f->pairs_needed = f->pairs_needed_upper = TAPE_ABSENT_I64;
}

static struct tape_stat_interval
scale_interval(const struct tape_compare_row *row, struct tape_stat_interval d)
{
	struct tape_stat_interval v = { tape_compare_scale(row, d.lo),
		tape_compare_scale(row, d.hi) };

	return v;
}

struct tape_stat_flip_opt
tape_compare_flip_opt(const struct tape_compare_row *row, uint64_t seed)
{
	struct tape_stat_flip_opt fo = { .seed = seed };
	char name[NAME_ROOM];
	int n = snprintf(name, sizeof(name), "%s/%s/%s", row->def->phase,
	    row->def->metric, tape_compare_statistic_name(row->def->statistic));

	fo.row = tape_rng_fnv32(name, n < 0 ? 0 : (size_t)n);
	return fo;
}

static enum tape_status
infer_flip(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_figures *f,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = tape_compare_flip_opt(row, opts->seed);
	struct tape_stat_flip flip;
	struct tape_stat_flipci ci;
	enum tape_status st;

	st = tape_stat_flip(row->d, row->k, &fo, &flip, err);
	if (st != TAPE_OK)
		return st;
	f->test = "sign-flip";
	f->p = flip.p_two;
	f->p_min = flip.exact ? 2 / (double)flip.total : 1 / (double)flip.total;
	if (opts->brief)
		return TAPE_OK;
	st =
	    tape_stat_flipci(row->d, row->k, TAPE_COMPARE_LEVEL, &fo, &ci, err);
	if (st != TAPE_OK)
		return st;
	f->ci_exact = scale_interval(row, ci.ci);
	f->ci_exact_level = ci.level;
	if (opts->ci == TAPE_COMPARE_CI_EXACT) {
		f->ci = f->ci_exact;
		f->ci_level = ci.level;
		f->ci_basis = "sign-flip";
	}
	return TAPE_OK;
}

static enum tape_status
infer_equivalence(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_figures *f,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = tape_compare_flip_opt(row, opts->seed);
	struct tape_stat_tost tost;
	double margin;
	enum tape_status st;

	if (isnan(opts->margin_ratio))
		return TAPE_OK;
	margin = tape_compare_margin_d(row, opts->margin_ratio);
	if (row->k >= TAPE_COMPARE_PAIRS_FLIP)
		st = tape_stat_tost_flip(
		    row->d, row->k, margin, &fo, &tost, err);
	else
		st = tape_stat_tost_t(row->d, row->k, margin, &tost, err);
	if (st != TAPE_OK)
		return st;
	f->tost_p = tost.p;
	f->noninferior_p =
	    row->def->lower_is_better ? tost.p_upper : tost.p_lower;
	return TAPE_OK;
}

/* The t figures; from 6 pairs on the test is the sign flip. */
static enum tape_status
infer_tests(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_figures *f,
    struct tape_err *err)
{
	struct tape_stat_ttest t;
	struct tape_stat_hl hl = { TAPE_ABSENT_F64,
		{ TAPE_ABSENT_F64, TAPE_ABSENT_F64 }, TAPE_ABSENT_F64 };
	struct tape_stat_interval loo;
	enum tape_status st;

	st = tape_stat_paired_t(row->d, row->k, 0, TAPE_COMPARE_LEVEL, &t, err);
	if (st == TAPE_OK && !opts->brief)
		st = tape_stat_hodges_lehmann(
		    row->d, row->k, TAPE_COMPARE_LEVEL, &hl, err);
	if (st == TAPE_OK)
		st = tape_stat_leave_one_out(row->d, row->k, &loo, err);
	if (st != TAPE_OK)
		return st;
	f->constant = t.constant;
	f->sd = t.constant ? 0 : t.sd;
	f->ci = scale_interval(row, t.ci);
	f->ci_level = TAPE_COMPARE_LEVEL;
	f->ci_basis = "paired-t";
	f->hl_ratio = tape_compare_scale(row, hl.estimate);
	f->hl_ci = scale_interval(row, hl.ci);
	f->hl_level = hl.level;
	f->loo = scale_interval(row, loo);
	f->signs_agree = agree(row);
	f->test = "paired-t";
	/* Equal differences say nothing about noise: their p of 0 is none. */
	if (!t.constant || t.estimate == 0)
		f->p = f->p_t = t.p_two;
	if (row->k >= TAPE_COMPARE_PAIRS_FLIP)
		st = infer_flip(row, opts, f, err);
	return st == TAPE_OK ? infer_equivalence(row, opts, f, err) : st;
}

/* In place of the t interval: where 6 pairs give 462 different resamples, 3 give
   10, too few for a quantile. */
static enum tape_status
infer_boot(const struct tape_compare_design *design,
    const struct tape_compare_row *row, const struct tape_compare_opts *opts,
    struct tape_compare_figures *f, struct tape_err *err)
{
	struct tape_stat_flip_opt fo = tape_compare_flip_opt(row, opts->seed);
	const struct tape_stat_boot_opt bo = { fo.seed, fo.row, 0 };
	struct tape_stat_boot b;
	enum tape_status st;

	if (opts->ci != TAPE_COMPARE_CI_BOOT || f->constant ||
	    row->k < TAPE_COMPARE_PAIRS_FLIP)
		return TAPE_OK;
	st = tape_compare_boot(design, row, TAPE_COMPARE_LEVEL, &bo, &b, err);
	if (st != TAPE_OK)
		return st;
	f->ci = scale_interval(row, b.ci);
	f->ci_basis = "bootstrap-t";
	return TAPE_OK;
}

/* The effect with a linear drift over the session taken out; left unknown when
   the runs do not determine it. */
static enum tape_status
infer_drift(const struct tape_compare_design *design,
    const struct tape_compare_row *row, struct tape_compare_figures *f,
    struct tape_err *err)
{
	struct tape_stat_run *runs;
	struct tape_stat_ancova fit;
	int64_t origin_ns = tape_compare_first(&design->pairs[0])->start_ns;
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
			runs[n].time = ((double)t - (double)origin_ns) / 1e9;
		}
	st = tape_stat_fit_ancova(runs, n, TAPE_COMPARE_LEVEL, &fit, NULL);
	tape_mem_free(runs);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		return TAPE_OK;
	f->drift_ratio = tape_compare_scale(row, fit.arm.value);
	f->drift_ci = scale_interval(row, fit.arm.ci);
	return TAPE_OK;
}

enum tape_status
tape_compare_infer(const struct tape_compare_design *design,
    const struct tape_compare_row *row, bool tests,
    const struct tape_compare_opts *opts, struct tape_compare_figures *f,
    struct tape_err *err)
{
	enum tape_status st;
	double sum = 0;

	tape_compare_figures_init(f);
	if (!row->usable)
		return TAPE_OK;
	for (size_t i = 0; i < row->k; i++)
		sum += row->d[i];
	f->ratio = tape_compare_scale(row, sum / (double)row->k);
	f->worse = row->def->lower_is_better ? sum > 0 : sum < 0;
	if (!tests)
		return TAPE_OK;
	st = infer_tests(row, opts, f, err);
	if (st == TAPE_OK)
		st = infer_boot(design, row, opts, f, err);
	return st == TAPE_OK ? infer_drift(design, row, f, err) : st;
}
