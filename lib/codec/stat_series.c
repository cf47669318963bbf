/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_series.h"

#include "codec/stat_desc.h"
#include "codec/stat_sort.h"

#include <math.h>

double
tape_stat_acf(const double *x, size_t n, size_t lag)
{
	const double mean = tape_stat_mean(x, n);
	double with = 0, all = 0;

	if (lag >= n)
		return (double)NAN;
	for (size_t i = 0; i < n; i++) {
		all += (x[i] - mean) * (x[i] - mean);
		if (i >= lag)
			with += (x[i] - mean) * (x[i - lag] - mean);
	}
	return all > 0 ? with / all : (double)NAN;
}

double
tape_stat_n_eff(const double *x, size_t n)
{
	const double m = (double)n;
	const double lag1 = tape_stat_acf(x, n, 1);
	double r;

	if (isnan(lag1))
		return m;
	r = fmin(0.98, fmax(0, lag1 + (1 + 3 * lag1) / m));
	return m * (1 - r) / (1 + r);
}

enum tape_status
tape_stat_mean_ci(const double *x, size_t n, double level,
    struct tape_stat_interval *out, struct tape_err *err)
{
	struct tape_stat_desc d;
	double n_eff, half = HUGE_VAL;
	enum tape_status st = tape_stat_describe(x, n, &d, err);

	if (st != TAPE_OK)
		return st;
	if (!(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "level %g is not between 0 and 1", level);
	n_eff = tape_stat_n_eff(x, n);
	if (n_eff > 1)
		half = tape_stat_t_pinv(0.5 + level / 2, n_eff - 1) * d.sd /
		       sqrt(n_eff);
	out->lo = d.mean - half;
	out->hi = d.mean + half;
	return TAPE_OK;
}

enum tape_status
tape_stat_ljung_box(const double *x, size_t n, size_t lags,
    struct tape_stat_portmanteau *out, struct tape_err *err)
{
	const double m = (double)n;
	double sum = 0;
	enum tape_status st = tape_stat_check(x, n, err);

	if (st != TAPE_OK)
		return st;
	if (lags < 1 || lags >= n)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%zu lags of %zu values", lags, n);
	for (size_t k = 1; k <= lags; k++) {
		const double r = tape_stat_acf(x, n, k);

		sum += r * r / (double)(n - k);
	}
	if (isnan(sum))
		return tape_err_set(err, TAPE_E_DATA, "no value differs");
	out->q = m * (m + 2) * sum;
	out->df = (double)lags;
	out->p = tape_stat_chi2_q(out->q, out->df);
	return TAPE_OK;
}
