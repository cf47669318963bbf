/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of what changes in the course of a run: warmup, trend, clocks. */
#include "codec/stat_rng.h"
#include "unit/checks_fixture.h"

static struct tape_rng rng;

/* A time around ms, lognormal, as latencies are. */
static double
around(double ms, double spread)
{
	return ms * exp(tape_rng_normal(&rng, 0, spread));
}

/* n streams, one after the other; what is slow is that many times. */
static void
play(struct fixture *f, int n, int slow, double times, double spread)
{
	double at = 0;

	for (int i = 0; i < n; i++) {
		const double by = i < slow ? times : 1;
		const double ttft = around(20 * by, spread);
		const double latency = ttft + around(70 * by, spread / 4);

		add_stream(f, at, ttft, latency);
		at += latency;
	}
}

static void
test_warmup(void)
{
	struct fixture f;

	open_fixture(&f);
	play(&f, 60, 0, 1, 0.2);
	make(&f, &f.end);
	is_check(&f, "warmup", "ok", "2 requests before");
	f.warmup = 1;
	make(&f, &f.end);
	is_check(&f, "warmup", "warn", "1 requests before");
	f.warmup = 2;
	next_run(&f);
	play(&f, 60, 8, 8, 0.2);
	make(&f, &f.end);
	is_status(&f, "warmup", "warn");
	next_run(&f);
	play(&f, 60, 1, 12, 0.2);
	make(&f, &f.end);
	is_status(&f, "warmup", "warn");
	next_run(&f);
	play(&f, 15, 8, 8, 0.2);
	make(&f, &f.end);
	is_status(&f, "warmup", "ok");
	close_fixture(&f);
}

/* Longer prompts at the beginning are the trace's doing. */
static void
test_longer_first(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.tokens.input = 2000;
	play(&f, 8, 8, 8, 0.1);
	f.m.result.tokens.input = 100;
	for (int i = 0; i < 52; i++)
		add_stream(&f, 10000 + 100 * i, around(20, 0.1), 90);
	make(&f, &f.end);
	is_status(&f, "warmup", "ok");
	close_fixture(&f);
}

/* rate is the growth from request to request. */
static void
drift(struct fixture *f, int n, double rate, double spread)
{
	double at = 0, by = 1;

	for (int i = 0; i < n; i++, by *= 1 + rate) {
		const double ttft = around(20 * by, spread);
		const double latency = ttft + around(70 * by, spread);

		add_stream(f, at, ttft, latency);
		at += latency;
	}
}

static void
test_trend(void)
{
	struct fixture f;

	open_fixture(&f);
	drift(&f, 39, 0.02, 0.02);
	make(&f, &f.end);
	ok(find(&f, "trend") == NULL, "too few to tell");
	next_run(&f);
	drift(&f, 60, 0.015, 0.05);
	make(&f, &f.end);
	is_status(&f, "trend", "warn");
	next_run(&f);
	drift(&f, 60, -0.01, 0.05);
	make(&f, &f.end);
	is_status(&f, "trend", "warn");
	next_run(&f);
	drift(&f, 200, 0.0002, 0.01);
	make(&f, &f.end);
	is_status(&f, "trend", "ok");
	next_run(&f);
	drift(&f, 200, 0, 0.3);
	make(&f, &f.end);
	is_check(&f, "trend", "ok", "neither rises nor falls in the run");
	close_fixture(&f);
}

/* Prompts that grow, as those of a session do, explain it. */
static void
test_growing_prompts(void)
{
	struct fixture f;

	open_fixture(&f);
	for (int i = 0; i < 60; i++) {
		f.m.result.tokens.input = 100 + 10 * i;
		add_stream(&f, 200 * i, 20 + i, 90 + i);
	}
	make(&f, &f.end);
	is_status(&f, "trend", "ok");
	close_fixture(&f);
}

/* Not streamed: of latencies, unless answers become longer. */
static void
test_whole(void)
{
	struct fixture f;

	for (int grows = 0; grows < 2; grows++) {
		open_fixture(&f);
		for (int i = 0; i < 60; i++) {
			struct tape_result *r = &f.m.result;

			f.m.to_end = true;
			r->start_ns = 200 * MS * i;
			r->latency_ns = (50 + i) * MS;
			r->end_ns = r->start_ns + r->latency_ns;
			if (grows)
				r->tokens.output = 8 + i;
			add(&f, 1);
		}
		make(&f, &f.end);
		is_status(&f, "trend", grows ? "ok" : "warn");
		close_fixture(&f);
	}
}

/* Clean runs of all lengths and spreads: hardly one may alarm.  A queue makes
   neighbours alike: each value is half the one before. */
static void
test_false_alarms(void)
{
	static const int lengths[] = { 20, 40, 60, 120, 400 };
	int runs = 0, warmup = 0, trend = 0;

	for (size_t k = 0; k < sizeof(lengths) / sizeof(*lengths); k++)
		for (int i = 0; i < 200; i++) {
			struct fixture f;
			double queue = 0, spread = 0.05 + 0.1 * (i % 10);

			open_fixture(&f);
			for (int j = 0; j < lengths[k]; j++) {
				queue = queue / 2 + around(10, spread);
				add_stream(&f, 10.0 * j, 10 + queue,
				    80 + queue + around(20, spread));
			}
			tape_checks_set_release(&f.set);
			{
				const struct tape_checks_run run = { .run = 1,
					.warmup = 2,
					.output_per_s = TAPE_ABSENT_F64,
					.requests_per_s = TAPE_ABSENT_F64 };

				if (tape_checks_make(&f.checks, &run, &f.set,
					&f.err) != TAPE_OK)
					ok(false, "make");
			}
			runs++;
			if (find(&f, "warmup") != NULL)
				warmup += !tape_str_is(
				    find(&f, "warmup")->status, "ok");
			if (find(&f, "trend") != NULL)
				trend += !tape_str_is(
				    find(&f, "trend")->status, "ok");
			close_fixture(&f);
		}
	printf(
	    "# of %d clean runs: warmup %d, trend %d\n", runs, warmup, trend);
	ok(warmup <= runs / 200, "warmup alarms in under 0.5 %%");
	ok(trend <= runs / 200, "trend alarms in under 0.5 %%");
}

int
main(void)
{
	tape_rng_init(&rng, 7, TAPE_RNG_GEN_INPUT, 0, 0);
	test_warmup();
	test_longer_first();
	test_trend();
	test_growing_prompts();
	test_whole();
	test_false_alarms();
	return done_testing();
}
