/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result says beyond its times: gaps of its own, stalls, the client's
   lag, phases of the exchange. */
#include "unit/measure_fixture.h"

#include "engine/metrics.h"

static double
value(const struct fixture *f, enum tape_metric_id id)
{
	return tape_metric_table[id].of(&f->out.result);
}

/* Gaps of 10, 10, 10, 150, 10, 110, 10 ms: median 10, of which two are above
   ten times it, 100. */
#define STALLS "50c 60c 70c 80c 230c 240c 350c 360c"

static void
test_stalls(void)
{
	struct tape_measure_opts opts = { .from = TAPE_MEASURE_FROM_START,
		.gap_stats = { .quantiles = true } };
	struct fixture f;

	fixture_open(&f, &opts);
	(void)fixture_measure(&f, STALLS, "\"stream\":true");
	is_int(f.out.result.stalls, 2, "two stalls");
	is_int(f.out.result.stall_ns, 260 * MS, "of 260 ms in all");
	is_near(value(&f, TAPE_METRIC_GAP_MEAN), 310e6 / 7, 1e-15, "gap mean");
	is_near(value(&f, TAPE_METRIC_GAP_MAX), 150e6, 0, "gap max");
	ok(isnan(value(&f, TAPE_METRIC_GAP_P99)), "7 gaps have no p99");
	is_near(value(&f, TAPE_METRIC_DECODE_DURATION), 310e6, 0, "decode");
	(void)fixture_measure(&f, "50c 60c 160c 170c", "\"stream\":true");
	is_int(f.out.result.stalls, 0, "ten times the median is none");
	(void)fixture_measure(&f, "50c 50c 50c 90c", "\"stream\":true");
	is_int(f.out.result.stalls, TAPE_ABSENT_I64, "median 0: not known");
	ok(isnan(value(&f, TAPE_METRIC_STALL_TIME)), "nor their time");
	(void)fixture_measure(&f, "50c", "\"stream\":true");
	is_int(f.out.result.stalls, TAPE_ABSENT_I64, "without gaps, too");
	is_near(value(&f, TAPE_METRIC_DECODE_DURATION), 0, 0,
	    "one event: decoded in no time");
	fixture_close(&f);
	opts.gap_stats.stall_ratio = 12;
	fixture_open(&f, &opts);
	(void)fixture_measure(&f, STALLS, "\"stream\":true");
	is_int(f.out.result.stalls, 1, "above twelve times: one");
	fixture_close(&f);
	opts.gap_stats.quantiles = false;
	fixture_open(&f, &opts);
	(void)fixture_measure(&f, STALLS, "\"stream\":true");
	is_int(f.out.result.stalls, TAPE_ABSENT_I64, "not asked for");
	is_int(f.out.result.gap_max_ns, 150 * MS, "the largest is cheap");
	fixture_close(&f);
}

/* Bounds of 100 and 20 ms: 50 are saved by the first, and 10 by each of three
   gaps; the gap of 150 is late by 150 - 80 = 70 of 20: 3 deadlines.  Then 10
   are saved; 110 is late by 100: 5.  In all 8 of 6 + 8. */
static void
test_fluidity(void)
{
	struct tape_measure_opts opts = { .from = TAPE_MEASURE_FROM_START,
		.gap_stats = { .first_ns = 100 * MS, .gap_ns = 20 * MS } };
	struct fixture f;

	fixture_open(&f, &opts);
	(void)fixture_measure(&f, STALLS, "\"stream\":true");
	is_near(
	    value(&f, TAPE_METRIC_FLUIDITY), 1 - 8.0 / 14, 1e-15, "fluidity");
	ok(value(&f, TAPE_METRIC_FLUID_TOKENS_PER_S) > 0, "and a rate");
	(void)fixture_measure(
	    &f, STALLS, "\"stream\":true,\"error\":{\"class\":\"reset\"}");
	ok(isnan(value(&f, TAPE_METRIC_FLUIDITY)), "a failed one has none");
	fixture_close(&f);
	opts.gap_stats.gap_ns = 0;
	fixture_open(&f, &opts);
	(void)fixture_measure(&f, STALLS, "\"stream\":true");
	ok(isnan(value(&f, TAPE_METRIC_FLUIDITY)) &&
		isnan(value(&f, TAPE_METRIC_FLUID_TOKENS_PER_S)),
	    "nor one without a bound of tpot");
	fixture_close(&f);
}

/* A new connection: ready 30 ms behind the start, of which dns took 5, connect
   10 and tls 12; sent at 31, head at 45, end at 60. */
static void
test_phases(void)
{
	struct fixture f;

	fixture_open(&f, NULL);
	(void)fixture_measure(&f, "50c 55c",
	    "\"stream\":true,\"conn_ns\":1000030000000,\"dns_ns\":5000000,"
	    "\"connect_ns\":10000000,\"tls_ns\":12000000,\"reused\":false,"
	    "\"sent_ns\":1000031000000,\"head_ns\":1000045000000,"
	    "\"end_ns\":1000060000000");
	is_near(value(&f, TAPE_METRIC_HTTP_BLOCKED), 3e6, 0, "blocked");
	is_near(value(&f, TAPE_METRIC_HTTP_DNS), 5e6, 0, "dns");
	is_near(value(&f, TAPE_METRIC_HTTP_CONNECT), 10e6, 0, "connect");
	is_near(value(&f, TAPE_METRIC_HTTP_TLS), 12e6, 0, "tls");
	is_near(value(&f, TAPE_METRIC_HTTP_SENDING), 1e6, 0, "sending");
	is_near(value(&f, TAPE_METRIC_HTTP_WAITING), 14e6, 0, "waiting");
	is_near(value(&f, TAPE_METRIC_HTTP_RECEIVING), 15e6, 0, "receiving");
	is_near(value(&f, TAPE_METRIC_HTTP_TOTAL), 60e6, 0, "total");
	is_int(f.out.result.reused, 0, "not reused");
	(void)fixture_measure(&f, "50c 55c",
	    "\"stream\":true,\"conn_ns\":1000001000000,\"reused\":true");
	is_near(value(&f, TAPE_METRIC_HTTP_BLOCKED), 1e6, 0,
	    "a kept connection has no other parts");
	ok(isnan(value(&f, TAPE_METRIC_HTTP_DNS)) &&
		isnan(value(&f, TAPE_METRIC_HTTP_SENDING)),
	    "what is not known has no value");
	fixture_close(&f);
}

/* Of the role event, of which no token came, the lag does not count. */
static void
test_lag(void)
{
	struct fixture f;
	char *lags;

	fixture_open(&f, NULL);
	(void)fixture_measure(&f, "40r 50c 60c 70c", "\"stream\":true");
	ok(isnan(value(&f, TAPE_METRIC_LAG_MEAN)), "lags are not known");
	tape_buf_clear(&f.line);
	(void)tape_buf_add_str(&f.line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":0,\"stream\":true,\"events\":{"
	    "\"t_ns\":[40,50,60,70],\"class\":\"rccc\",\"clk\":\"kkuk\","
	    "\"lag_ns\":[90000,4000,-1,8000]}}");
	lags = f.line.data;
	is_int(tape_record_decode(&f.rec, lags, f.line.len, &f.err), TAPE_OK,
	    "decode %s", f.err.text);
	is_int(tape_measure_response(
		   &f.measure, &f.rec.u.response, &f.out, &f.err),
	    TAPE_OK, "measure");
	is_near(value(&f, TAPE_METRIC_LAG_MEAN), 6000, 0, "their mean");
	is_near(value(&f, TAPE_METRIC_LAG_MAX), 8000, 0, "their largest");
	fixture_close(&f);
}

/* What is made from counts. */
static void
test_counts(void)
{
	struct fixture f;

	fixture_open(&f, NULL);
	(void)fixture_measure(&f, "100g 150c 200c 300c",
	    "\"stream\":true,\"req\":{\"output_tokens\":10,"
	    "\"input_tokens\":40},\"tokens\":{\"input\":50,\"output\":8,"
	    "\"reasoning\":2,\"cached\":20,\"source\":\"usage\"}");
	is_near(value(&f, TAPE_METRIC_TOKENS_PER_EVENT), 2, 0, "8 in 4");
	is_near(
	    value(&f, TAPE_METRIC_PREFILL_SPEED), 500, 1e-15, "50 in 100 ms");
	is_near(
	    value(&f, TAPE_METRIC_E2E_SPEED), 8 / 0.3, 1e-15, "8 in 300 ms");
	is_near(value(&f, TAPE_METRIC_OUTPUT_DIFF), -0.2, 1e-15, "8 of 10");
	is_near(value(&f, TAPE_METRIC_INPUT_DIFF), 0.25, 1e-15, "50 of 40");
	is_near(value(&f, TAPE_METRIC_CACHED_RATIO), 0.4, 1e-15, "20 of 50");
	is_near(value(&f, TAPE_METRIC_REASONING_RATIO), 0.25, 0, "2 of 8");
	(void)fixture_measure(&f, "100c 150c",
	    "\"stream\":true,\"tokens\":{\"output\":2,\"source\":\"events\"}");
	ok(isnan(value(&f, TAPE_METRIC_TOKENS_PER_EVENT)),
	    "events that stand for tokens say nothing");
	ok(isnan(value(&f, TAPE_METRIC_PREFILL_SPEED)) &&
		isnan(value(&f, TAPE_METRIC_CACHED_RATIO)) &&
		isnan(value(&f, TAPE_METRIC_OUTPUT_DIFF)),
	    "nor is there what was not counted or asked for");
	fixture_close(&f);
}

int
main(void)
{
	test_stalls();
	test_fluidity();
	test_phases();
	test_lag();
	test_counts();
	return done_testing();
}
