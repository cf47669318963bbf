/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#define PRIME UINT64_C(0x100000001b3)

uint64_t
tape_hash_add(uint64_t h, const void *p, size_t len)
{
	const unsigned char *s = p;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ s[i]) * PRIME;
	return h;
}

char *
tape_hash_print(uint64_t h, char dst[TAPE_HASH_TEXT])
{
	static const char hex[] = "0123456789abcdef";
	int i;

	for (i = 0; i < 16; i++)
		dst[i] = hex[h >> (60 - 4 * i) & 15];
	dst[16] = '\0';
	return dst;
}
