/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_sort.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A double's bits, taken as an integer, sort as the value does once the sign
 * bit of positive ones is set and negative ones are inverted altogether.  The
 * radix passes move such keys to and fro between x and a scratch array; a
 * digit that all keys share costs one count and no move.
 */
enum {
	DIGIT = 8,
	CELLS = 1 << DIGIT,
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

/* One pass from src to dst; false when all keys share the digit. */
static int
pass(const double *src, double *dst, size_t n, unsigned shift)
{
	size_t at[CELLS] = { 0 };
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		at[load(src + i) >> shift & (CELLS - 1)]++;
	if (at[load(src) >> shift & (CELLS - 1)] == n)
		return 0;
	for (size_t c = 0; c < CELLS; c++) {
		const size_t count = at[c];

		at[c] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) {
		const uint64_t k = load(src + i);

		store(dst + at[k >> shift & (CELLS - 1)]++, k);
	}
	return 1;
}

static void
radix(double *x, double *scratch, size_t n)
{
	double *src = x, *dst = scratch;

	for (size_t i = 0; i < n; i++)
		store(x + i, to_key(load(x + i)));
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		double *const was = src;

		if (!pass(src, dst, n, shift))
			continue;
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
