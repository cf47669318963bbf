/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_sort.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A double's bits, taken as an integer, sort as the value does once the sign
 * bit of positive ones is set and negative ones are inverted altogether.  The
 * radix passes move such keys to and fro between x and a scratch array.  All
 * digits are counted at once, so that one that all keys share costs nothing.
 */
enum {
	BITS = 11,
	DIGITS = 1 << BITS,
	PASSES = 6, /* of 11 bits: 66 */
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

/* Values become keys; how many there are of each digit, pass by pass. */
static void
count_digits(double *x, size_t n, size_t count[PASSES][DIGITS])
{
	memset(count, 0, PASSES * sizeof(*count));
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = to_key(load(x + i));

		store(x + i, k);
		for (int pass = 0; pass < PASSES; pass++)
			count[pass][digit(k, pass)]++;
	}
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

static void
radix(double *x, double *scratch, size_t n)
{
	size_t count[PASSES][DIGITS];
	double *src = x, *dst = scratch;

	count_digits(x, n, count);
	for (int pass = 0; pass < PASSES; pass++) {
		size_t *at = count[pass];
		double *const was = src;

		if (at[digit(load(src), pass)] == n)
			continue;
		place(at);
		for (size_t i = 0; i < n; i++) {
			const uint64_t k = load(src + i);

			store(dst + at[digit(k, pass)]++, k);
		}
		src = dst;
		dst = was;
	}
	for (size_t i = 0; i < n; i++)
		store(x + i, from_key(load(src + i)));
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
