/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * radix: what radix sorts have in common, whatever they sort.
 *
 * Items are split by the leading bits of their 64-bit keys into parts that fit
 * into a cache, and each part is sorted there, least digit first.  All digits
 * are counted at once, so that one that all keys of a part share costs nothing.
 */
#ifndef TAPE_CODEC_RADIX_H
#define TAPE_CODEC_RADIX_H

#include <stddef.h>
#include <stdint.h>

enum {
	TAPE_RADIX_BITS = 8,
	TAPE_RADIX_DIGITS = 1 << TAPE_RADIX_BITS,
	TAPE_RADIX_PASSES = 8, /* over a part */
	TAPE_RADIX_SPLIT_BITS = 12,
	TAPE_RADIX_PARTS = 1 << TAPE_RADIX_SPLIT_BITS, /* at most */
};

static inline size_t
tape_radix_digit(uint64_t key, int pass)
{
	return (size_t)(key >> (pass * TAPE_RADIX_BITS)) &
	       (TAPE_RADIX_DIGITS - 1);
}

/* Turns how many there are of each of n into where they begin. */
void tape_radix_place(size_t *count, size_t n);

/* By how many bits (key - least) is shifted to number its part.  span: of the
   keys, the largest - least; n: how many there are. */
int tape_radix_shift(uint64_t span, size_t n);

#endif
