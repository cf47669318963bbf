/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_rank: rank tests for one sample of differences and for two samples.
 *
 * Mid-ranks for equal values.  Exact p are conditional on the ties, by
 * counting the rank sums of all sign vectors or of all splits (the recurrence
 * c_n(s) = c_{n-1}(s) + c_{n-1}(s - r_n), on doubled ranks so that they are
 * whole).  Normal p have the variance corrected for ties.  All refuse values
 * that are not finite and samples without values (TAPE_E_DATA) and leave
 * *out unchanged on failure; TAPE_E_NOMEM.
 */
#ifndef TAPE_CODEC_STAT_RANK_H
#define TAPE_CODEC_STAT_RANK_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/stat_dist.h"
#include "codec/stat_ttest.h"

#define TAPE_STAT_RANK_EXACT 100 /* values up to which p is exact */

struct tape_stat_rank {
	double statistic; /* V, or U of x, which R calls W */
	size_t n;         /* values that count: V drops zeros */
	bool ties;        /* equal values, or zeros that were dropped */
	bool exact;       /* the next three are there; else NaN */
	double p_two;     /* twice the smaller tail, at most 1 */
	double p_less;
	double p_greater;
	double p_normal;    /* two-sided, continuity corrected */
	double p_normal_nc; /* two-sided, not corrected */
};

/*
 * Wilcoxon signed rank (1945): V, the sum of the ranks of |d| of the positive
 * ones, zeros dropped first.  All zero: V 0, all p 1.
 */
enum tape_status tape_stat_signed_rank(const double *d, size_t n,
    struct tape_stat_rank *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Mann-Whitney (1947): U, the pairs (x, y) with x > y, ties half.  The exact
 * two-sided p is the share of splits whose U is as far from its mean as the
 * observed one, which is twice the smaller tail when there are no ties.
 */
enum tape_status tape_stat_mann_whitney(struct tape_stat_sample x,
    struct tape_stat_sample y, struct tape_stat_rank *out,
    struct tape_err *err) TAPE_NODISCARD;

/* Cliff's delta (1993), P(x > y) - P(x < y), from U: 2 U / (m n) - 1. */
double tape_stat_cliffs_delta(double u, size_t m, size_t n);

/*
 * Smallest v with P(V <= v) >= prob for n ranks without ties, and smallest u
 * with P(U <= u) >= prob for samples of m and n; R's qsignrank and qwilcox.
 * TAPE_E_USAGE when prob is not within [0, 1], TAPE_E_LIMIT for more than
 * TAPE_STAT_RANK_EXACT values.
 */
enum tape_status tape_stat_signed_rank_quantile(
    double prob, size_t n, uint64_t *v, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_stat_mann_whitney_quantile(double prob, size_t m,
    size_t n, uint64_t *u, struct tape_err *err) TAPE_NODISCARD;

/* P(V <= v) for n ranks without ties; R's psignrank.  Errors as above. */
enum tape_status tape_stat_signed_rank_p(
    uint64_t v, size_t n, double *p, struct tape_err *err) TAPE_NODISCARD;

#endif
