/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guidellm's rates: what happened at each point in time, divided by the half of
 * the way to its neighbours, and weighted by that.  Points within a tenth of a
 * millisecond of the first of them are one.  Concurrency is the number that is
 * open between two points, weighted by the time between.
 */
#include "base/mem.h"
#include "engine/definitions_stat.h"

#include <stdlib.h>

#define NEAR_S     1e-4
#define SHORTEST_S 1e-6

struct point {
	double t, w; /* seconds from the window's begin; what happened */
};

struct points {
	struct point *p;
	size_t n, cap;
	int64_t from_ns;
};

static enum tape_status
add(struct points *x, double t, double w, struct tape_err *err)
{
	if (tape_mem_grow((void **)&x->p, &x->cap, x->n + 1, sizeof(*x->p)) !=
	    0)
		return tape_err_nomem(err);
	x->p[x->n++] = (struct point){ t, w };
	return TAPE_OK;
}

static double
seconds(const struct points *x, int64_t t)
{
	return (double)(t - x->from_ns) / TAPE_DEFINITIONS_S;
}

/* The tokens of an answer: one at its first event, the rest spread evenly over
   its other events up to the last. */
static enum tape_status
add_output(struct points *x, const struct tape_definitions_view *v,
    struct tape_err *err)
{
	const double output = v->output > 0 ? (double)v->output : 0;
	const double other = (double)(v->events - 1);
	double first, step;
	enum tape_status st;

	if (v->first_ns == TAPE_ABSENT_I64 || v->events < 2)
		return add(x,
		    seconds(x,
			v->last_ns != TAPE_ABSENT_I64 ? v->last_ns : v->end_ns),
		    output, err);
	first = seconds(x, v->first_ns);
	st = add(x, first, output > 0, err);
	if (output < 2)
		return st;
	step = (seconds(x, v->last_ns) - first) / other;
	for (int64_t i = 1; i < v->events && st == TAPE_OK; i++)
		st =
		    add(x, first + step * (double)i, (output - 1) / other, err);
	return st;
}

static enum tape_status
add_view(struct points *x, enum tape_definitions_points which,
    const struct tape_definitions_view *v, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (which == TAPE_POINTS_OPEN) {
		st = add(x, seconds(x, v->start_ns), 1, err);
		return st == TAPE_OK ? add(x, seconds(x, v->end_ns), -1, err)
				     : st;
	}
	if (which == TAPE_POINTS_END)
		return add(x, seconds(x, v->end_ns), 1, err);
	if (which == TAPE_POINTS_PROMPT || which == TAPE_POINTS_TOTAL)
		st = add(x,
		    seconds(x, v->first_ns != TAPE_ABSENT_I64 ? v->first_ns
							      : v->end_ns),
		    v->input > 0 ? (double)v->input : 0, err);
	if (st == TAPE_OK && which != TAPE_POINTS_PROMPT)
		st = add_output(x, v, err);
	return st;
}

static int
by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return (x->w > y->w) - (x->w < y->w);
}

static void
merge(struct points *x)
{
	size_t kept = 0;

	qsort(x->p, x->n, sizeof(*x->p), by_time);
	for (size_t i = 0; i < x->n; i++) {
		if (kept > 0 && x->p[i].t <= x->p[kept - 1].t + NEAR_S)
			x->p[kept - 1].w += x->p[i].w;
		else
			x->p[kept++] = x->p[i];
	}
	x->n = kept;
}

static enum tape_status
make_rates(const struct points *x, struct tape_definitions_values *out,
    struct tape_err *err)
{
	const struct point *p = x->p;
	enum tape_status st = TAPE_OK;

	if (x->n < 2)
		return TAPE_OK;
	for (size_t i = 0; i < x->n && st == TAPE_OK; i++) {
		const double from = i == 0 ? p[0].t : (p[i - 1].t + p[i].t) / 2;
		const double to =
		    i + 1 == x->n ? p[i].t : (p[i].t + p[i + 1].t) / 2;
		double long_s = to - from;

		if (i + 1 == x->n && long_s < SHORTEST_S)
			long_s = SHORTEST_S;
		st = tape_definitions_values_add(
		    out, p[i].w / long_s, long_s, true, err);
	}
	return st;
}

static enum tape_status
make_open(const struct points *x, struct tape_definitions_values *out,
    struct tape_err *err)
{
	double open = 0;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i + 1 < x->n && st == TAPE_OK; i++) {
		open += x->p[i].w;
		st = tape_definitions_values_add(out, open < 0 ? 0 : open,
		    x->p[i + 1].t - x->p[i].t, true, err);
	}
	return st;
}

enum tape_status
tape_definitions_rate(const struct tape_definitions_metric *metric,
    const struct tape_definitions_seen *seen, struct tape_definitions_values *x,
    uint64_t *n, struct tape_err *err)
{
	const bool open = metric->points == TAPE_POINTS_OPEN;
	struct points points = { .from_ns = seen->first_start_ns };
	double sum = 0;
	enum tape_status st = TAPE_OK;

	*n = 0;
	if (seen->n == 0)
		return TAPE_OK;
	for (size_t i = 0; i < seen->n && st == TAPE_OK; i++)
		st = add_view(&points, metric->points, &seen->v[i], err);
	if (st == TAPE_OK)
		st = add(&points, 0, 0, err);
	if (st == TAPE_OK)
		st = add(&points, seconds(&points, seen->last_end_ns), 0, err);
	if (st == TAPE_OK) {
		merge(&points);
		for (size_t i = 0; i < points.n; i++)
			sum += points.p[i].w;
		*n = open ? seen->n : (uint64_t)llround(sum);
		st = open ? make_open(&points, x, err)
			  : make_rates(&points, x, err);
	}
	tape_mem_free(points.p);
	return st;
}
