/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known lags: every number by the kernel's clock, and by the user's. */
#include "unit/reduce_fixture.h"

/* A run, one response of which is given from its stream flag on. */
static void
reduce(struct fixture *f, bool user, const char *run, const char *response)
{
	fixture_open(f);
	f->opts.user_clock = user;
	fixture_begin(f, "r");
	fixture_start_run(f, 1, 1, run);
	fixture_put(f,
	    "{\"kind\":\"response\",\"x\":1,\"run\":1,\"id\":\"a\","
	    "\"attempt\":1,\"stage\":\"measure\",%s}",
	    response);
	fixture_end_run(f, 1);
	fixture_end(f, "complete");
	fixture_reduce(f);
	is_int(
	    f->status, TAPE_OK, "%s: %s", user ? "user" : "best", f->err.text);
}

struct want {
	const char *metric;
	double best, user; /* 0: no value */
};

/* Means, or values of a run, times in ms. */
static void
gives(const char *run, const char *response, const struct want *w, size_t n)
{
	for (int user = 0; user <= 1; user++) {
		struct fixture f;

		reduce(&f, user == 1, run, response);
		for (size_t i = 0; i < n; i++) {
			const struct tape_summary *s =
			    fixture_summary(&f, w[i].metric, NULL);
			double got = isnan(s->value) ? s->mean : s->value;

			if (tape_str_is(s->unit, "ns"))
				got /= 1e6;
			if (w[i].best == 0)
				ok(isnan(got), "%s: no %s",
				    user ? "user" : "best", w[i].metric);
			else
				is_near(got, user ? w[i].user : w[i].best, 1e-9,
				    "%s: %s", user ? "user" : "best",
				    w[i].metric);
		}
		fixture_close(&f);
	}
}

#define N(w) (sizeof(w) / sizeof((w)[0]))

/* In ms from the start at 100: kernel times 60 70 90 130 are 2 5 1 10 before
   the user's, and the head's, 50, is 4 before. */
static void
test_streamed(void)
{
	static const struct want w[] = {
		{ "tth", 50, 54 },
		{ "ttfb", 0, 0 },
		{ "ttft", 70, 75 },
		{ "ttst", 90, 91 },
		{ "ttfo", 90, 91 },
		{ "latency", 130, 140 },
		{ "tpot", 15, 16.25 },
		{ "gap", 30, 32.5 },
		{ "ttft_due", 80, 85 },
		{ "latency_due", 140, 150 },
		{ "late", 10, 10 },
		{ "tokens_per_s_per_user", 1 / 0.015, 1 / 0.01625 },
		{ "requests_per_s", 1 / 0.130, 1 / 0.140 },
		{ "output_tokens_per_s", 5 / 0.130, 5 / 0.140 },
		{ "input_tokens_per_s", 7 / 0.130, 7 / 0.140 },
		{ "total_tokens_per_s", 12 / 0.130, 12 / 0.140 },
		{ "token_events", 3, 3 },
		{ "bytes", 900, 900 },
	};

	gives("",
	    "\"stream\":true,\"due_ns\":90000000,\"start_ns\":100000000,"
	    "\"sent_ns\":110000000,\"head_ns\":150000000,"
	    "\"head_lag_ns\":4000000,\"end_ns\":241000000,\"status\":200,"
	    "\"body_bytes\":900,\"events\":{\"t_ns\":[60000000,70000000,"
	    "90000000,130000000],\"class\":\"rgcc\",\"clk\":\"kkkk\","
	    "\"lag_ns\":[2000000,5000000,1000000,10000000],"
	    "\"text_bytes\":[0,1,1,1]},\"tokens\":{\"input\":7,\"output\":5,"
	    "\"source\":\"usage\"}",
	    w, N(w));
}

/* Whole answers end with their last read, by either clock, if it ended them. */
static void
test_whole(void)
{
	static const struct want with[] = { { "latency", 30, 33 },
		{ "latency_due", 40, 43 },
		{ "requests_per_s", 1 / 0.030, 1 / 0.033 }, { "tth", 20, 20 },
		{ "ttft", 0, 0 }, { "gap", 0, 0 } };
	static const struct want later[] = { { "latency", 40, 40 } };
	static const char line[] =
	    "\"stream\":false,\"due_ns\":90000000,\"start_ns\":100000000,"
	    "\"head_ns\":120000000,\"status\":200,\"events\":{"
	    "\"t_ns\":[30000000],\"class\":\"c\",\"clk\":\"k\","
	    "\"lag_ns\":[3000000],\"text_bytes\":[1]},\"end_ns\":";
	char text[512];

	(void)snprintf(text, sizeof(text), "%s133000000", line);
	gives("", text, with, N(with));
	(void)snprintf(text, sizeof(text), "%s140000000", line);
	gives("", text, later, N(later));
}

/* Only times were kept: what they tell, and nothing else. */
static void
test_times(void)
{
	static const struct want w[] = {
		{ "tth", 10, 13 },
		{ "ttfb", 20, 21 },
		{ "latency", 50, 52 },
		{ "latency_due", 60, 62 },
		{ "requests_per_s", 1 / 0.050, 1 / 0.052 },
		{ "bytes", 900, 900 },
		{ "ttft", 0, 0 },
		{ "ttst", 0, 0 },
		{ "ttfo", 0, 0 },
		{ "tpot", 0, 0 },
		{ "gap", 0, 0 },
		{ "ttft_due", 0, 0 },
		{ "token_events", 0, 0 },
		{ "output_tokens", 0, 0 },
		{ "input_tokens", 0, 0 },
		{ "tokens_per_s_per_user", 0, 0 },
		{ "output_tokens_per_s", 0, 0 },
		{ "total_tokens_per_s", 0, 0 },
	};
	static const char line[] =
	    "\"stream\":true,\"due_ns\":90000000,\"start_ns\":100000000,"
	    "\"req\":{\"output_tokens\":9,\"input_tokens\":3},"
	    "\"head_ns\":110000000,\"head_lag_ns\":3000000,"
	    "\"end_ns\":152000000,\"status\":200,\"reads\":2,"
	    "\"body_bytes\":900,\"events\":{\"t_ns\":[20000000,50000000],"
	    "\"class\":\"oo\",\"clk\":\"kk\",\"lag_ns\":[1000000,2000000]}";
	struct fixture f;
	const struct tape_result *r;
	const struct tape_check *k;

	gives(",\"keep\":\"times\"", line, w, N(w));
	reduce(&f, false, ",\"keep\":\"times\"", line);
	r = &fixture_find(&f, "result", 0, NULL, NULL)->u.result;
	is_int(r->ok, 1, "it succeeded");
	is_int(r->token_events, TAPE_ABSENT_I64, "tokens: unknown");
	is_int(r->gap_n, TAPE_ABSENT_I64, "gaps: unknown");
	is_int(r->first_ns, TAPE_ABSENT_I64, "first token: unknown");
	is_int(r->ttft_ns, TAPE_ABSENT_I64, "ttft: unknown");
	k = fixture_check(&f, "kept");
	ok(tape_str_is(k->status, "warn"), "it is said");
	ok(strstr(k->text.p, "no ttft") != NULL, "what is missing");
	is_int((int64_t)fixture_count(&f, "check", "\"usage\""), 0,
	    "usage is no question");
	is_int((int64_t)fixture_count(&f, "check", "\"length\""), 0,
	    "nor is length");
	ok(has_flag(fixture_summary(&f, "latency", NULL), "to-end"),
	    "latency is flagged");
	k = fixture_check(&f, "clocks");
	is_int(k->n, 2, "clocks are those of reads");
	fixture_close(&f);
	/* The same events of another run are an answer without tokens. */
	reduce(&f, false, "", line);
	r = &fixture_find(&f, "result", 0, NULL, NULL)->u.result;
	ok(tape_str_is(r->error.class, "unfinished"), "else it has failed");
	fixture_close(&f);
}

/* n token events, of which so many are merged with the one behind them. */
static bool
flagged(int n, int merged, const char *metric)
{
	struct fixture f;
	char class[1001] = "", clk[1001] = "", line[3900];
	size_t at;
	bool yes;

	for (int i = 0; i < n; i++) {
		class[i] = 'c';
		clk[i] = i < merged ? 'm' : 'k';
	}
	at = (size_t)snprintf(line, sizeof(line),
	    "\"stream\":true,\"start_ns\":0,\"status\":200,\"events\":{"
	    "\"class\":\"%s\",\"clk\":\"%s\",\"t_ns\":[",
	    class, clk);
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%d",
		    i > 0 ? "," : "", i < merged ? merged : i);
	(void)snprintf(line + at, sizeof(line) - at,
	    "]},\"tokens\":{\"output\":%d,\"source\":\"usage\"}", n);
	reduce(&f, false, "", line);
	yes = has_flag(fixture_summary(&f, metric, NULL), "merged");
	fixture_close(&f);
	return yes;
}

static void
test_merged(void)
{
	ok(!flagged(100, 0, "gap"), "none merged");
	ok(!flagged(100, 1, "gap"), "one in a hundred is allowed");
	ok(flagged(99, 1, "gap"), "more are not");
	ok(flagged(99, 1, "ttft") && flagged(99, 1, "latency") &&
		flagged(99, 1, "tpot"),
	    "in rows of token times");
	ok(!flagged(99, 1, "token_events") && !flagged(99, 1, "tth"),
	    "and in no others");
}

int
main(void)
{
	test_streamed();
	test_whole();
	test_times();
	test_merged();
	return done_testing();
}
