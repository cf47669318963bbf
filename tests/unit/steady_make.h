/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steady_make: requests of a run, of which times are told in ms, held. */
#ifndef TAPE_UNIT_STEADY_MAKE_H
#define TAPE_UNIT_STEADY_MAKE_H

#include "engine/steady.h"

#include "base/num.h"
#include "unit/tap.h"

#include <stdio.h>

#define MS 1000000

static struct tape_steady held;
static struct tape_steady_cut cut;

/* A request, times in ms; what is negative is absent. */
struct given {
	int start, end;
	double ttft, tpot, latency;
	int input, output;
	bool cancelled;
};

static int64_t
ns(double ms)
{
	return ms < 0 ? TAPE_ABSENT_I64 : (int64_t)(ms * MS);
}

static struct tape_measured
make(const struct given *g, char id[TAPE_NUM_TEXT])
{
	struct tape_measured m;

	memset(&m, 0, sizeof(m));
	(void)snprintf(id, TAPE_NUM_TEXT, "r%d", g->start);
	m.result.id = tape_str_of(id);
	m.result.attempt = 1;
	m.result.start_ns = ns(g->start);
	m.result.end_ns = ns(g->end);
	m.result.ttft_ns = ns(g->ttft);
	m.result.tpot_ns = g->tpot < 0 ? TAPE_ABSENT_F64 : g->tpot * MS;
	m.result.latency_ns = ns(g->latency);
	m.result.asked_input_tokens = g->input;
	m.result.tokens.output = g->output;
	m.window_ns = TAPE_ABSENT_I64;
	m.measured = true;
	m.cancelled = g->cancelled;
	return m;
}

__attribute__((unused)) static enum tape_status
try_give(const struct given *g, struct tape_err *err)
{
	char id[TAPE_NUM_TEXT];
	const struct tape_measured m = make(g, id);
	enum tape_status st = tape_steady_fly(&held, &m, err);

	return st == TAPE_OK ? tape_steady_hold(&held, &m, NULL, 0, 0, err)
			     : st;
}

__attribute__((unused)) static void
give(struct given g)
{
	if (try_give(&g, NULL) != TAPE_OK)
		ok(false, "request at %d is held", g.start);
}

/* A request that comes to nothing: it is in flight only. */
__attribute__((unused)) static void
fly(int start, int end, bool measured)
{
	const struct given g = { .start = start, .end = end };
	char id[TAPE_NUM_TEXT];
	struct tape_measured m = make(&g, id);

	m.measured = measured;
	if (tape_steady_fly(&held, &m, NULL) != TAPE_OK)
		ok(false, "request at %d is in flight", start);
}

__attribute__((unused)) static void
decide(int64_t concurrency)
{
	struct tape_err err = { 0 };

	if (tape_steady_decide(&held, concurrency, &cut, &err) != TAPE_OK ||
	    tape_steady_trends(&held, &cut, &err) != TAPE_OK)
		ok(false, "decided: %s", err.text);
}

__attribute__((unused)) static void
again(void)
{
	tape_steady_release(&held);
	tape_steady_init(&held);
}

/* One at each second; the first slow ones take 500 ms, others 90 or 110. */
__attribute__((unused)) static void
give_slow(int n, int slow, int slow_tpot)
{
	for (int i = 0; i < n; i++)
		give((struct given){ .start = 1000 * i,
		    .end = 1000 * i + 700,
		    .ttft = i < slow ? 500 : 90 + i % 2 * 20,
		    .tpot = i < slow_tpot ? 60 : 20 + i % 2 * 2,
		    .latency = 600 + i % 2 });
}

#endif
