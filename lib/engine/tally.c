/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/tally.h"

#include "base/mem.h"

void
tape_tally_init(struct tape_tally *t)
{
	memset(t, 0, sizeof(*t));
	t->first_ns = TAPE_ABSENT_I64;
	t->last_ns = TAPE_ABSENT_I64;
}

void
tape_tally_release(struct tape_tally *t)
{
	for (size_t i = 0; i < TAPE_METRIC_COUNT; i++)
		tape_mem_free(t->column[i].v);
	tape_tally_init(t);
}

static enum tape_status
put(struct tape_tally_column *c, const double *v, size_t n,
    struct tape_err *err)
{
	if (c->n + n > c->cap && tape_mem_grow((void **)&c->v, &c->cap,
				     c->n + n, sizeof(*c->v)) != 0)
		return tape_err_nomem(err);
	if (n > 0)
		memcpy(c->v + c->n, v, n * sizeof(*v));
	c->n += n;
	return TAPE_OK;
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

	if (m->to_end || m->from_events || output == TAPE_ABSENT_I64)
		return;
	t->usage_tokens += (double)output;
	if (output > r->token_events + 1)
		t->shared_tokens += (double)(output - r->token_events - 1);
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
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++) {
		const struct tape_metric *row = &tape_metric_table[i];
		double v;

		if (row->kind != TAPE_METRIC_REQUEST)
			continue;
		v = row->of(&m->result);
		if (!isnan(v))
			st = put(&t->column[i], &v, 1, err);
	}
	if (st == TAPE_OK)
		st = put(&t->column[TAPE_METRIC_GAP], gaps, gap_n, err);
	if (st == TAPE_OK)
		st = put(&t->column[TAPE_METRIC_TOKEN_GAP], m->token_gaps,
		    m->token_gap_n, err);
	if (st == TAPE_OK)
		count(t, m);
	return st;
}

void
tape_tally_fail(struct tape_tally *t, int64_t attempt, int64_t start_ns)
{
	t->failed++;
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
