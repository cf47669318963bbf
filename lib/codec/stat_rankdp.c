/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_rankdp.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

static size_t
doubled(double rank)
{
	return (size_t)lround(2 * rank);
}

static size_t
sum_of(const double *rank, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += doubled(rank[i]);
	return sum;
}

enum tape_status
tape_stat_law_signs(struct tape_stat_law *law, const double *rank, size_t n,
    struct tape_err *err)
{
	size_t top = 0;

	law->top = sum_of(rank, n);
	law->centre = (double)law->top / 2;
	law->p = tape_mem_calloc(law->top + 1, sizeof(*law->p));
	if (law->p == NULL)
		return tape_err_nomem(err);
	law->p[0] = 1;
	for (size_t i = 0; i < n; i++) {
		const size_t r = doubled(rank[i]);

		top += r;
		for (size_t s = top + 1; s-- > 0;)
			law->p[s] =
			    (law->p[s] + (s >= r ? law->p[s - r] : 0)) / 2;
	}
	return TAPE_OK;
}

/*
 * count[j * (top + 1) + s]: ways to take j of the ranks seen so far with sum
 * s; filled downwards, so that each rank is taken once.
 */
static void
count_splits(
    double *count, const double *rank, size_t all, size_t m, size_t top)
{
	count[0] = 1;
	for (size_t i = 0; i < all; i++) {
		const size_t r = doubled(rank[i]);

		for (size_t j = i + 1 < m ? i + 1 : m; j > 0; j--) {
			double *to = count + j * (top + 1);
			const double *from = to - (top + 1);

			for (size_t s = r; s <= top; s++)
				to[s] += from[s - r];
		}
	}
}

enum tape_status
tape_stat_law_splits(struct tape_stat_law *law, const double *rank, size_t m,
    size_t n, struct tape_err *err)
{
	const size_t top = sum_of(rank, m + n);
	double *count, total = 0;

	law->top = top;
	law->centre = (double)top * (double)m / (double)(m + n > 0 ? m + n : 1);
	law->p = tape_mem_calloc(top + 1, sizeof(*law->p));
	count = tape_mem_calloc(m + 1, (top + 1) * sizeof(*count));
	if (law->p == NULL || count == NULL) {
		tape_mem_free(count);
		return tape_err_nomem(err);
	}
	count_splits(count, rank, m + n, m, top);
	memcpy(law->p, count + m * (top + 1), (top + 1) * sizeof(*law->p));
	for (size_t s = 0; s <= top; s++)
		total += law->p[s];
	for (size_t s = 0; s <= top; s++)
		law->p[s] /= total;
	tape_mem_free(count);
	return TAPE_OK;
}

void
tape_stat_law_release(struct tape_stat_law *law)
{
	tape_mem_free(law->p);
	memset(law, 0, sizeof(*law));
}
