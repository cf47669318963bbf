/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times between tokens by their count, and answers of several choices. */
#include "unit/measure_fixture.h"

#include "base/mem.h"

#define OUTPUT(n) "\"tokens\":{\"output\":" #n ",\"source\":\"usage\"}"

/* Events at these ms, with the class, count and choice of each. */
static const struct tape_result *
measure(struct fixture *f, const char *ms, const char *class,
    const char *counts, const char *choices, const char *more)
{
	struct tape_buf t;

	tape_buf_init(&t, 1 << 16);
	for (const char *p = ms; *p != '\0'; p++)
		if (*p == ' ')
			(void)tape_buf_add_str(&t, "000000,");
		else
			(void)tape_buf_add_char(&t, *p);
	tape_buf_clear(&f->line);
	(void)tape_buf_add_fmt(&f->line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"start_ns\":1000000000000,\"events\":{\"t_ns\":"
	    "[%s000000],\"class\":\"%s\",\"clk\":\"%.*s\"",
	    t.data, class, (int)strlen(class), "kkkkkkkkkkkkkkkk");
	if (counts != NULL)
		(void)tape_buf_add_fmt(
		    &f->line, ",\"out_tokens\":[%s]", counts);
	if (choices != NULL)
		(void)tape_buf_add_fmt(&f->line, ",\"choice\":[%s]", choices);
	(void)tape_buf_add_fmt(&f->line, "},%s}", more);
	tape_buf_release(&t);
	tape_err_clear(&f->err);
	f->status =
	    tape_record_decode(&f->rec, f->line.data, f->line.len, &f->err);
	if (f->status == TAPE_OK)
		f->status = tape_measure_response(
		    &f->measure, &f->rec.u.response, &f->out, &f->err);
	is_int(f->status, TAPE_OK, "measured %s", f->err.text);
	return &f->out.result;
}

static void
gaps_are(const struct fixture *f, const double *ms, size_t n, const char *what)
{
	size_t wrong = 0;

	is_int(f->out.token_gap_n, n, "%s: number of values", what);
	for (size_t i = 0; i < n && i < f->out.token_gap_n; i++)
		wrong += fabs(f->out.token_gaps[i] - ms[i] * 1e6) > 1e-3;
	is_int(wrong, 0, "%s: values", what);
}

static void
test_c21(struct fixture *f)
{
	const double ten[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10 };
	const struct tape_result *r =
	    measure(f, "100 130 160 190", "cccc", "1,4,7,10", NULL, OUTPUT(10));

	gaps_are(f, ten, 9, "C21: nine tokens");
	is_int(f->measure.gap_n, 3, "C21: three gaps between chunks");
	is_near(r->tpot_ns, 10e6, 0, "C21: tpot");
	is_int(r->silent_events, 0, "C21: none without text");
}

static void
test_silent(struct fixture *f)
{
	const struct tape_result *r = measure(
	    f, "5 10 20 30 50 51", "ruuccu", "0,1,2,3,5,5", NULL, OUTPUT(5));

	gaps_are(f, (double[]){ 10, 10, 10, 10 }, 4,
	    "tokens without text are arrivals");
	is_int(r->silent_events, 2, "two events brought some so");
	is_int(r->ttft_ns, 30 * MS, "the first token event has text");
	is_int(r->token_events, 2, "and there are two");
	is_int(f->measure.gap_n, 1, "with one gap");

	r = measure(f, "10 20 30", "ccc", "1,1,2", NULL, OUTPUT(2));
	gaps_are(f, (double[]){ 20 }, 1, "text without a token is none");
	is_int(r->silent_events, 0, "nor is it without text");
}

static void
test_uncounted(struct fixture *f)
{
	const struct tape_result *r;

	r = measure(f, "5 10 20 21", "uccf", "5,-1,-1,38", NULL, OUTPUT(38));
	gaps_are(f, NULL, 0, "text without a count (Anthropic)");
	is_int(r->silent_events, TAPE_ABSENT_I64, "nothing is known");
	r = measure(f, "10 20 21", "ccu", "-1,-1,2", NULL, OUTPUT(2));
	gaps_are(f, NULL, 0, "a count at the end only (OpenAI)");
	r = measure(f, "10 20", "cc", NULL, NULL, OUTPUT(2));
	gaps_are(f, NULL, 0, "no count at all");
	is_int(r->silent_events, TAPE_ABSENT_I64, "then it is absent");
	r = measure(f, "10 20 30 40", "cccc", "1,2,3,4", "0,1,0,1", OUTPUT(4));
	gaps_are(f, NULL, 0, "counts of several choices");
	is_int(r->silent_events, TAPE_ABSENT_I64, "are of none");
	r = measure(f, "10 20 30", "ccc", "1,2,9000000000", NULL, OUTPUT(3));
	gaps_are(f, NULL, 0, "a count that no event can bring");
	r = measure(
	    f, "10 20", "cc", "1,2", NULL, "\"error\":{\"class\":\"reset\"}");
	gaps_are(f, NULL, 0, "a failed answer");
	ok(r->ok == 0, "which it is");
}

static void
test_choices(struct fixture *f)
{
	const struct tape_result *r;

	/* Three tokens of choice 0, 10 ms apart, and four of choice 1, 20. */
	r = measure(f, "100 100 110 120 120 140 160", "ccccccc", NULL,
	    "0,1,0,0,1,1,1", OUTPUT(7) ",\"finish\":[\"stop\",\"stop\"]");
	is_near(r->tpot_ns, (2 * 10 + 3 * 20) / 5.0 * 1e6, 1e-15,
	    "tpot is the mean over the tokens of both");
	is_int(f->measure.gap_n, 5, "gaps are within a choice");
	ok(f->out.choices, "there are several");
	is_int(r->latency_ns, 160 * MS, "latency is to the last of all");

	r = measure(f, "100 110 120", "ccc", NULL, NULL,
	    OUTPUT(6) ",\"finish\":[\"stop\",\"stop\"]");
	ok(isnan(r->tpot_ns),
	    "choices that the events do not tell apart: no tpot");
	r = measure(f, "100 110", "cc", NULL, "0,1", OUTPUT(2));
	ok(isnan(r->tpot_ns), "a token each has no time per token");
	r = measure(f, "100 110 120", "ccc", NULL, NULL,
	    OUTPUT(3) ",\"finish\":[\"stop\"]");
	is_near(r->tpot_ns, 10e6, 0, "one choice is as ever");
	ok(!f->out.choices, "and not several");
}

/* What the server says, in the record. */
static void
test_server(struct fixture *f)
{
	const struct tape_result *r = measure(f, "10 20", "cc", NULL, NULL,
	    OUTPUT(2) ",\"server_timing\":{\"timings\":{\"prompt_ms\":4,"
		      "\"predicted_ms\":8}}");

	is_int(r->server.ttft_ns, 4 * MS, "its ttft");
	is_int(r->server.total_ns, 12 * MS, "its total");
	is_int(r->server.queue_ns, TAPE_ABSENT_I64, "no queue");
	r = measure(f, "10 20", "cc", NULL, NULL, OUTPUT(2));
	is_int(r->server.total_ns, TAPE_ABSENT_I64, "nothing is said");
}

static void
test_lengths(struct fixture *f)
{
	tape_buf_clear(&f->line);
	(void)tape_buf_add_str(&f->line,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\",\"attempt\":"
	    "1,\"start_ns\":1,\"events\":{\"t_ns\":[1],\"class\":\"c\",\"clk\":"
	    "\"k\",\"out_tokens\":[1,2]}}");
	is_int(tape_record_decode(&f->rec, f->line.data, f->line.len, &f->err),
	    TAPE_OK, "decoded");
	is_int(tape_measure_response(
		   &f->measure, &f->rec.u.response, &f->out, &f->err),
	    TAPE_E_FORMAT, "counts of another length");
}

int
main(void)
{
	struct fixture f;

	fixture_open(&f, NULL);
	test_c21(&f);
	test_silent(&f);
	test_uncounted(&f);
	test_choices(&f);
	test_server(&f);
	test_lengths(&f);
	fixture_close(&f);
	return done_testing();
}
