/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ways to show something have in common. */
#include "base/clock.h"
#include "base/utf8.h"
#include "engine/view_out.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_BYTES ((size_t)1 << 30) /* of one exchange as JSON */

void
tape_view_text_init(struct tape_view_text *t, struct tape_out *out)
{
	memset(t, 0, sizeof(*t));
	t->out = out;
	t->width = TAPE_VIEW_WIDTH;
	tape_buf_init(&t->buf, TEXT_BYTES);
}

void
tape_view_text_release(struct tape_view_text *t)
{
	tape_buf_release(&t->buf);
}

enum tape_status
tape_view_flush(struct tape_view_text *t, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(&t->buf, err);

	if (st == TAPE_OK)
		st = tape_out_write(t->out, t->buf.data, t->buf.len, err);
	tape_buf_clear(&t->buf);
	return st;
}

static uint32_t
code_of(const char *p, size_t n)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7fU >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

static bool
is_within(uint32_t c, uint32_t from, uint32_t to)
{
	return c >= from && c <= to;
}

/* Those that would move the cursor, or turn what comes after them round. */
static bool
is_unsafe(uint32_t c)
{
	return c < 0x20 || is_within(c, 0x7f, 0x9f) ||
	       is_within(c, 0x200b, 0x200f) || is_within(c, 0x2028, 0x202e) ||
	       is_within(c, 0x2060, 0x206f) || c == 0xfeff || c == 0x61c;
}

/* East Asian characters and emoji take two columns. */
static size_t
columns_of(uint32_t c)
{
	return is_within(c, 0x1100, 0x115f) || is_within(c, 0x2e80, 0xa4cf) ||
		       is_within(c, 0xac00, 0xd7a3) ||
		       is_within(c, 0xf900, 0xfaff) ||
		       is_within(c, 0xfe30, 0xfe6f) ||
		       is_within(c, 0xff00, 0xff60) ||
		       is_within(c, 0x1f300, 0x1faff) ||
		       is_within(c, 0x20000, 0x3fffd)
		   ? 2
		   : 1;
}

/* One character or byte as it is shown; its columns. */
static size_t
show(char dst[16], const char *p, size_t n)
{
	const uint32_t c = n == 0 ? 0 : code_of(p, n);

	if (n == 0)
		return (size_t)snprintf(
		    dst, 16, "\\x%02x", (unsigned)(unsigned char)*p);
	if (c == '\n' || c == '\t' || c == '\r')
		return (size_t)snprintf(dst, 16, "\\%c",
		    c == '\n'   ? 'n'
		    : c == '\t' ? 't'
				: 'r');
	if (is_unsafe(c))
		return (size_t)snprintf(
		    dst, 16, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
	memcpy(dst, p, n);
	dst[n] = '\0';
	return columns_of(c);
}

void
tape_view_escape(struct tape_buf *b, struct tape_str s, size_t columns)
{
	size_t at = 0, used = 0, n, wide, room_at = b->len;
	char one[16];

	while (at < s.len) {
		n = tape_utf8_char(s.p + at, s.len - at);
		wide = show(one, s.p + at, n);
		if (used + wide > columns)
			break;
		(void)tape_buf_add_str(b, one);
		used += wide;
		at += n == 0 ? 1 : n;
		/* Where the dots begin if the text is cut. */
		if (used + 3 <= columns)
			room_at = b->len;
	}
	if (at == s.len)
		return;
	if (b->status == TAPE_OK)
		b->len = room_at;
	(void)tape_buf_add_str(b, "...");
}

void
tape_view_count(struct tape_buf *b, uint64_t n, const char *what)
{
	(void)tape_buf_add_fmt(
	    b, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

const char *
tape_view_phase(const struct tape_view_span *s, int64_t t_ns)
{
	if (t_ns < s->start_ns)
		return "not begun";
	if (t_ns >= s->end_ns)
		return "over";
	if (s->head_ns != TAPE_ABSENT_I64 && t_ns >= s->head_ns)
		return "receiving";
	if (s->sent_ns != TAPE_ABSENT_I64)
		return t_ns >= s->sent_ns ? "waiting" : "connecting";
	return "running";
}

char *
tape_view_wall(
    const struct tape_header *h, int64_t t_ns, char dst[TAPE_VIEW_WALL])
{
	char text[TAPE_CLOCK_ISO + 1];
	int64_t ns;

	(void)snprintf(
	    text, sizeof(text), "%.*s", (int)h->epoch.len, h->epoch.p);
	if (h->epoch.len > TAPE_CLOCK_ISO ||
	    tape_clock_parse_iso(text, &ns, NULL) != TAPE_OK ||
	    __builtin_add_overflow(ns, t_ns, &ns)) {
		(void)snprintf(dst, TAPE_VIEW_WALL, "?");
		return dst;
	}
	return tape_clock_print_iso(ns, dst);
}

void
tape_view_put_text(
    struct tape_json_writer *w, const char *key, struct tape_str s)
{
	if (s.p != NULL)
		tape_json_write_str(w, key, s.p, s.len);
}

void
tape_view_put_i64(struct tape_json_writer *w, const char *key, int64_t v)
{
	if (v != TAPE_ABSENT_I64)
		tape_json_write_i64(w, key, v);
}
