/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the work and of the answers. */
#include "unit/checks_fixture.h"

static void
test_good(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.tokens.cached = 0;
	add(&f, 4);
	make(&f, &f.end);
	is_check(&f, "requests", "ok", "4 of 4 planned have a result");
	is_check(&f, "run_end", "ok", "complete");
	is_check(&f, "errors", "ok", "none failed");
	is_check(&f, "usage", "ok", "tokens as the server counts");
	is_check(&f, "length", "ok", "all reached the output length asked for");
	is_check(&f, "finish", "ok", "4 length");
	is_check(&f, "prompt_tokens", "ok",
	    "median +9 on the trace's, 4 of 4 near that");
	is_near(find(&f, "prompt_tokens")->expected, 100, 0, "expected");
	is_near(find(&f, "prompt_tokens")->value, 109, 0, "found");
	is_check(&f, "cached_tokens", "ok",
	    "0.0 % of the prompt tokens, from a cache");
	is_check(&f, "one_token", "ok", "one token an event");
	is_check(
	    &f, "clocks", "ok", "100.00 % kernel, 0.00 % user, 0.00 % merged");
	is_check(&f, "malformed", "ok", "every event was understood");
	is_int(f.set.failed, 1, "there are too few, no more");
	close_fixture(&f);
}

static void
test_bad(void)
{
	struct fixture f;

	open_fixture(&f);
	f.finish[0] = tape_str_of("stop");
	f.m.result.tokens.output = 7;
	f.m.merged = f.m.blurred = 1;
	add(&f, 1);
	f.finish[0] = tape_str_make("", 0);
	f.m.result.tokens.output = 9;
	add(&f, 1);
	tape_checks_fail(&f.checks, tape_str_of("reset"), 1);
	tape_checks_fail(&f.checks, tape_str_of("timeout"), 3);
	tape_checks_fail(&f.checks, tape_str_of("reset"), 1);
	f.m.result.attempt = 2;
	tape_checks_cancel(&f.checks, &f.m);
	f.end.stop = tape_str_of("aborted");
	f.end.unsent = 3;
	make(&f, &f.end);
	is_check(&f, "requests", "fail",
	    "6 of 4 planned have a result, 3 were not sent");
	is_check(&f, "run_end", "fail", "aborted");
	is_check(&f, "errors", "fail", "3 failed: 2 reset, 1 timeout");
	is_check(&f, "attempts", "warn",
	    "2 of 6 were sent more than once (33.3 %, 3 attempts more): their "
	    "times count from the first");
	is_check(&f, "cancelled", "ok",
	    "1 of 6 were cancelled on purpose (16.7 %); they are in no row");
	is_check(&f, "length", "fail",
	    "1 of 2 stopped early (50.0 %), 1 of them by the model's own end "
	    "(EOS), 1 went beyond it");
	is_check(&f, "finish", "warn", "1 stop, 1 without a reason");
	is_check(&f, "clocks", "warn",
	    "90.00 % kernel, 0.00 % user, 10.00 % merged");
	is_int(f.set.failed, 5, "five failed: these, and there are too few");
	make(&f, NULL);
	is_check(&f, "run_end", "fail", "the run has no end record");
	close_fixture(&f);
}

static void
test_borders(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.tokens.output = 7;
	add(&f, 1);
	f.m.result.tokens.output = 8;
	add(&f, 19);
	f.start.requests = TAPE_ABSENT_I64;
	f.end.stop = tape_str_of("interrupted");
	make(&f, &f.end);
	is_check(&f, "length", "warn",
	    "1 of 20 stopped early (5.0 %), 1 of them for length: only the "
	    "count differs");
	is_check(&f, "run_end", "warn", "interrupted");
	is_check(&f, "requests", "ok", "20 results; the plan is not known");
	f.start.requests = 1000;
	f.end.stop = tape_str_of("duration");
	f.end.sent = 20;
	make(&f, &f.end);
	is_check(&f, "requests", "ok", "20 of 20 planned have a result");
	close_fixture(&f);
}

static void
test_unknown(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.tokens.input = TAPE_ABSENT_I64;
	f.m.from_events = true;
	f.m.kernel = 0;
	add(&f, 3);
	f.m.from_events = false;
	f.m.result.asked_output_tokens = TAPE_ABSENT_I64;
	add(&f, 1);
	make(&f, &f.end);
	is_check(&f, "usage", "warn",
	    "3 of 4 answers without usage: token events stand for tokens");
	ok(find(&f, "length") == NULL, "no length was asked for");
	ok(find(&f, "prompt_tokens") == NULL, "no prompt is known");
	ok(find(&f, "cached_tokens") == NULL, "no cache is known");
	ok(find(&f, "clocks") == NULL, "no event was stamped");
	close_fixture(&f);
}

/* Two choices have twice the tokens. */
static void
test_choices(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.finish.n = 2;
	f.m.result.tokens.output = 16;
	add(&f, 1);
	make(&f, &f.end);
	is_check(&f, "length", "ok", "all reached the output length asked for");
	close_fixture(&f);
}

static void
test_tokenizer(void)
{
	struct fixture f;

	open_fixture(&f);
	f.m.result.tokens.input = 90;
	add(&f, 2);
	make(&f, &f.end);
	is_check(&f, "prompt_tokens", "warn",
	    "median -10 on the trace's, 2 of 2 near that");
	f.m.result.tokens.input = 109;
	add(&f, 15);
	make(&f, &f.end);
	is_check(&f, "prompt_tokens", "warn",
	    "median +9 on the trace's, 15 of 17 near that");
	close_fixture(&f);
	open_fixture(&f);
	f.m.result.tokens.input = 201;
	add(&f, 2);
	make(&f, &f.end);
	is_check(&f, "prompt_tokens", "warn",
	    "median +101 on the trace's, 2 of 2 near that");
	close_fixture(&f);
}

static void
finish_with(struct fixture *f, int i)
{
	char name[64];

	(void)snprintf(name, sizeof(name),
	    "%d\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
	    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
	    i);
	f->finish[0] = tape_str_of(name);
	add(f, 1);
}

/* A hostile server has a new finish reason each time, and long ones. */
static void
test_many_names(void)
{
	struct fixture f, g;
	uint64_t all;

	open_fixture(&f);
	open_fixture(&g);
	for (int i = 0; i < 100; i++) {
		finish_with(&f, i);
		finish_with(&g, 99 - i);
	}
	is_int(f.checks.finish.n, TAPE_CHECKS_NAMES, "names are few");
	all = f.checks.finish.other;
	ok(all > 0, "there are others");
	for (size_t i = 0; i < f.checks.finish.n; i++)
		all += f.checks.finish.v[i].count;
	is_int(all, 100, "and all are counted");
	is_int(strlen(f.checks.finish.v[0].name), 23,
	    "a long one is cut between characters");
	ok(memcmp(&f.checks.finish, &g.checks.finish,
	       sizeof(f.checks.finish)) == 0,
	    "the same are kept when they come the other way round");
	make(&f, &f.end);
	close_fixture(&f);
	close_fixture(&g);
}

/* Streams that came as one body. */
static void
test_not_streamed(void)
{
	struct fixture f;

	open_fixture(&f);
	add(&f, 2);
	make(&f, &f.end);
	ok(find(&f, "not_streamed") == NULL, "nothing is said of streams");
	close_fixture(&f);
	open_fixture(&f);
	add(&f, 1);
	f.m.whole = true;
	add(&f, 3);
	make(&f, &f.end);
	is_check(&f, "not_streamed", "warn",
	    "3 of 4 answers came as one body, though streams were asked for");
	close_fixture(&f);
}

/* Said of those alone that came so. */
static void
test_encoding(void)
{
	struct fixture f;

	open_fixture(&f);
	add(&f, 1);
	f.m.encoding = tape_str_of("gzip");
	add(&f, 2);
	f.m.encoding = tape_str_of("zstd");
	add(&f, 1);
	make(&f, &f.end);
	is_check(&f, "encoding", "warn",
	    "answers came compressed: 2 gzip, 1 zstd; times are of compressed "
	    "reads");
	is_int(find(&f, "encoding")->n, 3, "as many");
	is_int(find(&f, "encoding")->of, 4, "of all");
	close_fixture(&f);
}

/* The first ten requests say something; percentiles want more. */
static void
test_enough(void)
{
	struct fixture f;

	open_fixture(&f);
	make(&f, &f.end);
	ok(find(&f, "enough") == NULL, "of none nothing is asked");
	add(&f, 9);
	make(&f, &f.end);
	is_check(&f, "enough", "fail", "9 successful requests, under 10");
	add(&f, 1);
	make(&f, &f.end);
	is_check(
	    &f, "enough", "warn", "10 requests, for percentiles up to p90");
	add(&f, 10);
	make(&f, &f.end);
	is_check(&f, "enough", "ok", "20 requests, for percentiles up to p95");
	add(&f, 80);
	make(&f, &f.end);
	is_check(&f, "enough", "ok", "100 requests, for percentiles up to p99");
	close_fixture(&f);
}

/* No stream has [DONE], or all have: both are well. */
static void
test_end_mark(void)
{
	struct fixture f;

	open_fixture(&f);
	add(&f, 1);
	make(&f, &f.end);
	ok(find(&f, "end_mark") == NULL, "no stream, no mark");
	f.m.streamed = true;
	add(&f, 3);
	make(&f, &f.end);
	is_check(
	    &f, "end_mark", "ok", "no stream has one: the server sends none");
	f.m.marked = true;
	add(&f, 1);
	make(&f, &f.end);
	is_check(&f, "end_mark", "warn", "3 of 4 streams have none");
	next_run(&f);
	add(&f, 2);
	make(&f, &f.end);
	is_check(&f, "end_mark", "ok", "every stream has one");
	close_fixture(&f);
}

static void
test_malformed(void)
{
	struct fixture f;

	open_fixture(&f);
	add(&f, 3);
	f.m.malformed = 2;
	f.m.spliced = 1;
	add(&f, 1);
	make(&f, &f.end);
	is_check(&f, "malformed", "warn",
	    "2 events of 1 answers are not JSON of the dialect, 1 of them "
	    "spliced");
	close_fixture(&f);
}

/* A template may be cached, and prompts of the warm-up; the rest is reuse. */
static void
test_cached(void)
{
	struct fixture f;

	open_fixture(&f);
	f.end.reuse = 0;
	f.m.result.tokens.cached = 9;
	add(&f, 40);
	make(&f, &f.end);
	is_check(&f, "cached_tokens", "ok",
	    "8.3 % of the prompt tokens, from a cache");
	f.m.result.tokens.cached = 100;
	add(&f, 2);
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "ok");
	add(&f, 10);
	make(&f, &f.end);
	is_check(&f, "cached_tokens", "warn",
	    "27.5 % of the prompt tokens, from a cache, though the trace has "
	    "no reuse");
	f.end.reuse = 1;
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "ok");
	f.end.reuse = TAPE_ABSENT_BOOL;
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "ok");
	f.start.reuse = 0;
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "warn");
	f.m.result.turn = 1;
	add(&f, 1);
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "ok");
	close_fixture(&f);
}

/* Of verbatim prompts the length is not known, but that they are the same. */
static void
test_same_prompts(void)
{
	struct fixture f;
	char hash[16];

	open_fixture(&f);
	f.start.reuse = 0;
	f.m.result.asked_input_tokens = TAPE_ABSENT_I64;
	f.m.result.tokens.cached = 64;
	for (int i = 0; i < 20; i++) {
		(void)snprintf(hash, sizeof(hash), "%d", i);
		f.m.hash = tape_str_of(hash);
		add(&f, 1);
	}
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "ok");
	add(&f, 20);
	make(&f, &f.end);
	is_status(&f, "cached_tokens", "warn");
	close_fixture(&f);
}

/* The second and third run of arm A, and one of B, against the first of A. */
static void
test_alike(void)
{
	static const struct {
		const char *arm, *model, *extra, *health, *tools, *want;
	} runs[] = {
		{ "A", "m", "{\"top_k\":1,\"user\":\"x\"}",
		    "{\"version\":\"1\",\"pid\":7}", "t 1", NULL },
		{ "A", "m", "{\"user\":\"x\",\"top_k\":2}",
		    "{\"version\":\"1\",\"pid\":8}", "t 1", NULL },
		{ "B", "n", NULL, "{\"version\":\"2\"}", "t 2", NULL },
		{ "A", "n", NULL, NULL, "t 1",
		    "model of run 1 of s1: m, of run 4 of s4: n; extra of run "
		    "1 of s1: user \"x\", of run 4 of s4: none" },
		{ "A", "m", "{\"user\":\"x\"}", "{\"version\":\"2\"}", "t 2",
		    "server of run 1 of s1: version \"1\", of run 5 of s5: "
		    "version \"2\"; tool of run 1 of s1: t 1, of run 5 of "
		    "s5: t 2" },
	};
	struct tape_checks_history history = { 0 };

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		struct tape_checks checks;
		struct tape_checks_set set = { 0 };
		struct tape_run start;
		struct tape_err err = { 0 };
		const struct tape_check *k = NULL;
		char session[] = { 's', (char)('1' + i), '\0' };
		struct tape_checks_run run = { .run = (int64_t)i + 1,
			.start = &start,
			.history = &history,
			.session = tape_str_of(session),
			.tools = tape_str_of(runs[i].tools),
			.shared_ratio = TAPE_ABSENT_F64,
			.output_per_s = TAPE_ABSENT_F64,
			.requests_per_s = TAPE_ABSENT_F64 };

		tape_checks_init(&checks);
		tape_schema_init(TAPE_KIND_RUN, &start);
		start.arm = tape_str_of(runs[i].arm);
		start.model = tape_str_of(runs[i].model);
		start.extra = tape_str_of(runs[i].extra);
		start.health.body = tape_str_of(runs[i].health);
		is_int(tape_checks_make(&checks, &run, &set, &err), TAPE_OK,
		    "checks of run %zu %s", i + 1, err.text);
		for (size_t j = 0; j < set.n; j++)
			if (tape_str_is(set.check[j].name, "alike"))
				k = &set.check[j];
		ok((k != NULL) == (runs[i].want != NULL),
		    "only where something differs: run %zu", i + 1);
		if (k != NULL && runs[i].want != NULL) {
			ok(tape_str_is(k->text, runs[i].want), "%.*s",
			    (int)k->text.len, k->text.p);
			ok(tape_str_is(k->status, "warn"),
			    "which is warned of");
		}
		tape_checks_set_release(&set);
		tape_checks_release(&checks);
	}
	tape_checks_history_release(&history);
}

int
main(void)
{
	test_encoding();
	test_not_streamed();
	test_good();
	test_bad();
	test_borders();
	test_unknown();
	test_choices();
	test_tokenizer();
	test_many_names();
	test_enough();
	test_end_mark();
	test_malformed();
	test_cached();
	test_same_prompts();
	test_alike();
	return done_testing();
}
