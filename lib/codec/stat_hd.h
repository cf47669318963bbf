/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_hd: what two whole distributions say, beyond their middle.
 */
#ifndef TAPE_CODEC_STAT_HD_H
#define TAPE_CODEC_STAT_HD_H

#include "base/err.h"
#include "codec/stat_signs.h"

/*
 * Harrell and Davis's quantile (1982): the mean of the order statistics, x_(i)
 * weighted by B(i/n) - B((i-1)/n), B the law of Beta((n+1)q, (n+1)(1-q)).
 * NaN when n is 0 or beyond TAPE_STAT_HD_MAX, or q not within (0, 1).
 */
#define TAPE_STAT_HD_MAX 90000

double tape_stat_hd(const double *sorted, size_t n, double q);

/*
 * Cliff's delta of sorted values, P(x > y) - P(x < y), in linear time; NaN
 * when either is empty.
 */
double tape_stat_cliff(const double *x, size_t m, const double *y, size_t n);

/*
 * Half-widths of a simultaneous band around the means of the rows, rows x k
 * values row after row, into half: c s_j / sqrt k, c being the level-quantile of
 * the largest |t| of all rows when the pairs' deviations from their means are
 * flipped, all rows alike: all 2^(k-1) vectors to k = 14, else
 * TAPE_STAT_BAND_DRAWS drawn ones.  Below 6 pairs, where flips cannot reach
 * it, c is that of Bonferroni's t.  0 for a row without spread.  Infinite for
 * fewer than 2 pairs.  TAPE_E_DATA, TAPE_E_LIMIT as tape_stat_maxt;
 * TAPE_E_NOMEM.
 */
#define TAPE_STAT_BAND_EXACT 14
#define TAPE_STAT_BAND_DRAWS 9999

struct tape_stat_rows {
	const double *d;
	size_t rows, k;
};

enum tape_status tape_stat_band(const struct tape_stat_rows *in, double level,
    const struct tape_stat_flip_opt *opt, double *half,
    struct tape_err *err) TAPE_NODISCARD;

#endif
