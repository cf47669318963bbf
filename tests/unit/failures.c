/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failed requests by class and cause. */
#include "engine/failures.h"

#include "record/coding.h"
#include "unit/tap.h"

static struct tape_failures failures;
static struct tape_failures_set set;
static struct tape_err err;

static size_t
note(const char *id, const char *class, const char *cause, const char *message)
{
	struct tape_result r;
	size_t group = 999;

	tape_schema_init(TAPE_KIND_RESULT, &r);
	r.id = tape_str_of(id);
	r.status = 429;
	r.error.class = tape_str_of(class);
	r.error.cause = tape_str_of(cause);
	r.error.message = tape_str_of(message);
	is_int(tape_failures_note(&failures, &r, &group, &err), TAPE_OK,
	    "note %s", id);
	return group;
}

static void
make(void)
{
	const struct tape_failures_run run = { 3, tape_str_of("A"), 10 };

	is_int(
	    tape_failures_make(&failures, &run, &set, &err), TAPE_OK, "make");
}

static void
again(void)
{
	tape_failures_set_release(&set);
	tape_failures_release(&failures);
}

static void
is_line(size_t i, const char *want)
{
	struct tape_buf line;

	tape_buf_init(&line, 1 << 16);
	is_int(tape_record_encode(TAPE_KIND_FAILURE, &set.v[i], &line, &err),
	    TAPE_OK, "encode");
	is_str(line.data, want, "group %zu", i);
	tape_buf_release(&line);
}

static void
test_groups(void)
{
	size_t a = note("r1", "reset", "rst", NULL);
	size_t b = note("r2", "http", "queue-full", "busy; Retry-After: 3");
	size_t c;

	tape_failures_count(&failures, a);
	tape_failures_count(&failures, b);
	b = note("r3", "http", "queue-full", "later");
	tape_failures_count(&failures, b);
	is_int((int64_t)note("r4", "reset", "rst", "x"), (int64_t)a,
	    "the same reason is the same group");
	c = note("r5", "timeout", "idle", "x");
	ok(c != a && c != b, "another is another, and not counted here");
	make();
	is_int((int64_t)set.n, 2, "only what counts is there");
	is_line(0,
	    "{\"kind\":\"failure\",\"run\":3,\"arm\":\"A\",\"class\":\"http\","
	    "\"cause\":\"queue-full\",\"n\":2,\"of\":10,\"status\":429,"
	    "\"id\":\"r2\",\"message\":\"busy; Retry-After: 3\",\"meaning\":"
	    "\"more requests than batch and queue hold\",\"advice\":\"lower "
	    "the concurrency or rate to what batch and queue take\"}");
	is_line(1,
	    "{\"kind\":\"failure\",\"run\":3,\"arm\":\"A\",\"class\":\"reset\","
	    "\"cause\":\"rst\",\"n\":1,\"of\":10,\"status\":429,\"id\":\"r1\","
	    "\"meaning\":\"the connection was closed before the answer "
	    "ended\",\"advice\":\"the server or a proxy broke off: read their "
	    "logs\"}");
	again();
	make();
	is_int((int64_t)set.n, 0, "none, none");
}

/* What a server says may hold a key, and may be long. */
static void
test_message(void)
{
	char text[600];
	struct tape_str got;
	size_t g;

	g = note("r1", "http", "denied",
	    "wrong api_key=sk-12345 for http://u:pw@h/p?q=1");
	tape_failures_count(&failures, g);
	make();
	got = set.v[0].message;
	ok(memmem(got.p, got.len, "sk-12345", 8) == NULL, "no key: %.*s",
	    (int)got.len, got.p);
	ok(memmem(got.p, got.len, "pw@", 3) == NULL, "no password");
	again();
	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[sizeof(text) - 2] = '\0';
	g = note("r2", text, text, text);
	tape_failures_count(&failures, g);
	make();
	is_int((int64_t)set.v[0].message.len, 238, "cut between characters");
	is_int((int64_t)set.v[0].class.len, 30, "a name, too");
	is_int((int64_t)note("r3", text, text, "x"), (int64_t)g,
	    "and found again");
	again();
}

static void
test_many(void)
{
	char name[16];
	uint64_t all = 0;

	for (int i = 0; i < 200; i++) {
		(void)snprintf(name, sizeof(name), "c%d", i);
		tape_failures_count(
		    &failures, note("r", "http", name, "message"));
	}
	make();
	is_int((int64_t)set.n, TAPE_FAILURES_MAX, "groups are few");
	is_str(set.v[0].class.p, "other", "the last takes the rest");
	ok(set.v[0].message.p == NULL, "which has no example");
	for (size_t i = 0; i < set.n; i++)
		all += (uint64_t)set.v[i].n;
	is_int((int64_t)all, 200, "and all are counted");
	again();
}

int
main(void)
{
	test_groups();
	test_message();
	test_many();
	return done_testing();
}
