/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inflight_sort.h"

#include "codec/radix.h"

#include <stdlib.h>
#include <string.h>

#define FEW 512 /* fewer are left to qsort */

static int
by_key(const void *a, const void *b)
{
	const struct tape_inflight_pair *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Least digit first; what is sorted is in from or in to, which is returned. */
static struct tape_inflight_pair *
sort_part(
    struct tape_inflight_pair *from, struct tape_inflight_pair *to, size_t n)
{
	size_t count[TAPE_RADIX_PASSES][TAPE_RADIX_DIGITS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int pass = 0; pass < TAPE_RADIX_PASSES; pass++)
			count[pass][tape_radix_digit(from[i].key, pass)]++;
	for (int pass = 0; pass < TAPE_RADIX_PASSES; pass++) {
		size_t *at = count[pass];
		struct tape_inflight_pair *const was = from;

		if (at[tape_radix_digit(from[0].key, pass)] == n)
			continue;
		tape_radix_place(at, TAPE_RADIX_DIGITS);
		for (size_t i = 0; i < n; i++)
			to[at[tape_radix_digit(from[i].key, pass)]++] = from[i];
		from = to;
		to = was;
	}
	return from;
}

/* Puts pairs into parts by (key - least) >> shift; where each of them ends. */
static void
split(const struct tape_inflight_pair *v, struct tape_inflight_pair *out,
    size_t n, size_t end[TAPE_RADIX_PARTS])
{
	uint64_t least = UINT64_MAX, most = 0;
	int shift;

	for (size_t i = 0; i < n; i++) {
		least = v[i].key < least ? v[i].key : least;
		most = v[i].key > most ? v[i].key : most;
	}
	shift = tape_radix_shift(most - least, n);
	memset(end, 0, TAPE_RADIX_PARTS * sizeof(*end));
	for (size_t i = 0; i < n; i++)
		end[(v[i].key - least) >> shift]++;
	tape_radix_place(end, TAPE_RADIX_PARTS);
	for (size_t i = 0; i < n; i++)
		out[end[(v[i].key - least) >> shift]++] = v[i];
}

void
tape_inflight_sort(
    struct tape_inflight_pair *v, struct tape_inflight_pair *scratch, size_t n)
{
	size_t end[TAPE_RADIX_PARTS];
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
