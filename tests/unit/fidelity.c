/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/fidelity.h"

#include "unit/tap.h"

#define MS TAPE_NS_PER_MS

static struct tape_loop_stats stats;
static struct tape_fidelity_input in;
static struct tape_fidelity_text text;

/* A good run of 10 s, 100 sends on time. */
static void
good(void)
{
	memset(&stats, 0, sizeof(stats));
	in = (struct tape_fidelity_input){ .run = 3,
		.stats = &stats,
		.wall_ns = 10 * TAPE_NS_PER_S,
		.loop_cpu_ns = TAPE_NS_PER_S,
		.open = true };
	stats.sent = 100;
	for (int i = 0; i < 100; i++)
		tape_hist_add(&stats.late, 50000);
	stats.last_due_ns = 10 * TAPE_NS_PER_S;
	stats.last_start_ns = 10 * TAPE_NS_PER_S + 50000;
	stats.reads = 1000;
	stats.passes = 5000;
}

static void
verdict(const char *want, size_t reasons, const char *what)
{
	char got[32];

	tape_fidelity_judge(&text, &in);
	(void)snprintf(got, sizeof(got), "%.*s", (int)text.rec.verdict.len,
	    text.rec.verdict.p);
	is_str(got, want, "%s", what);
	is_int((int64_t)text.rec.reasons.n, (int64_t)reasons, "reasons: %.*s",
	    text.rec.reasons.n == 0 ? 0 : (int)text.rec.reasons.v[0].len,
	    text.rec.reasons.n == 0 ? "" : text.rec.reasons.v[0].p);
}

static void
late(int n, int64_t ns)
{
	for (int i = 0; i < n; i++)
		tape_hist_add(&stats.late, ns);
}

static void
test_memory(void)
{
	good();
	is_int(text.rec.memory.max_bytes, TAPE_ABSENT_I64, "no sample");
	in.memory = (struct tape_footprint){ .samples = 3,
		.start_bytes = 1000,
		.max_bytes = 201000,
		.open_at_max = 100,
		.open_max = 120 };
	verdict("sound", 0, "with samples of memory");
	is_int(text.rec.memory.start_bytes, 1000, "memory at the start");
	is_int(text.rec.memory.max_bytes, 201000, "and at most");
	is_int(text.rec.memory.open_at_max, 100, "with so many open");
	is_int(text.rec.memory.open_max, 120, "of so many");
	is_int(text.rec.memory.stream_bytes, 2000, "bytes a stream");
	in.memory.open_at_max = 99;
	verdict("sound", 0, "with few streams");
	is_int(text.rec.memory.stream_bytes, TAPE_ABSENT_I64,
	    "too few streams to say");
}

static void
lag(int n, int64_t ns)
{
	for (int i = 0; i < n; i++)
		tape_hist_add(&stats.lag, ns);
}

static void
test_law(void)
{
	good();
	in.law = (struct tape_arrivals_test){ 500, 4, 0.3, 0.25 };
	verdict("sound", 0, "the planned law was kept");
	is_int(text.rec.arrivals.gaps, 500, "gaps");
	is_int(text.rec.arrivals.gap_stride, 4, "one of four");
	is_near(text.rec.arrivals.planned_ad_p, 0.3, 0, "p of the plan");
	is_near(text.rec.arrivals.ad_p, 0.25, 0, "p of what was done");
	in.law.achieved_p = 0.01;
	verdict("sound", 0, "on the edge");
	in.law.achieved_p = 0.0099;
	verdict("client-limited", 1, "and beyond");
	in.law.planned_p = 0.01;
	verdict("sound", 0, "a plan on the edge, missed by a hair");
	in.law.achieved_p = 0.0049;
	verdict("client-limited", 1, "and by more");
	in.law.planned_p = 0.0099;
	verdict("sound", 0, "a plan of another law");
	is_near(text.rec.arrivals.planned_ad_p, 0.0099, 0, "has a p too");
	in.law.planned_p = 0.5;
	in.capped = true;
	verdict("sound", 0, "a cap");
	is_int(text.rec.arrivals.gaps, TAPE_ABSENT_I64, "no test");
	in.capped = false;
	in.open = false;
	verdict("sound", 0, "a closed loop");
	is_int(text.rec.arrivals.gaps, TAPE_ABSENT_I64, "no test either");
	good();
	is_int(tape_arrivals_judge(NULL, 0, &in.law, NULL), TAPE_OK, "none");
	verdict("sound", 0, "without gaps");
	ok(isnan(text.rec.arrivals.ad_p), "there is no p");
}

static void
test_merged(void)
{
	good();
	in.merged = (struct tape_merged){ 1000, 300, 500, 10 };
	verdict("sound", 0, "1 % of the events merged late");
	is_int(text.rec.reads.events, 1000, "events");
	is_int(text.rec.reads.merged, 300, "reads of several");
	is_int(text.rec.reads.merged_events, 500, "events merged");
	is_int(text.rec.reads.merged_late_events, 10, "by this client");
	in.merged.late = 11;
	verdict("suspect", 1, "1.1 %");
	in.merged.late = 100;
	verdict("suspect", 1, "10 %");
	in.merged.late = 101;
	verdict("client-limited", 1, "10.1 %");
}

/* 1000 reads. */
static void
test_clock(void)
{
	good();
	stats.stalls = 1000;
	lag(990, 5 * MS);
	verdict("sound", 0, "late, but by the kernel's clock");
	good();
	stats.stalls = 10;
	lag(989, MS);
	verdict("sound", 0, "1.1 % user clock, a stall a second");
	stats.stalls = 11;
	verdict("suspect", 1, "more stalls");
	good();
	lag(970, MS / 2);
	lag(19, 2 * MS);
	verdict("suspect", 1, "1.1 % user clock, a lag of 2 ms");
	good();
	lag(970, MS / 2);
	lag(19, 20 * MS);
	verdict("client-limited", 1, "a lag of 20 ms");
}

int
main(void)
{
	test_law();
	test_merged();
	test_clock();
	good();
	verdict("sound", 0, "a good run");
	is_int(text.rec.run, 3, "run");
	is_int(text.rec.sends.n, 100, "sends");
	is_near((double)text.rec.sends.late_p50_ns, 50000, 0.01, "median");
	is_int(text.rec.reads.user, 1000, "no kernel time");
	is_int(text.rec.reads.kernel, 0, "at all");
	is_int(text.rec.reads.lag_p50_ns, TAPE_ABSENT_I64, "so no lag");
	is_near(text.rec.kernel_ratio, 0, 0, "share");
	is_near(text.rec.arrivals.planned_per_s, 9.9, 1e-9, "planned rate");
	is_near(text.rec.arrivals.achieved_per_s, 9.9, 1e-3, "reached");

	late(1, 2 * MS);
	late(1, MS - MS / 50);
	verdict("sound", 0, "the 99th percentile is below 1 ms");
	late(2, 2 * MS);
	verdict("suspect", 1, "3 of 104 late by 2 ms");
	late(3, 20 * MS);
	verdict("client-limited", 1, "3 of 107 late by 20 ms");
	good();
	late(1, 20 * MS);
	verdict("sound", 0, "1 of 101 late is below the 99th percentile");

	good();
	in.loop_max_ns = 5 * TAPE_NS_PER_S;
	verdict("sound", 0, "50 % CPU");
	in.loop_max_ns = 51 * TAPE_NS_PER_S / 10;
	verdict("suspect", 1, "51 % CPU");
	in.spin_max_ns = TAPE_NS_PER_S;
	verdict("sound", 0, "a tenth of it awake on purpose");
	in.spin_max_ns = 0;
	in.loop_max_ns = 9 * TAPE_NS_PER_S;
	verdict("suspect", 1, "90 % CPU");
	in.loop_max_ns = 91 * TAPE_NS_PER_S / 10;
	verdict("client-limited", 1, "91 % CPU");
	in.loop_cpu_ns = 40 * TAPE_NS_PER_S;
	in.loop_max_ns = 4 * TAPE_NS_PER_S;
	verdict("sound", 0, "many loops, none of them busy");

	good();
	stats.queue_stalls = 1;
	stats.queue_stalled_ns = MS;
	verdict("suspect", 1, "the writer was full once");
	stats.queue_stalled_ns = 200 * MS;
	verdict("client-limited", 1, "for 2 % of the time");

	good();
	stats.stalls = 10;
	verdict("sound", 0, "a stall a second");
	stats.stalls = 11;
	verdict("suspect", 1, "more");

	good();
	stats.last_start_ns = stats.last_due_ns * 100 / 98;
	verdict("sound", 0, "98 % of the planned rate");
	stats.last_start_ns = stats.last_due_ns * 1000 / 979;
	verdict("suspect", 1, "97.9 % of it");
	stats.last_start_ns = stats.last_due_ns * 1000 / 901;
	verdict("suspect", 1, "90.1 % of it");
	stats.last_start_ns = stats.last_due_ns * 1000 / 899;
	verdict("client-limited", 1, "89.9 % of it");
	stats.last_start_ns = stats.last_due_ns * 2;
	verdict("client-limited", 1, "half of it");
	in.capped = true;
	verdict("sound", 0, "which a cap may do");
	in.capped = false;
	in.open = false;
	verdict("sound", 0, "and a closed loop has none");

	good();
	stats.hit_bodies = true;
	stats.hit_descriptors = true;
	in.hit_parked = true;
	verdict("suspect", 3, "limits");
	is_int((int64_t)text.rec.limits.n, 3, "each is named");
	good();
	in.clock.steps = 1;
	verdict("suspect", 1, "a step of the clock");
	good();
	lag(1, 3000);
	verdict("sound", 0, "kernel times");
	is_int(text.rec.reads.kernel, 1, "of one read");
	is_int(text.rec.reads.lag_max_ns, 3000, "lag");
	memset(&stats, 0, sizeof(stats));
	in = (struct tape_fidelity_input){ .run = 1, .stats = &stats };
	verdict("sound", 0, "nothing was sent");
	test_memory();
	return done_testing();
}
