/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One answer as each peer sees it; the right values are worked out by hand. */
#include "unit/definitions_fixture.h"

#include "base/mem.h"

#define USAGE(in, out)                                                         \
 "\"tokens\":{\"input\":" #in ",\"output\":" #out ",\"source\":\"usage\"}"
#define ASKED(in, out)                                                         \
 "\"req\":{\"input_tokens\":" #in ",\"output_tokens\":" #out "}"
#define FAILED(class, cause)                                                   \
 "\"error\":{\"class\":\"" class "\",\"cause\":\"" cause "\"}"
#define PLANNED "\"due_ns\":999995000000,\"conn_ns\":1000002000000,"

static const char *const peers[] = { "aiperf", "vllm", "sglang", "guidellm",
	"genai-perf", "mlperf" };

/* Role first, four events with eight tokens, then finish, usage, [DONE]. */
static void
test_usual(struct fixture *f)
{
	fixture_see(f, 0, 100, "5r 50c 60c 60c 90c 91f 95u 99d",
	    PLANNED USAGE(18, 8) "," ASKED(10, 8));
	fixture_report(f);

	is_near(fixture_mean(f, "aiperf", "time_to_first_token"), 50, 0,
	    "aiperf: the role is no token");
	is_near(fixture_mean(f, "aiperf", "time_to_second_token"), 10, 0,
	    "aiperf: second less first");
	is_near(fixture_mean(f, "aiperf", "request_latency"), 90, 0,
	    "aiperf: to the last content");
	is_near(fixture_mean(f, "aiperf", "inter_token_latency"), 40.0 / 7,
	    1e-15, "aiperf: over the tokens less one");
	is_near(fixture_mean(f, "aiperf", "inter_chunk_latency"), 40.0 / 3,
	    1e-15, "aiperf: between chunks");
	is_near(fixture_mean(f, "aiperf", "input_sequence_length"), 10, 0,
	    "aiperf: the prompt without its template");

	is_near(fixture_mean(f, "vllm", "ttft_ms"), 50, 0, "vllm: ttft");
	is_near(fixture_mean(f, "vllm", "e2el_ms"), 90, 0,
	    "vllm: usage and [DONE] are no end");
	is_near(
	    fixture_mean(f, "vllm", "tpot_ms"), 40.0 / 7, 1e-15, "vllm: tpot");
	is_int(fixture_row(f, "vllm", "itl_ms")->n, 3, "vllm: gaps");
	is_near(fixture_value(f, "vllm", "total_input_tokens"), 18, 0,
	    "vllm: the prompt by the usage");

	is_near(fixture_mean(f, "sglang", "e2e_latency_ms"), 99, 0,
	    "sglang: to [DONE]");
	is_near(fixture_mean(f, "sglang", "tpot_ms"), 7, 1e-15,
	    "sglang: what comes behind the last token is in it");

	is_near(fixture_mean(f, "guidellm", "time_to_first_token_ms"), 48, 0,
	    "guidellm: from the connection");
	is_near(fixture_mean(f, "guidellm", "request_latency"), 0.097, 1e-15,
	    "guidellm: in seconds, to [DONE]");
	is_near(fixture_mean(f, "guidellm", "inter_token_latency_ms"), 40.0 / 7,
	    1e-15, "guidellm: ITL");
	is_near(fixture_mean(f, "guidellm", "time_per_output_token_ms"), 11,
	    1e-15, "guidellm: its TPOT has the first token in it");

	is_near(fixture_mean(f, "genai-perf", "inter_token_latency"), 5.714286,
	    1e-15, "genai-perf: whole nanoseconds");

	is_near(fixture_mean(f, "mlperf", "first_token_latency_ns"), 55e6, 0,
	    "mlperf: from when it was due");
	is_near(fixture_mean(f, "mlperf", "latency_ns"), 95e6, 0,
	    "mlperf: latency");
	is_near(fixture_mean(f, "mlperf", "time_to_output_token_ns"), 5714285,
	    0, "mlperf: whole nanoseconds, cut");
}

/* Reasoning, then the answer, then a tool call. */
static void
test_kinds(struct fixture *f)
{
	fixture_see(f, 0, 96, "4r 30g 40g 80c 90t 95d", USAGE(9, 5));
	fixture_report(f);
	is_near(fixture_mean(f, "aiperf", "time_to_first_token"), 30, 0,
	    "aiperf: reasoning is a token");
	is_near(fixture_mean(f, "aiperf", "time_to_first_output_token"), 80, 0,
	    "aiperf: and no output");
	is_near(fixture_mean(f, "aiperf", "inter_token_latency"), 15, 0,
	    "aiperf: a tool call is");
	is_near(fixture_mean(f, "vllm", "itl_ms"), 20, 1e-15, "vllm: gaps");
	is_near(fixture_mean(f, "sglang", "itl_ms"), 25, 1e-15,
	    "sglang: a tool call is no token");
	is_near(fixture_mean(f, "guidellm", "time_to_first_output_token_ms"),
	    80, 0, "guidellm: first output");
	is_near(fixture_mean(f, "genai-perf", "time_to_first_token"), 80, 0,
	    "genai-perf: reasoning is none");
	is_near(fixture_mean(f, "genai-perf", "request_latency"), 80, 0,
	    "genai-perf: nor a tool call");
	is_int(fixture_row(f, "genai-perf", "inter_token_latency")->n, 0,
	    "genai-perf: one response has no ITL");
	ok(fixture_says(f, "genai-perf",
	       "in 1 of 1 answers another event, on average 50.000 ms later"),
	    "and that is said");
	ok(fixture_says(f, "sglang", "it is the last event"),
	    "sglang: its end, too");
	ok(!fixture_says(f, "aiperf", "first token:"),
	    "but nothing where nothing differs");

	fixture_see(f, 0, 40, "10x 20x 30d", USAGE(9, 2));
	fixture_report(f);
	for (size_t i = 0; i < 2; i++)
		ok(fixture_says(f, peers[i], "1 that are good here failed"),
		    "%s: a refusal is no token", peers[i]);
	is_near(fixture_mean(f, "sglang", "ttft_ms"), 0, 0,
	    "sglang: without a token ttft is 0");
	ok(fixture_says(f, "sglang", "have ttft 0"), "and that is said");
}

static void
test_empty_delta(struct fixture *f)
{
	fixture_see(f, 0, 60, "5r 20c 30r 40c 50d", USAGE(9, 3));
	fixture_report(f);
	is_int(fixture_row(f, "vllm", "itl_ms")->n, 2,
	    "vllm: an empty delta is a token");
	is_near(fixture_mean(f, "vllm", "itl_ms"), 10, 0, "in between");
	is_int(fixture_row(f, "aiperf", "inter_chunk_latency")->n, 1,
	    "to others it is none");

	fixture_see(f, 0, 60, "5r 15r 40c 50d", USAGE(9, 2));
	fixture_report(f);
	is_near(fixture_mean(f, "vllm", "ttft_ms"), 15, 0,
	    "vllm: it may be the first one");
	ok(fixture_says(f, "vllm", "25.000 ms earlier: an empty delta"),
	    "and that is said");
}

/* Which peers take a request for a success; in the order of peers. */
static void
good_to_are(struct fixture *f, const char *events, const char *more,
    const char *good, const char *what)
{
	static const char *const counts[] = { "request_count", "completed",
		"completed", "request_totals.successful", "request_count",
		"sample_count" };

	fixture_see(f, 0, 100, events, more);
	fixture_report(f);
	for (size_t i = 0; i < 6; i++)
		is_near(fixture_value(f, peers[i], counts[i]), good[i] - '0', 0,
		    "%s: %s", what, peers[i]);
}

static void
test_failed(struct fixture *f)
{
	good_to_are(f, "20c 30c 40d", USAGE(9, 2), "111111", "done");
	good_to_are(f, "20c 30c 40e", FAILED("stream", "error"), "111000",
	    "an error in the stream");
	ok(fixture_says(f, "vllm", "1 that failed here are good to it"),
	    "vllm: and that is said");
	good_to_are(
	    f, "20c 30c", FAILED("unfinished", "cut"), "111110", "no [DONE]");
	good_to_are(f, "20c 30o 40c 50d", FAILED("malformed", "json"), "100000",
	    "an event that is no JSON");
	good_to_are(f, "", FAILED("reset", "rst"), "000000", "reset");
	good_to_are(
	    f, "20c 30c", FAILED("truncated", "body"), "000000", "truncated");
	good_to_are(f, "", "\"status\":500", "000000", "status 500");
	good_to_are(f, "5r 30d", "", "001000", "no token");
	good_to_are(f, "20c 30o 40c",
	    FAILED("unfinished", "cut") ",\"sse\":{\"malformed\":1}", "100000",
	    "and one that a client stopped at");
	good_to_are(f, "20c 30c 40d", USAGE(9, 2) ",\"sse\":{\"comments\":1}",
	    "110111", "a comment");
	ok(fixture_says(f, "sglang", "(a comment, or what is no JSON)"),
	    "sglang: and that is said");
	good_to_are(f, "20c", FAILED("cancelled", "planned"), "000000",
	    "cancelled on purpose");
	ok(fixture_says(f, "aiperf", "1 cancelled on purpose"),
	    "and that is said");
}

static void
test_not_streamed(struct fixture *f)
{
	good_to_are(f, "90c", USAGE(9, 4) ",\"stream\":false,\"status\":200",
	    "101111", "not streamed");
	is_near(fixture_mean(f, "aiperf", "request_latency"), 100, 0,
	    "aiperf: latency is to the end");
	is_int(fixture_row(f, "aiperf", "time_to_first_token")->n, 0,
	    "aiperf: no ttft");
	is_near(fixture_mean(f, "sglang", "ttft_ms"), 100, 0,
	    "sglang: ttft is the latency");
	is_near(fixture_mean(f, "sglang", "tpot_ms"), 0, 0,
	    "sglang: and tpot is 0");
}

static void
test_no_usage(struct fixture *f)
{
	fixture_see(f, 0, 60, "20c 30c 50c 51d",
	    "\"tokens\":{\"output\":3,\"source\":\"events\"},"
	    "\"req\":{\"output_tokens\":20,\"input_tokens\":7}");
	fixture_report(f);
	is_near(fixture_mean(f, "aiperf", "output_sequence_length"), 3, 0,
	    "without usage events stand for tokens");
	is_near(fixture_value(f, "sglang", "total_output_tokens"), 20, 0,
	    "sglang: the length that was asked for does");
	ok(fixture_says(f, "sglang", "1 answers have no usage"),
	    "and that is said");
	is_near(fixture_value(f, "vllm", "total_input_tokens"), 7, 0,
	    "the trace's prompt, where the usage has none");
}

static void
test_one_token(struct fixture *f)
{
	fixture_see(f, 0, 60, "20c 30d", USAGE(9, 1));
	fixture_report(f);
	is_int(fixture_row(f, "aiperf", "inter_token_latency")->n, 0,
	    "aiperf: one token has no ITL");
	is_int(fixture_row(f, "vllm", "tpot_ms")->n, 0, "vllm: nor TPOT");
	ok(isnan(fixture_mean(f, "guidellm", "inter_token_latency_ms")),
	    "guidellm: its 0 has no weight");
	is_near(fixture_mean(f, "guidellm", "time_per_output_token_ms"), 20, 0,
	    "guidellm: but a time for each token it has");
}

static void
test_nothing(struct fixture *f)
{
	fixture_report(f);
	for (size_t i = 0; i < f->report.row_n; i++)
		if (!isnan(f->report.rows[i].summary.mean))
			ok(false, "a mean of nothing");
	is_near(fixture_value(f, "aiperf", "request_count"), 0, 0,
	    "nothing was seen");
	is_int(f->report.reason_n, 0, "and there is nothing to explain");
}

static void
test_refused(struct fixture *f)
{
	unsigned set = 0;

	f->measure.bare = true;
	fixture_see(f, 0, 60, "20o", "");
	f->measure.bare = false;
	ok(f->status == TAPE_E_DATA, "times alone define nothing");
	fixture_see(f, 0, 60, "",
	    "\"api\":\"embeddings\",\"stream\":false,\"status\":200");
	ok(f->status == TAPE_E_DATA, "nor does an API without tokens");
	tape_definitions_clear(f->d);

	ok(tape_definitions_parse("all", &set, NULL) == TAPE_OK &&
		set == TAPE_DEFINITIONS_ALL,
	    "all");
	ok(tape_definitions_parse("mlperf", &set, NULL) == TAPE_OK &&
		set == 1U << TAPE_DEFINITIONS_MLPERF,
	    "one by its name");
	ok(tape_definitions_parse("wrk", &set, NULL) == TAPE_E_USAGE,
	    "no other");
}

static void
test_no_memory(void)
{
	const struct tape_summarize_run run = { .run = 1 };
	uint64_t n = 0;
	bool done = false;

	while (!done && n < 1000) {
		struct tape_measured m;
		struct fixture f;

		fixture_open(&f);
		fixture_measure(&f, 0, 60, "5r 20c 30c 40d", USAGE(9, 2), &m);
		(void)tape_mem_fail_at(++n);
		f.status =
		    tape_definitions_add(f.d, &f.rec.u.response, &m, &f.err);
		if (f.status == TAPE_OK)
			f.status = tape_definitions_make(
			    f.d, &run, &f.ours, &f.report, &f.err);
		(void)tape_mem_fail_at(0);
		done = f.status == TAPE_OK;
		if (!done && f.status != TAPE_E_NOMEM)
			ok(false, "allocation %" PRIu64 " failed silently", n);
		fixture_close(&f);
	}
	ok(done && n > 5, "each allocation may fail");
}

int
main(void)
{
	struct fixture f;

	fixture_open(&f);
	test_usual(&f);
	test_kinds(&f);
	test_empty_delta(&f);
	test_failed(&f);
	test_not_streamed(&f);
	test_no_usage(&f);
	test_one_token(&f);
	test_nothing(&f);
	test_refused(&f);
	fixture_close(&f);
	test_no_memory();
	return done_testing();
}
