/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/checks.h"

#include "record/schema.h"
#include "unit/tap.h"

struct fixture {
	struct tape_checks checks;
	struct tape_checks_set set;
	struct tape_run start, end;
	struct tape_measured m; /* the next request */
	struct tape_str finish[2];
	struct tape_err err;
};

static void
open_fixture(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	tape_checks_init(&f->checks);
	tape_schema_init(TAPE_KIND_RUN, &f->start);
	tape_schema_init(TAPE_KIND_RUN, &f->end);
	f->start.requests = 4;
	f->end.stop = tape_str_of("complete");
	tape_schema_init(TAPE_KIND_RESULT, &f->m.result);
	f->m.result.tokens.output = 8;
	f->m.result.tokens.input = 109;
	f->m.result.asked_output_tokens = 8;
	f->m.result.asked_input_tokens = 100;
	f->finish[0] = tape_str_of("length");
	f->finish[1] = tape_str_of("length");
	f->m.result.finish.v = f->finish;
	f->m.result.finish.n = 1;
	f->m.kernel = 9;
}

static void
add(struct fixture *f, int n)
{
	for (int i = 0; i < n; i++) {
		tape_checks_events(&f->checks, &f->m);
		is_int(tape_checks_add(&f->checks, &f->m, &f->err), TAPE_OK,
		    "add");
	}
}

static void
make(struct fixture *f, const struct tape_run *end)
{
	const struct tape_checks_run run = { 1, &f->start, end, 0 };

	tape_checks_set_release(&f->set);
	is_int(tape_checks_make(&f->checks, &run, &f->set, &f->err), TAPE_OK,
	    "make %s", f->err.text);
}

static void
close_fixture(struct fixture *f)
{
	tape_checks_set_release(&f->set);
	tape_checks_release(&f->checks);
}

static const struct tape_check *
find(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->set.n; i++)
		if (tape_str_is(f->set.check[i].name, name))
			return &f->set.check[i];
	return NULL;
}

static void
is_check(const struct fixture *f, const char *name, const char *status,
    const char *text)
{
	const struct tape_check *k = find(f, name);
	char got[256];

	if (!ok(k != NULL, "check %s is made", name))
		return;
	ok(tape_str_is(k->status, status), "%s: %s (%.*s)", name, status,
	    (int)k->status.len, k->status.p);
	(void)snprintf(got, sizeof(got), "%.*s", (int)k->text.len, k->text.p);
	is_str(got, text, "%s: its text", name);
}

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
	is_int(f.set.n, 10, "all were made");
	is_int(f.set.failed, 0, "none failed");
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
	    "1 of 2 stopped early (50.0 %), 1 went beyond it");
	is_check(&f, "finish", "warn", "1 stop, 1 without a reason");
	is_check(&f, "clocks", "warn",
	    "90.00 % kernel, 0.00 % user, 10.00 % merged");
	is_int(f.set.failed, 4, "four failed");
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
	is_check(&f, "length", "warn", "1 of 20 stopped early (5.0 %)");
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

/* A hostile server has a new finish reason each time, and long ones. */
static void
test_many_names(void)
{
	struct fixture f;
	char name[64];
	uint64_t all = 0;

	open_fixture(&f);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name),
		    "%d\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
		    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		    i);
		f.finish[0] = tape_str_of(name);
		add(&f, 1);
	}
	is_int(f.checks.finish.n, TAPE_CHECKS_NAMES, "names are few");
	is_str(f.checks.finish.v[TAPE_CHECKS_NAMES - 1].name, "other",
	    "the last takes the rest");
	for (size_t i = 0; i < f.checks.finish.n; i++)
		all += f.checks.finish.v[i].count;
	is_int(all, 100, "and all are counted");
	is_int(strlen(f.checks.finish.v[0].name), 23,
	    "a long one is cut between characters");
	make(&f, &f.end);
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

int
main(void)
{
	test_encoding();
	test_good();
	test_bad();
	test_borders();
	test_unknown();
	test_choices();
	test_tokenizer();
	test_many_names();
	return done_testing();
}
