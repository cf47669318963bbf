/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/framing.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_crc32.h"
#include "unit/framing_show.h"
#include "unit/tap.h"

#include <stdlib.h>

struct stream {
	const char *name;
	enum tape_framing_kind kind;
	const char *in;
	const char *want; /* the log */
};

#define N TAPE_FRAMING_NDJSON
#define A TAPE_FRAMING_ARRAY

static const struct stream streams[] = {
	{ "lines", N, "{\"a\":1}\n{\"b\":\"\\n\"}\n",
	    "event '' '' 1 lines to 8: '{\"a\":1}'\n"
	    "event '' '' 1 lines to 19: '{\"b\":\"\\n\"}'\n"
	    "end: 2 events, 0 tail\n" },
	{ "CR LF, blank lines, and no end of the last line", N,
	    "\r\n{}\r\n\n \t\r\n{\"b\":2}",
	    "event '' '' 1 lines to 6: '{}'\n"
	    "event '' '' 1 lines to 18: '{\"b\":2}'\n"
	    "end: 2 events, 7 tail\n" },
	{ "a CR at the end of all", N, "{}\r",
	    "event '' '' 1 lines to 3: '{}'\nend: 1 events, 3 tail\n" },
	{ "a CR elsewhere is no end", N, "{}\r{}\n",
	    "event '' '' 1 lines to 6: '{}\r{}'\nend: 1 events, 0 tail\n" },
	{ "white space at the end", N, "{}\n \r",
	    "event '' '' 1 lines to 3: '{}'\nend: 1 events, 0 tail\n" },
	{ "no lines", N, "", "end: 0 events, 0 tail\n" },
	{ "an array", A, "[{\"a\":[1,{}]}\r\n,\n{\"b\":\"]}\\\"\\\\\"}]\n",
	    "event '' '' 1 lines to 13: '{\"a\":[1,{}]}'\n"
	    "event '' '' 1 lines to 31: '{\"b\":\"]}\\\"\\\\\"}'\n"
	    "end: 2 events, 0 tail\n" },
	{ "elements of every type", A, " [1 , true,\"a,b\",[[]],null]",
	    "event '' '' 1 lines to 4: '1'\n"
	    "event '' '' 1 lines to 11: 'true'\n"
	    "event '' '' 1 lines to 16: '\"a,b\"'\n"
	    "event '' '' 1 lines to 21: '[[]]'\n"
	    "event '' '' 1 lines to 27: 'null'\n"
	    "end: 5 events, 0 tail\n" },
	{ "an empty array", A, "[ ]", "end: 0 events, 0 tail\n" },
	{ "an array cut off", A, "[{},{\"a\":",
	    "event '' '' 1 lines to 3: '{}'\nend: 1 events, 5 tail\n" },
	{ "an array cut off between elements", A, "[{},\n",
	    "event '' '' 1 lines to 3: '{}'\nend: 1 events, 0 tail\n" },
	{ "an object in the array's place", A, "{\"error\":{\"code\":5}}\n",
	    "event '' '' 1 lines to 20: '{\"error\":{\"code\":5}}'\n"
	    "end: 1 events, 0 tail\n" },
	{ "brackets are counted, not matched", A, "[{\"a\":(]]",
	    "event '' '' 1 lines to 8: '{\"a\":(]'\nend: 1 events, 0 tail\n" },
	{ "a bracket that closes nothing is some element", A, "[}x,{}]",
	    "event '' '' 1 lines to 4: '}x'\n"
	    "event '' '' 1 lines to 6: '{}'\nend: 2 events, 0 tail\n" },
	{ "two commas", A, "[{},,{}]",
	    "event '' '' 1 lines to 3: '{}'\n"
	    "error: an element of the array should be at byte 4 of the answer\n" },
	{ "no comma", A, "[{}{}]",
	    "event '' '' 1 lines to 3: '{}'\n"
	    "error: a comma or the end of the array should be at byte 3 of the "
	    "answer\n" },
	{ "a comma before the end", A, "[{},]",
	    "event '' '' 1 lines to 3: '{}'\n"
	    "error: an element of the array should be at byte 4 of the answer\n" },
	{ "more behind the end", A, "[{}]\n{",
	    "event '' '' 1 lines to 3: '{}'\n"
	    "error: the end of the answer should be at byte 5 of the answer\n" },
	{ "an array's end without its begin", A, "]",
	    "error: an element of the array should be at byte 0 of the answer\n" },
	{ "SSE through the same door", TAPE_FRAMING_SSE,
	    ": c\r\n\r\nevent: x\r\ndata: y\r\n\r\ndata:",
	    "comment to 4: ' c'\nevent 'x' '' 1 lines to 27: 'y'\n"
	    "end: 1 events, 5 tail\n" },
};

/* One piece, in a block of its own, so that a sanitizer sees what reaches
   beyond it. */
static void
feed(struct framing_show *s, const char *bytes, size_t len)
{
	char *own = malloc(len > 0 ? len : 1);

	if (own == NULL)
		return;
	memcpy(own, bytes, len);
	framing_show_feed(s, own, len);
	memset(own, 'X', len);
	free(own);
}

static void
check(struct framing_show *s, enum tape_framing_kind kind, const char *in,
    size_t len, const char *want, const char *name)
{
	size_t bad = 0;

	framing_show_clear(s, kind);
	feed(s, in, len);
	framing_show_end(s);
	is_str(s->s.log.data, want, "%s", name);
	for (size_t i = 0; i <= len; i++)
		for (size_t j = i; j <= (len < 80 ? len : i); j++) {
			framing_show_clear(s, kind);
			feed(s, in, i);
			feed(s, in + i, j - i);
			feed(s, in + j, len - j);
			framing_show_end(s);
			bad += strcmp(s->s.log.data, want) != 0;
		}
	is_int((int)bad, 0, "with every cut");
	framing_show_clear(s, kind);
	for (size_t i = 0; i < len; i++)
		feed(s, in + i, 1);
	framing_show_end(s);
	is_str(s->s.log.data, want, "byte by byte");
}

/* A binary message. */

static void
put(struct tape_buf *b, size_t v, size_t bytes)
{
	while (bytes-- > 0)
		(void)tape_buf_add_char(b, (char)(v >> 8 * bytes & 0xff));
}

static void
put_header(struct tape_buf *b, const char *name, const char *value)
{
	put(b, strlen(name), 1);
	(void)tape_buf_add_str(b, name);
	put(b, 7, 1);
	put(b, strlen(value), 2);
	(void)tape_buf_add_str(b, value);
}

static void
put_message(
    struct tape_buf *b, const struct tape_buf *headers, const char *payload)
{
	const size_t at = b->len;

	put(b, 16 + headers->len + strlen(payload), 4);
	put(b, headers->len, 4);
	put(b, tape_crc32(0, b->data + at, 8), 4);
	(void)tape_buf_add(b, headers->data, headers->len);
	(void)tape_buf_add_str(b, payload);
	put(b, tape_crc32(0, b->data + at, b->len - at), 4);
}

struct binary {
	struct framing_show s;
	struct tape_buf in, headers;
};

static void
binary_init(struct binary *b)
{
	framing_show_init(&b->s);
	tape_buf_init(&b->in, (size_t)64 << 20);
	tape_buf_init(&b->headers, (size_t)1 << 20);
}

static void
binary_clear(struct binary *b)
{
	tape_buf_clear(&b->in);
	tape_buf_clear(&b->headers);
}

static void
binary_release(struct binary *b)
{
	framing_show_release(&b->s);
	tape_buf_release(&b->in);
	tape_buf_release(&b->headers);
}

static void
binary_check(struct binary *b, const char *want, const char *name)
{
	check(&b->s, TAPE_FRAMING_BINARY, b->in.data, b->in.len, want, name);
}

static void
test_messages(struct binary *b)
{
	binary_clear(b);
	put_header(&b->headers, ":event-type", "chunk");
	put_header(&b->headers, ":message-type", "event");
	put_message(&b->in, &b->headers, "{}");
	tape_buf_clear(&b->headers);
	put_header(&b->headers, ":message-type", "exception");
	put_header(&b->headers, ":exception-type", "throttlingException");
	put_message(&b->in, &b->headers, "{\"message\":\"slow\"}");
	binary_check(b,
	    "event 'chunk' '' 1 lines to 60: '{}'\n"
	    "event 'throttlingException' '' 1 lines to 158: "
	    "'{\"message\":\"slow\"}'\n"
	    "end: 2 events, 0 tail\n",
	    "an event and an exception");
	b->in.len -= 3;
	binary_check(b,
	    "event 'chunk' '' 1 lines to 60: '{}'\nend: 1 events, 95 tail\n",
	    "a message cut off");
	binary_clear(b);
	put_message(&b->in, &b->headers, "");
	binary_check(b,
	    "event '' '' 1 lines to 16: ''\nend: 1 events, 0 tail\n",
	    "the shortest message");
	put_header(&b->headers, ":message-type", "error");
	put_header(&b->headers, ":error-code", "Internal");
	put_message(&b->in, &b->headers, "");
	put_header(&b->headers, ":error-message", "it broke");
	put_message(&b->in, &b->headers, "");
	binary_check(b,
	    "event '' '' 1 lines to 16: ''\n"
	    "field to 77: 'error' 'Internal'\n"
	    "field to 164: 'error' 'it broke'\nend: 3 events, 0 tail\n",
	    "errors of the protocol");
}

/* Headers of every type are gone over. */
static void
test_header_types(struct binary *b)
{
	static const size_t sizes[] = { 0, 0, 1, 2, 4, 8, 5, 3, 8, 16 };

	binary_clear(b);
	for (size_t type = 0; type < 10; type++) {
		put(&b->headers, 11, 1);
		(void)tape_buf_add_str(&b->headers, ":event-type");
		put(&b->headers, type, 1);
		if (type == 6 || type == 7)
			put(&b->headers, sizes[type], 2);
		for (size_t i = 0; i < sizes[type]; i++)
			put(&b->headers, 'x', 1);
	}
	put_message(&b->in, &b->headers, "p");
	binary_check(b,
	    "event 'xxx' '' 1 lines to 198: 'p'\nend: 1 events, 0 tail\n",
	    "the type is a string");
	for (size_t cut = 1; cut < b->headers.len; cut++) {
		struct tape_buf part = b->headers;

		part.len = cut;
		tape_buf_clear(&b->in);
		put_message(&b->in, &part, "");
		framing_show_clear(&b->s, TAPE_FRAMING_BINARY);
		feed(&b->s, b->in.data, b->in.len);
		if (b->s.s.status != TAPE_OK)
			continue;
		/* fine where a header ends */
		if (cut != 13 && cut != 26 && cut != 40 && cut != 55 &&
		    cut != 72 && cut != 93 && cut != 113 && cut != 131 &&
		    cut != 152)
			ok(false, "headers cut at %zu", cut);
	}
	put(&b->headers, 1, 1);
	put(&b->headers, 'y', 1);
	put(&b->headers, 10, 1);
	tape_buf_clear(&b->in);
	put_message(&b->in, &b->headers, "");
	binary_check(b,
	    "error: the binary message at byte 0 of the answer has headers "
	    "that are none\n",
	    "an unknown type of header");
}

static void
put_prelude(struct binary *b, size_t total, size_t headers)
{
	tape_buf_clear(&b->in);
	put(&b->in, total, 4);
	put(&b->in, headers, 4);
	put(&b->in, tape_crc32(0, b->in.data, 8), 4);
	put(&b->in, 0, 8);
}

static void
test_bad_messages(struct binary *b)
{
	static const char lengths[] =
	    "error: the binary message at byte 0 of "
	    "the answer has a length that cannot be\n";
	static const struct {
		size_t total, headers;
	} bad[] = { { 15, 0 }, { 0, 0 }, { 20, 5 }, { 20, 0xffffffff } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_prelude(b, bad[i].total, bad[i].headers);
		binary_check(b, lengths, "lengths that cannot be");
	}
	put_prelude(b, TAPE_CAP_SSE_EVENT + 1, 0);
	binary_check(b,
	    "error: the binary message at byte 0 of the answer has a length "
	    "of over 33554432 bytes\n",
	    "a message too long is refused before it comes");
	put_prelude(b, (size_t)200 << 10, ((size_t)128 << 10) + 1);
	binary_check(b,
	    "error: the binary message at byte 0 of the answer has headers of "
	    "over 131072 bytes\n",
	    "and so are headers");
	binary_clear(b);
	put_message(&b->in, &b->headers, "abc");
	put_message(&b->in, &b->headers, "def");
	b->in.data[19 + 13] ^= 1;
	binary_check(b,
	    "event '' '' 1 lines to 19: 'abc'\n"
	    "error: the binary message at byte 19 of the answer has a wrong "
	    "checksum\n",
	    "a byte of the payload is another");
	b->in.data[1] ^= 1;
	binary_check(b,
	    "error: the binary message at byte 0 of the answer has a wrong "
	    "checksum of its lengths\n",
	    "a byte of the lengths is another");
	is_int(tape_framer_feed(&b->s.f, "x", 1, NULL), TAPE_E_FORMAT,
	    "errors stick");
}

/* Limits. */

static void
test_limit(enum tape_framing_kind kind, size_t cap, const char *begin,
    const char *end, const char *message)
{
	const size_t b = strlen(begin), e = strlen(end);
	char *in = malloc(cap + 8);
	struct framing_show s;

	if (in == NULL)
		return;
	framing_show_init(&s);
	for (size_t over = 0; over < 2; over++)
		for (size_t pieces = 1; pieces < 4; pieces++) {
			const size_t len = cap + over + b - 1 + (e == 1);

			memset(in, 'x', len);
			memcpy(in, begin, b);
			memcpy(in + len - e, end, e);
			framing_show_clear(&s, kind);
			for (size_t i = 0; i < pieces; i++)
				framing_show_feed(&s, in + len * i / pieces,
				    len * (i + 1) / pieces - len * i / pieces);
			is_int(s.s.status, over > 0 ? TAPE_E_LIMIT : TAPE_OK,
			    "%zu over the limit in %zu pieces", over, pieces);
			is_int((int)tape_framer_counts(&s.f)->events,
			    over > 0 ? 0 : 1, "events");
		}
	is_str(s.s.err.text, message, "in words");
	is_int(
	    tape_framer_feed(&s.f, end, e, NULL), TAPE_E_LIMIT, "and for good");
	framing_show_release(&s);
	free(in);
}

/* Nesting without end costs what its bytes do. */
static void
test_deep(void)
{
	const size_t depth = 1000000;
	char *in = malloc(depth);
	struct framing_show s;

	if (in == NULL)
		return;
	framing_show_init(&s);
	framing_show_clear(&s, TAPE_FRAMING_ARRAY);
	framing_show_feed(&s, "[", 1);
	memset(in, '[', depth);
	framing_show_feed(&s, in, depth);
	is_int((int)tape_framer_tail(&s.f), 1000000, "all of it is in hand");
	memset(in, ']', depth);
	framing_show_feed(&s, in, depth);
	framing_show_feed(&s, "]", 1);
	framing_show_end(&s);
	is_int(s.s.status, TAPE_OK, "a million brackets");
	is_int((int)tape_framer_counts(&s.f)->events, 1, "are one event");
	framing_show_release(&s);
	free(in);
}

/* Every allocation fails once. */
static void
test_memory(const char *in, size_t len, enum tape_framing_kind kind)
{
	struct framing_show s;
	long failed = 0;
	bool good = true;

	for (uint64_t n = 1; n < 1000; n++) {
		framing_show_init(&s);
		(void)tape_buf_reserve(&s.s.log, 65536);
		framing_show_clear(&s, kind);
		(void)tape_mem_fail_at(n);
		for (size_t i = 0; i < len; i += 7)
			framing_show_feed(
			    &s, in + i, len - i < 7 ? len - i : 7);
		(void)tape_mem_fail_at(0);
		failed += s.s.status == TAPE_E_NOMEM;
		good = good &&
		       (s.s.status == TAPE_OK || s.s.status == TAPE_E_NOMEM);
		if (s.s.status == TAPE_OK)
			n = 1000;
		framing_show_release(&s);
	}
	ok(good && failed > 0, "out of memory %ld times", failed);
}

struct stop {
	int seen;
};

static enum tape_status
stop_event(void *user, const struct tape_sse_event *ev, struct tape_err *err)
{
	struct stop *s = user;

	(void)ev;
	s->seen++;
	return tape_err_set(err, TAPE_E_DATA, "enough");
}

static void
test_callbacks(const char *in, size_t len, enum tape_framing_kind kind)
{
	static const struct tape_sse_calls calls = { stop_event, NULL, NULL };
	static const struct tape_sse_calls none = { NULL, NULL, NULL };
	struct tape_framer f;
	struct stop stop = { 0 };
	struct tape_err err = { 0 };

	tape_framer_init(&f, &calls, &stop);
	tape_framer_clear(&f, kind);
	is_int(tape_framer_feed(&f, in, len, &err), TAPE_E_DATA,
	    "what a callback returns comes back");
	is_str(err.text, "enough", "in its words");
	is_int(tape_framer_feed(&f, in, len, NULL), TAPE_E_DATA, "for good");
	is_int(stop.seen, 1, "and nothing else comes out");
	tape_framer_release(&f);
	tape_framer_init(&f, &none, NULL);
	tape_framer_clear(&f, kind);
	is_int(tape_framer_feed(&f, in, len, NULL), TAPE_OK, "no callbacks");
	is_int((int)tape_framer_counts(&f)->events, 2, "counts all the same");
	is_int((int)tape_framer_offset(&f), (int)len, "all bytes");
	tape_framer_release(&f);
}

static void
test_choice(void)
{
	enum tape_framing_kind kind = TAPE_FRAMING_SSE;

	ok(tape_framing_of_type("Application/X-NDJSON; charset=utf-8", &kind) &&
		kind == TAPE_FRAMING_NDJSON,
	    "a type with parameters");
	ok(tape_framing_of_type("application/stream+json", &kind) &&
		kind == TAPE_FRAMING_NDJSON,
	    "Spring's name of NDJSON");
	ok(tape_framing_of_type("application/vnd.amazon.eventstream", &kind) &&
		kind == TAPE_FRAMING_BINARY,
	    "AWS's");
	ok(tape_framing_of_type("text/event-stream;x", &kind) &&
		kind == TAPE_FRAMING_SSE,
	    "SSE");
	ok(!tape_framing_of_type("application/json", &kind), "JSON says not");
	ok(!tape_framing_of_type("text/event-streams", &kind), "nor others");
	ok(!tape_framing_of_type("", &kind), "nor nothing");
	is_int(tape_framing_guess(N, '{'), N, "a line");
	is_int(tape_framing_guess(A, '{'), A, "a value for an array");
	is_int(tape_framing_guess(N, '['), A, "an array");
	is_int(tape_framing_guess(A, '\0'), TAPE_FRAMING_BINARY, "a length");
	is_int(tape_framing_guess(N, 'd'), TAPE_FRAMING_SSE, "a field");
	is_int(tape_framing_guess(A, ':'), TAPE_FRAMING_SSE, "a comment");
	is_int(tape_framing_guess(TAPE_FRAMING_SSE, '{'), TAPE_FRAMING_SSE,
	    "a dialect of SSE");
}

int
main(void)
{
	struct framing_show s;
	struct binary b;

	framing_show_init(&s);
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		check(&s, streams[i].kind, streams[i].in, strlen(streams[i].in),
		    streams[i].want, streams[i].name);
	framing_show_release(&s);
	binary_init(&b);
	test_messages(&b);
	test_header_types(&b);
	test_bad_messages(&b);
	test_limit(TAPE_FRAMING_NDJSON, TAPE_CAP_SSE_LINE, "x", "\n",
	    "a line of the answer is longer than 16777216 bytes");
	test_limit(TAPE_FRAMING_ARRAY, TAPE_CAP_SSE_EVENT, "[\"", "x\"",
	    "an element of the answer's array is longer than 33554432 bytes");
	test_deep();
	binary_clear(&b);
	put_message(&b.in, &b.headers, "abcdefghijklmnopqrstuvwxyz");
	put_message(&b.in, &b.headers, "def");
	test_memory(b.in.data, b.in.len, TAPE_FRAMING_BINARY);
	test_memory("{\"a\":1234567890}\n{}\n", 20, TAPE_FRAMING_NDJSON);
	test_memory("[{\"a\":123456789},{}]", 20, TAPE_FRAMING_ARRAY);
	test_callbacks(b.in.data, b.in.len, TAPE_FRAMING_BINARY);
	test_callbacks("{\"a\":1234567890}\n{}\n", 20, TAPE_FRAMING_NDJSON);
	test_callbacks("[{\"a\":123456789},{}]", 20, TAPE_FRAMING_ARRAY);
	binary_release(&b);
	test_choice();
	return done_testing();
}
