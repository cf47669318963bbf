/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_ad.h"

#include "codec/stat_sort.h"

#include <math.h>

/* Where the curve of the tail has its least value. */
#define TURN (3.009 / (2 * 0.15))

double
tape_stat_ad_p(double a)
{
	if (!(a >= 0))
		return (double)NAN;
	if (a <= 0.26)
		return 1 - exp(-12.2204 + a * (67.459 - a * 110.3));
	if (a <= 0.51)
		return 1 - exp(-6.1327 + a * (20.218 - a * 18.663));
	if (a < 0.95)
		return exp(0.9209 - a * (3.353 - a * 0.300));
	a = fmin(a, TURN);
	return exp(0.731 - a * (3.009 - a * 0.15));
}

/* Of sorted values above 0. */
static double
statistic(const double *x, size_t n, double mean)
{
	double sum = 0;

	/* The weights (2i - 1)/n add up to n: taking 1 from each summand, and
	   not n from the sum, keeps the sum small. */
	for (size_t i = 0; i < n; i++) {
		double ln_z = log(-expm1(-x[i] / mean));
		double ln_rest = -x[n - 1 - i] / mean;

		sum += (2 * (double)i + 1) / (double)n * (ln_z + ln_rest + 1);
	}
	return -sum;
}

enum tape_status
tape_stat_ad_exponential(double *x, size_t n, double least,
    struct tape_stat_ad *out, struct tape_err *err)
{
	enum tape_status st = tape_stat_sort(x, n, err);
	double sum = 0;

	if (st != TAPE_OK)
		return st;
	if (n < 2)
		return tape_err_set(
		    err, TAPE_E_DATA, "%zu values: at least 2 are needed", n);
	if (x[0] < 0)
		return tape_err_set(err, TAPE_E_DATA, "a value is negative");
	if (!(x[n - 1] > 0))
		return tape_err_set(err, TAPE_E_DATA, "no value is above 0");
	for (size_t i = 0; i < n && !(x[i] > 0); i++)
		x[i] = least;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	out->n = n;
	out->mean = sum / (double)n;
	out->a2 = statistic(x, n, out->mean);
	out->a_star = out->a2 * (1 + 0.6 / (double)n);
	out->p = tape_stat_ad_p(out->a_star);
	return TAPE_OK;
}
