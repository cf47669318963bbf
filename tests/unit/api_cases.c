/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Public bug reports about streams, made small: bytes in, in every cutting, and
 * what must come out of framing and decoder together.
 */
#include "base/mem.h"
#include "unit/recorded.h"
#include "unit/tap.h"

#include <stdlib.h>

#define CHOICE(rest) "data: {\"choices\":[{\"index\":0," rest "}]}\n\n"
#define DONE_MARK    "data: [DONE]\n\n"

struct want {
	int64_t events, malformed, text_events, first_text, errors, output;
	const char *text, *finish, *error;
	bool done;
};

static struct recorded rec;

static void
is_want(const struct want *w, const char *name)
{
	const struct tape_str finish = tape_api_finish(&rec.d, 0);

	is_int(rec.st, TAPE_OK, "%s: read", name);
	is_int(rec.events, w->events, "events");
	is_int(rec.d.malformed, w->malformed, "malformed");
	is_int(rec.text_events, w->text_events, "text events");
	is_int(rec.first_text, w->first_text, "the first one");
	is_int(rec.errors + rec.field_errors, w->errors, "errors");
	is_int(rec.d.failed, w->errors > 0, "failed or not");
	is_int(rec.d.tokens.output, w->output, "output tokens");
	is_str(rec.d.has_text ? rec.d.text.data : "", w->text, "text");
	ok(w->finish == NULL ? finish.p == NULL
			     : tape_str_is(finish, w->finish),
	    "finish reason");
	is_str(rec.d.failed ? rec.d.error.data : "",
	    w->error != NULL ? w->error : "", "message");
	is_int(rec.d.done, w->done, "end mark");
}

static void
feed(const char *bytes, size_t len, size_t piece)
{
	recorded_begin(&rec, tape_api_find(tape_str_of("chat")), bytes[0]);
	for (size_t at = 0; at < len; at += piece)
		recorded_feed(
		    &rec, bytes + at, len - at < piece ? len - at : piece);
	recorded_end(&rec);
}

static void
test_case(const char *name, const char *bytes, const struct want *w)
{
	static const size_t pieces[] = { 1, 7, 100000 };

	for (size_t i = 0; i < 3; i++) {
		feed(bytes, strlen(bytes), pieces[i]);
		is_want(w, name);
	}
}

/* What a failed or an empty answer has. */
#define NO_TEXT .first_text = -1, .output = TAPE_ABSENT_I64, .text = ""

static void
test_errors(void)
{
	test_case("C08: a field named error",
	    CHOICE(
		"\"delta\":{\"content\":\"x\"}") "error: {\"code\":400,\"message\":\"context size\"}\n\n" DONE_MARK,
	    &(struct want){ .events = 2,
		.text_events = 1,
		.errors = 1,
		.output = TAPE_ABSENT_I64,
		.text = "x",
		.error = "context size",
		.done = true });
	test_case("C14 a: an error first",
	    "data: {\"error\":{\"message\":\"boom\",\"type\":"
	    "\"InternalServerError\",\"code\":500}}\n\n" DONE_MARK,
	    &(struct want){ NO_TEXT, .events = 2, .errors = 1, .error = "boom",
		.done = true });
	test_case("C14 b: an error after text",
	    CHOICE(
		"\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null") "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n" DONE_MARK,
	    &(struct want){ .events = 3,
		.text_events = 1,
		.errors = 1,
		.output = TAPE_ABSENT_I64,
		.text = "Hi",
		.error = "boom",
		.done = true });
}

static void
test_empty(void)
{
	test_case("C09: an empty frame",
	    "data: {\"i\":1}\n\ndata:\n\n" DONE_MARK,
	    &(struct want){ NO_TEXT, .events = 3, .done = true });
	test_case("C10: no colon, and a tail", "data\n\ndata\ndata\n\ndata:",
	    &(struct want){ NO_TEXT, .events = 2 });
	is_str(rec.col[TAIL_BYTES], "5", "five bytes are left");
	test_case("C13: two payloads in one event",
	    "data: {\"a\":1}\ndata: {\"b\":2}\n\n" CHOICE(
		"\"delta\":{\"content\":\"on\"}"),
	    &(struct want){ .events = 2,
		.malformed = 1,
		.text_events = 1,
		.first_text = 1,
		.output = TAPE_ABSENT_I64,
		.text = "on" });
}

static void
test_shapes(void)
{
	test_case("C11: a character cut by a read",
	    CHOICE("\"delta\":{\"content\":"
		   "\"\xe4\xbd\xa0\xf0\x9f\xa6\x80\"}"),
	    &(struct want){ .events = 1,
		.text_events = 1,
		.output = TAPE_ABSENT_I64,
		.text = "\xe4\xbd\xa0\xf0\x9f\xa6\x80" });
	test_case("C15: a first chunk without choices",
	    "data: {\"choices\":[],\"id\":\"\",\"object\":\"\",\"created\":0,"
	    "\"model\":\"\",\"prompt_filter_results\":[{\"prompt_index\":0}]}"
	    "\n\n" CHOICE("\"delta\":{\"role\":\"assistant\",\"content\":\"\"}")
		CHOICE("\"delta\":{\"content\":\"Hi\"}")
		    CHOICE("\"delta\":{},\"finish_reason\":\"stop\"") DONE_MARK,
	    &(struct want){ .events = 5,
		.text_events = 1,
		.first_text = 2,
		.output = TAPE_ABSENT_I64,
		.text = "Hi",
		.finish = "stop",
		.done = true });
	test_case("C16: text with the finish reason",
	    CHOICE(
		"\"delta\":{\"content\":\"1, 2,\"},"
		"\"finish_reason\":null") "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" 3\"},"
					  "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":22,"
					  "\"completion_tokens\":8,\"total_tokens\":30}}\n\n" DONE_MARK,
	    &(struct want){ .events = 3,
		.text_events = 2,
		.output = 8,
		.text = "1, 2, 3",
		.finish = "stop",
		.done = true });
}

/* C12: one line of two million bytes, in reads of 4096. */
static void
test_long(void)
{
	const size_t n = 2000000;
	char *bytes = malloc(n + 8);
	int reads = 0;

	if (!ok(bytes != NULL, "C12: one very long line"))
		return;
	memcpy(bytes, "data: ", 6);
	memset(bytes + 6, 'x', n);
	memcpy(bytes + 6 + n, "\n\n", 2);
	recorded_begin(&rec, tape_api_find(tape_str_of("chat")), bytes[0]);
	for (size_t at = 0; at < n + 8; at += 4096, reads++)
		recorded_feed(
		    &rec, bytes + at, n + 8 - at < 4096 ? n + 8 - at : 4096);
	recorded_end(&rec);
	is_int(rec.st, TAPE_OK, "no error");
	is_int(reads, 489, "in so many reads");
	is_int(rec.events, 1, "is one event");
	is_int(rec.d.malformed, 1, "and no JSON");
	free(bytes);
}

int
main(void)
{
	recorded_init(&rec, tape_api_at(0));
	test_errors();
	test_empty();
	test_shapes();
	test_long();
	recorded_release(&rec);
	return done_testing();
}
