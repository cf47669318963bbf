/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_impl.h"

#include "base/num.h"
#include "base/utf8.h"

#include <string.h>

/* The four digits of a \u escape at p; -1 when they are not. */
static int32_t
hex4(const char *p, const char *end)
{
	int32_t v = 0;
	int i, d;

	if (end - p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		d = tape_num_hex_digit(p[i]);
		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

/* What a \u escape stands for; *p is at its first digit and goes behind it,
   and behind its second half.  NULL or what is wrong. */
static const char *
unescape_unicode(
    const char **p, const char *end, enum tape_json_mode mode, char **dst)
{
	int32_t c = hex4(*p, end), low;

	if (c < 0)
		return "bad \\u escape";
	if (c == 0 && mode == TAPE_JSON_OURS)
		return "NUL in a string";
	*p += 4;
	if ((c & 0xfc00) == 0xd800 && end - *p >= 6 && (*p)[0] == '\\' &&
	    (*p)[1] == 'u') {
		low = hex4(*p + 2, end);
		if (low >= 0xdc00 && low <= 0xdfff) {
			c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
			*p += 6;
		}
	}
	if (c >= 0xd800 && c <= 0xdfff) {
		if (mode == TAPE_JSON_OURS)
			return "lone surrogate";
		c = 0xfffd;
	}
	*dst += tape_utf8_put((uint32_t)c, *dst);
	return NULL;
}

/* The same for any escape; *p is behind the backslash. */
static const char *
unescape(const char **p, const char *end, enum tape_json_mode mode, char **dst)
{
	static const char plain[128] = { ['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t' };
	unsigned char c;

	if (*p == end)
		return "string without an end";
	c = (unsigned char)*(*p)++;
	if (c < 128 && plain[c] != 0) {
		*(*dst)++ = plain[c];
		return NULL;
	}
	if (c != 'u')
		return "bad escape";
	return unescape_unicode(p, end, mode, dst);
}

/* Goes on from the first escape of a string, at p. */
static enum tape_status
read_escaped(struct tape_json *r, struct tape_buf *scratch, const char *p,
    const char **out, size_t *len, struct tape_err *err)
{
	const char *start = r->p, *bad = NULL, *at;
	char *dst;
	size_t n;

	tape_buf_clear(scratch);
	if (tape_buf_reserve(scratch, (size_t)(r->end - start) + 8) != TAPE_OK)
		return tape_json_fail(
		    r, scratch->status, p, "out of memory", err);
	dst = scratch->data;
	memcpy(dst, start, (size_t)(p - start));
	dst += p - start;
	for (;;) {
		at = p;
		if (p == r->end) {
			bad = "string without an end";
		} else if (*p == '"') {
			break;
		} else if (*p == '\\') {
			p++;
			bad = unescape(&p, r->end, r->mode, &dst);
		} else {
			n = tape_json_text_char(p, r->end, &bad);
			memcpy(dst, p, n);
			dst += n;
			p += n;
		}
		if (bad != NULL)
			return tape_json_fail(r, TAPE_E_FORMAT, at, bad, err);
		p = tape_json_copy_plain(p, r->end, &dst);
	}
	scratch->len = (size_t)(dst - scratch->data);
	*dst = '\0';
	*out = scratch->data;
	*len = scratch->len;
	r->p = p + 1;
	return TAPE_OK;
}

/* Goes on from the first special byte of a string, at p. */
enum tape_status
tape_json_read_special(struct tape_json *r, const char *p,
    struct tape_buf *scratch, const char **out, size_t *len,
    struct tape_err *err)
{
	const char *bad = NULL;

	for (; p < r->end && *p != '"'; p = tape_json_special(p, r->end)) {
		if (*p == '\\')
			return read_escaped(r, scratch, p, out, len, err);
		p += tape_json_text_char(p, r->end, &bad);
		if (bad != NULL)
			return tape_json_fail(r, TAPE_E_FORMAT, p, bad, err);
	}
	if (p == r->end)
		return tape_json_fail(
		    r, TAPE_E_FORMAT, p, "string without an end", err);
	*out = r->p;
	*len = (size_t)(p - r->p);
	r->p = p + 1;
	return TAPE_OK;
}
