/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_infer: what the k numbers of one row say, taken by itself: effect,
 * intervals, p, equivalence, power.
 *
 *	pairs	test
 *	1, 2	none: values only
 *	3 to 5	paired t
 *	6 on	exact sign flip (Monte Carlo beyond 40)
 */
#ifndef TAPE_ENGINE_COMPARE_INFER_H
#define TAPE_ENGINE_COMPARE_INFER_H

#include "codec/stat_dist.h"
#include "codec/stat_signs.h"
#include "engine/compare_method.h"
#include "engine/compare_rows.h"

#define TAPE_COMPARE_PAIRS_FLIP 6    /* from here on no normal theory */
#define TAPE_COMPARE_LEVEL      0.95 /* of the intervals */

/* NaN, or absent, where there is no such figure.  ratio and all that is
   compared with it are differences for shares. */
struct tape_compare_figures {
	double ratio;
	bool worse;                   /* B, as the metric goes */
	struct tape_stat_interval ci; /* as the options and the plan say */
	double ci_level;
	const char *ci_basis;               /* paired-t, sign-flip, ... */
	struct tape_stat_interval ci_exact; /* sign flip, from 6 pairs */
	double ci_exact_level;
	double hl_ratio;                 /* Hodges-Lehmann */
	struct tape_stat_interval hl_ci; /* at hl_level, which it achieves */
	double hl_level;
	const char *test; /* NULL: none was made */
	double p;
	double p_min;
	double p_t;
	double sd; /* of d; 0 when constant */
	double tost_p;
	double noninferior_p; /* that B is worse by the margin or more */
	/* By tape_compare_power: */
	double mde_ratio;     /* the smallest effect that would be found */
	int64_t pairs_needed; /* absent: more than can be said */
	int64_t pairs_needed_upper;
	struct tape_stat_interval loo;
	double drift_ratio; /* a linear drift over the session taken out */
	struct tape_stat_interval drift_ci;
	bool signs_agree;
	bool constant; /* equal differences: there is no noise to judge by */
};

/* None of them is known. */
void tape_compare_figures_init(struct tape_compare_figures *f);

/*
 * Figures of a row; tests: without them the ratio only.  A row that is not
 * usable has none.  Fails when memory is out, or for a bug.
 */
enum tape_status tape_compare_infer(const struct tape_compare_design *design,
    const struct tape_compare_row *row, bool tests,
    const struct tape_compare_opts *opts, struct tape_compare_figures *f,
    struct tape_err *err) TAPE_NODISCARD;

/* How sign vectors are drawn for a row, where they are. */
struct tape_stat_flip_opt tape_compare_flip_opt(
    const struct tape_compare_row *row, uint64_t seed);

/* The margin on the scale of d, and the ends within which B counts as
   equivalent on that of the row.  NaN without a margin. */
double tape_compare_margin_d(
    const struct tape_compare_row *row, double margin_ratio);
struct tape_stat_interval tape_compare_margin(
    const struct tape_compare_row *row, double margin_ratio);

/* 1, or 0 for a share: no difference. */
double tape_compare_null(const struct tape_compare_row *row);

#endif
