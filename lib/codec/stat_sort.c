/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_sort.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A double's bits, taken as an integer, sort as the value does once the sign
 * bit of positive ones is set and negative ones are inverted altogether.
 *
 * Such keys are split by their leading bits into parts that fit into a cache,
 * and each part is sorted there, least digit first.  All digits are counted at
 * once, so that one that all keys of a part share costs nothing.
 */
enum {
	BITS = 8,
	DIGITS = 1 << BITS,
	PASSES = 8,
	PART_BITS = 11,  /* keys of a part, about, and at least */
	SPLIT_BITS = 12, /* of the number of a part, at most */
	PARTS = 1 << SPLIT_BITS,
	SMALL = 1024,
};

#define TOP_BIT ((uint64_t)1 << 63)

static uint64_t
load(const double *x)
{
	uint64_t u;

	memcpy(&u, x, sizeof(u));
	return u;
}

static void
store(double *x, uint64_t u)
{
	memcpy(x, &u, sizeof(u));
}

static uint64_t
to_key(uint64_t u)
{
	return (u & TOP_BIT) != 0 ? ~u : u | TOP_BIT;
}

static uint64_t
from_key(uint64_t k)
{
	return (k & TOP_BIT) != 0 ? k & ~TOP_BIT : ~k;
}

enum tape_status
tape_stat_check(const double *x, size_t n, struct tape_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return tape_err_set(err, TAPE_E_DATA,
			    "value %zu of %zu is not finite", i + 1, n);
	return TAPE_OK;
}

static int
by_key(const void *a, const void *b)
{
	const uint64_t i = to_key(load(a)), j = to_key(load(b));

	return (i > j) - (i < j);
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
static double *
sort_part(double *from, double *to, size_t n)
{
	size_t count[PASSES][DIGITS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int pass = 0; pass < PASSES; pass++)
			count[pass][digit(load(from + i), pass)]++;
	for (int pass = 0; pass < PASSES; pass++) {
		size_t *at = count[pass];
		double *const was = from;

		if (at[digit(load(from), pass)] == n)
			continue;
		place(at, DIGITS);
		for (size_t i = 0; i < n; i++) {
			const uint64_t k = load(from + i);

			store(to + at[digit(k, pass)]++, k);
		}
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
   PARTS at most, and have 1 << PART_BITS keys and more, if evenly filled. */
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

/* Puts keys into parts by (key - least) >> shift; where each of them ends. */
static void
split(const double *v, double *out, size_t n, uint64_t least, int shift,
    size_t end[PARTS])
{
	memset(end, 0, PARTS * sizeof(*end));
	for (size_t i = 0; i < n; i++)
		end[(load(v + i) - least) >> shift]++;
	place(end, PARTS);
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = load(v + i);

		store(out + end[(k - least) >> shift]++, k);
	}
}

static void
sort_keys(double *v, double *scratch, size_t n, uint64_t least, int shift)
{
	size_t end[PARTS];
	size_t at = 0;

	split(v, scratch, n, least, shift, end);
	for (size_t p = 0; at < n; p++) {
		const size_t m = end[p] - at;
		const double *sorted;

		if (m == 0)
			continue;
		sorted = sort_part(scratch + at, v + at, m);
		if (sorted != v + at)
			memcpy(v + at, sorted, m * sizeof(*v));
		at = end[p];
	}
}

static void
radix(double *x, double *scratch, size_t n)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t k = to_key(load(x + i));

		store(x + i, k);
		least = k < least ? k : least;
		most = k > most ? k : most;
	}
	sort_keys(x, scratch, n, least, choose_shift(most - least, n));
	for (size_t i = 0; i < n; i++)
		store(x + i, from_key(load(x + i)));
}

enum tape_status
tape_stat_sort(double *x, size_t n, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);
	double *scratch;

	if (st != TAPE_OK || n < 2)
		return st;
	if (n < SMALL) {
		qsort(x, n, sizeof(*x), by_key);
		return TAPE_OK;
	}
	scratch = tape_mem_realloc(NULL, n, sizeof(*x));
	if (scratch == NULL)
		return tape_err_nomem(err);
	radix(x, scratch, n);
	tape_mem_free(scratch);
	return TAPE_OK;
}

struct place {
	double x;
	size_t i;
};

static int
by_value(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

enum tape_status
tape_stat_midranks(
    const double *x, size_t n, double *rank, double *ties, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);
	struct place *p;
	double sum = 0;

	if (st != TAPE_OK)
		return st;
	p = tape_mem_realloc(NULL, n, sizeof(*p));
	if (p == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		p[i] = (struct place){ x[i], i };
	qsort(p, n, sizeof(*p), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && !(p[end].x > p[i].x); end++)
			;
		t = (double)(end - i);
		sum += t * t * t - t;
		for (size_t j = i; j < end; j++)
			rank[p[j].i] = (double)(i + 1 + end) / 2;
	}
	if (ties != NULL)
		*ties = sum;
	tape_mem_free(p);
	return TAPE_OK;
}
