/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/radix.h"

#define PART_BITS 11 /* keys of a part, about and at least, if evenly filled */

void
tape_radix_place(size_t *count, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t here = count[i];

		count[i] = at;
		at += here;
	}
}

static int
bits_of(uint64_t v)
{
	return v == 0 ? 0 : 64 - __builtin_clzll(v);
}

/* At least one bit is split off: no shift is by all 64. */
int
tape_radix_shift(uint64_t span, size_t n)
{
	int split = bits_of(n) - PART_BITS;

	if (split < 1)
		split = 1;
	if (split > TAPE_RADIX_SPLIT_BITS)
		split = TAPE_RADIX_SPLIT_BITS;
	return bits_of(span) > split ? bits_of(span) - split : 0;
}
