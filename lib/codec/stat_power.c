/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_power.h"

#include "codec/stat_dist.h"

#include <math.h>

/* exp(-DELTA_MAX^2 / 2) is still a normal double. */
#define DELTA_MAX 37.0

/*
 * For t > 0, with x = t^2/(t^2 + df), h = delta^2/2 and Poisson weights
 * p_j = e^-h h^j / j!, q_j = delta e^-h h^j / (sqrt 2 Gamma(j + 3/2)):
 *
 *	P(T <= t) = Phi(-delta) + 1/2 sum_j p_j I_x(j + 1/2, df/2)
 *	                                  + q_j I_x(j + 1,   df/2)
 *
 * Terms rise up to j = h, so the sum runs at least that far.
 */
static double
series(double t, double df, double delta)
{
	const double x = t * t / (t * t + df);
	const double h = delta * delta / 2;
	double p = exp(-h), q = delta * exp(-h) * sqrt(2 / M_PI);
	double sum = 0, rest = 1;

	for (int j = 0; j < 5000; j++) {
		sum += p * tape_stat_beta_p(x, j + 0.5, df / 2) +
		       q * tape_stat_beta_p(x, j + 1.0, df / 2);
		rest -= p;
		if (j > h && (rest < 1e-16 || p + fabs(q) < 1e-18))
			break;
		p *= h / (j + 1);
		q *= h / (j + 1.5);
	}
	return fmin(1, fmax(0, tape_stat_normal_p(-delta) + sum / 2));
}

/*
 * Far out the weights underflow, but there the normal numerator is nearly
 * constant: its mean over three Gauss-Hermite points.  delta > 0, t > 0.
 */
static double
far(double t, double df, double delta)
{
	const double step = sqrt(3) / t, at = delta / t;

	return (4 * tape_stat_chi2_q(df * at * at, df) +
		   tape_stat_chi2_q(df * pow(at - step, 2), df) +
		   tape_stat_chi2_q(df * pow(at + step, 2), df)) /
	       6;
}

/* t >= 0 */
static double
upper_half(double t, double df, double delta)
{
	if (isinf(t))
		return 1;
	if (fabs(delta) <= DELTA_MAX)
		return series(t, df, delta);
	if (delta < 0 || t == 0)
		return delta < 0 ? 1 : 0;
	return far(t, df, delta);
}

double
tape_stat_nct_p(double t, double df, double delta)
{
	if (isnan(t) || !(df > 0) || !isfinite(df) || !isfinite(delta))
		return (double)NAN;
	if (delta == 0)
		return tape_stat_t_p(t, df);
	if (t < 0)
		return 1 - upper_half(-t, df, -delta);
	return upper_half(t, df, delta);
}

double
tape_stat_power(double k, double effect, double alpha)
{
	double t, delta;

	if (!(k >= 2) || !isfinite(k) || !isfinite(effect) ||
	    !(alpha > 0 && alpha < 1))
		return (double)NAN;
	t = tape_stat_t_pinv(1 - alpha / 2, k - 1);
	delta = fabs(effect) * sqrt(k);
	return 1 - tape_stat_nct_p(t, k - 1, delta) +
	       tape_stat_nct_p(-t, k - 1, delta);
}

double
tape_stat_detectable(double k, double alpha, double power)
{
	double lo = 0, hi;

	if (!(k >= 2) || !isfinite(k) || !(alpha > 0 && alpha < power) ||
	    !(power < 1))
		return (double)NAN;
	for (hi = 1; tape_stat_power(k, hi, alpha) < power; hi *= 2)
		if (hi > 1e9)
			return (double)NAN;
	for (int i = 0; i < 60; i++) {
		const double mid = (lo + hi) / 2;

		if (tape_stat_power(k, mid, alpha) < power)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

uint64_t
tape_stat_pairs_needed(double effect, double alpha, double power)
{
	uint64_t lo = 1, hi = TAPE_STAT_PAIRS_MAX;

	if (!isfinite(effect) || !(alpha > 0 && alpha < power) || !(power < 1))
		return 0;
	if (!(tape_stat_power((double)hi, effect, alpha) >= power))
		return UINT64_MAX;
	while (hi - lo > 1) {
		const uint64_t mid = lo + (hi - lo) / 2;

		if (tape_stat_power((double)mid, effect, alpha) < power)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

double
tape_stat_sd_upper(double sd, double k, double level)
{
	if (!(sd >= 0) || !isfinite(sd) || !(k >= 2) || !isfinite(k) ||
	    !(level > 0 && level < 1))
		return (double)NAN;
	return sd * sqrt((k - 1) / tape_stat_chi2_pinv(1 - level, k - 1));
}
