/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_series: values in the order of time: autocorrelation, and the mean
 * despite of it.
 *
 * Functions that return a double are pure, take finite data and give NaN when
 * there are too few values or none varies.  The others refuse such data with
 * TAPE_E_DATA and leave *out unchanged; TAPE_E_NOMEM.
 */
#ifndef TAPE_CODEC_STAT_SERIES_H
#define TAPE_CODEC_STAT_SERIES_H

#include "base/err.h"
#include "codec/stat_dist.h"

/*
 * Autocorrelation r_k = sum_i (x_i - mean)(x_{i+k} - mean) / sum_i (x_i -
 * mean)^2 at lag k < n; R's acf.
 */
double tape_stat_acf(const double *x, size_t n, size_t lag);

/*
 * Values that an independent sample would need for the same precision of the
 * mean: n (1 - r)/(1 + r), r = r_1 + (1 + 3 r_1)/n, the lag-1 value with its
 * bias taken out, kept within [0, 0.98].  n when nothing varies; 0 of none.
 */
double tape_stat_n_eff(const double *x, size_t n);

/*
 * Interval of the mean of one run: mean -+ t sd / sqrt(n_eff), n_eff - 1 df.
 * It covers the mean of this run, and says nothing about the next one.
 * Infinite ends when n_eff <= 1.  TAPE_E_USAGE for a bad level.
 */
enum tape_status tape_stat_mean_ci(const double *x, size_t n, double level,
    struct tape_stat_interval *out, struct tape_err *err) TAPE_NODISCARD;

struct tape_stat_portmanteau {
	double q;
	double df;
	double p;
};

/*
 * Ljung and Box (1978): Q = n (n + 2) sum_{k <= lags} r_k^2 / (n - k), chi2
 * with as many df as lags; 1 <= lags < n, else TAPE_E_USAGE.
 */
enum tape_status tape_stat_ljung_box(const double *x, size_t n, size_t lags,
    struct tape_stat_portmanteau *out, struct tape_err *err) TAPE_NODISCARD;

#endif
