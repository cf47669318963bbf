/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_desc.h"

#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"

#include <math.h>

#include <gsl/gsl_statistics_double.h>

enum tape_status
tape_stat_describe(
    const double *x, size_t n, struct tape_stat_desc *out, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);

	if (st != TAPE_OK)
		return st;
	if (n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values");
	out->n = n;
	out->mean = gsl_stats_mean(x, 1, n);
	out->sd = n < 2 ? (double)NAN : gsl_stats_sd_m(x, 1, n, out->mean);
	gsl_stats_minmax(&out->min, &out->max, x, 1, n);
	return TAPE_OK;
}

double
tape_stat_mean(const double *x, size_t n)
{
	return n < 1 ? (double)NAN : gsl_stats_mean(x, 1, n);
}

double
tape_stat_sd(const double *x, size_t n)
{
	return n < 2 ? (double)NAN : gsl_stats_sd(x, 1, n);
}

double
tape_stat_trimmed(const double *sorted, size_t n, double trim)
{
	if (n < 1 || !(trim >= 0))
		return (double)NAN;
	if (trim >= 0.5)
		return tape_stat_median(sorted, n);
	return gsl_stats_trmean_from_sorted_data(trim, sorted, 1, n);
}

double
tape_stat_median(const double *sorted, size_t n)
{
	return tape_stat_quantile(sorted, n, 0.5);
}

/*
 * The deviations left and right of the median are two sorted runs, from the
 * middle outwards: the wanted order statistics come from merging them.
 */
double
tape_stat_mad(const double *sorted, size_t n)
{
	const double mid = tape_stat_median(sorted, n);
	size_t left = n / 2, right = n / 2;
	double before = 0, last = 0;

	if (n < 1)
		return (double)NAN;
	for (size_t taken = 0; taken <= n / 2; taken++) {
		before = last;
		if (right < n && (left == 0 || sorted[right] - mid <=
						   mid - sorted[left - 1]))
			last = fabs(sorted[right++] - mid);
		else
			last = fabs(mid - sorted[--left]);
	}
	return n % 2 == 1 ? last : before + (last - before) / 2;
}
