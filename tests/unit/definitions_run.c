/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many answers by the rules of peers: percentiles, deviations, weights, rates,
   windows; the right values are worked out by hand. */
#include "unit/definitions_fixture.h"

#include <stdio.h>

#define USAGE(in, out)                                                         \
 "\"tokens\":{\"input\":" #in ",\"output\":" #out ",\"source\":\"usage\"}"

/* Ten answers whose first token comes after 10, 20 ... 100 ms. */
static void
see_ten(struct fixture *f)
{
	for (int i = 10; i >= 1; i--) {
		char events[64];

		(void)snprintf(
		    events, sizeof(events), "%dc %dc 300d", i * 10, 200);
		fixture_see(f, i * 1000, 300, events, USAGE(5, 2));
	}
	fixture_report(f);
}

static void
test_percentiles(struct fixture *f)
{
	const struct tape_summary *s;

	see_ten(f);
	s = fixture_row(f, "aiperf", "time_to_first_token");
	is_near(s->mean, 55, 1e-15, "aiperf: mean");
	is_near(s->quantiles.p50, 55, 1e-15, "aiperf: between two values");
	is_near(s->quantiles.p99, 99.1, 1e-15, "aiperf: of any number of them");
	/* sum of squares around the mean is 8250. */
	is_near(s->sd, sqrt(825), 1e-15, "aiperf: divided by n");
	is_int(s->quantile_type, 7, "type 7");
	s = fixture_row(f, "guidellm", "time_to_first_token_ms");
	is_near(s->quantiles.p50, 50, 0, "guidellm: the value that reaches it");
	is_near(s->quantiles.p95, 100, 0, "guidellm: the next one");
	is_near(s->quantiles.p99, 100, 0, "guidellm: the last one");
	is_near(s->sd, sqrt(825), 1e-15, "guidellm: divided by n");
	is_int(s->quantile_type, 1, "type 1");
	s = fixture_row(f, "mlperf", "first_token_latency_ns");
	is_near(s->quantiles.p50, 60e6, 0, "mlperf: the sixth of ten");
	is_near(s->quantiles.p90, 100e6, 0, "mlperf: the last");
	is_int(s->quantile_type, TAPE_ABSENT_I64, "of no type");
	ok(fixture_says(f, "mlperf", "rank floor(n q) + 1"), "and says so");
	ok(!fixture_says(f, "vllm", "percentiles"), "vllm's are ours");
}

/* 10 ms a token of 2, 40 ms a token of 4: weighted by the tokens behind the
   first one (10 + 3 * 40) / 4; not weighted 25. */
static void
test_weights(struct fixture *f)
{
	const struct tape_summary *s;

	fixture_see(f, 0, 100, "10c 20c 30d", USAGE(5, 2));
	fixture_see(f, 0, 200, "10c 130c 140d", USAGE(5, 4));
	fixture_report(f);
	s = fixture_row(f, "guidellm", "inter_token_latency_ms");
	is_near(s->mean, 32.5, 1e-15, "guidellm: weighted by tokens");
	is_near(s->quantiles.p25, 10, 0, "a quarter of the weight");
	is_near(s->quantiles.p50, 40, 0, "more than that");
	is_near(s->sd, sqrt(0.25 * 22.5 * 22.5 + 0.75 * 7.5 * 7.5), 1e-15,
	    "its deviation");
	is_near(fixture_mean(f, "vllm", "tpot_ms"), 25, 1e-15,
	    "vllm: each request alike");
	ok(fixture_says(f, "guidellm", "weighted by the tokens"), "said");
}

/*
 * Ends at 1 s and 3 s, in a window of 4 s; the failed request opens and closes
 * it.  Points 0, 1, 3, 4 have 0.5, 1.5, 1.5, 0.5 s of their own.
 */
static void
test_rates(struct fixture *f)
{
	const struct tape_summary *s;

	fixture_see(
	    f, 0, 1, "", "\"error\":{\"class\":\"reset\",\"cause\":\"rst\"}");
	fixture_see(f, 0, 1000, "500c 1000d", USAGE(5, 1));
	fixture_see(f, 2000, 1000, "500c 1000d", USAGE(5, 1));
	fixture_see(f, 3999, 1, "",
	    "\"error\":{\"class\":\"reset\",\"cause\":\"rst\"}");
	fixture_report(f);
	s = fixture_row(f, "guidellm", "requests_per_second");
	is_near(s->mean, 0.5, 1e-12, "guidellm: requests over the window");
	is_near(s->quantiles.p25, 0, 0, "nothing for a quarter of it");
	is_near(s->quantiles.p50, 1 / 1.5, 1e-12, "then one in 1.5 s");
	is_int(s->n, 2, "of two");
	s = fixture_row(f, "guidellm", "request_concurrency");
	is_near(s->mean, 0.5, 1e-12, "guidellm: one open for half of it");
	is_near(s->quantiles.p75, 1, 0, "one");
	is_near(s->quantiles.p50, 0, 0, "or none");
	is_near(fixture_value(f, "vllm", "duration"), 4, 1e-12,
	    "vllm: failed ones are in the duration");
	is_near(fixture_value(f, "vllm", "request_throughput"), 0.5, 1e-12,
	    "vllm: and in the rates");
	is_near(fixture_value(f, "aiperf", "benchmark_duration"), 2.5, 1e-12,
	    "aiperf: not in the duration");
	is_near(fixture_value(f, "aiperf", "request_throughput"), 0.5, 1e-12,
	    "aiperf: but in the rates");
	is_near(fixture_value(f, "genai-perf", "request_throughput"), 1.6,
	    1e-12, "genai-perf: failed requests over 2.5 s, too");
	ok(fixture_says(f, "genai-perf", "2 failed requests are in"), "said");
	is_near(fixture_value(f, "sglang", "concurrency"), 0.5, 1e-12,
	    "sglang: latencies over the duration");
}

/* One token at the first event, the others spread evenly over the rest. */
static void
test_token_rate(struct fixture *f)
{
	fixture_see(f, 0, 2000, "500c 600c 1500c 2000d", USAGE(6, 5));
	fixture_report(f);
	is_near(fixture_mean(f, "guidellm", "output_tokens_per_second"), 2.5,
	    1e-12, "guidellm: five in two seconds");
	/* Points at 0, .5, 1, 1.5, 2; the second has 2 tokens in half of a
	   second, from .75 to 1.25. */
	is_near(fixture_row(f, "guidellm", "output_tokens_per_second")->max, 4,
	    1e-12, "guidellm: at most");
	is_near(fixture_mean(f, "guidellm", "prompt_tokens_per_second"), 3,
	    1e-12, "guidellm: the prompt at the first token");
	is_near(fixture_mean(f, "guidellm", "tokens_per_second"), 5.5, 1e-12,
	    "guidellm: both");
}

/* Points within 0.1 ms of the first of them are one. */
static void
test_near_points(struct fixture *f)
{
	fixture_see(f, 0, 1000, "500c 1000d", USAGE(5, 1));
	fixture_see(f, 0, 1000, "500c 1000d", USAGE(5, 1));
	fixture_see(f, 0, 2000, "500c 2000d", USAGE(5, 1));
	fixture_report(f);
	/* 0 has 0.5 s, 1 has 1 s and two requests, 2 has 0.5 s and one. */
	is_near(fixture_row(f, "guidellm", "requests_per_second")->max, 2,
	    1e-12, "two at once");
	is_near(fixture_mean(f, "guidellm", "requests_per_second"), 1.5, 1e-12,
	    "of three in two seconds");
}

/* The one that was planned last is not the last to end. */
static void
test_planned(struct fixture *f)
{
	fixture_see(
	    f, 0, 3000, "100c 3000c", "\"due_ns\":1000000000000," USAGE(5, 2));
	fixture_see(
	    f, 1500, 500, "100c 500c", "\"due_ns\":1001000000000," USAGE(5, 2));
	fixture_report(f);
	is_near(fixture_value(f, "mlperf", "final_query_all_samples_done_time"),
	    2, 1e-12, "mlperf: the time of the last sample");
	is_near(fixture_value(f, "mlperf", "completed_samples_per_second"), 0.5,
	    1e-12, "mlperf: samples less one");
	is_near(fixture_value(f, "mlperf", "scheduled_samples_per_second"), 1,
	    1e-12, "mlperf: as planned");
	is_near(fixture_value(f, "mlperf", "completed_tokens_per_second"), 2,
	    1e-12, "mlperf: all tokens");
	ok(fixture_says(f, "mlperf", "t0: on average 500.000 ms earlier"),
	    "the request that was late");
}

/* By seconds from the first start: 3 tokens in the first, 1 in the third. */
static void
test_peaks(struct fixture *f)
{
	fixture_see(f, 500, 2500, "100c 200c 2200c", USAGE(5, 3));
	fixture_see(f, 600, 700, "100c 600d", USAGE(5, 1));
	fixture_report(f);
	is_near(fixture_value(f, "vllm", "max_output_tokens_per_s"), 3, 0,
	    "vllm: events in its best second");
	is_near(fixture_value(f, "vllm", "max_concurrent_requests"), 2, 0,
	    "vllm: requests that were open in one");
	is_near(fixture_value(f, "sglang", "max_output_tokens_per_s"), 3, 0,
	    "sglang: the same");
}

/* What is reported does not depend on the order of the answers. */
static void
test_order(struct fixture *f)
{
	struct tape_summary s[2];
	double concurrency[2];

	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 7; k++) {
			const int at = i == 0 ? k : 6 - k;
			char events[64];

			(void)snprintf(events, sizeof(events), "%dc %dc 900d",
			    13 + at * 37 % 29, 100 + at * 11 % 17);
			fixture_see(f, at * 333, 900 + at, events, USAGE(5, 3));
		}
		fixture_report(f);
		s[i] = *fixture_row(f, "guidellm", "output_tokens_per_second");
		concurrency[i] = fixture_value(f, "sglang", "concurrency");
	}
	ok(s[0].mean == s[1].mean && s[0].sd == s[1].sd,
	    "rates do not depend on the order");
	ok(concurrency[0] == concurrency[1], "nor do sums");
}

int
main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_percentiles(&f);
	test_weights(&f);
	test_rates(&f);
	test_token_rate(&f);
	test_near_points(&f);
	test_planned(&f);
	test_peaks(&f);
	test_order(&f);
	fixture_close(&f);
	return done_testing();
}
