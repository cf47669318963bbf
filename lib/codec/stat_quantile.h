/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_quantile: quantiles of sorted data, and the ranks of their intervals.
 *
 * Type 7 of Hyndman and Fan (1996) is the one the tools report: default of R
 * and of numpy.percentile, and so of AIPerf and vLLM.
 */
#ifndef TAPE_CODEC_STAT_QUANTILE_H
#define TAPE_CODEC_STAT_QUANTILE_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Type 7: h = (n - 1) q; x[floor h] + (h - floor h) (x[floor h + 1] - x[floor
 * h]), counted from 0.  NaN when n is 0 or q is not within [0, 1].  n is not
 * bounded by int, as it is in GSL.
 */
double tape_stat_quantile(const double *sorted, size_t n, double q);

/*
 * Any of Hyndman and Fan's types 1 to 9, to speak another tool's definition
 * (1 is HdrHistogram's and nearest rank).  NaN also for another type.
 */
double tape_stat_quantile_type(
    const double *sorted, size_t n, double q, int type);

struct tape_stat_rank_interval {
	uint64_t lo;     /* 1-based rank of the lower end; 0: there is none */
	uint64_t hi;     /* of the upper end; n + 1: there is none */
	double coverage; /* exact, for independent continuous data */
};

/*
 * Interval of the q-quantile by order statistics, [x_(lo), x_(hi)] with
 *
 *	lo = qbinom((1 - level)/2, n, q), hi = qbinom((1 + level)/2, n, q) + 1,
 *
 * so that each tail has at most (1 - level)/2 (Conover 1999).  Where an end
 * does not exist the coverage counts that side as covered.  For dependent
 * data take the effective n.  TAPE_E_DATA when n is 0, TAPE_E_USAGE when q or
 * level is not within (0, 1), TAPE_E_LIMIT beyond TAPE_STAT_BINOM_MAX.
 */
enum tape_status tape_stat_quantile_ranks(uint64_t n, double q, double level,
    struct tape_stat_rank_interval *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Smallest n at which both ends exist (two-sided, at level), or the upper end
 * of a one-sided bound: n with q^n <= 1 - level.  99 % at .99: 459, as in
 * MLPerf's early stopping.  0 for a bad argument.
 */
uint64_t tape_stat_quantile_min_n(double q, double level, bool two_sided);

#endif
