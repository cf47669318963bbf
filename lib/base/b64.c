/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/b64.h"

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

#define PAD 64 /* its place in the alphabet */

/* The four characters of 1, 2 or 3 bytes. */
static void
put_group(char out[4], const unsigned char *s, size_t n)
{
	uint32_t v = (uint32_t)s[0] << 16;

	if (n > 1)
		v |= (uint32_t)s[1] << 8;
	if (n > 2)
		v |= s[2];
	out[0] = alphabet[v >> 18];
	out[1] = alphabet[v >> 12 & 63];
	out[2] = alphabet[n > 1 ? v >> 6 & 63 : PAD];
	out[3] = alphabet[n > 2 ? v & 63 : PAD];
}

enum tape_status
tape_b64_encode(struct tape_buf *dst, const void *p, size_t len)
{
	const unsigned char *s = p;
	char *out;
	size_t i;

	if (tape_buf_reserve(dst, (len + 2) / 3 * 4) != TAPE_OK)
		return dst->status;
	out = dst->data + dst->len;
	for (i = 0; i < len; i += 3, out += 4)
		put_group(out, s + i, len - i);
	dst->len = (size_t)(out - dst->data);
	dst->data[dst->len] = '\0';
	return TAPE_OK;
}

static int
digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The n bytes that the first n + 1 of four characters stand for; false when
   they stand for none. */
static bool
take_group(char *out, const char *text, size_t n)
{
	uint32_t v = 0;
	size_t i;
	int d;

	for (i = 0; i < 4; i++) {
		d = i <= n ? digit(text[i]) : 0;
		if (d < 0 || (i > n && text[i] != '='))
			return false;
		v = v << 6 | (uint32_t)d;
	}
	if ((v & (n == 1 ? 0xffffU : n == 2 ? 0xffU : 0)) != 0)
		return false;
	for (i = 0; i < n; i++)
		out[i] = (char)(v >> (16 - 8 * i));
	return true;
}

enum tape_status
tape_b64_decode(
    struct tape_buf *dst, const char *text, size_t len, struct tape_err *err)
{
	size_t i, n = 3;
	char *out;

	if (len % 4 != 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "bad base64: %zu bytes are no multiple of 4", len);
	if (tape_buf_reserve(dst, len / 4 * 3) != TAPE_OK)
		return tape_buf_status(dst, err);
	out = dst->data + dst->len;
	for (i = 0; i < len; i += 4, out += n) {
		if (i + 4 == len && text[i + 3] == '=')
			n = text[i + 2] == '=' ? 1 : 2;
		if (!take_group(out, text + i, n)) {
			dst->data[dst->len] = '\0';
			return tape_err_set(
			    err, TAPE_E_FORMAT, "bad base64 at byte %zu", i);
		}
	}
	dst->len = (size_t)(out - dst->data);
	dst->data[dst->len] = '\0';
	return TAPE_OK;
}
