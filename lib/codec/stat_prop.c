/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_prop.h"

#include <math.h>

static enum tape_status
check(double good, double n, double level, struct tape_err *err)
{
	if (!isfinite(good) || !isfinite(n) || good < 0 || n < good)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%g of %g is no proportion", good, n);
	if (!(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "level %g is not between 0 and 1", level);
	if (n == 0)
		return tape_err_set(
		    err, TAPE_E_DATA, "a proportion needs at least one trial");
	return TAPE_OK;
}

enum tape_status
tape_stat_wilson(double good, double n, double level,
    struct tape_stat_interval *out, struct tape_err *err)
{
	double z, p, mid, half, all;
	enum tape_status st = check(good, n, level, err);

	if (st != TAPE_OK)
		return st;
	z = tape_stat_normal_pinv(0.5 + level / 2);
	p = good / n;
	all = 1 + z * z / n;
	mid = (p + z * z / (2 * n)) / all;
	half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / all;
	out->lo = good == 0 ? 0 : fmax(0, mid - half);
	out->hi = good == n ? 1 : fmin(1, mid + half);
	return TAPE_OK;
}

/* The p at which k or fewer of n have probability tail; falls in p. */
static double
solve(uint64_t k, uint64_t n, double tail)
{
	double lo = 0, hi = 1;

	for (int i = 0; i < 1100; i++) {
		const double mid = lo + (hi - lo) / 2;

		if (mid <= lo || mid >= hi)
			break;
		if (tape_stat_binom_p(k, n, mid) > tail)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

enum tape_status
tape_stat_clopper(uint64_t good, uint64_t n, double level,
    struct tape_stat_interval *out, struct tape_err *err)
{
	const double tail = (1 - level) / 2;
	enum tape_status st = check((double)good, (double)n, level, err);

	if (st != TAPE_OK)
		return st;
	if (n > TAPE_STAT_BINOM_MAX)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "more than 10^12 trials");
	out->lo = good == 0 ? 0 : solve(good - 1, n, 1 - tail);
	out->hi = good == n ? 1 : solve(good, n, tail);
	return TAPE_OK;
}
