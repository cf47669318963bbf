/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs are split by the leading bits of their keys into parts that fit into a
 * cache, and each part is sorted there, least digit first.  All digits are
 * counted at once, so that one that all keys of a part share costs nothing.
 */
#include "engine/inflight_sort.h"

#include <stdlib.h>
#include <string.h>

#define FEW        512
#define BITS       8
#define DIGITS     (1 << BITS)
#define PASSES     8
#define PART_BITS  11 /* pairs of a part, about, and at least */
#define SPLIT_BITS 12 /* of the number of a part, at most */
#define PARTS      (1 << SPLIT_BITS)

static int
by_key(const void *a, const void *b)
{
	const struct tape_inflight_pair *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static size_t
digit(uint64_t key, int pass)
{
	return (size_t)(key >> (pass * BITS)) & (DIGITS - 1);
}

/* Turns how many there are of each into where they begin. */
static void
place(size_t *count, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t here = count[i];

		count[i] = at;
		at += here;
	}
}

/* Least digit first; what is sorted is in from or in to, which is returned. */
static struct tape_inflight_pair *
sort_part(
    struct tape_inflight_pair *from, struct tape_inflight_pair *to, size_t n)
{
	size_t count[PASSES][DIGITS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int pass = 0; pass < PASSES; pass++)
			count[pass][digit(from[i].key, pass)]++;
	for (int pass = 0; pass < PASSES; pass++) {
		size_t *at = count[pass];
		struct tape_inflight_pair *const was = from;

		if (at[digit(from[0].key, pass)] == n)
			continue;
		place(at, DIGITS);
		for (size_t i = 0; i < n; i++)
			to[at[digit(from[i].key, pass)]++] = from[i];
		from = to;
		to = was;
	}
	return from;
}

static int
bits_of(uint64_t v)
{
	return v == 0 ? 0 : 64 - __builtin_clzll(v);
}

/* By how many bits keys are shifted to number their parts: so that these are
   PARTS at most, and have 1 << PART_BITS pairs and more, if evenly filled. */
static int
choose_shift(uint64_t span, size_t n)
{
	int split = bits_of(n) - PART_BITS;

	if (split < 1)
		split = 1;
	if (split > SPLIT_BITS)
		split = SPLIT_BITS;
	return bits_of(span) > split ? bits_of(span) - split : 0;
}

/* Puts pairs into parts by (key - least) >> shift; where each of them ends. */
static void
split(const struct tape_inflight_pair *v, struct tape_inflight_pair *out,
    size_t n, size_t end[PARTS])
{
	uint64_t least = UINT64_MAX, most = 0;
	int shift;

	for (size_t i = 0; i < n; i++) {
		least = v[i].key < least ? v[i].key : least;
		most = v[i].key > most ? v[i].key : most;
	}
	shift = choose_shift(most - least, n);
	memset(end, 0, PARTS * sizeof(*end));
	for (size_t i = 0; i < n; i++)
		end[(v[i].key - least) >> shift]++;
	place(end, PARTS);
	for (size_t i = 0; i < n; i++)
		out[end[(v[i].key - least) >> shift]++] = v[i];
}

void
tape_inflight_sort(
    struct tape_inflight_pair *v, struct tape_inflight_pair *scratch, size_t n)
{
	size_t end[PARTS];
	size_t at = 0;

	if (n < FEW) {
		if (n > 1)
			qsort(v, n, sizeof(*v), by_key);
		return;
	}
	split(v, scratch, n, end);
	for (size_t p = 0; at < n; p++) {
		const size_t m = end[p] - at;
		const struct tape_inflight_pair *sorted;

		if (m == 0)
			continue;
		sorted = sort_part(scratch + at, v + at, m);
		if (sorted != v + at)
			memcpy(v + at, sorted, m * sizeof(*v));
		at = end[p];
	}
}
