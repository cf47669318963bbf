/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_ttest.h"

#include "codec/stat_desc.h"
#include "codec/stat_sort.h"

#include <float.h>
#include <math.h>

static enum tape_status
check(const double *d, size_t k, double level, struct tape_err *err)
{
	if (!(level > 0 && level < 1))
		return tape_err_set(err, TAPE_E_USAGE,
		    "level %g is not between 0 and 1", level);
	if (k < 2)
		return tape_err_set(
		    err, TAPE_E_DATA, "%zu values: at least 2 are needed", k);
	return tape_stat_check(d, k, err);
}

/* From estimate, se and df to t, p and interval. */
static void
finish(struct tape_stat_ttest *r, double mu, double level)
{
	const double above = r->estimate - mu;

	if (r->se > 0)
		r->t = above / r->se;
	else if (above == 0)
		r->t = 0;
	else
		r->t = above > 0 ? HUGE_VAL : -HUGE_VAL;
	r->p_less = tape_stat_t_p(r->t, r->df);
	r->p_greater = tape_stat_t_q(r->t, r->df);
	r->p_two = fmin(1, 2 * fmin(r->p_less, r->p_greater));
	r->ci.lo = r->ci.hi = r->estimate;
	if (r->se > 0) {
		const double t = tape_stat_t_pinv(0.5 + level / 2, r->df);

		r->ci.lo -= t * r->se;
		r->ci.hi += t * r->se;
	}
}

enum tape_status
tape_stat_paired_t(const double *d, size_t k, double mu, double level,
    struct tape_stat_ttest *out, struct tape_err *err)
{
	enum tape_status st = check(d, k, level, err);

	if (st != TAPE_OK)
		return st;
	if (!isfinite(mu))
		return tape_err_set(err, TAPE_E_USAGE, "mu is not finite");
	out->estimate = tape_stat_mean(d, k);
	out->sd = tape_stat_sd(d, k);
	out->se = out->sd / sqrt((double)k);
	out->df = (double)(k - 1);
	out->constant = out->se <= 10 * DBL_EPSILON * fabs(out->estimate);
	finish(out, mu, level);
	return TAPE_OK;
}

enum tape_status
tape_stat_welch(struct tape_stat_sample x, struct tape_stat_sample y,
    double level, struct tape_stat_ttest *out, struct tape_err *err)
{
	enum tape_status st = check(x.x, x.n, level, err);
	double mean_x, mean_y, vx, vy;

	if (st == TAPE_OK)
		st = check(y.x, y.n, level, err);
	if (st != TAPE_OK)
		return st;
	mean_x = tape_stat_mean(x.x, x.n);
	mean_y = tape_stat_mean(y.x, y.n);
	vx = pow(tape_stat_sd(x.x, x.n), 2) / (double)x.n;
	vy = pow(tape_stat_sd(y.x, y.n), 2) / (double)y.n;
	out->estimate = mean_x - mean_y;
	out->sd = (double)NAN;
	out->se = sqrt(vx + vy);
	out->constant =
	    out->se <= 10 * DBL_EPSILON * fmax(fabs(mean_x), fabs(mean_y));
	out->df = (double)(x.n + y.n - 2);
	if (out->se > 0)
		out->df =
		    (vx + vy) * (vx + vy) /
		    (vx * vx / (double)(x.n - 1) + vy * vy / (double)(y.n - 1));
	finish(out, 0, level);
	return TAPE_OK;
}

enum tape_status
tape_stat_tost_t(const double *d, size_t k, double margin,
    struct tape_stat_tost *out, struct tape_err *err)
{
	struct tape_stat_ttest low = { 0 }, high = { 0 };
	enum tape_status st;

	if (!(margin > 0) || !isfinite(margin))
		return tape_err_set(
		    err, TAPE_E_USAGE, "margin %g is not positive", margin);
	st = tape_stat_paired_t(d, k, -margin, 0.95, &low, err);
	if (st == TAPE_OK)
		st = tape_stat_paired_t(d, k, margin, 0.95, &high, err);
	if (st != TAPE_OK)
		return st;
	out->p_lower = low.p_greater;
	out->p_upper = high.p_less;
	out->p = fmax(out->p_lower, out->p_upper);
	return TAPE_OK;
}

enum tape_status
tape_stat_leave_one_out(const double *d, size_t k,
    struct tape_stat_interval *out, struct tape_err *err)
{
	enum tape_status st = check(d, k, 0.95, err);
	double mean, low, high;

	if (st != TAPE_OK)
		return st;
	/* Without the largest the mean is smallest, and the reverse. */
	mean = tape_stat_mean(d, k);
	low = high = d[0];
	for (size_t i = 1; i < k; i++) {
		low = fmin(low, d[i]);
		high = fmax(high, d[i]);
	}
	out->lo = mean - (high - mean) / (double)(k - 1);
	out->hi = mean + (mean - low) / (double)(k - 1);
	return TAPE_OK;
}
