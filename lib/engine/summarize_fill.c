/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/summarize_fill.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "engine/intervals.h"

#define P999_MIN  1000
#define P9999_MIN 10000

static const struct {
	double q;
	size_t at;
	size_t min_n;
} quantiles[] = {
	{ 0.01, offsetof(struct tape_quantiles, p1), 1 },
	{ 0.05, offsetof(struct tape_quantiles, p5), 1 },
	{ 0.10, offsetof(struct tape_quantiles, p10), 1 },
	{ 0.25, offsetof(struct tape_quantiles, p25), 1 },
	{ 0.50, offsetof(struct tape_quantiles, p50), 1 },
	{ 0.75, offsetof(struct tape_quantiles, p75), 1 },
	{ 0.90, offsetof(struct tape_quantiles, p90), 1 },
	{ 0.95, offsetof(struct tape_quantiles, p95), 1 },
	{ 0.99, offsetof(struct tape_quantiles, p99), TAPE_SUMMARIZE_P99_MIN },
	{ 0.999, offsetof(struct tape_quantiles, p999), P999_MIN },
	{ 0.9999, offsetof(struct tape_quantiles, p9999), P9999_MIN },
};

#define QUANTILES (sizeof(quantiles) / sizeof(*quantiles))

/* Type 7 of n sorted values and as many infinite ones as there are more in all;
   absent where it touches one of these. */
static double
quantile_of(const double *v, size_t n, size_t all, double q)
{
	const double h = (double)(all - 1) * q;
	const size_t lo = (size_t)h;
	const double off = h - (double)lo;

	if (all == n)
		return tape_stat_quantile(v, n, q);
	if (lo >= n || (off > 0 && lo + 1 >= n))
		return TAPE_ABSENT_F64;
	return off > 0 ? v[lo] + off * (v[lo + 1] - v[lo]) : v[lo];
}

static void
fill_quantiles(struct tape_summary *s, const double *v, size_t n, size_t all)
{
	s->quantile_type = 7;
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		char *at = (char *)&s->quantiles + quantiles[i].at;

		if (all >= quantiles[i].min_n)
			*(double *)(void *)at =
			    quantile_of(v, n, all, quantiles[i].q);
	}
}

enum tape_status
tape_summarize_values(struct tape_summary *s, const double *v, size_t n,
    size_t infinite, struct tape_err *err)
{
	struct tape_stat_desc d;
	enum tape_status st;

	s->n = (int64_t)n;
	if (n == 0)
		return TAPE_OK;
	st = tape_stat_describe(v, n, &d, err);
	if (st != TAPE_OK)
		return st;
	s->min = d.min;
	if (infinite == 0) {
		s->mean = d.mean;
		s->sd = d.sd;
		s->max = d.max;
	} else {
		s->finite_ratio = (double)n / (double)(n + infinite);
	}
	fill_quantiles(s, v, n, n + infinite);
	tape_intervals_outliers(s, v, n);
	return TAPE_OK;
}

double
tape_summarize_count(const struct tape_summary *s)
{
	return isnan(s->finite_ratio) ? (double)s->n
				      : round((double)s->n / s->finite_ratio);
}

enum tape_status
tape_summarize_few(struct tape_summary *s, struct tape_pool *const *pools,
    size_t n, size_t all, struct tape_err *err)
{
	double *v = tape_mem_realloc(NULL, all, sizeof(*v));
	enum tape_status st;

	if (v == NULL)
		return tape_err_nomem(err);
	st = tape_pool_values(pools, n, v, err);
	if (st == TAPE_OK)
		st = tape_summarize_values(s, v, all, 0, err);
	tape_mem_free(v);
	return st;
}

enum tape_status
tape_summarize_many(struct tape_summary *s, struct tape_pool *const *pools,
    size_t n, size_t all, struct tape_err *err)
{
	double q[QUANTILES], out[QUANTILES];
	struct tape_pool_asked ask = { .q = q, .q_n = QUANTILES, .at = out };
	enum tape_status st;

	for (size_t i = 0; i < QUANTILES; i++)
		q[i] = quantiles[i].q;
	st = tape_pool_read(pools, n, &ask, err);
	if (st != TAPE_OK)
		return st;
	s->n = (int64_t)all;
	s->min = ask.min;
	s->max = ask.max;
	s->mean = ask.mean;
	s->sd = ask.sd;
	s->quantile_type = 7;
	for (size_t i = 0; i < QUANTILES; i++)
		*(double *)(void *)((char *)&s->quantiles + quantiles[i].at) =
		    out[i];
	return TAPE_OK;
}

struct tape_quantiles
tape_summarize_quantiles(const struct tape_summary *s, double *max)
{
	struct tape_quantiles q = s->quantiles;

	*max = s->max;
	if (isnan(s->finite_ratio))
		return q;
	*max = (double)INFINITY;
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double *at = (double *)(void *)((char *)&q + quantiles[i].at);

		if (isnan(*at) &&
		    tape_summarize_count(s) >= (double)quantiles[i].min_n)
			*at = (double)INFINITY;
	}
	return q;
}
