/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_sort.h"

#include "base/mem.h"
#include "codec/radix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A double's bits, taken as an integer, sort as the value does once the sign
 * bit of positive ones is set and negative ones are inverted altogether: these
 * are the keys.
 */
#define SMALL 1024 /* fewer are left to qsort */

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

/* Least digit first; what is sorted is in from or in to, which is returned. */
static double *
sort_part(double *from, double *to, size_t n)
{
	size_t count[TAPE_RADIX_PASSES][TAPE_RADIX_DIGITS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (int pass = 0; pass < TAPE_RADIX_PASSES; pass++)
			count[pass][tape_radix_digit(load(from + i), pass)]++;
	for (int pass = 0; pass < TAPE_RADIX_PASSES; pass++) {
		size_t *at = count[pass];
		double *const was = from;

		if (at[tape_radix_digit(load(from), pass)] == n)
			continue;
		tape_radix_place(at, TAPE_RADIX_DIGITS);
		for (size_t i = 0; i < n; i++) {
			const uint64_t k = load(from + i);

			store(to + at[tape_radix_digit(k, pass)]++, k);
		}
		from = to;
		to = was;
	}
	return from;
}

/* Puts keys into parts by (key - least) >> shift; where each of them ends. */
static void
split(const double *v, double *out, size_t n, uint64_t least, int shift,
    size_t end[TAPE_RADIX_PARTS])
{
	memset(end, 0, TAPE_RADIX_PARTS * sizeof(*end));
	for (size_t i = 0; i < n; i++)
		end[(load(v + i) - least) >> shift]++;
	tape_radix_place(end, TAPE_RADIX_PARTS);
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = load(v + i);

		store(out + end[(k - least) >> shift]++, k);
	}
}

static void
sort_keys(double *v, double *scratch, size_t n, uint64_t least, int shift)
{
	size_t end[TAPE_RADIX_PARTS];
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
	sort_keys(x, scratch, n, least, tape_radix_shift(most - least, n));
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
