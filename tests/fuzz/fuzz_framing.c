/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_framing: any bytes as a stream of any framing, which the first byte
 * says.  What comes out must be the same for every cutting.  Of lines it must
 * be what splitting at LF gives, and of an array that is JSON its elements as
 * the JSON reader finds them.
 */
#include "codec/framing.h"
#include "codec/json.h"
#include "unit/framing_show.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool cond)
{
	if (!cond)
		abort();
}

/* One piece, in a block of its own that does not outlive the call. */
static void
feed(struct framing_show *s, const char *bytes, size_t len)
{
	char *own = malloc(len > 0 ? len : 1);

	if (own == NULL)
		abort();
	memcpy(own, bytes, len);
	framing_show_feed(s, own, len);
	free(own);
}

/* state draws the sizes; 0: byte by byte. */
static void
check_pieces(struct framing_show *s, const struct tape_buf *whole,
    const char *data, size_t size, uint64_t state)
{
	size_t at, n, most = (size_t)1 << (state >> 7) % 9;

	framing_show_clear(s, s->f.kind);
	for (at = 0; at < size; at += n) {
		state = state * UINT64_C(6364136223846793005) + (state != 0);
		n = state == 0 ? 1 : (size_t)(state >> 33) % (most + 1);
		if (n > size - at)
			n = size - at;
		feed(s, data + at, n);
	}
	framing_show_end(s);
	must(s->s.log.len == whole->len &&
	     memcmp(s->s.log.data, whole->data, whole->len) == 0);
}

/* The events of a log are all there is in it but its last line. */
static void
must_be(const struct tape_buf *log, struct tape_buf *events, uint64_t n,
    uint64_t tail)
{
	(void)tape_buf_add_fmt(
	    events, "end: %" PRIu64 " events, %" PRIu64 " tail\n", n, tail);
	must(log->len == events->len &&
	     memcmp(log->data, events->data, log->len) == 0);
}

static void
add_event(struct tape_buf *log, const char *p, size_t len, size_t end_offset)
{
	(void)tape_buf_add_fmt(log, "event '' '' 1 lines to %zu: ", end_offset);
	sse_show_text(log, p, len);
	(void)tape_buf_add_char(log, '\n');
}

static void
check_lines(const struct framing_show *s, const char *text, size_t size)
{
	struct tape_buf events;
	uint64_t n = 0;
	size_t end, len, tail = 0;

	tape_buf_init(&events, (size_t)64 << 20);
	for (size_t at = 0; at < size; at = end + 1) {
		for (end = at; end < size && text[end] != '\n'; end++)
			;
		len = end - at;
		while (len > 0 && strchr(" \t\r", text[at + len - 1]) != NULL &&
		       text[at + len - 1] != '\0')
			len--;
		if (len == 0)
			continue;
		len = end - at - (text[end - 1] == '\r');
		add_event(&events, text + at, len, end + (end < size));
		tail = end < size ? 0 : end - at;
		n++;
	}
	must_be(&s->s.log, &events, n, tail);
	tape_buf_release(&events);
}

/* Elements of an array, of which numbers and words are complete with the byte
   behind them. */
static void
check_array(const struct framing_show *s, const char *text, size_t size)
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_buf events;
	struct tape_err err = { 0 };
	const char *raw;
	size_t len;
	uint64_t n = 0;
	enum tape_status st;

	tape_json_init(&r);
	tape_buf_init(&events, (size_t)64 << 20);
	tape_json_open(&r, text, size, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&r, TAPE_JSON_ARRAY, &tok, &err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, &err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		len = tok.type != TAPE_JSON_OBJECT &&
		      tok.type != TAPE_JSON_ARRAY &&
		      tok.type != TAPE_JSON_STRING;
		st = tape_json_skip(&r, &raw, &tok.len, &err);
		if (st == TAPE_OK)
			add_event(&events, raw, tok.len,
			    (size_t)(raw - text) + tok.len + len);
		n++;
	}
	if (st == TAPE_OK && tape_json_end(&r, &err) == TAPE_OK)
		must_be(&s->s.log, &events, n, 0);
	tape_buf_release(&events);
	tape_json_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t state = size;
	struct tape_buf whole;
	struct framing_show s;
	enum tape_framing_kind kind;
	const char *text;

	if (size < 1)
		return 0;
	kind = (enum tape_framing_kind)(data[0] % 4);
	text = (const char *)data + 1;
	size--;
	for (size_t i = 0; i < size; i++)
		state = (state ^ data[i]) * UINT64_C(0x100000001b3);
	tape_buf_init(&whole, (size_t)64 << 20);
	framing_show_init(&s);
	framing_show_clear(&s, kind);
	framing_show_feed(&s, text, size);
	framing_show_end(&s);
	(void)tape_buf_add(&whole, s.s.log.data, s.s.log.len);
	if (kind == TAPE_FRAMING_NDJSON && size < TAPE_CAP_SSE_LINE)
		check_lines(&s, text, size);
	if (kind == TAPE_FRAMING_ARRAY && size < TAPE_CAP_SSE_EVENT)
		check_array(&s, text, size);
	check_pieces(&s, &whole, text, size, 0);
	check_pieces(&s, &whole, text, size, state | 1);
	check_pieces(&s, &whole, text, size, state >> 20 | 1);
	framing_show_release(&s);
	tape_buf_release(&whole);
	return 0;
}
