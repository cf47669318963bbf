/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries where failed requests are infinite values. */
#include "engine/summarize.h"

#include "record/schema.h"
#include "unit/tap.h"

static struct tape_tally tally;
static struct tape_summarize_set set;

/* ok requests of latency 1, 2, ... ms, and failed ones. */
static void
summarize(int ok_n, int failed, bool infinite)
{
	struct tape_summarize_run run = { .infinite = infinite,
		.first_ns = TAPE_ABSENT_I64,
		.last_ns = TAPE_ABSENT_I64 };
	struct tape_tally *one = &tally;
	struct tape_measured m = { 0 };
	struct tape_err err = { 0 };

	tape_tally_init(&tally);
	for (int i = 0; i < ok_n; i++) {
		tape_schema_init(TAPE_KIND_RESULT, &m.result);
		m.result.start_ns = 0;
		m.result.latency_ns = INT64_C(1000000) * (i + 1);
		m.result.bytes = 5;
		m.window_ns = TAPE_ABSENT_I64;
		is_int(
		    tape_tally_add(&tally, &m, NULL, 0, &err), TAPE_OK, "add");
	}
	for (int i = 0; i < failed; i++)
		tape_tally_fail(
		    &tally, tape_str_of("http"), 1, 0, TAPE_ABSENT_I64);
	is_int(
	    tape_summarize(&run, tape_str_make(NULL, 0), &one, 1, &set, &err),
	    TAPE_OK, "summarize");
	tape_tally_release(&tally);
}

static bool
is_flagged(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

static void
test_infinite(void)
{
	const struct tape_summary *s = &set.summary[TAPE_METRIC_LATENCY];
	struct tape_quantiles q;
	double max;

	summarize(80, 21, true);
	is_int(s->n, 80, "n counts those that succeeded");
	is_int(s->failed, 21, "and failed the others");
	is_near(s->finite_ratio, 80.0 / 101, 1e-12, "their share");
	ok(is_flagged(s, "failures-infinite"), "the row is flagged");
	ok(!is_flagged(s, "p99-needs-100"), "there are 101 values");
	ok(isnan(s->mean) && isnan(s->sd) && isnan(s->max),
	    "neither mean, sd nor largest");
	is_near(s->min, 1e6, 0, "but a smallest");
	is_near(s->quantiles.p50, 51e6, 1, "p50 is the 51st of 101");
	is_near(s->quantiles.p75, 76e6, 1, "p75 the 76th");
	ok(isnan(s->quantiles.p90) && isnan(s->quantiles.p99),
	    "p90 is a failure, and p99");
	q = tape_summarize_quantiles(s, &max);
	ok(isinf(q.p90) && isinf(q.p99) && isinf(max), "they are infinite");
	ok(isnan(q.p999), "p99.9 is not: there are too few");
	is_near(q.p50, 51e6, 1, "others stay");
	s = &set.summary[TAPE_METRIC_BYTES];
	ok(isnan(s->finite_ratio) && s->flags.n == 1 && !isnan(s->mean),
	    "bytes are no time");
}

/* Between the last that succeeded and the first that failed there is no line. */
static void
test_edge(void)
{
	const struct tape_summary *s = &set.summary[TAPE_METRIC_LATENCY];

	summarize(91, 10, true);
	is_near(s->quantiles.p90, 91e6, 1, "p90 is the last that succeeded");
	summarize(90, 10, true);
	ok(isnan(s->quantiles.p90), "p90 is between the last and a failure");
	summarize(1, 1, true);
	ok(isnan(s->quantiles.p50), "of two, one failed");
	summarize(1, 0, true);
	is_near(s->quantiles.p50, 1e6, 0, "of one, none");
}

static void
test_plain(void)
{
	const struct tape_summary *s = &set.summary[TAPE_METRIC_LATENCY];
	double max;

	summarize(100, 50, false);
	ok(!isnan(s->mean) && isnan(s->finite_ratio), "not asked for");
	is_near(s->quantiles.p99, 99.01e6, 1, "p99 of those that succeeded");
	(void)tape_summarize_quantiles(s, &max);
	is_near(max, 100e6, 0, "and their largest");
	summarize(100, 0, true);
	is_near(s->mean, 50.5e6, 1, "none failed: all is as ever");
	ok(!is_flagged(s, "failures-infinite"), "without a flag");
	summarize(0, 5, true);
	is_int(s->n, 0, "all failed: there is no value");
	ok(isnan(s->finite_ratio), "nor a share");
}

int
main(void)
{
	test_infinite();
	test_edge();
	test_plain();
	return done_testing();
}
