/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_quantile.h"

#include "codec/stat_dist.h"

#include <float.h>
#include <math.h>

double
tape_stat_quantile(const double *sorted, size_t n, double q)
{
	double h, whole;
	size_t i;

	if (n == 0 || !(q >= 0 && q <= 1))
		return (double)NAN;
	h = (double)(n - 1) * q;
	whole = floor(h);
	i = (size_t)whole;
	if (i >= n - 1)
		return sorted[n - 1];
	return sorted[i] + (h - whole) * (sorted[i + 1] - sorted[i]);
}

/* sorted[i - 1], with the ends repeated. */
static double
clamped(const double *sorted, size_t n, double i)
{
	if (i < 1)
		return sorted[0];
	return i >= (double)n ? sorted[n - 1] : sorted[(size_t)i - 1];
}

/* Types 1 to 3 take a value or the mean of two: the weight of the upper. */
static double
step_weight(double position, double j, double fuzz, int type)
{
	const bool between = position > j + fuzz;

	switch (type) {
	case 1:
		return between ? 1 : 0;
	case 2:
		return between ? 1 : 0.5;
	default:
		return between || fmod(j, 2) != 0 ? 1 : 0;
	}
}

double
tape_stat_quantile_type(const double *sorted, size_t n, double q, int type)
{
	/* Plotting positions p(k) = (k - a) / (n + 1 - 2a) of types 4 to 9;
	 * type 4 is apart: p(k) = k / n. */
	static const double a[] = { 0, 0.5, 0, 1, 1.0 / 3, 3.0 / 8 };
	const double fuzz = 4 * DBL_EPSILON;
	double h, j, w;

	if (n == 0 || !(q >= 0 && q <= 1) || type < 1 || type > 9)
		return (double)NAN;
	if (type == 3)
		h = (double)n * q - 0.5;
	else if (type <= 4)
		h = (double)n * q;
	else
		h = a[type - 4] + q * ((double)n + 1 - 2 * a[type - 4]);
	j = floor(h + fuzz);
	w = type <= 3 ? step_weight(h, j, fuzz, type) : h - j;
	if (fabs(w) < fuzz)
		w = 0;
	return (1 - w) * clamped(sorted, n, j) + w * clamped(sorted, n, j + 1);
}

enum tape_status
tape_stat_quantile_ranks(uint64_t n, double q, double level,
    struct tape_stat_rank_interval *out, struct tape_err *err)
{
	double below;

	if (!(q > 0 && q < 1) || !(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "quantile %g or level %g is not between 0 and 1", q, level);
	if (n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values");
	if (n > TAPE_STAT_BINOM_MAX)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "more than 10^12 values");
	out->lo = tape_stat_binom_quantile((1 - level) / 2, n, q);
	out->hi = tape_stat_binom_quantile((1 + level) / 2, n, q) + 1;
	below = out->lo == 0 ? 0 : tape_stat_binom_p(out->lo - 1, n, q);
	out->coverage = tape_stat_binom_p(out->hi - 1, n, q) - below;
	return TAPE_OK;
}

uint64_t
tape_stat_quantile_min_n(double q, double level, bool two_sided)
{
	const double tail = two_sided ? (1 - level) / 2 : 1 - level;
	const double far = two_sided ? fmax(q, 1 - q) : q;
	double n;

	if (!(q > 0 && q < 1) || !(level > 0 && level < 1))
		return 0;
	n = ceil(log(tail) / log(far) - 64 * DBL_EPSILON);
	return n > TAPE_STAT_BINOM_MAX ? 0 : (uint64_t)n;
}
