/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_trend.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_dist.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <string.h>

static enum tape_status
check(const double *x, size_t n, size_t least, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);

	if (st != TAPE_OK)
		return st;
	if (n < least)
		return tape_err_set(err, TAPE_E_DATA,
		    "%zu values: at least %zu are needed", n, least);
	for (size_t i = 1; i < n; i++)
		if (x[i] < x[0] || x[i] > x[0])
			return TAPE_OK;
	return tape_err_set(err, TAPE_E_DATA, "no value differs");
}

/* Merges the sorted runs a[0 .. m) and a[m .. n) through b; inversions. */
static uint64_t
merge(double *a, double *b, size_t m, size_t n)
{
	uint64_t inversions = 0;
	size_t i = 0, j = m, k = 0;

	while (i < m && j < n) {
		if (a[i] <= a[j]) {
			b[k++] = a[i++];
		} else {
			b[k++] = a[j++];
			inversions += m - i;
		}
	}
	memcpy(b + k, a + i, (m - i) * sizeof(*a));
	memcpy(b + k + m - i, a + j, (n - j) * sizeof(*a));
	memcpy(a, b, n * sizeof(*a));
	return inversions;
}

/* Sorts a; returns the pairs that stood in falling order. */
static uint64_t
count_inversions(double *a, double *b, size_t n)
{
	uint64_t inversions = 0;

	for (size_t width = 1; width < n; width *= 2)
		for (size_t at = 0; at + width < n; at += 2 * width) {
			const size_t left = n - at;

			inversions += merge(a + at, b, width,
			    left < 2 * width ? left : 2 * width);
		}
	return inversions;
}

/* Sums over groups of t equal values: pairs, and t(t-1)(2t+5). */
struct tie_sums {
	double pairs;
	double variance;
};

static struct tie_sums
count_ties(const double *sorted, size_t n)
{
	struct tie_sums s = { 0, 0 };

	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && sorted[end] <= sorted[i]; end++)
			;
		t = (double)(end - i);
		s.pairs += t * (t - 1) / 2;
		s.variance += t * (t - 1) * (2 * t + 5);
	}
	return s;
}

/*
 * Two-sided p of so many inversions among n values without ties: share of the
 * n! orders with as few, or as many.  Each value adds 0 .. i inversions.
 */
static double
exact_p(uint64_t inversions, size_t n)
{
	double p[TAPE_STAT_KENDALL_EXACT * (TAPE_STAT_KENDALL_EXACT - 1) / 2 +
		 1] = { 1 };
	const size_t top = n * (n - 1) / 2;
	const size_t near = inversions < top - inversions
				? (size_t)inversions
				: top - (size_t)inversions;
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		for (size_t s = (i * (i + 1)) / 2 + 1; s-- > 0;) {
			double all = 0;

			for (size_t k = 0; k <= i && k <= s; k++)
				all += p[s - k];
			p[s] = all / (double)(i + 1);
		}
	for (size_t s = 0; s <= near; s++)
		sum += p[s];
	return fmin(1, 2 * sum);
}

enum tape_status
tape_stat_kendall_trend(const double *x, size_t n,
    struct tape_stat_kendall *out, struct tape_err *err)
{
	const double m = (double)n, pairs = m * (m - 1) / 2;
	enum tape_status st = check(x, n, 2, err);
	struct tie_sums ties;
	uint64_t falling;
	double s, *a;

	if (st != TAPE_OK)
		return st;
	a = tape_mem_calloc(n, 2 * sizeof(*a));
	if (a == NULL)
		return tape_err_nomem(err);
	memcpy(a, x, n * sizeof(*a));
	falling = count_inversions(a, a + n, n);
	ties = count_ties(a, n);
	tape_mem_free(a);
	s = pairs - ties.pairs - 2 * (double)falling;
	out->tau = s / sqrt(pairs) / sqrt(pairs - ties.pairs);
	out->z = s / sqrt((m * (m - 1) * (2 * m + 5) - ties.variance) / 18);
	out->p = fmin(1, 2 * tape_stat_normal_q(fabs(out->z)));
	out->p_exact = (double)NAN;
	if (n <= TAPE_STAT_KENDALL_EXACT && ties.pairs == 0)
		out->p_exact = exact_p(falling, n);
	return TAPE_OK;
}

/* Correlation of two sets of ranks with the same mean. */
static double
correlate(const double *a, const double *b, size_t n)
{
	const double mean = ((double)n + 1) / 2;
	double ab = 0, aa = 0, bb = 0;

	for (size_t i = 0; i < n; i++) {
		ab += (a[i] - mean) * (b[i] - mean);
		aa += (a[i] - mean) * (a[i] - mean);
		bb += (b[i] - mean) * (b[i] - mean);
	}
	return ab / sqrt(aa * bb);
}

enum tape_status
tape_stat_spearman(const double *x, const double *y, size_t n,
    struct tape_stat_spearman *out, struct tape_err *err)
{
	enum tape_status st = check(x, n, 3, err);
	double r, *rank;

	if (st == TAPE_OK)
		st = check(y, n, 3, err);
	if (st != TAPE_OK)
		return st;
	rank = tape_mem_calloc(n, 2 * sizeof(*rank));
	if (rank == NULL)
		return tape_err_nomem(err);
	st = tape_stat_midranks(x, n, rank, NULL, err);
	if (st == TAPE_OK)
		st = tape_stat_midranks(y, n, rank + n, NULL, err);
	r = st == TAPE_OK ? correlate(rank, rank + n, n) : 0;
	tape_mem_free(rank);
	if (st != TAPE_OK)
		return st;
	out->rho = fmax(-1, fmin(1, r));
	r = fabs(out->rho);
	out->p = r < 1
		     ? 2 * tape_stat_t_q(
			       r * sqrt((double)(n - 2) / ((1 - r) * (1 + r))),
			       (double)(n - 2))
		     : 0;
	return TAPE_OK;
}

enum tape_status
tape_stat_theil_sen(
    const double *x, size_t n, double *slope, struct tape_err *err)
{
	enum tape_status st = tape_stat_check(x, n, err);
	double *w;
	size_t at = 0;

	if (st != TAPE_OK)
		return st;
	if (n < 2)
		return tape_err_set(
		    err, TAPE_E_DATA, "a slope needs at least 2 values");
	if (n > TAPE_STAT_THEIL_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%zu values: slopes of all pairs of at most %d", n,
		    TAPE_STAT_THEIL_MAX);
	w = tape_mem_realloc(NULL, n * (n - 1) / 2, sizeof(*w));
	if (w == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			w[at++] = (x[j] - x[i]) / (double)(j - i);
	st = tape_stat_sort(w, at, err);
	if (st == TAPE_OK)
		*slope = tape_stat_median(w, at);
	tape_mem_free(w);
	return st;
}
