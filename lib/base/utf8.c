/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/utf8.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

size_t
tape_utf8_span(const char *p, size_t len)
{
	size_t i = 0, n;
	uint64_t x;

	for (;;) {
		while (len - i >= sizeof(x)) {
			memcpy(&x, p + i, sizeof(x));
			if ((x & HIGH_BITS) != 0)
				break;
			i += sizeof(x);
		}
		n = tape_utf8_char(p + i, len - i);
		if (n == 0)
			return i;
		i += n;
	}
}

/* Length of the longest prefix of a well-formed character at p, where no
   whole one is; at least 1.  len > 0. */
static size_t
subpart(const char *p, size_t len)
{
	const unsigned char *s = (const unsigned char *)p;
	unsigned char low = 0x80, high = 0xbf;

	if (s[0] < 0xc2 || s[0] > 0xf4 || len < 2)
		return 1;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high || s[0] < 0xe0)
		return 1;
	if (len < 3 || s[0] < 0xf0 || (s[2] & 0xc0) != 0x80)
		return 2;
	return 3;
}

size_t
tape_utf8_cut(const char *p, size_t len)
{
	size_t back, need;
	unsigned char c;

	for (back = 1; back <= 3 && back <= len; back++) {
		c = (unsigned char)p[len - back];
		if ((c & 0xc0) == 0x80)
			continue;
		need = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		if (c > 0xf4 || need <= back ||
		    subpart(p + len - back, back) != back)
			return len;
		return len - back;
	}
	return len;
}

enum tape_status
tape_utf8_repair(struct tape_buf *dst, const char *p, size_t len)
{
	size_t n;

	while (len > 0) {
		n = tape_utf8_span(p, len);
		(void)tape_buf_add(dst, p, n);
		p += n;
		len -= n;
		if (len == 0)
			break;
		n = subpart(p, len);
		(void)tape_buf_add(dst, "\xef\xbf\xbd", 3);
		p += n;
		len -= n;
	}
	return dst->status;
}

size_t
tape_utf8_put(uint32_t c, char dst[4])
{
	if (c < 0x80) {
		dst[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		dst[0] = (char)(0xc0 | c >> 6);
		dst[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		dst[0] = (char)(0xe0 | c >> 12);
		dst[1] = (char)(0x80 | (c >> 6 & 0x3f));
		dst[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	dst[0] = (char)(0xf0 | c >> 18);
	dst[1] = (char)(0x80 | (c >> 12 & 0x3f));
	dst[2] = (char)(0x80 | (c >> 6 & 0x3f));
	dst[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}
