/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/definitions_stat.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"

#include <stdlib.h>

static const struct {
	double q;
	size_t at;
} quantiles[] = {
	{ 0.01, offsetof(struct tape_quantiles, p1) },
	{ 0.05, offsetof(struct tape_quantiles, p5) },
	{ 0.10, offsetof(struct tape_quantiles, p10) },
	{ 0.25, offsetof(struct tape_quantiles, p25) },
	{ 0.50, offsetof(struct tape_quantiles, p50) },
	{ 0.75, offsetof(struct tape_quantiles, p75) },
	{ 0.90, offsetof(struct tape_quantiles, p90) },
	{ 0.95, offsetof(struct tape_quantiles, p95) },
	{ 0.99, offsetof(struct tape_quantiles, p99) },
	{ 0.999, offsetof(struct tape_quantiles, p999) },
};

#define QUANTILES (sizeof(quantiles) / sizeof(*quantiles))

void
tape_definitions_values_release(struct tape_definitions_values *x)
{
	tape_mem_free(x->v);
	tape_mem_free(x->w);
	memset(x, 0, sizeof(*x));
}

enum tape_status
tape_definitions_values_add(struct tape_definitions_values *x, double v,
    double w, bool weighted, struct tape_err *err)
{
	if (tape_mem_grow((void **)&x->v, &x->cap, x->n + 1, sizeof(*x->v)) !=
		0 ||
	    (weighted && tape_mem_grow((void **)&x->w, &x->w_cap, x->n + 1,
			     sizeof(*x->w)) != 0))
		return tape_err_nomem(err);
	x->v[x->n] = v;
	if (weighted)
		x->w[x->n] = w;
	x->n++;
	return TAPE_OK;
}

static double *
slot(struct tape_summary *s, size_t i)
{
	char *at = (char *)&s->quantiles + quantiles[i].at;

	return (double *)(void *)at;
}

static enum tape_status
describe_equal(struct tape_definitions_values *x,
    enum tape_definitions_quantile rule, struct tape_summary *s,
    struct tape_err *err)
{
	const size_t n = x->n;
	struct tape_stat_desc d;
	enum tape_status st = tape_stat_sort(x->v, n, err);

	if (st == TAPE_OK)
		st = tape_stat_describe(x->v, n, &d, err);
	if (st != TAPE_OK)
		return st;
	s->mean = d.mean;
	s->sd = n < 2 ? 0 : d.sd * sqrt((double)(n - 1) / (double)n);
	s->min = d.min;
	s->max = d.max;
	for (size_t i = 0; i < QUANTILES; i++) {
		const double q = quantiles[i].q;
		size_t rank = (size_t)((double)n * q);

		if (rank >= n)
			rank = n - 1;
		if (rule == TAPE_QUANTILE_RANK)
			*slot(s, i) = x->v[rank];
		else
			*slot(s, i) = tape_stat_quantile(x->v, n, q);
	}
	return TAPE_OK;
}

struct pair {
	double v, w;
};

static int
by_value(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? -1 : 1;
	return (x->w > y->w) - (x->w < y->w);
}

/* In the order of the values, equal ones as one, without those of no weight. */
static size_t
merge(struct pair *p, size_t n)
{
	size_t kept = 0;

	qsort(p, n, sizeof(*p), by_value);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && p[kept - 1].v == p[i].v)
			p[kept - 1].w += p[i].w;
		else if (p[i].w > 0)
			p[kept++] = p[i];
	}
	return kept;
}

static void
describe_pairs(struct pair *p, size_t n, struct tape_summary *s)
{
	double all = 0, mean = 0, variance = 0, share = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		all += p[i].w;
	for (size_t i = 0; i < n; i++)
		mean += p[i].v * (p[i].w / all);
	for (size_t i = 0; i < n; i++)
		variance += (p[i].v - mean) * (p[i].v - mean) * (p[i].w / all);
	s->mean = mean;
	s->sd = sqrt(variance);
	s->min = p[0].v;
	s->max = p[n - 1].v;
	for (size_t i = 0; i < n; i++) {
		share += p[i].w / all;
		while (
		    at < QUANTILES && (share >= quantiles[at].q || i + 1 == n))
			*slot(s, at++) = p[i].v;
	}
}

static enum tape_status
describe_weighted(const struct tape_definitions_values *x,
    struct tape_summary *s, struct tape_err *err)
{
	struct pair *p = tape_mem_calloc(x->n, sizeof(*p));
	size_t n;

	if (p == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < x->n; i++)
		p[i] = (struct pair){ x->v[i], x->w == NULL ? 1 : x->w[i] };
	n = merge(p, x->n);
	if (n > 0)
		describe_pairs(p, n, s);
	tape_mem_free(p);
	return TAPE_OK;
}

enum tape_status
tape_definitions_describe(struct tape_definitions_values *x,
    enum tape_definitions_quantile rule, bool whole, struct tape_summary *s,
    struct tape_err *err)
{
	enum tape_status st;

	s->n = (int64_t)x->n;
	if (x->n == 0)
		return TAPE_OK;
	if (rule == TAPE_QUANTILE_STEP) {
		st = describe_weighted(x, s, err);
		s->quantile_type = 1;
	} else {
		st = describe_equal(x, rule, s, err);
		if (rule == TAPE_QUANTILE_LINEAR)
			s->quantile_type = 7;
	}
	if (st == TAPE_OK && whole)
		s->mean = trunc(s->mean);
	return st;
}
