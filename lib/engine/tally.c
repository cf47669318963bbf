/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/tally.h"

#include "base/mem.h"
#include "engine/idmap.h"

#include <stdlib.h>

void
tape_tally_init(struct tape_tally *t)
{
	memset(t, 0, sizeof(*t));
	t->first_ns = TAPE_ABSENT_I64;
	t->last_ns = TAPE_ABSENT_I64;
	tape_tally_limit(t, 0, NULL);
}

void
tape_tally_release(struct tape_tally *t)
{
	for (size_t i = 0; i < TAPE_METRIC_COUNT; i++)
		tape_mem_free(t->column[i].v);
	tape_mem_free(t->rows);
	tape_pool_release(&t->gaps);
	tape_pool_release(&t->token_gaps);
	tape_inflight_release(&t->inflight);
	tape_tally_init(t);
}

void
tape_tally_limit(struct tape_tally *t, size_t bytes, const char *dir)
{
	tape_pool_init(&t->gaps, bytes, dir);
	tape_pool_init(&t->token_gaps, bytes, dir);
}

struct tape_pool *
tape_tally_pool(struct tape_tally *t, int metric)
{
	return metric == TAPE_METRIC_GAP ? &t->gaps : &t->token_gaps;
}

/* The value of the request that comes next; those before it that have none are
   filled up when one has. */
static enum tape_status
put_value(struct tape_tally *t, size_t metric, double v, struct tape_err *err)
{
	struct tape_tally_column *c = &t->column[metric];
	const size_t need = (size_t)t->ok + 1;

	if (isnan(v))
		return TAPE_OK;
	if (need > c->cap &&
	    tape_mem_grow((void **)&c->v, &c->cap, need, sizeof(*c->v)) != 0)
		return tape_err_nomem(err);
	while (c->n < need - 1)
		c->v[c->n++] = TAPE_ABSENT_F64;
	c->v[c->n++] = v;
	return TAPE_OK;
}

static enum tape_status
put_row(struct tape_tally *t, const struct tape_result *r, struct tape_err *err)
{
	if (tape_mem_grow((void **)&t->rows, &t->row_cap, (size_t)t->ok + 1,
		sizeof(*t->rows)) != 0)
		return tape_err_nomem(err);
	t->rows[t->ok] =
	    (struct tape_tally_row){ r->start_ns, tape_tally_key(r) };
	return TAPE_OK;
}

uint64_t
tape_tally_key(const struct tape_result *r)
{
	return tape_idmap_mix(
	    tape_idmap_key(r->id.p, r->id.len), (uint64_t)r->pass);
}

int64_t
tape_tally_began_ns(const struct tape_result *r)
{
	return r->origin_start_ns != TAPE_ABSENT_I64 ? r->origin_start_ns
						     : r->start_ns;
}

static void
begin_window(struct tape_tally *t, int64_t start_ns)
{
	if (t->first_ns == TAPE_ABSENT_I64 || start_ns < t->first_ns)
		t->first_ns = start_ns;
}

/*
 * How many tokens came together with another: those beyond one an event.  One
 * is allowed for: the token that stops the answer has no text, so no event.
 */
static void
count_shared(struct tape_tally *t, const struct tape_measured *m)
{
	const struct tape_result *r = &m->result;
	const int64_t output = r->tokens.output;

	if (m->to_end || m->from_events || output == TAPE_ABSENT_I64 ||
	    r->token_events == TAPE_ABSENT_I64)
		return;
	t->usage_tokens += (double)output;
	if (output > r->token_events + 1)
		t->shared_tokens += (double)(output - r->token_events - 1);
}

static double
known(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? 0 : (double)v;
}

/* A part of the tokens, and the whole where that is known. */
static void
count_part(struct tape_tally *t, enum tape_metric_sum first, int64_t part,
    int64_t whole)
{
	double *sum = t->sum + first;

	if (part == TAPE_ABSENT_I64)
		return;
	sum[0] += (double)part;
	sum[1]++;
	if (whole == TAPE_ABSENT_I64)
		return;
	sum[2] += (double)part;
	sum[3] += (double)whole;
}

static void
count_sums(struct tape_tally *t, const struct tape_result *r)
{
	const int64_t asked = r->asked_output_tokens;

	if (r->good == 1)
		t->sum[TAPE_SUM_GOOD_OUTPUT] += known(r->tokens.output);
	count_part(t, TAPE_SUM_CACHED, r->tokens.cached, r->tokens.input);
	count_part(
	    t, TAPE_SUM_REASONING, r->tokens.reasoning, r->tokens.output);
	if (r->asked_input_tokens != TAPE_ABSENT_I64) {
		t->sum[TAPE_SUM_ASKED_INPUT] += (double)r->asked_input_tokens;
		t->sum[TAPE_SUM_ASKED_INPUT_N]++;
	}
	if (asked > 0 && r->tokens.output != TAPE_ABSENT_I64) {
		t->sum[TAPE_SUM_ASKED_OUTPUT] += (double)asked;
		t->sum[TAPE_SUM_ASKED]++;
		t->sum[TAPE_SUM_MISMATCHED] +=
		    tape_metric_is_mismatch(r->tokens.output, asked);
	}
	if (r->stalls != TAPE_ABSENT_I64) {
		t->sum[TAPE_SUM_GAPPED]++;
		t->sum[TAPE_SUM_STALLED] += r->stalls > 0;
	}
	if (r->reused != TAPE_ABSENT_BOOL) {
		t->sum[TAPE_SUM_CONNECTED]++;
		t->sum[TAPE_SUM_REUSED] += r->reused == 1;
	}
}

static void
count(struct tape_tally *t, const struct tape_measured *m)
{
	const struct tape_result *r = &m->result;
	const int64_t end = m->window_ns;

	t->ok++;
	t->good += r->good == 1;
	t->from_events += m->from_events;
	t->reasoned += m->reasoned;
	t->choices += m->choices;
	t->backwards += m->backwards;
	t->to_end += m->streamed && m->to_end;
	t->merged += m->blurred;
	t->events += m->kernel + m->merged + m->user;
	if (r->tokens.input != TAPE_ABSENT_I64 &&
	    r->tokens.output != TAPE_ABSENT_I64) {
		t->total_tokens += (double)r->tokens.input;
		t->total_tokens += (double)r->tokens.output;
		t->total_n++;
	}
	count_shared(t, m);
	count_sums(t, r);
	t->retried += r->attempt > 1;
	begin_window(t, tape_tally_began_ns(r));
	if (end != TAPE_ABSENT_I64 &&
	    (t->last_ns == TAPE_ABSENT_I64 || end > t->last_ns))
		t->last_ns = end;
}

enum tape_status
tape_tally_add(struct tape_tally *t, const struct tape_measured *m,
    const double *gaps, size_t gap_n, struct tape_err *err)
{
	enum tape_status st = put_row(t, &m->result, err);

	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++) {
		const struct tape_metric *row = &tape_metric_table[i];

		if (row->kind == TAPE_METRIC_REQUEST &&
		    !(row->extra && t->basic))
			st = put_value(t, (size_t)i, row->of(&m->result), err);
	}
	if (st == TAPE_OK)
		st = tape_pool_add(&t->gaps, gaps, gap_n, err);
	if (st == TAPE_OK)
		st = tape_pool_add(
		    &t->token_gaps, m->token_gaps, m->token_gap_n, err);
	if (st == TAPE_OK)
		count(t, m);
	return st;
}

static int32_t
clamp(int64_t tokens)
{
	if (tokens == TAPE_ABSENT_I64 || tokens < 0)
		return -1;
	return tokens < INT32_MAX ? (int32_t)tokens : INT32_MAX;
}

enum tape_status
tape_tally_fly(
    struct tape_tally *t, const struct tape_measured *m, struct tape_err *err)
{
	const struct tape_result *r = &m->result;
	struct tape_inflight_interval i = { r->start_ns, TAPE_ABSENT_I64,
		m->window_ns, -1, -1 };

	if (t->basic)
		return TAPE_OK;
	if (r->ok == 1) {
		i.input_tokens = clamp(r->tokens.input);
		i.output_tokens = clamp(r->tokens.output);
	} else {
		i.end_ns = r->end_ns;
	}
	if (!m->to_end)
		i.first_ns =
		    r->first_ns != TAPE_ABSENT_I64 ? r->first_ns : i.end_ns;
	return tape_inflight_add(&t->inflight, &i, err);
}

void
tape_tally_fail(struct tape_tally *t, struct tape_str class, int64_t attempt,
    int64_t start_ns, int64_t input_tokens)
{
	t->failed++;
	if (input_tokens != TAPE_ABSENT_I64) {
		t->sum[TAPE_SUM_FAILED_INPUT] += (double)input_tokens;
		t->sum[TAPE_SUM_FAILED_INPUT_N]++;
	}
	t->sum[tape_metric_failed_sum(class)]++;
	t->retried += attempt > 1;
	begin_window(t, start_ns);
}

void
tape_tally_cancel(struct tape_tally *t, const struct tape_result *r)
{
	t->cancelled++;
	t->retried += r->attempt > 1;
	begin_window(t, tape_tally_began_ns(r));
}

static int
by_start(const void *a, const void *b)
{
	const struct tape_tally_place *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Whether the requests are in order as they stand, tally by tally. */
static bool
in_turn(struct tape_tally *const *tallies, size_t n)
{
	struct tape_tally_place last = { INT64_MIN, 0, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < tallies[i]->ok; j++) {
			const struct tape_tally_row *r = &tallies[i]->rows[j];
			const struct tape_tally_place p = { r->start_ns, r->key,
				0, 0 };

			if (by_start(&last, &p) > 0)
				return false;
			last = p;
		}
	}
	return true;
}

static void
fill_order(
    struct tape_tally *const *tallies, size_t n, struct tape_tally_order *out)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < tallies[i]->ok; j++) {
			const struct tape_tally_row *r = &tallies[i]->rows[j];

			out->v[at++] = (struct tape_tally_place){ r->start_ns,
				r->key, (uint32_t)i, (uint32_t)j };
		}
	}
	qsort(out->v, out->n, sizeof(*out->v), by_start);
}

enum tape_status
tape_tally_order(struct tape_tally *const *tallies, size_t n,
    struct tape_tally_order *out, struct tape_err *err)
{
	*out = (struct tape_tally_order){ 0 };
	for (size_t i = 0; i < n; i++)
		out->n += (size_t)tallies[i]->ok;
	if (in_turn(tallies, n))
		return TAPE_OK;
	if (out->n > UINT32_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more requests in a run than can be put in order");
	out->v = tape_mem_realloc(NULL, out->n, sizeof(*out->v));
	if (out->v == NULL)
		return tape_err_nomem(err);
	fill_order(tallies, n, out);
	return TAPE_OK;
}

void
tape_tally_order_release(struct tape_tally_order *order)
{
	tape_mem_free(order->v);
	*order = (struct tape_tally_order){ 0 };
}

/* The values of one tally, as they came. */
static size_t
copy_column(const struct tape_tally_column *c, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->v[i]))
			out[n++] = c->v[i];
	return n;
}

size_t
tape_tally_series(struct tape_tally *const *tallies, size_t count,
    const struct tape_tally_order *order, int metric, double *out)
{
	size_t n = 0;

	if (order->v == NULL) {
		for (size_t i = 0; i < count; i++)
			n += copy_column(&tallies[i]->column[metric], out + n);
		return n;
	}
	for (size_t i = 0; i < order->n; i++) {
		const struct tape_tally_place *p = &order->v[i];
		const struct tape_tally_column *c =
		    &tallies[p->tally]->column[metric];

		if (p->row < c->n && !isnan(c->v[p->row]))
			out[n++] = c->v[p->row];
	}
	return n;
}
