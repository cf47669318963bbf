/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/target.h"

#include "base/mem.h"
#include "unit/tap.h"

#define CHAT "/v1/chat/completions"

static void
endpoint(const char *url, const char *want)
{
	struct tape_target t;
	char *got = NULL;

	if (tape_target_open(&t, NULL, url, CHAT, NULL) == TAPE_OK)
		got = tape_target_url(&t, tape_str_of(CHAT), true);
	is_str(got == NULL ? "-" : got, want, "%s", url);
	tape_mem_free(got);
	tape_target_release(&t);
}

static void
refused(const char *url)
{
	struct tape_target t;
	struct tape_err err = { 0 };

	is_int(tape_target_open(&t, "A", url, CHAT, &err), TAPE_E_USAGE,
	    "refused: %s", url);
	ok(strstr(err.text, "sesame") == NULL, "no secret in: %s", err.text);
	ok(t.base == NULL && t.arm == NULL, "nothing left over");
}

static void
test_parts(void)
{
	struct tape_target t;
	char *url;

	is_int(tape_target_open(&t, "A",
		   "https://me:open:sesame@h:1/p/v1/?key=sesame", CHAT, NULL),
	    TAPE_OK, "all parts");
	is_str(t.arm, "A", "arm");
	is_str(t.shown, "https://h:1/p", "shown without user and query");
	is_str(t.password, "open:sesame", "the password");
	url = tape_target_url(&t, tape_str_of("/v1/models"), false);
	is_str(url, "https://me:open:sesame@h:1/p/v1/models?key=sesame",
	    "another endpoint");
	tape_mem_free(url);
	url = tape_target_url(&t, tape_str_of("@evil/x"), false);
	is_str(url, "https://me:open:sesame@h:1/p/@evil/x?key=sesame",
	    "a path cannot become a host");
	tape_mem_free(url);
	tape_target_release(&t);
}

static void
test_all(void)
{
	static const char *const urls[] = { "a", "b:1", "c" };
	static const char *const arms[] = { "A=a", "B=b", "A=c", "A=d" };
	static const char *many[TAPE_TARGET_MAX + 1];
	struct tape_target_set s = { .n = 0 };
	struct tape_err err = { 0 };

	is_int(tape_target_open_all(&s, urls, 3, false, CHAT, NULL), TAPE_OK,
	    "URLs without names");
	is_int((int64_t)s.n, 1, "are one deployment");
	is_int((int64_t)tape_target_count(&s.at[0]), 3, "of three servers");
	is_str(tape_target_at(&s.at[0], 0)->base, "http://a", "the first");
	is_str(tape_target_at(&s.at[0], 2)->base, "http://c", "the last");
	tape_target_release_all(&s);
	is_int(tape_target_open_all(&s, arms, 4, true, CHAT, NULL), TAPE_OK,
	    "URLs with names");
	is_int((int64_t)s.n, 2, "are one for each name");
	is_int((int64_t)tape_target_count(&s.at[0]), 3, "with its servers");
	is_str(tape_target_at(&s.at[0], 2)->base, "http://d", "in their order");
	is_str(s.at[1].arm, "B", "beside the other");
	tape_target_release_all(&s);
	for (size_t i = 0; i <= TAPE_TARGET_MAX; i++)
		many[i] = "h";
	is_int(
	    tape_target_open_all(&s, many, TAPE_TARGET_MAX, false, CHAT, NULL),
	    TAPE_OK, "as many as may be");
	tape_target_release_all(&s);
	is_int(tape_target_open_all(
		   &s, many, TAPE_TARGET_MAX + 1, false, CHAT, &err),
	    TAPE_E_USAGE, "are not one more");
	tape_target_release_all(&s);
}

/* What becomes of a URL for an endpoint with the model's name in it. */
static void
slot_is(const char *given, const char *url)
{
	static const char path[] = "/b/{model}:go?alt=sse";
	struct tape_target t;
	char *got;

	is_int(tape_target_open(&t, NULL, given, path, NULL), TAPE_OK, "%s",
	    given);
	got = tape_target_url(&t, tape_str_of("/b/m:go?alt=sse"), true);
	is_str(got, url, "its URL");
	tape_mem_free(got);
	tape_target_release(&t);
}

static void
test_slots(void)
{
	slot_is("h", "http://h/b/m:go?alt=sse");
	slot_is("h/?k=1", "http://h/b/m:go?alt=sse&k=1");
	slot_is("h/p/b/x:go", "http://h/p/b/x:go");
	slot_is("h/p/b/x:go?k=1", "http://h/p/b/x:go?k=1");
	slot_is("h/b/:go", "http://h/b/:go/b/m:go?alt=sse");
	slot_is("h/b/x/y:go", "http://h/b/x/y:go/b/m:go?alt=sse");
}

static void
test_memory(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_target t;
	uint64_t nth = 0;

	while (st == TAPE_E_NOMEM && nth < 50) {
		tape_mem_fail_at(++nth);
		st = tape_target_open(
		    &t, "A", "http://u:p@h" CHAT "?q", CHAT, NULL);
		tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "after failing allocations: %d", (int)nth);
	tape_target_release(&t);
}

int
main(void)
{
	endpoint("host:8000", "http://host:8000" CHAT);
	endpoint("http://host/", "http://host" CHAT);
	endpoint("HTTPS://host/a", "https://host/a" CHAT);
	endpoint("http://host/v1", "http://host" CHAT);
	endpoint("http://host/a/v1/", "http://host/a" CHAT);
	endpoint("http://host" CHAT, "http://host" CHAT);
	endpoint("http://host/x/chat/completions?api-version=3",
	    "http://host/x/chat/completions?api-version=3");
	endpoint("http://u:p@host?k=v", "http://u:p@host" CHAT "?k=v");
	endpoint("[::1]:80", "http://[::1]:80" CHAT);
	refused("ftp://me:sesame@host");
	refused("http://");
	refused("http://me:sesame@/x");
	refused("http://host/#sesame");
	refused("http://host/?key=sesame x");
	refused("");
	test_parts();
	test_all();
	test_slots();
	test_memory();
	return done_testing();
}
