/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What still changes behind the cut. */
#include "base/mem.h"
#include "codec/stat_trend.h"
#include "engine/steady.h"

#include <stdlib.h>

/* Kendall's tau of the lengths against their place: then they explain it. */
#define LENGTHS_TAU 0.3

static double
known(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

static double
prompt_of(const struct tape_result *r)
{
	return known(r->asked_input_tokens != TAPE_ABSENT_I64
			 ? r->asked_input_tokens
			 : r->tokens.input);
}

static double
answer_of(const struct tape_result *r)
{
	return known(r->tokens.output);
}

/* Of the requests that count and have the metric: its values, and others of
   theirs; in the order of starts. */
static size_t
take(const struct tape_steady *s, const struct tape_steady_cut *cut, int metric,
    double (*other)(const struct tape_result *), double *v, double *w)
{
	size_t n = 0;

	for (size_t i = 0; i < s->item_n; i++) {
		const struct tape_result *r = &s->items[i].m.result;
		const double value = tape_metric_table[metric].of(r);

		if (s->items[i].m.cancelled || isnan(value) ||
		    !tape_steady_counts(cut, r->start_ns))
			continue;
		v[n] = value;
		w[n++] = other(r);
	}
	return n;
}

/* Whether the lengths go the way of the finding; unknown ones do not. */
static enum tape_status
go_with(const double *lengths, size_t n, const struct tape_stat_change *c,
    bool *yes, struct tape_err *err)
{
	const bool up =
	    c->trend_p <= TAPE_TRENDS_P ? c->rise > 0 : c->after > c->before;
	struct tape_stat_kendall k = { 0 };
	struct tape_err why = { 0 };
	enum tape_status st;

	for (size_t i = 0; i < n; i++)
		if (isnan(lengths[i]))
			return TAPE_OK;
	/* Lengths that are all equal are no data to it. */
	st = tape_stat_kendall_trend(lengths, n, &k, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	*yes = *yes || (fabs(k.tau) > LENGTHS_TAU && (k.tau > 0) == up);
	return TAPE_OK;
}

/* v: room for two values a request. */
static enum tape_status
look(const struct tape_steady *s, const struct tape_steady_cut *cut, int metric,
    double *v, struct tape_trend *out, struct tape_err *err)
{
	double *w = v + s->item_n;
	size_t n = take(s, cut, metric, prompt_of, v, w);
	enum tape_status st =
	    tape_trend_find(v, n, tape_metric_table[metric].name, out, err);

	if (st != TAPE_OK ||
	    !(out->rises || out->falls || out->halves || out->steps))
		return st;
	st = go_with(w, n, &out->c, &out->lengths, err);
	if (st == TAPE_OK && metric == TAPE_METRIC_LATENCY) {
		n = take(s, cut, metric, answer_of, v, w);
		st = go_with(w, n, &out->c, &out->lengths, err);
	}
	if (out->lengths)
		out->rises = out->falls = out->halves = out->steps = false;
	return st;
}

static int
by_time(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How many others were in flight when each that counts was sent. */
static size_t
count_open(const struct tape_steady *s, const struct tape_steady_cut *cut,
    int64_t *starts, int64_t *ends, double *v)
{
	size_t n = 0, over = 0, first = 0, measured = 0;

	for (size_t i = 0; i < s->flight_n; i++) {
		const struct tape_steady_flight *f = &s->flights[i];

		ends[i] = f->end_ns;
		/* Those of the warm-up from behind. */
		if (f->measured)
			starts[measured++] = f->start_ns;
		else
			starts[s->flight_n - ++first] = f->start_ns;
	}
	qsort(starts, measured, sizeof(*starts), by_time);
	qsort(starts + measured, first, sizeof(*starts), by_time);
	qsort(ends, s->flight_n, sizeof(*ends), by_time);
	first = 0;
	for (size_t i = 0; i < measured; i++) {
		while (over < s->flight_n && ends[over] <= starts[i])
			over++;
		while (measured + first < s->flight_n &&
		       starts[measured + first] <= starts[i])
			first++;
		if (tape_steady_counts(cut, starts[i]))
			v[n++] = (double)(i + first) - (double)over;
	}
	return n;
}

static enum tape_status
look_in_flight(const struct tape_steady *s, struct tape_steady_cut *cut,
    struct tape_err *err)
{
	int64_t *t = tape_mem_calloc(2 * s->flight_n + 1, sizeof(*t));
	double *v = tape_mem_calloc(s->flight_n + 1, sizeof(*v));
	enum tape_status st = TAPE_OK;
	size_t n;

	if (t == NULL || v == NULL) {
		st = tape_err_nomem(err);
	} else {
		n = count_open(s, cut, t, t + s->flight_n, v);
		st = tape_trend_find(v, n,
		    tape_metric_table[TAPE_METRIC_CONCURRENCY].name,
		    &cut->flight, err);
	}
	/* A queue that empties is nobody's trouble. */
	cut->flight.falls = cut->flight.halves = cut->flight.steps = false;
	tape_mem_free(t);
	tape_mem_free(v);
	return st;
}

/* From the first start that counts to the last, or to where it drains. */
static double
mean_open(const struct tape_steady *s, const struct tape_steady_cut *cut)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	double sum = 0;

	for (size_t i = 0; i < s->flight_n; i++) {
		const struct tape_steady_flight *f = &s->flights[i];

		if (!f->measured || !tape_steady_counts(cut, f->start_ns))
			continue;
		from = f->start_ns < from ? f->start_ns : from;
		to = f->start_ns > to ? f->start_ns : to;
	}
	if (cut->to_ns != TAPE_ABSENT_I64)
		to = cut->to_ns;
	if (to <= from)
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < s->flight_n; i++) {
		const struct tape_steady_flight *f = &s->flights[i];
		const int64_t a = f->start_ns > from ? f->start_ns : from;
		const int64_t b = f->end_ns < to ? f->end_ns : to;

		sum += b > a ? (double)(b - a) : 0;
	}
	return sum / ((double)to - (double)from);
}

enum tape_status
tape_steady_trends(const struct tape_steady *s, struct tape_steady_cut *cut,
    struct tape_err *err)
{
	double *v = tape_mem_calloc(s->item_n + 1, 2 * sizeof(*v));
	enum tape_status st = TAPE_OK;

	if (v == NULL)
		return tape_err_nomem(err);
	for (int k = 0; k < TAPE_STEADY_METRICS && st == TAPE_OK; k++)
		st = look(
		    s, cut, tape_steady_metrics[k], v, &cut->trend[k], err);
	tape_mem_free(v);
	if (cut->closed)
		cut->open_mean = mean_open(s, cut);
	return st == TAPE_OK && !cut->closed ? look_in_flight(s, cut, err) : st;
}
