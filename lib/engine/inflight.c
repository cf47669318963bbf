/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inflight.h"

#include "base/clock.h"
#include "base/mem.h"
#include "engine/inflight_levels.h"

#include <math.h>
#include <string.h>

#define RATE_UNITS 268435456.0 /* in a token a second */
#define BASE       TAPE_INFLIGHT_ACTIVE

enum edge { START, FIRST, END };

/* What is in flight between two edges. */
struct state {
	uint64_t open;
	uint64_t prefill;
	uint64_t decode;
	uint64_t tokens;
	uint64_t prefill_rate;
	uint64_t decode_rate;
};

/* The edges in order of time: key from the window's begin, value the interval
   and which of its edges. */
struct sweep {
	const struct tape_inflight_interval *v;
	uint64_t span; /* of the window */
	struct tape_inflight_pair *edges;
	size_t edge_n;
	struct tape_inflight_pair *held; /* a value's bits, and how long */
	size_t held_n;
	struct tape_inflight_pair *scratch;
	uint64_t idle;     /* of held, with no request in the curve's phase */
	double active_min; /* of the rest; NaN none */
	double min, max;   /* of all */
	double least;      /* of those above 0; NaN none */
	double sum;        /* of all, each value by the time that it held */
};

void
tape_inflight_release(struct tape_inflight *f)
{
	tape_mem_free(f->v);
	*f = (struct tape_inflight){ 0 };
}

enum tape_status
tape_inflight_add(struct tape_inflight *f,
    const struct tape_inflight_interval *i, struct tape_err *err)
{
	const bool phased = i->first_ns != TAPE_ABSENT_I64;

	if (i->start_ns == TAPE_ABSENT_I64 || i->end_ns == TAPE_ABSENT_I64 ||
	    i->end_ns < i->start_ns ||
	    (phased && (i->first_ns < i->start_ns || i->first_ns > i->end_ns)))
		return TAPE_OK;
	if (tape_mem_grow((void **)&f->v, &f->cap, f->n + 1, sizeof(*f->v)) !=
	    0)
		return tape_err_nomem(err);
	f->v[f->n++] = *i;
	return TAPE_OK;
}

enum tape_status
tape_inflight_append(struct tape_inflight *f, const struct tape_inflight *from,
    struct tape_err *err)
{
	if (from->n == 0)
		return TAPE_OK;
	if (tape_mem_grow(
		(void **)&f->v, &f->cap, f->n + from->n, sizeof(*f->v)) != 0)
		return tape_err_nomem(err);
	memcpy(f->v + f->n, from->v, from->n * sizeof(*f->v));
	f->n += from->n;
	return TAPE_OK;
}

static uint64_t
rate_of(double tokens, int64_t ns)
{
	double per_s;

	if (ns <= 0 || !(tokens > 0))
		return 0;
	per_s = tokens * (double)TAPE_NS_PER_S / (double)ns;
	return (uint64_t)llround(
	    fmin(per_s, TAPE_INFLIGHT_RATE_MAX) * RATE_UNITS);
}

static uint64_t
prefill_rate(const struct tape_inflight_interval *i)
{
	return rate_of(i->input_tokens, i->first_ns - i->start_ns);
}

/* The first token is there when decode begins. */
static uint64_t
decode_rate(const struct tape_inflight_interval *i)
{
	return rate_of(i->output_tokens - 1.0, i->end_ns - i->first_ns);
}

static uint64_t
known(int32_t tokens)
{
	return tokens < 0 ? 0 : (uint64_t)tokens;
}

/* Rates are dear, so that only those are kept up to date of which the curve is
   made. */
static bool
needs_prefill_rate(enum tape_inflight_curve curve)
{
	return curve == TAPE_INFLIGHT_PREFILL_RATE ||
	       curve == TAPE_INFLIGHT_PREFILL_EACH ||
	       curve == TAPE_INFLIGHT_TOTAL_RATE;
}

static bool
needs_decode_rate(enum tape_inflight_curve curve)
{
	return curve == TAPE_INFLIGHT_DECODE_RATE ||
	       curve == TAPE_INFLIGHT_DECODE_EACH ||
	       curve == TAPE_INFLIGHT_TOTAL_RATE;
}

static void
cross(struct state *s, enum tape_inflight_curve curve,
    const struct tape_inflight_interval *i, enum edge edge)
{
	const bool phased = i->first_ns != TAPE_ABSENT_I64;

	if (edge == START)
		s->open++;
	if (edge == END)
		s->open--;
	if (!phased)
		return;
	switch (edge) {
	case START:
		s->prefill++;
		if (needs_prefill_rate(curve))
			s->prefill_rate += prefill_rate(i);
		s->tokens += known(i->input_tokens);
		break;
	case FIRST:
		s->prefill--;
		if (needs_prefill_rate(curve))
			s->prefill_rate -= prefill_rate(i);
		s->decode++;
		if (needs_decode_rate(curve))
			s->decode_rate += decode_rate(i);
		s->tokens += known(i->output_tokens);
		break;
	case END:
		s->decode--;
		if (needs_decode_rate(curve))
			s->decode_rate -= decode_rate(i);
		s->tokens -= known(i->input_tokens) + known(i->output_tokens);
		break;
	}
}

static double
each(uint64_t rate, uint64_t requests)
{
	return requests == 0 ? 0 : (double)rate / RATE_UNITS / (double)requests;
}

static double
value_of(enum tape_inflight_curve curve, const struct state *s)
{
	switch ((int)curve) {
	case TAPE_INFLIGHT_OPEN:
		return (double)s->open;
	case TAPE_INFLIGHT_PREFILL:
		return (double)s->prefill;
	case TAPE_INFLIGHT_DECODE:
		return (double)s->decode;
	case TAPE_INFLIGHT_TOKENS:
		return (double)s->tokens;
	case TAPE_INFLIGHT_PREFILL_RATE:
		return (double)s->prefill_rate / RATE_UNITS;
	case TAPE_INFLIGHT_DECODE_RATE:
		return (double)s->decode_rate / RATE_UNITS;
	case TAPE_INFLIGHT_TOTAL_RATE:
		return (double)(s->prefill_rate + s->decode_rate) / RATE_UNITS;
	case TAPE_INFLIGHT_PREFILL_EACH:
		return each(s->prefill_rate, s->prefill);
	default:
		return each(s->decode_rate, s->decode);
	}
}

static bool
is_idle(enum tape_inflight_curve curve, const struct state *s)
{
	switch ((int)curve) {
	case TAPE_INFLIGHT_PREFILL_RATE:
	case TAPE_INFLIGHT_PREFILL_EACH:
		return s->prefill == 0;
	case TAPE_INFLIGHT_DECODE_RATE:
	case TAPE_INFLIGHT_DECODE_EACH:
		return s->decode == 0;
	default:
		return s->open == 0;
	}
}

static uint64_t
bits_from(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static double
value_from(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* The last value of all, when it is over. */
static void
add_up(struct sweep *w)
{
	const struct tape_inflight_pair *last;
	double v;

	if (w->held_n == 0)
		return;
	last = w->held + w->held_n - 1;
	v = value_from(last->key);
	w->min = fmin(w->min, v);
	w->max = fmax(w->max, v);
	if (v > 0)
		w->least = fmin(w->least, v);
	w->sum += v * (double)last->value;
}

/* The value held for so long; none is below 0, so that their bits are in the
   order of the values. */
static void
hold(struct sweep *w, enum tape_inflight_curve curve, const struct state *s,
    uint64_t ns)
{
	const double v = value_of(curve, s);
	const uint64_t bits = bits_from(v);

	if (ns == 0)
		return;
	if (is_idle(curve, s))
		w->idle += ns;
	else
		w->active_min = fmin(w->active_min, v);
	if (w->held_n > 0 && w->held[w->held_n - 1].key == bits) {
		w->held[w->held_n - 1].value += ns;
		return;
	}
	add_up(w);
	w->held[w->held_n++] = (struct tape_inflight_pair){ bits, ns };
}

/* All values of a curve, with the time that each held, as they came. */
static void
draw(struct sweep *w, enum tape_inflight_curve curve)
{
	struct state s = { 0 };
	uint64_t at = 0;

	w->held_n = 0;
	w->idle = 0;
	w->active_min = w->min = w->max = w->least = (double)NAN;
	w->sum = 0;
	for (size_t i = 0; i < w->edge_n; i++) {
		const struct tape_inflight_pair *e = &w->edges[i];

		hold(w, curve, &s, e->key - at);
		at = e->key;
		cross(
		    &s, curve, &w->v[e->value >> 2], (enum edge)(e->value & 3));
	}
	hold(w, curve, &s, w->span - at);
	add_up(w);
}

/* Mean and sd, without so much time in which the value was 0. */
static void
describe_moments(
    const struct sweep *w, uint64_t idle, struct tape_inflight_stats *out)
{
	const double time = (double)(w->span - idle);
	double squares = 0, zero = 0;

	out->max = w->max;
	out->mean = w->sum / time;
	for (size_t i = 0; i < w->held_n; i++) {
		const double v = value_from(w->held[i].key);
		const double ns = (double)w->held[i].value;

		if (v > 0)
			squares += (v - out->mean) * (v - out->mean) * ns;
		else
			zero += ns;
	}
	squares += out->mean * out->mean * (zero - (double)idle);
	out->sd = sqrt(squares / time);
}

/* The quantiles of the whole, and of the time that is not idle, if active is
   not NULL: in that which is the value is 0, below all others. */
static enum tape_status
describe_levels(struct sweep *w, const struct tape_inflight_window *window,
    struct tape_inflight_stats *out, struct tape_inflight_stats *active,
    struct tape_err *err)
{
	const struct tape_inflight_pairs pairs = { w->held, w->scratch,
		w->held_n, bits_from(w->least), bits_from(w->max) };
	struct tape_inflight_level level[2 * TAPE_INFLIGHT_QUANTILES];
	const double idle = (double)w->idle;
	const size_t n = window->q_n;
	enum tape_status st;

	for (size_t i = 0; i < n; i++) {
		level[i].weight = window->q[i] * (double)w->span;
		level[n + i].weight =
		    idle + window->q[i] * ((double)w->span - idle);
	}
	st = tape_inflight_levels(
	    &pairs, level, active == NULL ? n : 2 * n, err);
	for (size_t i = 0; i < n && st == TAPE_OK; i++) {
		out->q[i] = value_from(level[i].key);
		if (active != NULL)
			active->q[i] = value_from(level[n + i].key);
	}
	return st;
}

static enum tape_status
describe(struct sweep *w, const struct tape_inflight_window *window,
    struct tape_inflight_stats *out, struct tape_inflight_stats *active,
    struct tape_err *err)
{
	describe_moments(w, 0, out);
	out->min = w->min;
	if (active != NULL) {
		active->n = out->n;
		describe_moments(w, w->idle, active);
		active->min = w->active_min;
	}
	return describe_levels(w, window, out, active, err);
}

static uint64_t
clip(int64_t t, const struct tape_inflight_window *w)
{
	if (t <= w->from_ns)
		return 0;
	return (uint64_t)((t < w->to_ns ? t : w->to_ns) - w->from_ns);
}

static void
add_edge(struct sweep *w, uint64_t t, size_t i, enum edge edge)
{
	w->edges[w->edge_n++] =
	    (struct tape_inflight_pair){ t, (uint64_t)i << 2 | edge };
}

/* How many requests each curve is made from. */
static void
count(const struct tape_inflight_interval *i, struct tape_inflight_stats *out)
{
	const bool phased = i->first_ns != TAPE_ABSENT_I64;
	const bool input = phased && i->input_tokens >= 0;
	const bool output = phased && i->output_tokens >= 0;

	out[TAPE_INFLIGHT_OPEN].n++;
	out[TAPE_INFLIGHT_PREFILL].n += phased;
	out[TAPE_INFLIGHT_DECODE].n += phased && i->end_ns > i->first_ns;
	out[TAPE_INFLIGHT_TOKENS].n += input && output;
	out[TAPE_INFLIGHT_PREFILL_RATE].n += input;
	out[TAPE_INFLIGHT_DECODE_RATE].n += output;
	out[TAPE_INFLIGHT_TOTAL_RATE].n += input && output;
	out[TAPE_INFLIGHT_PREFILL_EACH].n += input;
	out[TAPE_INFLIGHT_DECODE_EACH].n += output;
}

static void
find_edges(struct sweep *w, const struct tape_inflight *f,
    const struct tape_inflight_window *window, struct tape_inflight_stats *out)
{
	for (size_t k = 0; k < f->n; k++) {
		const struct tape_inflight_interval *i = &f->v[k];

		if (i->end_ns < window->from_ns || i->start_ns > window->to_ns)
			continue;
		count(i, out);
		add_edge(w, clip(i->start_ns, window), k, START);
		if (i->first_ns != TAPE_ABSENT_I64)
			add_edge(w, clip(i->first_ns, window), k, FIRST);
		add_edge(w, clip(i->end_ns, window), k, END);
	}
	tape_inflight_sort(w->edges, w->scratch, w->edge_n);
}

static enum tape_status
describe_all(struct sweep *w, const struct tape_inflight_window *window,
    struct tape_inflight_stats *out, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (int c = 0; c < BASE && st == TAPE_OK; c++) {
		struct tape_inflight_stats *active = NULL;

		if (out[c].n == 0)
			continue;
		draw(w, (enum tape_inflight_curve)c);
		if (c >= TAPE_INFLIGHT_PREFILL_RATE && w->idle < w->span)
			active = &out[c - TAPE_INFLIGHT_PREFILL_RATE + BASE];
		st = describe(w, window, &out[c], active, err);
	}
	return st;
}

enum tape_status
tape_inflight_describe(const struct tape_inflight *f,
    const struct tape_inflight_window *window,
    struct tape_inflight_stats out[TAPE_INFLIGHT_CURVES], struct tape_err *err)
{
	struct sweep w = { .v = f->v };
	const size_t room = 3 * f->n + 1; /* edges, and what is between */
	enum tape_status st;

	for (int c = 0; c < TAPE_INFLIGHT_CURVES; c++) {
		out[c] = (struct tape_inflight_stats){ 0, TAPE_ABSENT_F64,
			TAPE_ABSENT_F64, TAPE_ABSENT_F64, TAPE_ABSENT_F64,
			{ 0 } };
		for (int q = 0; q < TAPE_INFLIGHT_QUANTILES; q++)
			out[c].q[q] = TAPE_ABSENT_F64;
	}
	if (f->n == 0 || window->to_ns <= window->from_ns)
		return TAPE_OK;
	w.span = (uint64_t)(window->to_ns - window->from_ns);
	w.edges = tape_mem_realloc(NULL, room, 3 * sizeof(*w.edges));
	if (w.edges == NULL)
		return tape_err_nomem(err);
	w.held = w.edges + room;
	w.scratch = w.held + room;
	find_edges(&w, f, window, out);
	st = describe_all(&w, window, out, err);
	tape_mem_free(w.edges);
	return st;
}
