/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_dist.h"

#include "codec/stat_gsl.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sf_log.h>

/* GSL's own distribution function is off by up to 2e-7 of small tails with fewer
   degrees of freedom; with more, its incomplete beta is (tried against R). */
#define T_BY_BETA 1000

static const double none = (double)NAN;

static bool
is_prob(double p)
{
	return p >= 0 && p <= 1;
}

static bool
is_size(double a)
{
	return a > 0 && isfinite(a);
}

double
tape_stat_normal_p(double z)
{
	return isnan(z) ? none : gsl_cdf_ugaussian_P(z);
}

double
tape_stat_normal_q(double z)
{
	return isnan(z) ? none : gsl_cdf_ugaussian_Q(z);
}

double
tape_stat_normal_pinv(double p)
{
	return is_prob(p) ? gsl_cdf_ugaussian_Pinv(p) : none;
}

double
tape_stat_t_p(double t, double df)
{
	double tail;

	if (isnan(t) || !is_size(df))
		return none;
	if (isinf(t))
		return t < 0 ? 0 : 1;
	tape_stat_gsl_quiet();
	if (df > T_BY_BETA)
		return gsl_cdf_tdist_P(t, df);
	/* The form whose argument is small has its digits. */
	tail = t * t > df
		   ? gsl_cdf_beta_P(df / (df + t * t), df / 2, 0.5) / 2
		   : gsl_cdf_beta_Q(t * t / (df + t * t), 0.5, df / 2) / 2;
	return t < 0 ? tail : 1 - tail;
}

double
tape_stat_t_q(double t, double df)
{
	return tape_stat_t_p(-t, df);
}

double
tape_stat_t_pinv(double p, double df)
{
	if (!is_prob(p) || !is_size(df))
		return none;
	tape_stat_gsl_quiet();
	return gsl_cdf_tdist_Pinv(p, df);
}

double
tape_stat_chi2_p(double x, double df)
{
	if (isnan(x) || !is_size(df))
		return none;
	if (isinf(x))
		return x < 0 ? 0 : 1;
	tape_stat_gsl_quiet();
	return gsl_cdf_chisq_P(x, df);
}

double
tape_stat_chi2_q(double x, double df)
{
	if (isnan(x) || !is_size(df))
		return none;
	if (isinf(x))
		return x < 0 ? 1 : 0;
	tape_stat_gsl_quiet();
	return gsl_cdf_chisq_Q(x, df);
}

double
tape_stat_chi2_pinv(double p, double df)
{
	if (!is_prob(p) || !is_size(df))
		return none;
	tape_stat_gsl_quiet();
	return gsl_cdf_chisq_Pinv(p, df);
}

double
tape_stat_beta_p(double x, double a, double b)
{
	if (isnan(x) || !is_size(a) || !is_size(b))
		return none;
	tape_stat_gsl_quiet();
	return gsl_cdf_beta_P(x, a, b);
}

double
tape_stat_beta_pinv(double p, double a, double b)
{
	if (!is_prob(p) || !is_size(a) || !is_size(b))
		return none;
	tape_stat_gsl_quiet();
	return gsl_cdf_beta_Pinv(p, a, b);
}

/* x log(x / m) + m - x, without cancellation where x is near m. */
static double
deviance(double x, double m)
{
	return -x * gsl_sf_log_1plusx_mx((m - x) / x);
}

/* 0 < k < n and 0 < p < 1 */
static double
saddle(double k, double n, double p)
{
	const double rest = n - k;
	const double scale = gsl_sf_gammastar(n) /
			     (gsl_sf_gammastar(k) * gsl_sf_gammastar(rest));

	return scale * sqrt(n / (2 * M_PI * k * rest)) *
	       exp(-deviance(k, n * p) - deviance(rest, n * (1 - p)));
}

double
tape_stat_binom_pmf(uint64_t k, uint64_t n, double p)
{
	if (!is_prob(p) || n > TAPE_STAT_BINOM_MAX)
		return none;
	if (k > n)
		return 0;
	if (p == 0 || p == 1)
		return k == (p == 0 ? 0 : n) ? 1 : 0;
	tape_stat_gsl_quiet();
	if (k == 0)
		return exp((double)n * log1p(-p));
	if (k == n)
		return exp((double)n * log(p));
	return saddle((double)k, (double)n, p);
}

/* Sum of the counts k, k - 1, ..., of which k is on the falling side. */
static double
lower_sum(double k, double n, double p)
{
	const double odds = (1 - p) / p;
	double term = tape_stat_binom_pmf((uint64_t)k, (uint64_t)n, p);
	double sum = term;

	for (; k > 0 && term > sum * (DBL_EPSILON / 64); k--) {
		term *= k * odds / (n - k + 1);
		sum += term;
	}
	return sum;
}

double
tape_stat_binom_p(uint64_t k, uint64_t n, double p)
{
	if (!is_prob(p) || n > TAPE_STAT_BINOM_MAX)
		return none;
	if (k >= n)
		return 1;
	if (p == 0 || p == 1)
		return p == 0 ? 1 : 0;
	if ((double)k <= (double)n * p)
		return fmin(1, lower_sum((double)k, (double)n, p));
	/* More than k successes are fewer than n - k failures. */
	return fmax(0, 1 - lower_sum((double)(n - k - 1), (double)n, 1 - p));
}

uint64_t
tape_stat_binom_quantile(double prob, uint64_t n, double p)
{
	/* A sum that is a hair below prob by rounding has reached it. */
	const double goal = prob * (1 - 64 * DBL_EPSILON);
	uint64_t lo = 0, hi = n;

	if (!is_prob(prob) || !is_prob(p) || n > TAPE_STAT_BINOM_MAX)
		return UINT64_MAX;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;

		if (tape_stat_binom_p(mid, n, p) >= goal)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}
