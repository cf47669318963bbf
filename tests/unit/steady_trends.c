/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What still changes behind the cut of a run. */
#include "codec/stat_rng.h"
#include "unit/steady_make.h"

/* 120 requests, ttft of the last third so much more; lengths, too.  MSER-5 does
   not see that: behind half of them the spread would be no smaller. */
static void
give_step(double more, int longer)
{
	struct tape_rng rng;

	tape_rng_init(&rng, 3, 90, 0, 0);
	for (int i = 0; i < 120; i++) {
		const bool late = i >= 80;

		give((struct given){ .start = 1000 * i,
		    .end = 1000 * i + 500,
		    .ttft = tape_rng_normal(&rng, 100, 5) + late * more,
		    .tpot = tape_rng_normal(&rng, 20, 1),
		    .latency = tape_rng_normal(&rng, 500, 5),
		    .input = 10 + longer * late });
	}
}

/* 120 requests: ttft rises, tpot falls, and latency with the answers. */
static void
give_slope(void)
{
	struct tape_rng rng;

	tape_rng_init(&rng, 4, 90, 0, 0);
	for (int i = 0; i < 120; i++)
		give((struct given){ .start = 1000 * i,
		    .end = 1000 * i + 500,
		    .ttft = tape_rng_normal(&rng, 100, 5) + 0.5 * i,
		    .tpot = tape_rng_normal(&rng, 40, 1) - 0.1 * i,
		    .latency = 1000 + 10 * i,
		    .input = 7,
		    .output = 100 + i });
}

static void
test_trends(void)
{
	const struct tape_trend *ttft = &cut.trend[0], *tpot = &cut.trend[1];
	size_t at;

	again();
	give_step(0, 0);
	decide(TAPE_ABSENT_I64);
	ok(ttft->known && tpot->known && cut.flight.known && !ttft->rises &&
		!ttft->falls && !ttft->halves && !ttft->steps && !tpot->steps,
	    "nothing is found where nothing changes");

	again();
	give_step(10, 0);
	decide(TAPE_ABSENT_I64);
	is_int(cut.why, TAPE_STEADY_FOUND, "a late step is not refused");
	ok(cut.warmup < 10, "and not cut, but for %d", (int)cut.warmup);
	ok(ttft->steps && !ttft->rises && !ttft->falls,
	    "but found, and no slope");
	at = ttft->c.step_at + cut.warmup;
	ok(at >= 77 && at <= 83, "near 80: %zu", at);
	is_near(ttft->c.before, 100e6, 0.02, "before it is 100 ms");
	is_near(ttft->c.after, 110e6, 0.02, "behind 110");
	ok(!tpot->rises && !tpot->halves && !tpot->steps && !tpot->falls,
	    "in that metric only");

	again();
	give_step(10, 5);
	decide(TAPE_ABSENT_I64);
	ok(ttft->lengths && !ttft->steps && !ttft->halves && !ttft->rises,
	    "prompts that become longer explain it");
	again();
	give_step(10, -5);
	decide(TAPE_ABSENT_I64);
	ok(!ttft->lengths && ttft->steps, "shorter ones do not");

	again();
	give_slope();
	decide(TAPE_ABSENT_I64);
	ok(ttft->rises && !ttft->falls && !ttft->steps,
	    "a slope rises, and is no step");
	ok(tpot->falls && !tpot->rises && !tpot->steps, "or falls");
	ok(cut.trend[2].lengths && !cut.trend[2].rises,
	    "longer answers explain latency");
	is_near(ttft->c.rise, 59.5e6, 0.1, "by 59.5 ms from first to last");

	again();
	give_slow(49, 0, 0);
	decide(TAPE_ABSENT_I64);
	ok(!ttft->known && !cut.flight.known, "of 49 nothing is said");
}

/* Each request takes 20 ms longer than the last, one comes every 100 ms:
   floor(i / 6) others are open when i is sent. */
static void
test_overload(void)
{
	again();
	for (int i = 0; i < 200; i++)
		give((struct given){ .start = 100 * i,
		    .end = 100 * i + 20 * i + 1,
		    .ttft = 10,
		    .tpot = 1,
		    .latency = 50 + i % 2 });
	decide(TAPE_ABSENT_I64);
	ok(cut.flight.rises, "what is in flight of an open loop rises");
	is_near(cut.flight.c.first, 7.84, 1e-12, "from 7.84 on average");
	is_near(cut.flight.c.second, 24.5, 1e-12, "to 24.5");
	ok(!cut.flight.steps && !cut.flight.halves, "which is all it says");
	decide(200);
	ok(!cut.flight.known, "a closed loop bounds it");
}

static void
test_mark(void)
{
	static struct tape_summarize_set set;
	static struct tape_steady_text text;
	const struct tape_summary *s = &set.summary[TAPE_METRIC_TTFT];

	again();
	give_step(10, 0);
	decide(TAPE_ABSENT_I64);
	cut.trend[0].rises = cut.trend[0].halves = cut.trend[0].steps = true;
	set.summary[TAPE_METRIC_TTFT].n = 115;
	set.summary[TAPE_METRIC_TTFT].mean = 7;
	is_int(tape_steady_mark(&cut, &set, &text, NULL), TAPE_OK, "marked");
	ok(s->flags.n == 3 && tape_str_is(s->flags.v[0], "rising") &&
		tape_str_is(s->flags.v[1], "halves-differ") &&
		tape_str_is(s->flags.v[2], "step"),
	    "all that was found is a flag");
	ok(s->warmup_cut == (int64_t)cut.warmup && s->whole_n == 120 &&
		cut.kept[0].n == 115 && cut.kept[0].mean == 7,
	    "beside n and mean, with and without the cut");
	ok(s->trend.len > 0 && s->trend.p[0] == '{' &&
		s->trend.p[s->trend.len - 1] == '}',
	    "and an object has the numbers");
	ok(set.summary[TAPE_METRIC_GAP].trend.p == NULL &&
		set.summary[TAPE_METRIC_GAP].flags.n == 0,
	    "other metrics have none");

	memset(&set, 0, sizeof(set));
	again();
	give_slow(49, 0, 0);
	decide(TAPE_ABSENT_I64);
	is_int(tape_steady_mark(&cut, &set, &text, NULL), TAPE_OK, "marked");
	ok(s->flags.n == 1 && tape_str_is(s->flags.v[0], "few-to-cut") &&
		s->trend.p == NULL,
	    "of too few nothing is said but that");

	memset(&set, 0, sizeof(set));
	s = &set.summary[TAPE_METRIC_CONCURRENCY];
	cut.why = TAPE_STEADY_FOUND;
	cut.slots = 20;
	cut.open_mean = 19;
	is_int(tape_steady_mark(&cut, &set, &text, NULL), TAPE_OK, "marked");
	ok(s->flags.n == 0, "19 of 20 slots are full enough");
	cut.open_mean = 18.9;
	is_int(tape_steady_mark(&cut, &set, &text, NULL), TAPE_OK, "marked");
	ok(s->flags.n == 1 && tape_str_is(s->flags.v[0], "not-full"),
	    "fewer are not");
}

int
main(void)
{
	tape_steady_init(&held);
	test_trends();
	test_overload();
	test_mark();
	tape_steady_release(&held);
	return done_testing();
}
