/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_neff.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <string.h>

#define R_MOST 0.98
/* Of what the correction for the estimated mean leaves at least. */
#define LEFT_LEAST 0.2
#define SMALL_RHO  1e-4

/* Sum of squares around the mean, which is returned through *mean. */
static double
spread(const double *x, size_t n, double *mean)
{
	double sum = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	*mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		all += (x[i] - *mean) * (x[i] - *mean);
	return all;
}

/* Autocorrelation at a lag, each lag's sum divided by its number of terms. */
static double
rho(const double *x, size_t n, size_t lag, double mean, double all)
{
	double sum = 0;

	for (size_t i = lag; i < n; i++)
		sum += (x[i] - mean) * (x[i - lag] - mean);
	return sum / all * (double)n / (double)(n - lag);
}

/* Of a first-order autoregression, on the safe side. */
static double
coefficient(const double *x, size_t n)
{
	const double m = (double)n;
	double mean, all, r;

	if (n < 3)
		return 0;
	all = spread(x, n, &mean);
	if (!(all > 0))
		return 0;
	r = rho(x, n, 1, mean, all) * (m - 1) / m;
	r += (1 + 3 * r) / m;
	r += sqrt(fmax(0, 1 - r * r) / m);
	return fmin(R_MOST, fmax(0, r));
}

/* Geyer's initial monotone positive sequence. */
static double
tau_sequence(const double *x, size_t n)
{
	const double m = (double)n;
	double mean, all, sum = 0, last = HUGE_VAL, left;
	size_t last_lag = 0;

	if (n < 3)
		return 1;
	all = spread(x, n, &mean);
	if (!(all > 0))
		return 1;
	for (size_t k = 0; k + 1 < n / 2 && k < TAPE_STAT_NEFF_LAGS; k += 2) {
		double pair = k == 0 ? 1 : rho(x, n, k, mean, all);

		pair += rho(x, n, k + 1, mean, all);
		if (pair <= 0)
			break;
		last = fmin(last, pair);
		sum += last;
		last_lag = k + 1;
	}
	left = 1 - (2 * (double)last_lag + 1) / m;
	return fmax(1, (2 * sum - 1) / fmax(LEFT_LEAST, left));
}

/*
 * tau of [z <= z_q] of a Gaussian autoregression: at lag k the correlation of
 * the indicators is the integral from 0 to r^k of the bivariate normal density
 * at (z_q, z_q), over q (1 - q); with the correlation as sin t the integrand is
 * exp(-z^2 / (1 + sin t)) / 2 pi.  Gauss-Legendre, ten points.
 */
static double
tau_indicator(double r, double q, size_t n)
{
	static const double at[] = { .1488743389816312, .4333953941292472,
		.6794095682990244, .8650633666889845, .9739065285171717 };
	static const double weight[] = { .2955242247147529, .2692667193099963,
		.2190863625159820, .1494513491505806, .0666713443086881 };
	const double z = tape_stat_normal_pinv(q);
	double sum = 0, power = r;

	for (size_t k = 1; k < n && power > SMALL_RHO; k++, power *= r) {
		const double half = asin(power) / 2;
		double part = 0;

		for (size_t j = 0; j < 5; j++) {
			const double a = half * (1 + at[j]);
			const double b = half * (1 - at[j]);

			part += weight[j] * (exp(-z * z / (1 + sin(a))) +
						exp(-z * z / (1 + sin(b))));
		}
		sum += (1 - (double)k / (double)n) * part * half;
	}
	return 1 + sum / (M_PI * q * (1 - q));
}

static enum tape_status
fill_scores(struct tape_stat_neff *s, struct tape_err *err)
{
	enum tape_status st =
	    tape_stat_midranks(s->x, s->n, s->series, NULL, err);

	for (size_t i = 0; st == TAPE_OK && i < s->n; i++)
		s->series[i] =
		    tape_stat_normal_pinv((s->series[i] - 0.5) / (double)s->n);
	return st;
}

enum tape_status
tape_stat_neff_open(
    struct tape_stat_neff *s, const double *x, size_t n, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);

	memset(s, 0, sizeof(*s));
	if (st != TAPE_OK)
		return st;
	if (n == 0)
		return tape_err_set(err, TAPE_E_DATA, "no values");
	s->x = x;
	s->n = n;
	s->piece = (n + TAPE_STAT_NEFF_LONG - 1) / TAPE_STAT_NEFF_LONG;
	s->m = n / s->piece;
	s->series = tape_mem_calloc(s->m, sizeof(*s->series));
	if (s->series == NULL)
		return tape_err_nomem(err);
	if (s->piece > 1)
		return TAPE_OK;
	st = fill_scores(s, err);
	if (st == TAPE_OK)
		s->r = coefficient(s->series, s->n);
	else
		tape_stat_neff_release(s);
	return st;
}

void
tape_stat_neff_release(struct tape_stat_neff *s)
{
	tape_mem_free(s->series);
	memset(s, 0, sizeof(*s));
}

/* Means of the pieces into series; the variance of a value is returned. */
static double
fill_pieces(struct tape_stat_neff *s)
{
	double mean, all = 0;

	for (size_t j = 0; j < s->m; j++) {
		const double *x = s->x + j * s->piece;
		double sum = 0;

		for (size_t i = 0; i < s->piece; i++)
			sum += x[i];
		s->series[j] = sum / (double)s->piece;
	}
	(void)spread(s->series, s->m, &mean);
	for (size_t i = 0; i < s->m * s->piece; i++)
		all += (s->x[i] - mean) * (s->x[i] - mean);
	return all / (double)(s->m * s->piece);
}

/* The same of [x <= at]. */
static double
fill_shares(struct tape_stat_neff *s, double at)
{
	double mean;

	for (size_t j = 0; j < s->m; j++) {
		const double *x = s->x + j * s->piece;
		unsigned count = 0;

		for (size_t i = 0; i < s->piece; i++)
			count += x[i] <= at;
		s->series[j] = (double)count / (double)s->piece;
	}
	(void)spread(s->series, s->m, &mean);
	return mean * (1 - mean);
}

/* Of a long series, whose pieces are in series; one: the variance of a value. */
static double
neff_pieces(struct tape_stat_neff *s, double one)
{
	double mean, all, r, tau;

	all = spread(s->series, s->m, &mean);
	if (!(one > 0) || !(all > 0))
		return (double)s->n;
	r = coefficient(s->series, s->m);
	tau = fmax((1 + r) / (1 - r), tau_sequence(s->series, s->m));
	tau *= (double)s->piece * all / (double)s->m / one;
	return fmax(1, (double)s->n / fmax(1, tau));
}

double
tape_stat_neff_mean(struct tape_stat_neff *s)
{
	double tau;

	if (s->piece > 1)
		return neff_pieces(s, fill_pieces(s));
	tau = fmax((1 + s->r) / (1 - s->r), tau_sequence(s->x, s->n));
	return fmax(1, (double)s->n / tau);
}

double
tape_stat_neff_quantile(struct tape_stat_neff *s, double q, double at)
{
	double tau;

	if (s->piece > 1)
		return neff_pieces(s, fill_shares(s, at));
	for (size_t i = 0; i < s->n; i++)
		s->series[i] = s->x[i] <= at ? 1 : 0;
	tau = fmax(tau_indicator(s->r, q, s->n), tau_sequence(s->series, s->n));
	return fmax(1, (double)s->n / tau);
}

enum tape_status
tape_stat_order_interval(size_t n, double n_eff, double q, double level,
    struct tape_stat_order_interval *out, struct tape_err *err)
{
	struct tape_stat_rank_interval r = { 0 };
	const double room = 1e-9;
	double each;
	uint64_t m;
	enum tape_status st;

	if (!(n_eff >= 1) || n_eff > (double)n)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%g effective values of %zu", n_eff, n);
	m = (uint64_t)floor(n_eff + room);
	st = tape_stat_quantile_ranks(m, q, level, &r, err);
	if (st != TAPE_OK)
		return st;
	each = (double)n / (double)m;
	out->coverage = r.coverage;
	out->lo = 0;
	out->hi = n + 1;
	if (r.lo > 0)
		out->lo = (size_t)floor((double)(r.lo - 1) * each + room) + 1;
	if (r.hi <= m)
		out->hi = n - (size_t)floor((double)(m - r.hi) * each + room);
	return TAPE_OK;
}

struct tape_stat_interval
tape_stat_neff_interval(double mean, double sd, double n_eff, double level)
{
	struct tape_stat_interval out = { -HUGE_VAL, HUGE_VAL };
	double half;

	if (!(sd >= 0))
		return out;
	n_eff = fmax(2, n_eff);
	half = tape_stat_t_pinv(0.5 + level / 2, n_eff - 1) * sd / sqrt(n_eff);
	out.lo = mean - half;
	out.hi = mean + half;
	return out;
}
