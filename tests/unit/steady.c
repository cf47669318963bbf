/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where runs are cut whose warm-up and drain are known. */
#include "base/mem.h"
#include "codec/stat_rng.h"
#include "unit/stat_oracle.h"
#include "unit/steady_make.h"

enum { ROOM = 2000 };

static void
test_warmup(void)
{
	again();
	give_slow(100, 20, 0);
	decide(TAPE_ABSENT_I64);
	is_int(cut.why, TAPE_STEADY_FOUND, "a warm-up is found");
	is_int(cut.warmup, 20, "it is the 20 that were slow");
	ok(cut.from_ns == ns(20000) && cut.to_ns == TAPE_ABSENT_I64,
	    "what was sent from 20 s on counts");
	ok(!cut.closed && cut.ramp == 0 && cut.drain == 0 && cut.all == 100,
	    "an open loop has neither ramp nor drain");
	/* (20 * 500 + 40 * 90 + 40 * 110) / 100 */
	is_near(cut.whole[0].mean, 180e6, 1e-15, "mean ttft of all is 180 ms");
	is_int(cut.whole[0].n, 100, "of 100");
	ok(!tape_steady_counts(&cut, ns(20000) - 1) &&
		tape_steady_counts(&cut, ns(20000)) &&
		tape_steady_counts(&cut, INT64_MAX),
	    "from there on all count");

	again();
	give_slow(100, 10, 25);
	decide(TAPE_ABSENT_I64);
	is_int(cut.warmup, 25, "of two metrics the later end counts");
	again();
	give_slow(100, 25, 10);
	decide(TAPE_ABSENT_I64);
	is_int(cut.warmup, 25, "whichever it is");
	again();
	give_slow(100, 0, 0);
	decide(TAPE_ABSENT_I64);
	ok(cut.why == TAPE_STEADY_FOUND && cut.warmup == 0 &&
		cut.from_ns == TAPE_ABSENT_I64,
	    "of a level run nothing is cut");
}

/* Batches at the front that are left whole: MSER-5's own cases. */
static void
test_oracle(void)
{
	static double x[ROOM];
	struct oracle o;

	for (const cJSON *c = oracle_open(&o, "mser5_batch_means.json");
	     c != NULL; c = c->next) {
		const size_t n = oracle_inputs(c, "x", x, ROOM);
		const double want = oracle_number(oracle_get(
		    oracle_get(c, "expected"), "mser5_truncate_obs"));

		again();
		for (size_t i = 0; i < n; i++)
			give((struct given){ .start = 10 * (int)i,
			    .end = 10 * (int)i + 5,
			    .ttft = -1,
			    .tpot = x[i],
			    .latency = -1 });
		decide(TAPE_ABSENT_I64);
		oracle_value(&o, oracle_id(c), (double)cut.warmup,
		    cut.why == TAPE_STEADY_NEVER ? 0 : want, 0);
	}
	oracle_close(&o, 3);
}

static void
test_nothing_cut(void)
{
	again();
	give_slow(49, 9, 0);
	decide(TAPE_ABSENT_I64);
	is_int(cut.why, TAPE_STEADY_FEW, "49 requests are too few");
	ok(cut.warmup == 0 && cut.from_ns == TAPE_ABSENT_I64, "to cut");
	give((struct given){ .start = 99000,
	    .end = 99500,
	    .ttft = 100,
	    .tpot = 20,
	    .latency = 600 });
	decide(TAPE_ABSENT_I64);
	is_int(cut.why, TAPE_STEADY_FOUND, "50 are enough");
	is_int(cut.warmup, 10, "and two batches, which 9 slow ones reach into");

	again();
	for (int i = 0; i < 100; i++)
		give((struct given){ .start = i,
		    .end = i + 1,
		    .ttft = 100,
		    .tpot = 20,
		    .latency = 100 + i });
	decide(TAPE_ABSENT_I64);
	is_int(cut.why, TAPE_STEADY_NEVER, "a ramp is never steady");
	is_int(
	    cut.metric, TAPE_METRIC_LATENCY, "and it is latency that says so");
	again();
	decide(TAPE_ABSENT_I64);
	ok(cut.why == TAPE_STEADY_FEW && cut.all == 0 &&
		isnan(cut.whole[0].mean),
	    "of no requests there is no mean");
}

/* Slot k of 4 begins at 310 k and sends one request after another, each of 100
   ms, the last of them before 3 s: full from 930 on; at 3000 three others are
   under way, of which the first was sent at 2910. */
static void
give_closed(void)
{
	for (int k = 0; k < 4; k++)
		for (int t = 310 * k; t < 3000; t += 100)
			give((struct given){ .start = t,
			    .end = t + 100,
			    .ttft = 50,
			    .tpot = 25,
			    .latency = 100 });
}

static void
test_closed(void)
{
	again();
	give_closed();
	decide(4);
	is_int(cut.why, TAPE_STEADY_FOUND, "a closed loop that was full");
	ok(cut.closed && cut.from_ns == ns(930) && cut.to_ns == ns(2910),
	    "from when it is full to when the first was sent that drains");
	is_int(cut.ramp, 21, "21 before");
	is_int(cut.warmup, 21, "of the warm-up no more");
	is_int(cut.drain, 3, "3 behind");
	is_near(cut.open_mean, 4, 1e-15, "4 are in flight all the time");
	ok(!tape_steady_counts(&cut, ns(930) - 1) &&
		tape_steady_counts(&cut, ns(930)) &&
		tape_steady_counts(&cut, ns(2910) - 1) &&
		!tape_steady_counts(&cut, ns(2910)),
	    "both ends are by the start");
	decide(5);
	is_int(cut.why, TAPE_STEADY_EMPTY, "of 5 it was never full");
	ok(cut.ramp == 0 && cut.drain == 0 && cut.warmup == 0 &&
		cut.from_ns == TAPE_ABSENT_I64 && cut.to_ns == TAPE_ABSENT_I64,
	    "so nothing is cut");
	/* Slots 1 to 3 begin 310, 620 and 930 late; the last is sent at 2930,
	   when none has ended for good. */
	is_near(cut.open_mean, 4 - 1860 / 2930.0, 1e-12, "and not full");

	/* A fifth slot only fails: it fills the loop, and is in no metric. */
	for (int t = 1240; t < 3000; t += 10)
		fly(t, t + 10, true);
	decide(5);
	ok(cut.why == TAPE_STEADY_FOUND && cut.from_ns == ns(1240),
	    "requests that fail fill the loop");
	is_int(cut.all, 102, "and do not count themselves");
}

/* 96 % of 25 slots are enough; and the warm-up's requests, which are still
   under way when the run begins, are in flight as well. */
static void
test_full(void)
{
	again();
	for (int k = 0; k < 24; k++)
		for (int t = 1000 + k; t < 3000; t += 100)
			give((struct given){ .start = t,
			    .end = t + 100,
			    .ttft = 50,
			    .tpot = 25,
			    .latency = 100 });
	decide(25);
	ok(cut.why == TAPE_STEADY_FOUND && cut.from_ns == ns(1023),
	    "24 of 25 are full");
	for (int i = 0; i < 24; i++)
		fly(500 + i, 1100, false);
	decide(25);
	ok(cut.why == TAPE_STEADY_FOUND && cut.from_ns == ns(1000),
	    "it was full already when the first was sent that is measured");
	is_int(cut.ramp, 0, "so there is no ramp");
	is_int(cut.all, 480, "and the warm-up is not of the run");
}

static void
test_cancelled(void)
{
	again();
	give_slow(100, 20, 0);
	for (int i = 0; i < 30; i++)
		give((struct given){ .start = 500 + 1000 * i,
		    .end = 600 + 1000 * i,
		    .ttft = 9000,
		    .tpot = -1,
		    .latency = -1,
		    .cancelled = true });
	decide(TAPE_ABSENT_I64);
	is_int(cut.all, 100, "what was cancelled is not of them");
	is_int(cut.warmup, 20, "and moves no cut");
	is_near(cut.whole[0].mean, 180e6, 1e-15, "nor a mean");
}

/* Held in any order they are in that of their starts. */
static void
test_order(void)
{
	struct tape_rng rng;
	int at[100];

	again();
	tape_rng_init(&rng, 7, 90, 0, 0);
	for (int i = 0; i < 100; i++)
		at[i] = i;
	for (uint32_t i = 100; i > 1; i--) {
		const uint32_t j = tape_rng_below(&rng, i);
		const int was = at[i - 1];

		at[i - 1] = at[j];
		at[j] = was;
	}
	for (int i = 0; i < 100; i++)
		give((struct given){ .start = 1000 * at[i],
		    .end = 1000 * at[i] + 700,
		    .ttft = at[i] < 20 ? 500 : 90 + at[i] % 2 * 20,
		    .tpot = 20,
		    .latency = 600 });
	decide(TAPE_ABSENT_I64);
	is_int(cut.warmup, 20, "a mixed run is cut at the same place");
	for (size_t i = 0; i < held.item_n; i++)
		if (held.items[i].m.result.start_ns != ns(1000 * (double)i))
			ok(false, "item %zu is in its place", i);
}

/* What is held comes back, whatever became of what it was made from. */
static void
test_back(void)
{
	static const double gaps[] = { 1, 2, 3 };
	double token_gaps[] = { 4, 5 };
	char id[] = "first", other[] = "second";
	struct tape_measured m, back;
	const double *g;

	again();
	memset(&m, 0, sizeof(m));
	m.result.id = tape_str_of(id);
	m.result.start_ns = 2;
	m.result.tokens.source = tape_str_of("events");
	m.result.session = m.hash = tape_str_of(id);
	m.token_gaps = token_gaps;
	m.token_gap_n = 2;
	is_int(tape_steady_hold(&held, &m, gaps, 3, 6, NULL), TAPE_OK, "held");
	m.result.id = tape_str_of(other);
	m.result.start_ns = 1;
	m.result.tokens.source = tape_str_of("usage");
	m.token_gap_n = 0;
	is_int(tape_steady_hold(&held, &m, gaps, 1, 5, NULL), TAPE_OK, "held");
	memset(id, 'x', sizeof(id) - 1);
	memset(token_gaps, 0, sizeof(token_gaps));
	decide(TAPE_ABSENT_I64);

	g = tape_steady_back(&held, 0, &back);
	ok(tape_str_is(back.result.id, "second") && held.items[0].gap_n == 1 &&
		g[0] == 1 && back.token_gap_n == 0 && held.items[0].group == 5,
	    "the one that was sent first, with its group and gap");
	ok(back.result.tokens.source.p == NULL, "tokens by usage");
	g = tape_steady_back(&held, 1, &back);
	ok(tape_str_is(back.result.id, "first") && held.items[1].gap_n == 3 &&
		g[0] == 1 && g[2] == 3 && held.items[1].group == 6,
	    "the other, with its three");
	ok(back.token_gap_n == 2 && back.token_gaps[0] == 4 &&
		back.token_gaps[1] == 5,
	    "and its token gaps as they were");
	ok(tape_str_is(back.result.tokens.source, "events") &&
		back.result.session.p == NULL && back.hash.p == NULL,
	    "no span is left that was borrowed");
}

static enum tape_status
all_of_it(struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (int i = 0; i < 60 && st == TAPE_OK; i++)
		st = try_give(&(struct given){ .start = 10 * i,
				  .end = 10 * i + 5,
				  .ttft = 10 + i % 7,
				  .tpot = 1,
				  .latency = 5 },
		    err);
	if (st == TAPE_OK)
		st = tape_steady_decide(&held, 1, &cut, err);
	cut.closed = false;
	return st == TAPE_OK ? tape_steady_trends(&held, &cut, err) : st;
}

static void
test_memory(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	unsigned bad = 0;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 1000) {
		struct tape_err err = { 0 };

		again();
		(void)tape_mem_fail_at(++n);
		st = all_of_it(&err);
		(void)tape_mem_fail_at(0);
		bad += st == TAPE_E_NOMEM && err.text[0] == '\0';
		bad += held.item_n > 60 || held.flight_n > 60;
	}
	is_int(st, TAPE_OK, "each of %d allocations may fail", (int)n - 1);
	ok(n > 10 && bad == 0, "and is told");
}

int
main(void)
{
	tape_steady_init(&held);
	test_warmup();
	test_oracle();
	test_nothing_cut();
	test_closed();
	test_full();
	test_cancelled();
	test_order();
	test_back();
	test_memory();
	tape_steady_release(&held);
	return done_testing();
}
