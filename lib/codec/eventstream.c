/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/eventstream.h"

#include "codec/stream_crc32.h"

#include <inttypes.h>
#include <string.h>

/*
 * A message: its length, that of its headers, a checksum of these two, the
 * headers, the payload, a checksum of all before it; big-endian.
 */
#define PRELUDE ((size_t)12)
#define LEAST   ((size_t)16) /* of a message without headers and payload */

enum {
	BOOL_TRUE,
	BOOL_FALSE,
	BYTE,
	SHORT,
	INTEGER,
	LONG,
	BYTES,
	STRING,
	TIME,
	UUID,
	TYPES
};

void
tape_eventstream_init(
    struct tape_eventstream *p, const struct tape_sse_calls *calls, void *user)
{
	memset(p, 0, sizeof(*p));
	p->calls = calls;
	p->user = user;
	tape_buf_init(&p->message, TAPE_CAP_SSE_EVENT);
}

void
tape_eventstream_release(struct tape_eventstream *p)
{
	tape_buf_release(&p->message);
}

void
tape_eventstream_clear(struct tape_eventstream *p)
{
	tape_buf_clear(&p->message);
	memset(&p->counts, 0, sizeof(p->counts));
	p->offset = p->begin = 0;
	p->status = TAPE_OK;
}

static size_t
big_endian(const char *p, size_t bytes)
{
	size_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | (unsigned char)*p++;
	return v;
}

static enum tape_status
wrong(struct tape_eventstream *p, const char *what, struct tape_err *err)
{
	p->status = tape_err_set(err, TAPE_E_FORMAT,
	    "the binary message at byte %" PRIu64 " of the answer has %s",
	    p->begin, what);
	return p->status;
}

static enum tape_status
too_long(struct tape_eventstream *p, const char *what, size_t limit,
    struct tape_err *err)
{
	p->status = tape_err_set(err, TAPE_E_LIMIT,
	    "the binary message at byte %" PRIu64
	    " of the answer has %s of over %zu bytes",
	    p->begin, what, limit);
	return p->status;
}

/* The lengths of a message, of which the first PRELUDE bytes are there. */
static enum tape_status
read_prelude(struct tape_eventstream *p, const char *s, size_t *total,
    size_t *headers, struct tape_err *err)
{
	*total = big_endian(s, 4);
	*headers = big_endian(s + 4, 4);
	if (tape_crc32(0, s, PRELUDE - 4) != big_endian(s + 8, 4))
		return wrong(p, "a wrong checksum of its lengths", err);
	if (*total < LEAST || *headers > *total - LEAST)
		return wrong(p, "a length that cannot be", err);
	if (*headers > TAPE_EVENTSTREAM_HEADERS)
		return too_long(p, "headers", TAPE_EVENTSTREAM_HEADERS, err);
	if (*total > TAPE_CAP_SSE_EVENT)
		return too_long(p, "a length", TAPE_CAP_SSE_EVENT, err);
	return TAPE_OK;
}

struct text {
	const char *p; /* NULL: not there */
	size_t len;
};

/* Headers that say something here. */
struct headers {
	struct text message_type, event_type, exception_type, error_code,
	    error_message;
};

static struct text *
find(struct headers *h, const char *name, size_t len)
{
	const struct {
		const char *name;
		struct text *at;
	} known[] = {
		{ ":message-type", &h->message_type },
		{ ":event-type", &h->event_type },
		{ ":exception-type", &h->exception_type },
		{ ":error-code", &h->error_code },
		{ ":error-message", &h->error_message },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (len == strlen(known[i].name) &&
		    memcmp(name, known[i].name, len) == 0)
			return known[i].at;
	return NULL;
}

/* One header: bytes it takes, or 0 when it is none.  A string that is known is
   put where it belongs. */
static size_t
read_header(struct headers *h, const char *s, size_t left)
{
	static const size_t sizes[TYPES] = { [BYTE] = 1,
		[SHORT] = 2,
		[INTEGER] = 4,
		[LONG] = 8,
		[TIME] = 8,
		[UUID] = 16 };
	size_t name, type, at, value;
	struct text *dst;

	name = (unsigned char)s[0];
	at = 1 + name;
	if (name == 0 || at >= left)
		return 0;
	type = (unsigned char)s[at++];
	if (type >= TYPES)
		return 0;
	value = sizes[type];
	if (type == BYTES || type == STRING) {
		if (left - at < 2)
			return 0;
		value = big_endian(s + at, 2);
		at += 2;
	}
	if (left - at < value)
		return 0;
	dst = type == STRING ? find(h, s + 1, name) : NULL;
	if (dst != NULL)
		*dst = (struct text){ s + at, value };
	return at + value;
}

static bool
is(struct text t, const char *text)
{
	return t.p != NULL && t.len == strlen(text) &&
	       memcmp(t.p, text, t.len) == 0;
}

static enum tape_status
hand_out(struct tape_eventstream *p, const struct headers *h,
    struct text payload, uint64_t end_offset, struct tape_err *err)
{
	struct tape_sse_event ev = { .data = payload.p,
		.len = payload.len,
		.type = "",
		.id = "",
		.data_lines = 1,
		.end_offset = end_offset };
	struct tape_sse_field f = { .name = "error",
		.name_len = 5,
		.value = "",
		.end_offset = end_offset };
	const struct text type =
	    h->event_type.p != NULL ? h->event_type : h->exception_type;
	const struct text why =
	    h->error_message.p != NULL ? h->error_message : h->error_code;

	p->counts.events++;
	if (is(h->message_type, "error")) {
		if (why.p != NULL) {
			f.value = why.p;
			f.value_len = why.len;
		}
		if (p->calls->field != NULL)
			p->status = p->calls->field(p->user, &f, err);
		return p->status;
	}
	p->counts.data_lines++;
	if (type.p != NULL) {
		ev.type = type.p;
		ev.type_len = type.len;
	}
	if (p->calls->event != NULL)
		p->status = p->calls->event(p->user, &ev, err);
	return p->status;
}

/* A message, of which all is there. */
static enum tape_status
take_message(struct tape_eventstream *p, const char *s, size_t total,
    size_t headers, struct tape_err *err)
{
	struct headers h = { 0 };
	size_t at = PRELUDE, n;
	const size_t end = PRELUDE + headers;

	if (tape_crc32(0, s, total - 4) != big_endian(s + total - 4, 4))
		return wrong(p, "a wrong checksum", err);
	for (; at < end; at += n) {
		n = read_header(&h, s + at, end - at);
		if (n == 0)
			return wrong(p, "headers that are none", err);
	}
	return hand_out(p, &h,
	    (struct text){ s + end, total - LEAST - headers }, p->begin + total,
	    err);
}

/* Puts bytes behind those in hand, until there are want of them. */
static enum tape_status
gather(struct tape_eventstream *p, const char **s, const char *end, size_t want,
    struct tape_err *err)
{
	size_t n = want - p->message.len;

	if (n > (size_t)(end - *s))
		n = (size_t)(end - *s);
	(void)tape_buf_add(&p->message, *s, n);
	*s += n;
	if (tape_buf_status(&p->message, err) != TAPE_OK)
		p->status = p->message.status;
	return p->status;
}

/* All messages that lie in these bytes as a whole; *s goes behind them. */
static enum tape_status
take_whole(struct tape_eventstream *p, const char **s, const char *end,
    struct tape_err *err)
{
	size_t total, headers;
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && (size_t)(end - *s) >= PRELUDE) {
		st = read_prelude(p, *s, &total, &headers, err);
		if (st != TAPE_OK || (size_t)(end - *s) < total)
			return st;
		st = take_message(p, *s, total, headers, err);
		*s += total;
		p->begin += total;
	}
	return st;
}

enum tape_status
tape_eventstream_feed(struct tape_eventstream *p, const char *bytes, size_t len,
    struct tape_err *err)
{
	const char *s = bytes, *const end = bytes + len;
	size_t total = PRELUDE, headers = 0;
	enum tape_status st = p->status;

	if (st != TAPE_OK)
		return tape_err_set(
		    err, st, "the messages were stopped before");
	p->offset += len;
	while (s < end && st == TAPE_OK) {
		if (p->message.len == 0)
			st = take_whole(p, &s, end, err);
		total = PRELUDE;
		if (st == TAPE_OK && p->message.len < PRELUDE)
			st = gather(p, &s, end, PRELUDE, err);
		if (st == TAPE_OK && p->message.len >= PRELUDE)
			st = read_prelude(
			    p, p->message.data, &total, &headers, err);
		if (st == TAPE_OK && p->message.len >= PRELUDE)
			st = gather(p, &s, end, total, err);
		if (st != TAPE_OK || p->message.len < total)
			break;
		st = take_message(p, p->message.data, total, headers, err);
		p->begin += total;
		tape_buf_clear(&p->message);
	}
	return st;
}

uint64_t
tape_eventstream_tail(const struct tape_eventstream *p)
{
	return p->offset - p->begin;
}
