/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_write.h"

#include "base/dec.h"
#include "base/num.h"
#include "base/utf8.h"
#include "codec/json_impl.h"

#include <math.h>
#include <string.h>

#define BATCH  32  /* integers formatted at a time */
#define PIECE  512 /* bytes of text escaped at a time */
#define GROWTH 6   /* what a byte can become */
#define SLACK  16  /* for eight-byte stores and the rest of a character */

void
tape_json_write_init(struct tape_json_writer *w, struct tape_buf *buf)
{
	memset(w, 0, sizeof(*w));
	w->buf = buf;
	w->start = buf->len;
}

static void
fail(struct tape_json_writer *w, enum tape_status st, const char *what)
{
	if (w->status != TAPE_OK)
		return;
	w->status = st;
	w->what = what;
}

/* tape_buf_add without the call when there is room. */
static inline void
put(struct tape_json_writer *w, const char *p, size_t len)
{
	struct tape_buf *b = w->buf;

	if (b->status == TAPE_OK && b->size - b->len > len) {
		memcpy(b->data + b->len, p, len);
		b->len += len;
		b->data[b->len] = '\0';
	} else if (tape_buf_add(b, p, len) != TAPE_OK) {
		fail(w, b->status, NULL);
	}
}

/* What stands behind a backslash for a character that has a short escape. */
static const char brief[256] = { ['"'] = '"',
	['\\'] = '\\',
	['\b'] = 'b',
	['\t'] = 't',
	['\n'] = 'n',
	['\f'] = 'f',
	['\r'] = 'r' };

/* A quote, a backslash or a control character, escaped. */
static inline char *
put_escape(char *dst, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	*dst++ = '\\';
	if (brief[c] != 0) {
		*dst++ = brief[c];
		return dst;
	}
	*dst++ = 'u';
	*dst++ = '0';
	*dst++ = '0';
	*dst++ = hex[c >> 4];
	*dst++ = hex[c & 15];
	return dst;
}

/* Writes what the special byte at *p begins, and goes behind it.  NULL or what
   is wrong. */
static inline const char *
put_special(const char **p, const char *end, char **dst)
{
	size_t n;

	if ((unsigned char)**p < 0x80) {
		if (**p == '\0')
			return "text with a NUL";
		*dst = put_escape(*dst, (unsigned char)*(*p)++);
		return NULL;
	}
	n = tape_utf8_char(*p, (size_t)(end - *p));
	memcpy(*dst, *p, n);
	*p += n;
	*dst += n;
	return n > 0 ? NULL : "text is not UTF-8";
}

/*
 * Eight bytes of text, of which those with a short escape are escaped.  Bodies
 * of events are JSON in JSON, in which every fifth byte is a quote: so the rest
 * of the eight is shifted, not read again.  Returns where it stopped: behind
 * the eight, or at a byte that needs more.  dst has room for 24 bytes.
 */
static inline const char *
put_eight(const char *p, char **dst)
{
	size_t left = 8, n;
	char *d = *dst;
	uint64_t x, m;

	memcpy(&x, p, 8);
	x = le64toh(x);
	for (;;) {
		const uint64_t text = htole64(x);
		unsigned char c;

		memcpy(d, &text, 8);
		m = tape_json_special_mask(text);
		n = m == 0 ? 8 : (size_t)__builtin_ctzll(m) >> 3;
		if (n >= left) {
			n = left;
			break;
		}
		c = (unsigned char)(x >> 8 * n);
		if (brief[c] == 0)
			break;
		d[n] = '\\';
		d[n + 1] = brief[c];
		d += n + 2;
		left -= n + 1;
		x = x >> 8 * n >> 8;
	}
	*dst = d + n;
	return p + (8 - left) + n;
}

/* The text between quotes, by pieces that have room if every byte of them is
   escaped; a character may reach over the end of its piece. */
static void
put_text(struct tape_json_writer *w, const char *p, size_t len)
{
	char piece[PIECE * GROWTH + SLACK], *dst;
	const char *end = p + len, *stop, *bad = NULL;

	put(w, "\"", 1);
	while (p < end && w->status == TAPE_OK) {
		stop = end - p > PIECE ? p + PIECE : end;
		dst = piece;
		while (p < stop && bad == NULL) {
			const char *q;

			q = stop - p < 8 ? tape_json_copy_plain(p, stop, &dst)
					 : put_eight(p, &dst);
			if (q < stop && q - p < 8)
				bad = put_special(&q, end, &dst);
			p = q;
		}
		if (bad != NULL)
			fail(w, TAPE_E_BUG, bad);
		else
			put(w, piece, (size_t)(dst - piece));
	}
	if (w->status == TAPE_OK)
		put(w, "\"", 1);
}

/* What stands before a value.  False when nothing may be written. */
static bool
begin(struct tape_json_writer *w, const char *key)
{
	bool object = w->depth > 0 && (w->nest >> (w->depth - 1) & 1) != 0;

	if (w->status != TAPE_OK)
		return false;
	if (w->depth == 0 && w->comma)
		fail(w, TAPE_E_BUG, "second value at top level");
	else if (object != (key != NULL))
		fail(w, TAPE_E_BUG,
		    object ? "member without a key" : "key outside an object");
	if (w->status != TAPE_OK)
		return false;
	if (w->comma)
		put(w, ",", 1);
	w->comma = true;
	if (key == NULL)
		return w->status == TAPE_OK;
	put_text(w, key, strlen(key));
	put(w, ":", 1);
	return w->status == TAPE_OK;
}

static void
open_container(struct tape_json_writer *w, const char *key, bool object)
{
	if (w->depth == TAPE_CAP_JSON_DEPTH)
		fail(w, TAPE_E_BUG, "nesting too deep");
	if (!begin(w, key))
		return;
	w->nest &= ~(UINT64_C(1) << w->depth);
	w->nest |= (uint64_t)object << w->depth;
	w->depth++;
	w->comma = false;
	put(w, object ? "{" : "[", 1);
}

static void
close_container(struct tape_json_writer *w, bool object)
{
	if (w->status == TAPE_OK &&
	    (w->depth == 0 || (w->nest >> (w->depth - 1) & 1) != object))
		fail(w, TAPE_E_BUG, "end of a container that is not open");
	if (w->status != TAPE_OK)
		return;
	w->depth--;
	w->comma = true;
	put(w, object ? "}" : "]", 1);
}

void
tape_json_write_object(struct tape_json_writer *w, const char *key)
{
	open_container(w, key, true);
}

void
tape_json_write_object_end(struct tape_json_writer *w)
{
	close_container(w, true);
}

void
tape_json_write_array(struct tape_json_writer *w, const char *key)
{
	open_container(w, key, false);
}

void
tape_json_write_array_end(struct tape_json_writer *w)
{
	close_container(w, false);
}

void
tape_json_write_i64(struct tape_json_writer *w, const char *key, int64_t v)
{
	char text[TAPE_DEC_TEXT];

	if (begin(w, key))
		put(w, text, tape_dec_put_i64(v, text));
}

void
tape_json_write_u64(struct tape_json_writer *w, const char *key, uint64_t v)
{
	char text[TAPE_DEC_TEXT];

	if (begin(w, key))
		put(w, text, tape_dec_put_u64(v, text));
}

void
tape_json_write_double(struct tape_json_writer *w, const char *key, double v)
{
	char text[TAPE_NUM_TEXT];

	if (!isfinite(v))
		fail(w, TAPE_E_BUG, "number that is not finite");
	if (!begin(w, key))
		return;
	(void)tape_num_print_double(v, text);
	put(w, text, strlen(text));
}

void
tape_json_write_bool(struct tape_json_writer *w, const char *key, bool v)
{
	if (begin(w, key))
		put(w, v ? "true" : "false", v ? 4 : 5);
}

void
tape_json_write_str(
    struct tape_json_writer *w, const char *key, const char *p, size_t len)
{
	if (begin(w, key))
		put_text(w, len > 0 ? p : "", len);
}

void
tape_json_write_cstr(struct tape_json_writer *w, const char *key, const char *s)
{
	tape_json_write_str(w, key, s, strlen(s));
}

void
tape_json_write_raw(
    struct tape_json_writer *w, const char *key, const char *p, size_t len)
{
	if (len == 0)
		fail(w, TAPE_E_BUG, "empty fragment");
	if (begin(w, key))
		put(w, p, len);
}

void
tape_json_write_null(struct tape_json_writer *w, const char *key)
{
	if (begin(w, key))
		put(w, "null", 4);
}

void
tape_json_write_i64s(
    struct tape_json_writer *w, const char *key, const int64_t *v, size_t n)
{
	char text[BATCH * (TAPE_DEC_TEXT + 1)];
	size_t i, len = 0;

	tape_json_write_array(w, key);
	for (i = 0; i < n && w->status == TAPE_OK; i++) {
		if (i > 0)
			text[len++] = ',';
		len += tape_dec_put_i64(v[i], text + len);
		if (i % BATCH == BATCH - 1 || i + 1 == n) {
			put(w, text, len);
			len = 0;
		}
	}
	tape_json_write_array_end(w);
}

enum tape_status
tape_json_write_finish(struct tape_json_writer *w, struct tape_err *err)
{
	struct tape_buf *b = w->buf;
	enum tape_status st;

	if (w->status == TAPE_OK && w->depth > 0)
		fail(w, TAPE_E_BUG, "container left open");
	if (w->status == TAPE_OK && !w->comma)
		fail(w, TAPE_E_BUG, "no value");
	if (w->status == TAPE_OK)
		return TAPE_OK;
	st = w->status;
	if (w->what != NULL)
		(void)tape_err_set(err, st, "cannot write JSON: %s", w->what);
	else
		st = tape_buf_status(b, err);
	if (b->len > w->start) {
		b->len = w->start;
		b->data[b->len] = '\0';
	}
	return st;
}
