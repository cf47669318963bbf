/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From events to summaries: what counts, in which numbers. */
#include "unit/reduce_fixture.h"

#include "base/mem.h"
#include "codec/stat_quantile.h"

#define OUT(n)    ",\"tokens\":{\"output\":" #n ",\"source\":\"usage\"}"
#define FAILED(c) ",\"error\":{\"class\":\"" c "\"}"

/* C20: the two without a token are in no row, and beside each. */
static void
test_failed_are_no_zeros(void)
{
	struct fixture f;
	const struct tape_summary *s;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 5, "");
	fixture_request(&f, "a", 0, 100, 200, OUT(2));
	fixture_request(&f, "b", 1, 0, 0, "");
	fixture_request(&f, "c", 2, 120, 200, OUT(2));
	fixture_request(&f, "d", 3, 0, 0, ",\"status\":200");
	fixture_request(&f, "e", 4, 140, 200, OUT(2));
	fixture_end_run(&f, 1);
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_OK, "C20: reduces %s", f.err.text);
	s = fixture_summary(&f, "ttft", NULL);
	is_int(s->n, 3, "C20: n");
	is_int(s->failed, 2, "C20: failed");
	is_near(s->mean, 120e6, 1e-15, "C20: mean");
	is_near(s->quantiles.p50, 120e6, 1e-15, "C20: median");
	is_near(s->min, 100e6, 0, "C20: least");
	is_near(s->sd, 20e6, 1e-12, "C20: sd with n - 1");
	ok(isnan(s->quantiles.p99) && has_flag(s, "p99-needs-100"),
	    "C20: three values have no p99, which is said");
	is_near(tape_stat_quantile((double[]){ 100, 120, 140 }, 3, 0.99), 139.6,
	    1e-12, "C20: of type 7 it would be 139.6");
	is_int(s->quantile_type, 7, "type 7");
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const char *name = tape_metric_table[i].name;

		if (tape_metric_table[i].kind == TAPE_METRIC_RUN ||
		    tape_metric_table[i].rare ||
		    strcmp(tape_metric_table[i].unit, "ns") != 0)
			continue;
		s = fixture_summary(&f, name, NULL);
		ok(s->n <= 3 && s->failed == 2, "%s: no failed one", name);
	}
	is_near(fixture_summary(&f, "failed_ratio", NULL)->value, 0.4, 1e-15,
	    "failed share");
	is_int(fixture_count(&f, "result", NULL), 5, "but each has a result");
	is_int(fixture_count(&f, "result", "\"ok\":false"), 2, "two failed");
	fixture_close(&f);
}

/* C23: eight requests, 100 ms apart, one at a time, 500 ms each. */
static void
test_planned_times(void)
{
	struct fixture f;
	const struct tape_summary *s;
	double due[8];

	fixture_open(&f);
	fixture_begin(&f, "r");
	for (int i = 0; i < 8; i++) {
		char id[16], more[64];

		(void)snprintf(id, sizeof(id), "%d", i);
		(void)snprintf(
		    more, sizeof(more), ",\"due_ns\":%" PRId64, i * 100 * MS);
		fixture_request(&f, id, i * 500, 100, 500, more);
		due[i] = 500 + 400.0 * i;
	}
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	s = fixture_summary(&f, "late", NULL);
	is_near(s->mean, 1400e6, 1e-15, "C23: mean wait");
	is_near(s->max, 2800e6, 0, "C23: longest wait");
	is_near(fixture_summary(&f, "latency", NULL)->mean, 500e6, 1e-15,
	    "C23: from the dispatch");
	s = fixture_summary(&f, "latency_due", NULL);
	is_near(s->mean, 1900e6, 1e-15, "C23: from the schedule, mean");
	is_near(s->quantiles.p50, 1900e6, 1e-15, "C23: median");
	is_near(s->max, 3300e6, 0, "C23: largest");
	is_near(tape_stat_quantile(due, 8, 0.99), 3272, 1e-12,
	    "C23: p99 would be 3272");
	fixture_close(&f);
}

/* 1 .. n ms. */
static void
fill_with_ttfts(struct fixture *f, int n)
{
	fixture_open(f);
	fixture_begin(f, "r");
	for (int i = 0; i < n; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "%d", i);
		/* Not in order: 7 has no factor in common with n. */
		fixture_request(f, id, 0, 1 + (i * 7) % n, n + 1, OUT(2));
	}
	fixture_end(f, "complete");
	fixture_reduce(f);
}

static void
test_quantiles(void)
{
	struct fixture f;
	const struct tape_summary *s;

	fill_with_ttfts(&f, 10);
	s = fixture_summary(&f, "ttft", NULL);
	is_near(s->quantiles.p1, 1.09e6, 1e-12, "p1 of 1..10");
	is_near(s->quantiles.p5, 1.45e6, 1e-12, "p5");
	is_near(s->quantiles.p10, 1.9e6, 1e-12, "p10");
	is_near(s->quantiles.p25, 3.25e6, 1e-12, "p25");
	is_near(s->quantiles.p50, 5.5e6, 1e-12, "p50");
	is_near(s->quantiles.p75, 7.75e6, 1e-12, "p75");
	is_near(s->quantiles.p90, 9.1e6, 1e-12, "p90");
	is_near(s->quantiles.p95, 9.55e6, 1e-12, "p95");
	is_near(s->sd, 3.0276503540974917e6, 1e-14, "sd of 1..10");
	fixture_close(&f);

	fill_with_ttfts(&f, 99);
	s = fixture_summary(&f, "ttft", NULL);
	ok(isnan(s->quantiles.p99), "99 values have no p99");
	fixture_close(&f);
	fill_with_ttfts(&f, 100);
	s = fixture_summary(&f, "ttft", NULL);
	is_near(s->quantiles.p99, 99.01e6, 1e-12, "100 have");
	ok(!has_flag(s, "p99-needs-100"), "and no flag");
	s = fixture_summary(&f, "gap", NULL);
	is_int(s->n, 100, "gaps are pooled");
	is_near(s->quantiles.p99, 99.01e6, 1e-12, "and have a p99 then");
	fixture_close(&f);

	fill_with_ttfts(&f, 999);
	ok(isnan(fixture_summary(&f, "ttft", NULL)->quantiles.p999),
	    "999 values have no p999");
	fixture_close(&f);
	fill_with_ttfts(&f, 1000);
	is_near(fixture_summary(&f, "ttft", NULL)->quantiles.p999, 999.001e6,
	    1e-12, "1000 have");
	fixture_close(&f);
}

static void
test_throughput(void)
{
	struct fixture f;
	const struct tape_summary *s;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 4, "");
	fixture_request(&f, "w", 0, 10, 20,
	    ",\"stage\":\"warmup\",\"tokens\":{\"input\":9,\"output\":900}");
	fixture_request(&f, "a", 1000, 100, 500,
	    ",\"tokens\":{\"input\":30,\"output\":11,\"source\":\"usage\"}");
	fixture_request(&f, "b", 1500, 100, 1500,
	    ",\"tokens\":{\"input\":50,\"output\":29,\"source\":\"usage\"}");
	fixture_request(&f, "c", 2500, 100, 5000, FAILED("timeout"));
	fixture_end_run(&f, 1);
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	s = fixture_summary(&f, "requests_per_s", NULL);
	is_int(s->window_start_ns, 1000 * MS, "window: from the first send");
	is_int(s->window_end_ns, 3000 * MS,
	    "to the last token event of a successful request");
	is_near(s->value, 1, 1e-15, "requests per second");
	is_near(fixture_summary(&f, "output_tokens_per_s", NULL)->value, 20,
	    1e-15, "output tokens per second");
	is_near(fixture_summary(&f, "input_tokens_per_s", NULL)->value, 40,
	    1e-15, "input tokens per second");
	is_near(fixture_summary(&f, "total_tokens_per_s", NULL)->value, 60,
	    1e-15, "both");
	s = fixture_summary(&f, "tokens_per_s_per_user", NULL);
	is_near(s->max, 25, 1e-15, "1 / tpot of a");
	is_near(s->min, 20, 1e-15, "and of b");
	is_near(fixture_summary(&f, "failed_ratio", NULL)->value, 1.0 / 3,
	    1e-15, "the warm-up is no request of these");
	is_int(fixture_summary(&f, "ttft", NULL)->n, 2, "nor in a summary");
	ok(fixture_find(&f, "result", 0, "\"id\":\"w\"", "warmup") != NULL,
	    "but it has a result with its stage");
	is_int(fixture_count(&f, "summary", "good"), 0,
	    "without objectives nothing is good");
	is_int(fixture_check(&f, "requests")->n, 3, "results");
	ok(tape_str_is(fixture_check(&f, "requests")->status, "fail"),
	    "one of the planned is missing");
	fixture_close(&f);
}

static void
test_nothing_answered(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 1, "");
	fixture_request(&f, "a", 5, 0, 0, FAILED("connect"));
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_OK, "all failed %s", f.err.text);
	is_int(fixture_summary(&f, "ttft", NULL)->n, 0, "n is 0");
	ok(isnan(fixture_summary(&f, "requests_per_s", NULL)->value),
	    "no window, no rate");
	is_near(fixture_summary(&f, "failed_ratio", NULL)->value, 1, 0,
	    "all failed");
	is_int(f.counts.measured, 1, "measured");
	fixture_close(&f);
}

/* Only the last attempt counts. */
static void
test_attempts(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_request(&f, "a", 0, 0, 0, FAILED("reset"));
	fixture_request(&f, "b", 0, 0, 0, FAILED("reset"));
	fixture_request(&f, "c", 0, 0, 0, FAILED("reset"));
	fixture_request(&f, "a", 10, 50, 60, ",\"attempt\":2" OUT(2));
	fixture_request(&f, "b", 10, 0, 0, ",\"attempt\":2" FAILED("dns"));
	fixture_request(&f, "b", 20, 0, 0, ",\"attempt\":3" FAILED("tls"));
	/* Another pass over the trace is another request. */
	fixture_request(
	    &f, "c", 30, 50, 60, ",\"attempt\":2,\"pass\":1" OUT(2));
	/* Nor does the first one of a warm-up have a result. */
	fixture_request(&f, "w", 30, 0, 0,
	    ",\"attempt\":1,\"stage\":\"warmup\",\"retry_ns\":"
	    "40000000" FAILED("reset"));
	fixture_request(
	    &f, "w", 40, 50, 60, ",\"attempt\":2,\"stage\":\"warmup\"" OUT(2));
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(fixture_count(&f, "result", NULL), 5, "a result a request");
	ok(fixture_find(&f, "result", 0, "\"id\":\"a\"", "\"attempt\":2") !=
		    NULL &&
		fixture_find(&f, "result", 1, "\"id\":\"a\"", NULL) == NULL,
	    "that of a is its second attempt");
	ok(fixture_find(&f, "result", 0, "\"id\":\"b\"", "\"tls\"") != NULL &&
		fixture_find(&f, "result", 1, "\"id\":\"b\"", NULL) == NULL,
	    "that of b is its third");
	is_int(fixture_summary(&f, "ttft", NULL)->n, 2, "n");
	is_int(fixture_summary(&f, "ttft", NULL)->failed, 2, "failed");
	ok(tape_str_is(
	       fixture_check(&f, "errors")->text, "2 failed: 1 reset, 1 tls"),
	    "errors: those of last attempts");
	fixture_close(&f);
}

/* Times count from the first attempt, and what was cancelled on purpose is
   neither here nor there. */
static void
test_again(void)
{
	static const char *const from[] = { "due", "start", "sent" };
	/* The first token is at 1050 ms. */
	static const double want[] = { 1049e6, 1048e6, 1048e6 };

	for (int i = 0; i < 3; i++) {
		struct fixture f;

		fixture_open(&f);
		f.opts.from = (enum tape_measure_from)i;
		fixture_begin(&f, "r");
		fixture_start_run(&f, 1, 3, ",\"cancel_ratio\":0.25");
		fixture_request(
		    &f, "a", 2, 0, 0, ",\"attempt\":1" FAILED("reset"));
		fixture_request(&f, "a", 1000, 50, 60,
		    ",\"attempt\":2,\"due_ns\":1000000000,\"sent_ns\":"
		    "1000100000,\"origin_due_ns\":1000000,"
		    "\"origin_start_ns\":2000000" OUT(2));
		fixture_request(&f, "b", 1500, 50, 60,
		    ",\"attempt\":1,\"error\":{\"class\":\"cancelled\","
		    "\"cause\":\"planned\"}");
		fixture_request(&f, "c", 1500, 0, 0,
		    ",\"attempt\":1,\"error\":{\"class\":\"cancelled\","
		    "\"cause\":\"cancelled\"}");
		fixture_end_run(&f, 1);
		fixture_end(&f, "complete");
		fixture_reduce(&f);
		is_near(fixture_summary(&f, "ttft", NULL)->mean, want[i], 1,
		    "ttft from %s", from[i]);
		is_near(fixture_summary(&f, "ttft_due", NULL)->mean, 1049e6, 1,
		    "ttft_due");
		is_int(fixture_summary(&f, "ttft", NULL)->n, 1, "n");
		is_int(fixture_summary(&f, "ttft", NULL)->failed, 1,
		    "failed: c, which the grace cut");
		is_int(fixture_summary(&f, "ttft", NULL)->cancelled, 1,
		    "cancelled on purpose: b");
		is_int(fixture_summary(&f, "ttft", NULL)->retried, 1,
		    "sent again: a");
		is_int(fixture_summary(&f, "ttft", NULL)->window_start_ns,
		    TAPE_ABSENT_I64, "a time has no window");
		is_int(fixture_summary(&f, "requests_per_s", NULL)
			   ->window_start_ns,
		    2000000, "the window begins with the first attempt");
		is_int(fixture_count(&f, "result", NULL), 3, "three results");
		ok(tape_str_is(fixture_check(&f, "requests")->status, "ok"),
		    "as planned");
		ok(tape_str_is(fixture_check(&f, "attempts")->text,
		       "1 of 3 were sent more than once (33.3 %, 1 attempts "
		       "more): their times count from the first"),
		    "attempts");
		is_near(fixture_check(&f, "cancelled")->expected, 0.25, 0,
		    "the share that was planned");
		fixture_close(&f);
	}
}

static void
test_flags(void)
{
	struct fixture f;
	const struct tape_summary *s;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_request(&f, "a", 0, 100, 190,
	    ",\"tokens\":{\"output\":10,\"source\":\"usage\"}");
	fixture_request(&f, "b", 0, 100, 190,
	    ",\"tokens\":{\"output\":2,\"source\":\"events\"}");
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	static const char *const rows[] = { "tpot", "output_tokens",
		"tokens_per_s_per_user", "output_tokens_per_s" };
	for (size_t i = 0; i < 4; i++)
		ok(has_flag(
		       fixture_summary(&f, rows[i], NULL), "from-token-events"),
		    "%s says that events stand for tokens", rows[i]);
	ok(!has_flag(fixture_summary(&f, "ttft", NULL), "from-token-events"),
	    "ttft does not depend on it");
	s = fixture_summary(&f, "gap", NULL);
	ok(has_flag(s, "chunked"), "gaps are between chunks");
	/* 10 tokens in 2 events: one in each, one to stop, so 7 shared. */
	is_near(fixture_check(&f, "one_token")->value, 0.7, 1e-15,
	    "share of tokens that shared an event");
	ok(has_flag(fixture_summary(&f, "input_tokens_per_s", NULL), "x") ==
		false,
	    "unknown input: no value");
	ok(isnan(fixture_summary(&f, "input_tokens_per_s", NULL)->value),
	    "and none is made up");
	fixture_close(&f);
}

static void
test_groups(void)
{
	struct fixture f;
	const char *const order[] = { "{\"isl\":128,\"site\":\"lab\"}",
		"{\"isl\":\"512\",\"site\":\"lab\"}",
		"{\"isl\":1024,\"site\":\"own\"}",
		"{\"isl\":\"long\",\"site\":\"lab\"}", "{\"site\":\"lab\"}" };

	fixture_open(&f);
	f.opts.by = "isl,site";
	fixture_begin(&f, "r");
	fixture_start_run(
	    &f, 1, 6, ",\"labels\":{\"site\":\"lab\",\"n\":\"\\u00e4\\\"\"}");
	fixture_request(&f, "a", 0, 100, 200,
	    ",\"labels\":{\"isl\":1024,\"site\":\"own\"}" OUT(2));
	fixture_request(
	    &f, "b", 0, 200, 300, ",\"labels\":{\"isl\":128}" OUT(2));
	fixture_request(
	    &f, "c", 0, 300, 400, ",\"labels\":{\"isl\":\"512\"}" OUT(2));
	fixture_request(&f, "d", 0, 400, 500, OUT(2));
	fixture_request(
	    &f, "e", 0, 500, 600, ",\"labels\":{\"isl\":\"long\"}" OUT(2));
	fixture_request(
	    &f, "f", 0, 0, 0, ",\"labels\":{\"isl\":128}" FAILED("reset"));
	fixture_end_run(&f, 1);
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_OK, "groups %s", f.err.text);
	is_int(fixture_count(&f, "summary", "\"metric\":\"ttft\""), 6,
	    "one row for each group, and the whole");
	for (size_t i = 0; i < 5; i++) {
		const struct tape_record *rec = fixture_find(
		    &f, "summary", i + 1, "\"metric\":\"ttft\"", NULL);

		ok(rec != NULL && tape_str_is(rec->u.summary.group, order[i]),
		    "group %zu is %s", i, order[i]);
	}
	is_near(fixture_summary(&f, "ttft", order[2])->mean, 100e6, 0,
	    "a request's label wins over the run's");
	is_int(fixture_summary(&f, "ttft", order[0])->failed, 1,
	    "failed ones by group");
	is_int(fixture_summary(&f, "ttft", order[0])->n, 1, "n by group");
	is_int(fixture_summary(&f, "ttft", NULL)->n, 5, "n of the whole");
	is_near(fixture_summary(&f, "ttft", NULL)->quantiles.p50, 300e6, 0,
	    "median of the whole");
	is_int(fixture_summary(&f, "requests_per_s", order[0])->window_end_ns,
	    600 * MS, "the window is the run's");
	ok(fixture_find(&f, "result", 0, "\"id\":\"b\"",
	       "\"labels\":{\"site\":\"lab\",\"n\":\"\\u00e4\\\"\","
	       "\"isl\":128}") != NULL,
	    "labels of run and request are joined");
	fixture_close(&f);
}

/* A name that is no label is a field of the run. */
static void
test_group_of_run(void)
{
	struct fixture f;

	fixture_open(&f);
	f.opts.by = "concurrency,arm,nonsense";
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 1, ",\"concurrency\":8");
	fixture_request(&f, "a", 0, 100, 200, OUT(2));
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(
	    fixture_summary(&f, "ttft", "{\"concurrency\":8,\"arm\":\"A\"}")->n,
	    1, "a group by fields of the run");
	fixture_close(&f);
}

static void
test_bad_by(void)
{
	static const char *const bad[] = { "", "a,", ",a", "a,b,a",
		"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q" };
	struct fixture f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		fixture_open(&f);
		f.opts.by = bad[i];
		fixture_begin(&f, "r");
		fixture_end(&f, "complete");
		fixture_reduce(&f);
		is_int(f.status, TAPE_E_USAGE, "--by '%s' is refused", bad[i]);
		fixture_close(&f);
	}
	fixture_open(&f);
	f.opts.by = "isl";
	fixture_begin(&f, "r");
	fixture_request(&f, "a", 0, 100, 200, ",\"labels\":[1]");
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_E_FORMAT, "labels that are no object");
	fixture_close(&f);
}

static void
test_goodput(void)
{
	struct fixture f;
	struct tape_err err = { 0 };

	fixture_open(&f);
	is_int(tape_slo_parse("ttft=120ms,gap=90ms", &f.opts.slo, &err),
	    TAPE_OK, "objectives");
	fixture_begin(&f, "r");
	fixture_request(&f, "at", 0, 120, 210, OUT(2));
	fixture_request(&f, "late", 0, 121, 200, OUT(2));
	fixture_request(&f, "gap", 0, 100, 191, OUT(2));
	fixture_request(&f, "bad", 0, 0, 0, FAILED("reset"));
	fixture_request(&f, "end", 1900, 50, 100, OUT(2));
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_near(fixture_summary(&f, "good_ratio", NULL)->value, 0.4, 1e-15,
	    "two of five, the failed one among them");
	is_near(fixture_summary(&f, "good_requests_per_s", NULL)->value, 1,
	    1e-15, "two in two seconds");
	ok(fixture_find(&f, "result", 0, "\"id\":\"at\"", "\"good\":true") !=
		NULL,
	    "a bound itself is good");
	ok(fixture_find(&f, "result", 0, "\"id\":\"late\"", "\"good\":false") !=
		NULL,
	    "above it is not");
	ok(fixture_find(&f, "result", 0, "\"id\":\"bad\"", "\"good\":false") !=
		NULL,
	    "nor is a failed one");
	fixture_close(&f);
}

static void
test_runs_and_segments(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 1, "");
	fixture_request(&f, "a", 0, 100, 200, OUT(2));
	fixture_end_run(&f, 1);
	fixture_put(&f,
	    "{\"kind\":\"fidelity\",\"run\":1,\"verdict\":\"client-limited\"}");
	fixture_start_run(&f, 2, 1, "");
	fixture_end_run(&f, 2);
	fixture_end(&f, "complete");
	fixture_begin(&f, "s");
	fixture_start_run(&f, 1, 1, "");
	fixture_request(&f, "a", 0, 300, 400, OUT(2));
	fixture_end_run(&f, 1);
	fixture_end(&f, "interrupted");
	fixture_reduce(&f);
	is_int(f.status, TAPE_OK, "two segments %s", f.err.text);
	is_int(fixture_count(&f, "header", NULL), 2, "stay two");
	is_int(fixture_count(&f, "end", "complete"), 1, "the first complete");
	is_int(fixture_count(&f, "end", "interrupted"), 1,
	    "the second interrupted");
	is_int(fixture_count(&f, "run", NULL), 6, "runs are passed on");
	is_int(fixture_count(&f, "fidelity", NULL), 1, "so is fidelity");
	is_int(fixture_count(&f, "summary", "\"metric\":\"ttft\""), 3,
	    "a summary a run, also of an empty one");
	is_near(fixture_find(&f, "summary", 2, "\"metric\":\"ttft\"", NULL)
		    ->u.summary.mean,
	    300e6, 0, "the second run 1 is another");
	is_int(f.counts.client_limited, 1, "one verdict of client-limited");
	is_int(f.counts.runs, 3, "three runs");
	fixture_close(&f);
}

static void
test_late_record(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 1, "");
	fixture_start_run(&f, 2, 1, "");
	fixture_request(&f, "a", 0, 100, 200, OUT(2));
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_E_FORMAT, "a response of a run before");
	is_str(f.err.text, "a record of run 1 after another run had begun",
	    "is named");
	fixture_close(&f);
}

static void
test_cut(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 2, "");
	fixture_request(&f, "a", 0, 100, 200, OUT(2));
	fixture_request(&f, "b", 0, 0, 0, FAILED("reset"));
	fixture_reduce(&f);
	is_int(f.status, TAPE_E_TRUNC, "a stream that breaks off");
	is_int(fixture_summary(&f, "ttft", NULL)->n, 1,
	    "is summarized nevertheless");
	is_int(fixture_count(&f, "result", NULL), 2, "with failed requests");
	ok(tape_str_is(fixture_check(&f, "run_end")->status, "fail"),
	    "its end is missed");
	is_int(fixture_count(&f, "end", "failed"), 1, "and it ends as failed");
	fixture_close(&f);
}

static void
test_live(void)
{
	struct fixture f;

	fixture_open(&f);
	fixture_begin(&f, "r");
	fixture_put(&f, "{\"kind\":\"event\",\"seq\":0,\"t_ns\":1}");
	fixture_put(&f, "{\"kind\":\"clock\",\"t_ns\":1,\"offset_ns\":0}");
	fixture_end(&f, "complete");
	fixture_reduce(&f);
	is_int(f.status, TAPE_OK, "a live stream %s", f.err.text);
	is_int(f.counts.live_events, 1, "its events are counted");
	is_int(f.counts.measured, 0, "and are no requests");
	is_int(fixture_count(&f, "clock", NULL), 0,
	    "clock is not of a metrics stream");
	fixture_close(&f);
}

/* Every allocation fails once; nothing leaks, and the cause is told. */
static void
test_no_memory(void)
{
	struct fixture f;
	uint64_t n = 0;

	fixture_open(&f);
	f.opts.by = "isl";
	f.opts.worst = 1;
	fixture_begin(&f, "r");
	fixture_start_run(&f, 1, 3, ",\"labels\":{\"a\":1}");
	fixture_request(&f, "a", 0, 100, 200, ",\"labels\":{\"isl\":1}" OUT(2));
	fixture_request(&f, "b", 0, 100, 250, ",\"labels\":{\"isl\":2}" OUT(2));
	fixture_request(&f, "c", 0, 0, 0, FAILED("reset"));
	fixture_end_run(&f, 1);
	fixture_end(&f, "complete");
	do {
		(void)tape_mem_fail_at(++n);
		fixture_reduce(&f);
		(void)tape_mem_fail_at(0);
	} while (f.status == TAPE_E_NOMEM && n < 10000);
	is_int(f.status, TAPE_OK, "after %" PRIu64 " failing allocations %s",
	    n - 1, f.err.text);
	ok(n > 50, "it makes more than 50");
	is_int(fixture_summary(&f, "ttft", NULL)->n, 2, "and is right then");
	fixture_close(&f);
}

int
main(void)
{
	test_failed_are_no_zeros();
	test_planned_times();
	test_quantiles();
	test_throughput();
	test_nothing_answered();
	test_attempts();
	test_again();
	test_flags();
	test_groups();
	test_group_of_run();
	test_bad_by();
	test_goodput();
	test_runs_and_segments();
	test_late_record();
	test_cut();
	test_live();
	test_no_memory();
	return done_testing();
}
