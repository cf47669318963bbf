/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_select.h"

#include "codec/stat_sort.h"

#include <math.h>

/* Ranges this short are sorted by insertion. */
#define SHORT 16

static void
swap(double *a, double *b)
{
	const double t = *a;

	*a = *b;
	*b = t;
}

static void
insertion_sort(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const double v = x[i];
		size_t j = i;

		for (; j > 0 && x[j - 1] > v; j--)
			x[j] = x[j - 1];
		x[j] = v;
	}
}

/*
 * Splits x[0 .. n), n > 2, at the median of its first, middle and last value:
 * up to and with the index returned all are at most the pivot, behind it all
 * are at least the pivot, and neither side is empty (Hoare's partition).
 */
static size_t
split(double *x, size_t n)
{
	double *first = x, *middle = x + n / 2, *last = x + n - 1;
	size_t i = 0, j = n - 1;
	double pivot;

	if (*middle < *first)
		swap(middle, first);
	if (*last < *first)
		swap(last, first);
	if (*last < *middle)
		swap(last, middle);
	pivot = *middle;
	for (;;) {
		do
			i++;
		while (x[i] < pivot);
		do
			j--;
		while (x[j] > pivot);
		if (i >= j)
			return j;
		swap(&x[i], &x[j]);
	}
}

/* Puts the k-th least value, from 0, to x[k], smaller ones before it and larger
   ones behind it. */
static enum tape_status
place(double *x, size_t n, size_t k, struct tape_err *err)
{
	unsigned rounds = 0;

	for (size_t m = n; m > 0; m /= 2)
		rounds += 3;
	while (n > SHORT) {
		size_t end;

		if (rounds-- == 0)
			return tape_stat_sort(x, n, err);
		end = split(x, n) + 1;
		if (k < end) {
			n = end;
		} else {
			x += end;
			n -= end;
			k -= end;
		}
	}
	insertion_sort(x, n);
	return TAPE_OK;
}

enum tape_status
tape_stat_select(
    double *x, size_t n, double q, double *out, struct tape_err *err)
{
	double h, whole, next;
	size_t k;
	enum tape_status st;

	*out = (double)NAN;
	if (n == 0 || !(q >= 0 && q <= 1))
		return TAPE_OK;
	h = (double)(n - 1) * q;
	whole = floor(h);
	k = whole >= (double)(n - 1) ? n - 1 : (size_t)whole;
	st = place(x, n, k, err);
	if (st != TAPE_OK)
		return st;
	*out = x[k];
	if (k == n - 1)
		return TAPE_OK;
	next = x[k + 1];
	for (size_t i = k + 2; i < n; i++)
		next = x[i] < next ? x[i] : next;
	*out += (h - whole) * (next - x[k]);
	return TAPE_OK;
}
