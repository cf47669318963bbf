/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inflight_sort.h"

#include <stdlib.h>
#include <string.h>

#define FEW    512
#define BITS   11
#define DIGITS (1 << BITS)
#define PASSES 6 /* of 11 bits: 66 */

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

/* Turns how many there are of each digit into where they begin. */
static void
place(size_t count[DIGITS])
{
	size_t at = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		const size_t n = count[i];

		count[i] = at;
		at += n;
	}
}

/* How many there are of each digit, pass by pass. */
static void
count_digits(
    const struct tape_inflight_pair *v, size_t n, size_t count[PASSES][DIGITS])
{
	memset(count, 0, PASSES * sizeof(*count));
	for (size_t i = 0; i < n; i++)
		for (int pass = 0; pass < PASSES; pass++)
			count[pass][digit(v[i].key, pass)]++;
}

void
tape_inflight_sort(
    struct tape_inflight_pair *v, struct tape_inflight_pair *scratch, size_t n)
{
	struct tape_inflight_pair *from = v, *to = scratch;
	size_t count[PASSES][DIGITS];

	if (n < FEW) {
		if (n > 1)
			qsort(v, n, sizeof(*v), by_key);
		return;
	}
	count_digits(v, n, count);
	for (int pass = 0; pass < PASSES; pass++) {
		size_t *at = count[pass];
		struct tape_inflight_pair *was = from;

		if (at[digit(from[0].key, pass)] == n)
			continue;
		place(at);
		for (size_t i = 0; i < n; i++)
			to[at[digit(from[i].key, pass)]++] = from[i];
		from = to;
		to = was;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}
