/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of a request; C17 to C23 are public reports made into small inputs. */
#include "unit/measure_fixture.h"

#include "base/mem.h"

#define USAGE(n)                                                               \
 "\"tokens\":{\"input\":10,\"output\":" #n ",\"source\":\"usage\"}"

static void
gaps_are(const struct fixture *f, const double *ms, size_t n, const char *what)
{
	size_t wrong = 0;

	is_int(f->measure.gap_n, n, "%s: number of gaps", what);
	for (size_t i = 0; i < n && i < f->measure.gap_n; i++)
		wrong += fabs(f->measure.gaps[i] - ms[i] * 1e6) > 0;
	is_int(wrong, 0, "%s: gaps", what);
}

static void
test_c17_role_is_no_token(struct fixture *f)
{
	const struct tape_result *r =
	    fixture_measure(f, "5r 214c 234c 254c", USAGE(3));

	is_int(r->ttft_ns, 214 * MS, "C17: ttft");
	is_int(r->ttst_ns, 234 * MS, "C17: ttst");
	is_int(r->latency_ns, 254 * MS, "C17: latency");
	is_near(r->tpot_ns, 20e6, 0, "C17: tpot");
	gaps_are(f, (double[]){ 20, 20 }, 2, "C17");
	is_int(r->token_events, 3, "C17: token events");
	is_int(r->first_ns, 1000214 * MS, "C17: first, from the epoch");
	is_int(r->last_ns, 1000254 * MS, "C17: last, from the epoch");
}

static void
test_c18_reasoning(struct fixture *f)
{
	const struct tape_result *r =
	    fixture_measure(f, "100g 110g 900c", USAGE(3));

	is_int(r->ttft_ns, 100 * MS, "C18: ttft is that of reasoning");
	is_int(r->ttfo_ns, 900 * MS, "C18: the first of the answer");
	is_near(r->tpot_ns, 400e6, 0, "C18: tpot");
	gaps_are(f, (double[]){ 10, 790 }, 2, "C18");
	ok(f->out.reasoned, "C18: it reasoned");

	r = fixture_measure(f, "50c 60g 70g 90c 95c", USAGE(5));
	is_int(r->ttfo_ns, 90 * MS, "content before reasoning is not it");
	r = fixture_measure(f, "50g 60g", USAGE(2));
	is_int(r->ttfo_ns, TAPE_ABSENT_I64, "reasoning only: no ttfo");
	r = fixture_measure(f, "50t 60c", USAGE(2));
	is_int(r->ttfo_ns, 60 * MS, "without reasoning: the first content");
	ok(!f->out.reasoned, "and no reasoning");
}

static void
test_c19_ttft_is_no_gap(struct fixture *f)
{
	const struct tape_result *r =
	    fixture_measure(f, "500c 520c 540c", USAGE(3));

	gaps_are(f, (double[]){ 20, 20 }, 2, "C19");
	is_int(r->gap_n, 2, "C19: in the record");
	is_near(r->gap_p50_ns, 20e6, 0, "C19: their median");
	is_int(r->gap_max_ns, 20 * MS, "C19: the largest");
	ok(isnan(r->gap_p99_ns), "a p99 of two gaps is not made up");
}

/* That their values enter nothing is tests/unit/reduce.c's. */
static void
test_c20_no_token(struct fixture *f)
{
	const struct tape_result *r;

	r = fixture_measure(f, "5r 90f 91d", "\"status\":200");
	is_int(r->ok, 0, "C20: an answer without a token has failed");
	ok(tape_str_is(r->error.class, "unfinished") &&
		tape_str_is(r->error.cause, "empty"),
	    "C20: as unfinished, empty");
	is_int(r->ttft_ns, TAPE_ABSENT_I64, "C20: no ttft, not 0");
	is_int(r->latency_ns, TAPE_ABSENT_I64, "C20: no latency");

	r = fixture_measure(f, "5r 90f", "\"req\":{\"output_tokens\":0}");
	is_int(r->ok, 1, "unless no output was asked for");
	is_int(r->latency_ns, TAPE_ABSENT_I64, "it has no token event");

	r = fixture_measure(f, "50c 90c",
	    "\"error\":{\"class\":\"reset\",\"cause\":\"rst\"}," USAGE(2));
	is_int(r->ok, 0, "an error after tokens");
	is_int(r->ttft_ns, TAPE_ABSENT_I64, "has no ttft");
	ok(isnan(r->tpot_ns), "has no tpot");
	is_int(r->first_ns, 1000050 * MS, "but the facts");
	is_int(f->measure.gap_n, 0, "has no gaps");

	r = fixture_measure(f, "50c 90c", "\"status\":500");
	is_int(r->ok, 0, "a status of 500 has failed");
	ok(tape_str_is(r->error.class, "http"), "with class http");
}

static void
test_c21_several_tokens(struct fixture *f)
{
	const struct tape_result *r =
	    fixture_measure(f, "100c 130c 160c 190c", USAGE(10));

	is_near(r->tpot_ns, 10e6, 0, "C21: tpot goes by tokens");
	gaps_are(f, (double[]){ 30, 30, 30 }, 3, "C21: between chunks");
	is_int(r->token_events, 4, "C21: events are fewer than tokens");
}

static void
test_c22_last_usage(struct fixture *f)
{
	(void)fixture_measure(f, "10c 20c 30c 40c",
	    "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":99},"
	    "\"tokens\":{\"input\":10,\"output\":99,\"source\":\"usage\"}");

	is_int(f->status, TAPE_OK, "C22");
	is_int(f->out.result.tokens.input, 10, "C22: input tokens, once");
	is_int(f->out.result.tokens.output, 99, "C22: output tokens, the last");
	is_near(f->out.result.tpot_ns, 30e6 / 98, 1e-15, "C22: tpot by them");
}

/* One of eight requests behind a cap of one: the wait is in the second set. */
static void
test_c23_planned_time(void)
{
	struct tape_measure_opts opts = { .from = TAPE_MEASURE_FROM_START };
	struct fixture f;
	const struct tape_result *r;
	const char *at = "\"due_ns\":999600000000,\"sent_ns\":1000001000000,"
			 "\"end_ns\":1000500000000," USAGE(2);

	fixture_open(&f, &opts);
	r = fixture_measure(&f, "100c 500c", at);
	is_int(r->latency_ns, 500 * MS, "C23: from the dispatch");
	is_int(r->latency_due_ns, 900 * MS, "C23: from the schedule");
	is_int(r->ttft_due_ns, 500 * MS, "C23: ttft from the schedule");
	is_int(r->late_ns, 400 * MS, "C23: the wait itself");
	ok(tape_str_is(r->from, "start"), "--from start says so");
	fixture_close(&f);

	opts.from = TAPE_MEASURE_FROM_DUE;
	fixture_open(&f, &opts);
	r = fixture_measure(&f, "100c 500c", at);
	is_int(r->ttft_ns, 500 * MS, "--from due: ttft");
	is_int(r->latency_ns, 900 * MS, "--from due: latency");
	is_near(r->tpot_ns, 400e6, 0, "--from due: tpot is as ever");
	r = fixture_measure(&f, "100c 500c", USAGE(2));
	is_int(r->ttft_ns, TAPE_ABSENT_I64, "without a plan: no value");
	fixture_close(&f);

	opts.from = TAPE_MEASURE_FROM_SENT;
	fixture_open(&f, &opts);
	r = fixture_measure(&f, "100c 500c", at);
	is_int(r->ttft_ns, 99 * MS, "--from sent: ttft");
	is_int(r->ttst_ns, 499 * MS, "--from sent: ttst");
	is_int(r->ttfo_ns, 99 * MS, "--from sent: ttfo");
	is_int(r->latency_ns, 499 * MS, "--from sent: latency");
	fixture_close(&f);
}

static void
test_few_tokens(struct fixture *f)
{
	const struct tape_result *r;

	r = fixture_measure(f, "100c", USAGE(5));
	ok(isnan(r->tpot_ns), "one token event: no tpot");
	is_int(r->ttst_ns, TAPE_ABSENT_I64, "and no second");
	is_int(r->gap_n, 0, "and no gap");
	is_int(r->gap_max_ns, TAPE_ABSENT_I64, "and no largest gap");
	r = fixture_measure(f, "100c 120c", USAGE(1));
	ok(isnan(r->tpot_ns), "one token: no tpot, not a division by zero");
	r = fixture_measure(f, "100c 120c", "\"stream\":true");
	ok(isnan(r->tpot_ns), "unknown tokens: no tpot");
	r = fixture_measure(
	    f, "100c 120c", "\"tokens\":{\"output\":2,\"source\":\"events\"}");
	is_near(r->tpot_ns, 20e6, 0, "tokens counted by events: tpot");
	ok(f->out.from_events, "and it is known that they were");
	r = fixture_measure(f, "100c 100c 100x 110a 111o 112k", USAGE(4));
	is_int(r->token_events, 4, "c, x and a are tokens, o and k not");
	is_near(r->tpot_ns, 10e6 / 3, 1e-15, "tpot of a merged read");
}

/* 100 gaps of 1 to 100 ms, mixed: 37 has no factor in common with 100. */
static void
test_gap_quantiles(struct fixture *f)
{
	const struct tape_result *r;
	struct tape_buf b;
	int64_t at = 0;

	tape_buf_init(&b, 1 << 16);
	for (int64_t i = 0; i <= 100; i++) {
		(void)tape_buf_add_fmt(
		    &b, "%s%" PRId64 "c", i > 0 ? " " : "", at);
		at += (i + 1) * 37 % 100 == 0 ? 100 : (i + 1) * 37 % 100;
	}
	r = fixture_measure(f, b.data, USAGE(101));
	is_int(r->gap_n, 100, "100 gaps");
	is_near(r->gap_p50_ns, 50.5e6, 1e-15, "their median");
	is_near(r->gap_p99_ns, 99.01e6, 1e-15, "have a p99");
	is_int(r->gap_max_ns, 100 * MS, "and a largest");
	is_near(r->tpot_ns, 50.5e6, 1e-15, "tpot is their mean");
	tape_buf_release(&b);
}

static void
test_not_streamed(struct fixture *f)
{
	const struct tape_result *r = fixture_measure(f, "700c",
	    "\"stream\":false,\"due_ns\":999900000000,"
	    "\"end_ns\":1000705000000," USAGE(20));

	is_int(r->ok, 1, "not streamed: ok");
	is_int(r->latency_ns, 705 * MS, "latency up to the end");
	is_int(r->latency_due_ns, 805 * MS, "from the plan, too");
	is_int(r->ttft_ns, TAPE_ABSENT_I64, "no ttft");
	ok(isnan(r->tpot_ns), "no tpot");
	is_int(r->gap_n, TAPE_ABSENT_I64, "gaps are not even none");
}

static void
test_choices(struct fixture *f)
{
	char more[256];

	(void)snprintf(more, sizeof(more), "%s", USAGE(5));
	tape_buf_clear(&f->line);
	(void)tape_buf_add_fmt(&f->line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":0,\"events\":{\"t_ns\":[10000000,"
	    "11000000,20000000,31000000,40000000,50000000,60000000],"
	    "\"class\":\"cccccdc\",\"clk\":\"kkkkkkk\","
	    "\"choice\":[0,1,0,1,0,-1,99999999999]},%s}",
	    more);
	f->status =
	    tape_record_decode(&f->rec, f->line.data, f->line.len, &f->err);
	if (f->status == TAPE_OK)
		f->status = tape_measure_response(
		    &f->measure, &f->rec.u.response, &f->out, &f->err);
	is_int(f->status, TAPE_OK, "several choices %s", f->err.text);
	gaps_are(f, (double[]){ 10, 20, 20 }, 3,
	    "each choice by itself, one out of range by none");
	is_int(f->out.result.ttft_ns, 10 * MS, "ttft is the first of any");
	is_int(f->out.result.ttst_ns, 11 * MS, "ttst likewise");
}

/* Kernel times 3 ms before the user's; the second unknown. */
static void
test_user_clock(void)
{
	struct tape_measure_opts opts = { .user_clock = true };
	const char *line =
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":0,\"events\":{\"t_ns\":[10000000,"
	    "20000000,30000000],\"class\":\"ccc\",\"clk\":\"kum\","
	    "\"lag_ns\":[3000000,-1,1000000]}," USAGE(3) "}";
	struct tape_record rec;
	struct tape_measure m;
	struct tape_measured out;
	struct tape_err err = { 0 };

	opts.from = TAPE_MEASURE_FROM_START;
	tape_record_init(&rec);
	is_int(tape_record_decode(&rec, line, strlen(line), &err), TAPE_OK,
	    "a line with lags");
	for (int user = 0; user <= 1; user++) {
		opts.user_clock = user == 1;
		tape_measure_init(&m, &opts);
		is_int(tape_measure_response(&m, &rec.u.response, &out, &err),
		    TAPE_OK, "clock %d", user);
		is_int(out.result.ttft_ns, (user ? 13 : 10) * MS, "ttft");
		is_int(out.result.ttst_ns, 20 * MS, "lag unknown: as it is");
		is_int(out.result.latency_ns, (user ? 31 : 30) * MS,
		    "a merged read has a lag, too");
		is_near(m.gaps[0], user ? 7e6 : 10e6, 0, "gap");
		ok(tape_str_is(out.result.clock, user ? "user" : "best"),
		    "the record says which");
		is_int(out.kernel, 1, "kernel times");
		is_int(out.merged, 1, "merged");
		is_int(out.user, 1, "user times");
		tape_measure_release(&m);
	}
	tape_record_release(&rec);
}

/* Three tokens: the second shares its read with the third, which shares it with
   what ends the answer; the first with a role only. */
static void
test_blurred(void)
{
	static const char line[] =
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"stage\":\"measure\",\"stream\":true,"
	    "\"start_ns\":0,\"status\":200,\"events\":{\"class\":\"crccfd\","
	    "\"clk\":\"mkmmmk\",\"t_ns\":[10,10,20,20,20,20]},"
	    "\"tokens\":{\"output\":3,\"source\":\"usage\"}}";
	const struct tape_measure_opts opts = { .from =
						    TAPE_MEASURE_FROM_START };
	struct tape_measured out;
	struct tape_measure m;
	struct tape_record rec;
	struct tape_err err = { 0 };

	tape_record_init(&rec);
	is_int(tape_record_decode(&rec, line, strlen(line), &err), TAPE_OK,
	    "a line with merged events: %s", err.text);
	tape_measure_init(&m, &opts);
	is_int(tape_measure_response(&m, &rec.u.response, &out, &err), TAPE_OK,
	    "is measured");
	is_int(out.merged, 3, "three tokens are marked");
	is_int(out.blurred, 1, "one has another behind it");
	tape_measure_release(&m);
	tape_record_release(&rec);
}

static void
test_backwards(struct fixture *f)
{
	(void)fixture_measure(f, "10c 9c 20c", USAGE(3));
	is_int(f->out.backwards, 1, "a gap below zero is counted");
	gaps_are(f, (double[]){ -1, 11 }, 2, "and kept as it is");
	is_int(f->out.result.gap_max_ns, 11 * MS, "largest");
}

static void
test_refusals(struct fixture *f)
{
	static const char *const lines[] = {
		"\"start_ns\":0,\"events\":{\"t_ns\":[1,2],\"class\":\"c\","
		"\"clk\":\"kk\"}",
		"\"start_ns\":0,\"events\":{\"t_ns\":[1],\"class\":\"c\","
		"\"clk\":\"\"}",
		"\"start_ns\":0,\"events\":{\"t_ns\":[1],\"class\":\"c\","
		"\"clk\":\"k\",\"lag_ns\":[]}",
		"\"start_ns\":0,\"events\":{\"t_ns\":[1],\"class\":\"c\","
		"\"clk\":\"k\",\"choice\":[0,0]}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		tape_buf_clear(&f->line);
		(void)tape_buf_add_fmt(&f->line,
		    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
		    "\"attempt\":1,%s}",
		    lines[i]);
		tape_err_clear(&f->err);
		is_int(tape_record_decode(
			   &f->rec, f->line.data, f->line.len, &f->err),
		    TAPE_OK, "line %zu is a response", i);
		is_int(tape_measure_response(
			   &f->measure, &f->rec.u.response, &f->out, &f->err),
		    TAPE_E_FORMAT, "line %zu is refused", i);
	}
}

/* A reader refuses such numbers, but this does not rely on it. */
static void
test_out_of_range(struct fixture *f)
{
	static const int64_t far[] = { INT64_MAX, -INT64_MAX, INT64_MIN };
	struct tape_response *resp = &f->rec.u.response;
	static int64_t t[2] = { 5, 0 };

	(void)fixture_measure(f, "1c 2c", USAGE(2));
	resp->events.t_ns.v = t;
	for (size_t i = 0; i < 3; i++) {
		t[1] = far[i];
		tape_err_clear(&f->err);
		is_int(
		    tape_measure_response(&f->measure, resp, &f->out, &f->err),
		    TAPE_E_FORMAT, "an event at %" PRId64, far[i]);
	}
	t[1] = 6;
	for (size_t i = 0; i < 2; i++) {
		resp->t.start_ns = far[i];
		resp->t.due_ns = far[1 - i];
		tape_err_clear(&f->err);
		is_int(
		    tape_measure_response(&f->measure, resp, &f->out, &f->err),
		    TAPE_E_FORMAT, "a start at %" PRId64, far[i]);
	}
}

static void
test_no_memory(void)
{
	struct fixture f;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	fixture_open(&f, NULL);
	(void)fixture_measure(&f, "1c 2c 3c 4c 5c 6c 7c 8c 9c", USAGE(9));
	while (st == TAPE_E_NOMEM && n++ < 10) {
		tape_measure_release(&f.measure);
		tape_measure_init(
		    &f.measure, &(struct tape_measure_opts){
				    .from = TAPE_MEASURE_FROM_START,
				    .gap_stats = { .quantiles = true } });
		tape_err_clear(&f.err);
		(void)tape_mem_fail_at(n);
		st = tape_measure_response(
		    &f.measure, &f.rec.u.response, &f.out, &f.err);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "after %" PRIu64 " failing allocations", n - 1);
	is_int(n, 3, "it makes two");
	fixture_close(&f);
}

int
main(void)
{
	struct fixture f;

	fixture_open(&f, NULL);
	test_c17_role_is_no_token(&f);
	test_c18_reasoning(&f);
	test_c19_ttft_is_no_gap(&f);
	test_c20_no_token(&f);
	test_c21_several_tokens(&f);
	test_c22_last_usage(&f);
	test_few_tokens(&f);
	test_gap_quantiles(&f);
	test_not_streamed(&f);
	test_choices(&f);
	test_blurred();
	test_backwards(&f);
	test_refusals(&f);
	test_out_of_range(&f);
	fixture_close(&f);
	test_c23_planned_time();
	test_user_clock();
	test_no_memory();
	return done_testing();
}
