/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_desc: what one sample looks like.
 *
 * Functions that return a double are pure, take finite data (tape_stat_sort
 * or tape_stat_check has seen to it) and give NaN when there are too few
 * values to answer: a caller writes that as missing, not as 0.  Sums run in
 * the order of the array, so sort first where the order must not show.
 */
#ifndef TAPE_CODEC_STAT_DESC_H
#define TAPE_CODEC_STAT_DESC_H

#include "base/err.h"

struct tape_stat_desc {
	size_t n;
	double mean;
	double sd; /* with n - 1; NaN when n is 1 */
	double min;
	double max;
};

/* TAPE_E_DATA when n is 0 or a value is not finite; *out is unchanged. */
enum tape_status tape_stat_describe(const double *x, size_t n,
    struct tape_stat_desc *out, struct tape_err *err) TAPE_NODISCARD;

/* GSL's recurrences in long double; n >= 1, and n >= 2 for the sd. */
double tape_stat_mean(const double *x, size_t n);
double tape_stat_sd(const double *x, size_t n);

/*
 * Mean without the floor(trim * n) smallest and largest values, 0 <= trim;
 * the median from trim = 0.5 on.  R's mean(x, trim=).  n >= 1.
 */
double tape_stat_trimmed(const double *sorted, size_t n, double trim);

double tape_stat_median(const double *sorted, size_t n);

/*
 * Median of |x - median|, not scaled: times 1.4826 it estimates the sd of
 * normal data.  n >= 1.
 */
double tape_stat_mad(const double *sorted, size_t n);

#endif
