/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_ttest: tests and intervals by Student's t, for pairs and two samples.
 *
 * d[0 .. k) are one number a pair, normally log(B/A): exp() of the estimate
 * and of the ends of the interval is the ratio and its interval.  All take
 * level as 0.95 for 95 %, refuse values that are not finite or too few
 * (TAPE_E_DATA) and a bad level or margin (TAPE_E_USAGE); *out is then
 * unchanged.
 */
#ifndef TAPE_CODEC_STAT_TTEST_H
#define TAPE_CODEC_STAT_TTEST_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/stat_dist.h"

struct tape_stat_ttest {
	double estimate; /* mean of d, or mean x - mean y */
	double sd;       /* of d; NaN for two samples */
	double se;       /* of the estimate */
	double t;
	double df;
	double p_two;
	double p_less;    /* against the alternative: smaller than mu */
	double p_greater; /* against the alternative: larger than mu */
	struct tape_stat_interval ci;
	bool constant; /* no spread to speak of: see below */
};

/*
 * One-sample t on the differences: t = (mean - mu) sqrt(k) / sd, k - 1 df
 * (Student 1908).  k >= 2.
 *
 * Differences that are all equal up to rounding (se < 10 epsilon |mean|, R's
 * criterion, or se = 0) set constant: sd says nothing about the noise then.
 * p and interval are the limits for sd -> 0, which are p = 1 when the
 * estimate is mu and p = 0 when it is not; a caller that gives verdicts must
 * not take that 0 for evidence.
 */
enum tape_status tape_stat_paired_t(const double *d, size_t k, double mu,
    double level, struct tape_stat_ttest *out,
    struct tape_err *err) TAPE_NODISCARD;

struct tape_stat_sample {
	const double *x;
	size_t n;
};

/* Welch (1947): unequal variances, Satterthwaite df; both n >= 2. */
enum tape_status tape_stat_welch(struct tape_stat_sample x,
    struct tape_stat_sample y, double level, struct tape_stat_ttest *out,
    struct tape_err *err) TAPE_NODISCARD;

struct tape_stat_tost {
	double p_lower; /* that the mean is at most -margin */
	double p_upper; /* that it is at least margin */
	double p;       /* the larger: small means equivalent */
};

/*
 * Two one-sided t tests (Schuirmann 1987): equivalence within -margin ..
 * margin, margin > 0, on the scale of d: log(1.02) for 2 %.  k >= 2.  p <=
 * alpha exactly when the 1 - 2 alpha interval lies within the margins.
 */
enum tape_status tape_stat_tost_t(const double *d, size_t k, double margin,
    struct tape_stat_tost *out, struct tape_err *err) TAPE_NODISCARD;

/* Smallest and largest mean with one pair left out; k >= 2. */
enum tape_status tape_stat_leave_one_out(const double *d, size_t k,
    struct tape_stat_interval *out, struct tape_err *err) TAPE_NODISCARD;

#endif
