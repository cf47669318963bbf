/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_sse: any bytes as an event stream.  What the parser hands out must be
 * the same for every cutting, and what a plain reader makes of the whole text.
 */
#include "base/buf.h"
#include "codec/sse.h"
#include "unit/sse_show.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The plain reader: the rules one by one, over a text that is all there.  Its
   log is that of sse_show. */
struct plain {
	struct tape_buf log, data, type, id;
	const char *start, *p, *end;
	const char *block; /* first line that is no comment, or NULL */
	uint64_t events, data_lines, comments, ids, unknown, lines;
	int64_t retry;
};

static void
plain_blank(struct plain *r, size_t offset)
{
	if (r->lines > 0) {
		r->events++;
		(void)tape_buf_add_str(&r->log, "event ");
		sse_show_text(&r->log, r->type.data, r->type.len);
		(void)tape_buf_add_char(&r->log, ' ');
		sse_show_text(&r->log, r->id.data, r->id.len);
		(void)tape_buf_add_fmt(
		    &r->log, " %" PRIu64 " lines to %zu: ", r->lines, offset);
		/* every data line brought a line end; the last one goes */
		sse_show_text(&r->log, r->data.data, r->data.len - 1);
		(void)tape_buf_add_char(&r->log, '\n');
	}
	tape_buf_clear(&r->data);
	tape_buf_clear(&r->type);
	r->lines = 0;
	r->block = NULL;
}

static void
plain_retry(struct plain *r, const char *value, size_t len)
{
	int64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return;
		if (v < INT64_C(1000000000000000))
			v = v * 10 + value[i] - '0';
	}
	if (len > 0)
		r->retry =
		    v < INT64_C(3153600000000) ? v : INT64_C(3153600000000);
}

static void
plain_field(struct plain *r, const char *name, size_t name_len,
    const char *value, size_t len, size_t offset)
{
	if (name_len == 4 && memcmp(name, "data", 4) == 0) {
		r->data_lines++;
		r->lines++;
		(void)tape_buf_add(&r->data, value, len);
		(void)tape_buf_add_char(&r->data, '\n');
	} else if (name_len == 5 && memcmp(name, "event", 5) == 0) {
		tape_buf_clear(&r->type);
		(void)tape_buf_add(&r->type, value, len);
	} else if (name_len == 2 && memcmp(name, "id", 2) == 0) {
		r->ids++;
		if (len == 0 || memchr(value, 0, len) == NULL) {
			tape_buf_clear(&r->id);
			(void)tape_buf_add(&r->id, value, len);
		}
	} else if (name_len == 5 && memcmp(name, "retry", 5) == 0) {
		plain_retry(r, value, len);
	} else {
		r->unknown++;
		(void)tape_buf_add_fmt(&r->log, "field to %zu: ", offset);
		sse_show_text(&r->log, name, name_len);
		(void)tape_buf_add_char(&r->log, ' ');
		sse_show_text(&r->log, value, len);
		(void)tape_buf_add_char(&r->log, '\n');
	}
}

static void
plain_line(struct plain *r, const char *s, size_t len)
{
	size_t offset = (size_t)(s - r->start) + len + 1, name = 0, value;

	if (len == 0) {
		plain_blank(r, offset);
		return;
	}
	if (s[0] == ':') {
		r->comments++;
		(void)tape_buf_add_fmt(&r->log, "comment to %zu: ", offset);
		sse_show_text(&r->log, s + 1, len - 1);
		(void)tape_buf_add_char(&r->log, '\n');
		return;
	}
	if (r->block == NULL)
		r->block = s;
	while (name < len && s[name] != ':')
		name++;
	value = name < len ? name + 1 : len;
	if (value < len && s[value] == ' ')
		value++;
	plain_field(r, s, name, s + value, len - value, offset);
}

static void
plain_read(struct plain *r)
{
	const char *line = r->p;

	while (r->p < r->end) {
		if (*r->p != '\n' && *r->p != '\r') {
			r->p++;
			continue;
		}
		plain_line(r, line, (size_t)(r->p - line));
		if (*r->p == '\r' && r->p + 1 < r->end && r->p[1] == '\n')
			r->p++;
		line = ++r->p;
	}
	if (r->block != NULL)
		line = r->block;
	(void)tape_buf_add_fmt(&r->log,
	    "end: %" PRIu64 " events %" PRIu64 " data %" PRIu64
	    " comments %" PRIu64 " ids %" PRIu64
	    " unknown %zu tail, retry %" PRId64 "\n",
	    r->events, r->data_lines, r->comments, r->ids, r->unknown,
	    (size_t)(r->end - line), r->retry);
}

static void
check_plain(const struct sse_show *s, const char *data, size_t size)
{
	struct plain r = {
		.start = data, .p = data, .end = data + size, .retry = -1
	};

	if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		r.p += 3;
	tape_buf_init(&r.log, (size_t)64 << 20);
	tape_buf_init(&r.data, (size_t)64 << 20);
	tape_buf_init(&r.type, (size_t)64 << 20);
	tape_buf_init(&r.id, (size_t)64 << 20);
	plain_read(&r);
	if (r.log.len != s->log.len ||
	    memcmp(r.log.data, s->log.data, r.log.len) != 0)
		abort();
	tape_buf_release(&r.log);
	tape_buf_release(&r.data);
	tape_buf_release(&r.type);
	tape_buf_release(&r.id);
}

/* One piece, in a block of its own that does not outlive the call. */
static void
feed(struct sse_show *s, const char *bytes, size_t len)
{
	char *own = malloc(len > 0 ? len : 1);

	if (own == NULL)
		abort();
	memcpy(own, bytes, len);
	sse_show_feed(s, own, len);
	free(own);
}

/* state draws the sizes; 0: byte by byte. */
static void
check_pieces(struct sse_show *s, const struct tape_buf *whole, const char *data,
    size_t size, uint64_t state)
{
	size_t at, n, most = (size_t)1 << (state >> 7) % 9;

	sse_show_clear(s);
	for (at = 0; at < size; at += n) {
		state = state * UINT64_C(6364136223846793005) + (state != 0);
		n = state == 0 ? 1 : (size_t)(state >> 33) % (most + 1);
		if (n > size - at)
			n = size - at;
		feed(s, data + at, n);
	}
	sse_show_end(s);
	if (s->log.len != whole->len ||
	    memcmp(s->log.data, whole->data, whole->len) != 0)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char nothing[1];
	const char *text = size > 0 ? (const char *)data : nothing;
	uint64_t state = size;
	struct tape_buf whole;
	struct sse_show s;

	for (size_t i = 0; i < size; i++)
		state = (state ^ data[i]) * UINT64_C(0x100000001b3);
	tape_buf_init(&whole, (size_t)64 << 20);
	sse_show_init(&s);
	sse_show_feed(&s, text, size);
	sse_show_end(&s);
	(void)tape_buf_add(&whole, s.log.data, s.log.len);
	if (s.status == TAPE_OK && size < TAPE_CAP_SSE_LINE)
		check_plain(&s, text, size);
	check_pieces(&s, &whole, text, size, 0);
	check_pieces(&s, &whole, text, size, state | 1);
	check_pieces(&s, &whole, text, size, state >> 20 | 1);
	sse_show_release(&s);
	tape_buf_release(&whole);
	return 0;
}
