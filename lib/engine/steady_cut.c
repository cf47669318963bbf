/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the warm-up of a run ends, and its drain begins. */
#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_steady.h"
#include "engine/steady.h"

#include <stdlib.h>

const int tape_steady_metrics[TAPE_STEADY_METRICS] = { TAPE_METRIC_TTFT,
	TAPE_METRIC_TPOT, TAPE_METRIC_LATENCY };

struct edge {
	int64_t t_ns;
	int step; /* +1 or -1 */
	bool measured;
};

static int
by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	if (x->step != y->step)
		return x->step - y->step;
	return (int)x->measured - (int)y->measured;
}

static int
by_start(const void *a, const void *b)
{
	const struct tape_steady_item *x = a, *y = b;

	if (x->m.result.start_ns != y->m.result.start_ns)
		return x->m.result.start_ns < y->m.result.start_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->m.result.attempt > y->m.result.attempt) -
	       (x->m.result.attempt < y->m.result.attempt);
}

/* When the loop was full first, since measured requests are sent, and last. */
static bool
find_full(const struct edge *edges, size_t n, int64_t least, int64_t *first,
    int64_t *last)
{
	int64_t open = 0;
	bool begun = false, found = false;

	for (size_t i = 0; i < n; i++) {
		const struct edge *e = &edges[i];
		const bool was = open >= least;

		open += e->step;
		begun = begun || (e->measured && e->step > 0);
		if (begun && !found && open >= least) {
			*first = e->t_ns;
			found = true;
		}
		if (was && open < least)
			*last = e->t_ns;
	}
	return found;
}

/* The requests of a closed loop that was full: from and to of the cut. */
static enum tape_status
cut_ends(const struct tape_steady *s, int64_t concurrency,
    struct tape_steady_cut *out, struct tape_err *err)
{
	const int64_t least =
	    (int64_t)ceil(TAPE_STEADY_FULL * (double)concurrency);
	struct edge *edges =
	    tape_mem_calloc(2 * s->flight_n + 1, sizeof(*edges));
	int64_t drain = TAPE_ABSENT_I64;
	size_t n = 0;

	if (edges == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < s->flight_n; i++) {
		const struct tape_steady_flight *f = &s->flights[i];

		edges[n++] = (struct edge){ f->start_ns, 1, f->measured };
		edges[n++] = (struct edge){ f->end_ns, -1, f->measured };
	}
	qsort(edges, n, sizeof(*edges), by_time);
	if (!find_full(edges, n, least, &out->from_ns, &drain))
		out->why = TAPE_STEADY_EMPTY;
	tape_mem_free(edges);
	if (out->why != TAPE_STEADY_FOUND || drain == TAPE_ABSENT_I64)
		return TAPE_OK;
	for (size_t i = 0; i < s->flight_n; i++) {
		const struct tape_steady_flight *f = &s->flights[i];

		if (f->measured && f->end_ns > drain &&
		    (out->to_ns == TAPE_ABSENT_I64 || f->start_ns < out->to_ns))
			out->to_ns = f->start_ns;
	}
	return TAPE_OK;
}

bool
tape_steady_counts(const struct tape_steady_cut *cut, int64_t start_ns)
{
	return (cut->from_ns == TAPE_ABSENT_I64 || start_ns >= cut->from_ns) &&
	       (cut->to_ns == TAPE_ABSENT_I64 || start_ns < cut->to_ns);
}

/* The values of one metric in the order of starts, and whose they are; those
   of requests that count. */
static size_t
take_series(const struct tape_steady *s, const struct tape_steady_cut *cut,
    int metric, double *v, size_t *whose)
{
	size_t n = 0;

	for (size_t i = 0; i < s->item_n; i++) {
		const struct tape_result *r = &s->items[i].m.result;
		double value;

		if (s->items[i].m.cancelled ||
		    !tape_steady_counts(cut, r->start_ns))
			continue;
		value = tape_metric_table[metric].of(r);
		if (isnan(value))
			continue;
		v[n] = value;
		whose[n++] = i;
	}
	return n;
}

/* The first request behind the warm-up that any of the metrics sees. */
static enum tape_status
cut_warmup(const struct tape_steady *s, double *v, size_t *whose,
    struct tape_steady_cut *out, struct tape_err *err)
{
	bool looked = false;
	size_t first = 0;

	for (int k = 0; k < TAPE_STEADY_METRICS; k++) {
		const int metric = tape_steady_metrics[k];
		const size_t n = take_series(s, out, metric, v, whose);
		struct tape_stat_mser m;
		enum tape_status st;

		if (n < TAPE_STAT_MSER_MIN)
			continue;
		st = tape_stat_mser5(v, n, &m, err);
		if (st != TAPE_OK)
			return st;
		looked = true;
		if (!m.steady) {
			out->why = TAPE_STEADY_NEVER;
			out->metric = metric;
			return TAPE_OK;
		}
		if (m.cut > 0 && whose[m.cut] > first)
			first = whose[m.cut];
	}
	if (!looked)
		out->why = TAPE_STEADY_FEW;
	else if (first > 0)
		out->from_ns = s->items[first].m.result.start_ns;
	return TAPE_OK;
}

static uint64_t
count_before(const struct tape_steady *s, int64_t t_ns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->item_n; i++)
		n += !s->items[i].m.cancelled &&
		     s->items[i].m.result.start_ns < t_ns;
	return n;
}

static enum tape_status
decide(struct tape_steady *s, int64_t concurrency, double *v, size_t *whose,
    struct tape_steady_cut *out, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (int k = 0; k < TAPE_STEADY_METRICS; k++) {
		struct tape_steady_mean *w = &out->whole[k];

		w->n = take_series(s, out, tape_steady_metrics[k], v, whose);
		w->mean = w->n == 0 ? TAPE_ABSENT_F64 : tape_stat_mean(v, w->n);
	}
	if (out->closed)
		st = cut_ends(s, concurrency, out, err);
	if (st == TAPE_OK && out->from_ns != TAPE_ABSENT_I64)
		out->ramp = count_before(s, out->from_ns);
	if (st == TAPE_OK && out->why == TAPE_STEADY_FOUND)
		st = cut_warmup(s, v, whose, out, err);
	if (st != TAPE_OK)
		return st;
	if (out->why != TAPE_STEADY_FOUND) {
		out->from_ns = out->to_ns = TAPE_ABSENT_I64;
		out->ramp = 0;
		return TAPE_OK;
	}
	if (out->from_ns != TAPE_ABSENT_I64)
		out->warmup = count_before(s, out->from_ns);
	if (out->to_ns != TAPE_ABSENT_I64)
		out->drain = out->all - count_before(s, out->to_ns);
	return TAPE_OK;
}

enum tape_status
tape_steady_decide(struct tape_steady *s, int64_t concurrency,
    struct tape_steady_cut *out, struct tape_err *err)
{
	double *v = tape_mem_calloc(s->item_n + 1, sizeof(*v));
	size_t *whose = tape_mem_calloc(s->item_n + 1, sizeof(*whose));
	enum tape_status st;

	memset(out, 0, sizeof(*out));
	out->from_ns = out->to_ns = TAPE_ABSENT_I64;
	out->closed = concurrency != TAPE_ABSENT_I64 && concurrency > 0;
	out->slots = out->closed ? concurrency : 0;
	out->open_mean = TAPE_ABSENT_F64;
	if (s->item_n > 1)
		qsort(s->items, s->item_n, sizeof(*s->items), by_start);
	out->all = count_before(s, INT64_MAX);
	if (v == NULL || whose == NULL)
		st = tape_err_nomem(err);
	else
		st = decide(s, concurrency, v, whose, out, err);
	tape_mem_free(v);
	tape_mem_free(whose);
	return st;
}
