/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/measure_gaps.h"

#include "base/mem.h"
#include "codec/stat_select.h"
#include "engine/fluidity.h"

/* Below this many gaps a 99th percentile is the largest. */
#define P99_MIN 100

void
tape_measure_gaps_release(struct tape_measure_gaps *g)
{
	tape_mem_free(g->scratch);
	memset(g, 0, sizeof(*g));
}

static enum tape_status
fill_quantiles(
    struct tape_measure_gaps *g, struct tape_result *r, struct tape_err *err)
{
	const size_t n = g->n;
	enum tape_status st;

	if (n > g->cap && tape_mem_grow((void **)&g->scratch, &g->cap, n,
			      sizeof(double)) != 0)
		return tape_err_nomem(err);
	memcpy(g->scratch, g->v, n * sizeof(double));
	st = tape_stat_select(g->scratch, n, 0.5, &r->gap_p50_ns, err);
	if (st == TAPE_OK && n >= P99_MIN)
		st = tape_stat_select(g->scratch, n, 0.99, &r->gap_p99_ns, err);
	return st;
}

static void
count_stalls(
    const struct tape_measure_gaps *g, double bound, struct tape_result *r)
{
	int64_t stalls = 0;
	double ns = 0;

	/* Most requests have none: the largest says so. */
	if ((double)r->gap_max_ns > bound) {
		for (size_t i = 0; i < g->n; i++) {
			stalls += g->v[i] > bound;
			ns += g->v[i] > bound ? g->v[i] : 0;
		}
	}
	r->stalls = stalls;
	r->stall_ns = (int64_t)ns;
}

static void
fill_fluidity(const struct tape_measure_gaps *g,
    const struct tape_measure_gaps_opts *opts, struct tape_result *r)
{
	if (!g->one_choice || opts->first_ns <= 0 || opts->gap_ns <= 0 ||
	    r->ttft_ns == TAPE_ABSENT_I64)
		return;
	r->fluidity_ratio = tape_fluidity_index((double)r->ttft_ns, g->v, g->n,
	    (double)opts->first_ns, (double)opts->gap_ns);
	if (g->n > 0)
		r->fluid_per_s =
		    tape_fluidity_rate(g->v, g->n, (double)r->gap_max_ns);
}

static void
fill_sums(struct tape_measure_gaps *g, struct tape_result *r)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		largest = i == 0 || g->v[i] > largest ? g->v[i] : largest;
		g->backwards += g->v[i] < 0;
		sum += g->v[i];
	}
	r->gap_max_ns = (int64_t)largest;
	r->gap_mean_ns = sum / (double)g->n;
}

enum tape_status
tape_measure_gaps_fill(struct tape_measure_gaps *g,
    const struct tape_measure_gaps_opts *opts, struct tape_result *r,
    struct tape_err *err)
{
	const double ratio =
	    opts->stall_ratio > 0 ? opts->stall_ratio : TAPE_STALL_RATIO;
	enum tape_status st;

	g->backwards = 0;
	r->gap_n = (int64_t)g->n;
	if (g->n > 0)
		fill_sums(g, r);
	fill_fluidity(g, opts, r);
	if (g->n == 0 || !opts->quantiles)
		return TAPE_OK;
	st = fill_quantiles(g, r, err);
	if (st == TAPE_OK && r->gap_p50_ns > 0)
		count_stalls(g, ratio * r->gap_p50_ns, r);
	return st;
}
