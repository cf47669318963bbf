/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_trend: does something rise or fall, by ranks.
 *
 * Values must be finite, enough, and not all equal (TAPE_E_DATA);
 * TAPE_E_NOMEM.  *out is unchanged on failure.
 */
#ifndef TAPE_CODEC_STAT_TREND_H
#define TAPE_CODEC_STAT_TREND_H

#include "base/err.h"

#define TAPE_STAT_KENDALL_EXACT 50

struct tape_stat_kendall {
	double tau; /* tau-b of the values against their place */
	double z;
	double p;       /* two-sided, normal, variance corrected for ties */
	double p_exact; /* up to 50 values without ties, else NaN */
};

/*
 * Trend by Kendall's tau (1938): do values rise or fall with their place?
 * O(n log n) by counting inversions while merging (Knight 1966).  n >= 2, not
 * all equal.
 */
enum tape_status tape_stat_kendall_trend(const double *x, size_t n,
    struct tape_stat_kendall *out, struct tape_err *err) TAPE_NODISCARD;

struct tape_stat_spearman {
	double rho;
	double p; /* two-sided, by t with n - 2 df */
};

/* Spearman's rank correlation (1904) of x and y; n >= 3, both varying. */
enum tape_status tape_stat_spearman(const double *x, const double *y, size_t n,
    struct tape_stat_spearman *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Theil (1950) and Sen (1968): median of the slopes of all pairs of places,
 * per place; n from 2 to TAPE_STAT_THEIL_MAX (TAPE_E_LIMIT).
 */
#define TAPE_STAT_THEIL_MAX 4000

enum tape_status tape_stat_theil_sen(const double *x, size_t n, double *slope,
    struct tape_err *err) TAPE_NODISCARD;

#endif
