/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * utf8: what is well-formed UTF-8, where a text may be cut, and repair.
 *
 * Well-formed as in Unicode table 3-7: no overlong form, no surrogate, nothing
 * above U+10FFFF.  NUL is a character like any other here.
 */
#ifndef TAPE_BASE_UTF8_H
#define TAPE_BASE_UTF8_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed character at p, 1 to 4; 0 when there is none. */
static inline size_t
tape_utf8_char(const char *p, size_t len)
{
	const unsigned char *s = (const unsigned char *)p;

	if (len == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	if (len < 2 || (s[1] & 0xc0) != 0x80)
		return 0;
	if (s[0] < 0xe0)
		return 2;
	if (len < 3 || (s[2] & 0xc0) != 0x80)
		return 0;
	if (s[0] < 0xf0)
		return (s[0] == 0xe0 && s[1] < 0xa0) ||
			       (s[0] == 0xed && s[1] > 0x9f)
			   ? 0
			   : 3;
	if (len < 4 || (s[3] & 0xc0) != 0x80)
		return 0;
	return (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)
		   ? 0
		   : 4;
}

/* How many of the bytes, from the first, are well-formed characters. */
size_t tape_utf8_span(const char *p, size_t len);

static inline bool
tape_utf8_valid(const char *p, size_t len)
{
	return tape_utf8_span(p, len) == len;
}

/*
 * Where a text that goes on later may be cut: len, or up to 3 less when its
 * last bytes are the beginning of a character.  Bytes that can begin none are
 * left where they are.
 */
size_t tape_utf8_cut(const char *p, size_t len);

/*
 * Appends the text, each maximal ill-formed part replaced by U+FFFD (Unicode
 * 3.9, "substitution of maximal subparts").  Returns the buffer's status.
 */
enum tape_status tape_utf8_repair(
    struct tape_buf *dst, const char *p, size_t len);

/* Writes a scalar value (not a surrogate, at most U+10FFFF) as 1 to 4 bytes;
   returns how many. */
size_t tape_utf8_put(uint32_t c, char dst[4]);

#endif
