/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_impl: what the files of codec/json share.  Not for others.
 */
#ifndef TAPE_CODEC_JSON_IMPL_H
#define TAPE_CODEC_JSON_IMPL_H

#include "base/utf8.h"
#include "codec/json.h"

#include <endian.h>
#include <string.h>

#define TAPE_JSON_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * For eight bytes of text, the first in the lowest bits: where the lowest set
 * bit is, there is the first byte that a string cannot just hold: a quote, a
 * backslash, a control character, or one of 0x80 and above.  In each byte of
 * the differences the top bit says "special" (0x80 and above keep it in at
 * least one of them); a borrow can set it falsely only above a true one.
 */
static inline uint64_t
tape_json_special_mask(uint64_t x)
{
	x = le64toh(x);
	return (((x ^ TAPE_JSON_EACH('"')) - TAPE_JSON_EACH(1)) |
		   ((x ^ TAPE_JSON_EACH('\\')) - TAPE_JSON_EACH(1)) |
		   (x - TAPE_JSON_EACH(0x20))) &
	       TAPE_JSON_EACH(0x80);
}

/* The first such byte of [p, end), or end. */
static inline const char *
tape_json_special(const char *p, const char *end)
{
	uint64_t x, m;

	while (end - p >= 8) {
		memcpy(&x, p, 8);
		m = tape_json_special_mask(x);
		if (m != 0)
			return p + (__builtin_ctzll(m) >> 3);
		p += 8;
	}
	for (; p < end; p++)
		if (*p == '"' || *p == '\\' || (unsigned char)*p < 0x20 ||
		    (unsigned char)*p >= 0x80)
			break;
	return p;
}

/* Copies up to the first such byte, or all, and goes behind it.  dst has room
   for all of the text and eight bytes more, which may be scribbled on. */
static inline const char *
tape_json_copy_plain(const char *p, const char *end, char **dst)
{
	uint64_t x, m;
	const char *q;

	while (end - p >= 8) {
		memcpy(&x, p, 8);
		memcpy(*dst, &x, 8);
		m = tape_json_special_mask(x);
		if (m != 0) {
			m = (uint64_t)(__builtin_ctzll(m) >> 3);
			*dst += m;
			return p + m;
		}
		p += 8;
		*dst += 8;
	}
	q = tape_json_special(p, end);
	for (; p < q; p++)
		*(*dst)++ = *p;
	return p;
}

/* Length of the character at p, which is no quote or backslash; 0, and *bad
   says why, when a string may not hold it. */
static inline size_t
tape_json_text_char(const char *p, const char *end, const char **bad)
{
	size_t n = tape_utf8_char(p, (size_t)(end - p));

	if (n == 0)
		*bad = "bad UTF-8";
	else if ((unsigned char)*p < 0x20) {
		*bad = "control character in a string";
		return 0;
	}
	return n;
}

/* Records the sticky error; offset is where in the text.  Returns status. */
enum tape_status tape_json_fail(struct tape_json *r, enum tape_status status,
    const char *at, const char *what, struct tape_err *err)
    __attribute__((cold));

/* Goes on with a string from its first special byte, at p. */
enum tape_status tape_json_read_special(struct tape_json *r, const char *p,
    struct tape_buf *scratch, const char **out, size_t *len,
    struct tape_err *err);

/*
 * The string whose opening quote is before r->p, with escapes or not: *out and
 * *len; r->p then stands behind the closing quote.  scratch holds an unescaped
 * string.
 */
static inline enum tape_status
tape_json_read_string(struct tape_json *r, struct tape_buf *scratch,
    const char **out, size_t *len, struct tape_err *err)
{
	const char *p = tape_json_special(r->p, r->end);

	if (p == r->end || *p != '"')
		return tape_json_read_special(r, p, scratch, out, len, err);
	*out = r->p;
	*len = (size_t)(p - r->p);
	r->p = p + 1;
	return TAPE_OK;
}

/* Any number of that many digits fits int64. */
#define TAPE_JSON_QUICK_DIGITS 18

/*
 * Eight digits, the first in the lowest byte of x: their value, or -1 when one
 * is none.  Neighbours are joined three times: to numbers below 100, 10^4, 10^8.
 */
static inline int64_t
tape_json_digits8(uint64_t x)
{
	if (((x & TAPE_JSON_EACH(0xf0)) |
		((x + TAPE_JSON_EACH(6)) & TAPE_JSON_EACH(0xf0)) >> 4) !=
	    TAPE_JSON_EACH(0x33))
		return -1;
	x -= TAPE_JSON_EACH('0');
	x = x * 10 + (x >> 8);
	x = (x & 0x000000ff000000ff) * 0x000f424000000064 +
	    (x >> 16 & 0x000000ff000000ff) * 0x0000271000000001;
	return (int64_t)(x >> 32);
}

/*
 * The common number, an integer of up to 18 digits: its end, or NULL when the
 * text is anything else.
 */
static inline const char *
tape_json_integer(const char *p, const char *end, int64_t *out)
{
	bool negative = p < end && *p == '-';
	const char *first = p + negative, *stop;
	int64_t v = 0, eight;
	uint64_t x;

	stop = end - first > TAPE_JSON_QUICK_DIGITS
		   ? first + TAPE_JSON_QUICK_DIGITS
		   : end;
	for (p = first; stop - p >= 8; p += 8) {
		memcpy(&x, p, 8);
		eight = tape_json_digits8(le64toh(x));
		if (eight < 0)
			break;
		v = v * 100000000 + eight;
	}
	for (; p < stop && *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	if (p == first || (*first == '0' && (p - first > 1 || negative)))
		return NULL;
	if (p < end &&
	    ((*p >= '0' && *p <= '9') || *p == '.' || (*p | 0x20) == 'e'))
		return NULL;
	*out = negative ? -v : v;
	return p;
}

/* The number at r->p. */
enum tape_status tape_json_read_number(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err);

/* A number's value as an integer, found where the text still is. */
struct tape_json_integer {
	bool is_i64;
	int64_t i64;
	uint64_t u64; /* above INT64_MAX, or 0 */
};

/* The integers of a text in their order, other numbers with none set. */
struct tape_json_integers {
	struct tape_json_integer *v;
	size_t len, size;
};

/*
 * Looks for all that cJSON lets pass and should not, or cannot hold, and
 * collects the numbers; that tokens stand in a sensible order is left to cJSON.
 * Shares no code with the scanner.
 */
enum tape_status tape_json_check(struct tape_json *r, const char *text,
    size_t len, struct tape_json_integers *n, struct tape_err *err);

/* The walk over a cJSON tree. */
enum tape_status tape_json_tree_next(
    struct tape_json *r, struct tape_json_token *tok, struct tape_err *err);
void tape_json_tree_free(struct tape_json *r);

/* Keys of open objects, mode ours: an object begins; a key comes; it ends. */
void tape_json_keys_begin(struct tape_json *r);
enum tape_status tape_json_keys_add(struct tape_json *r, const char *key,
    size_t len, const char *at, struct tape_err *err);
enum tape_status tape_json_keys_end(struct tape_json *r, struct tape_err *err);

#endif
