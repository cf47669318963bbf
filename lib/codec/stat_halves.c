/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_halves.h"

#include "base/mem.h"

#include <string.h>

enum tape_status
tape_stat_halves_open(
    struct tape_stat_halves *h, size_t k, struct tape_err *err)
{
	size_t room;

	memset(h, 0, sizeof(*h));
	if (k > TAPE_STAT_HALVES_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "%zu numbers: all subsets of at most %d", k,
		    TAPE_STAT_HALVES_MAX);
	room = (size_t)1 << (k - k / 2);
	h->k = k;
	h->low = tape_mem_realloc(NULL, room, sizeof(double));
	h->high = tape_mem_realloc(NULL, room, sizeof(double));
	h->scratch = tape_mem_realloc(NULL, room, sizeof(double));
	if (h->low != NULL && h->high != NULL && h->scratch != NULL)
		return TAPE_OK;
	tape_stat_halves_release(h);
	return tape_err_nomem(err);
}

/* dst[0 .. 2m) = merge of src[0 .. m) and src + d.  No branch on the data. */
static void
add_one(const double *src, double *dst, size_t m, double d)
{
	size_t i = 0, j = 0, n = 0;

	while (i < m && j < m) {
		const double a = src[i], b = src[j] + d;
		const size_t left = a <= b;

		dst[n++] = left != 0 ? a : b;
		i += left;
		j += 1 - left;
	}
	while (i < m)
		dst[n++] = src[i++];
	while (j < m)
		dst[n++] = src[j++] + d;
}

static void
list(double **sums, double **scratch, const double *d, size_t k)
{
	(*sums)[0] = 0;
	for (size_t i = 0; i < k; i++) {
		double *const next = *scratch;

		add_one(*sums, next, (size_t)1 << i, d[i]);
		*scratch = *sums;
		*sums = next;
	}
}

void
tape_stat_halves_fill(struct tape_stat_halves *h, const double *d)
{
	list(&h->low, &h->scratch, d, h->k / 2);
	list(&h->high, &h->scratch, d + h->k / 2, h->k - h->k / 2);
}

uint64_t
tape_stat_halves_count(const struct tape_stat_halves *h, double limit)
{
	const size_t n = (size_t)1 << h->k / 2;
	size_t below = (size_t)1 << (h->k - h->k / 2);
	uint64_t count = 0;

	for (size_t i = 0; i < n && below > 0; i++) {
		while (below > 0 && h->low[i] + h->high[below - 1] > limit)
			below--;
		count += below;
	}
	return count;
}

void
tape_stat_halves_release(struct tape_stat_halves *h)
{
	tape_mem_free(h->low);
	tape_mem_free(h->high);
	tape_mem_free(h->scratch);
	memset(h, 0, sizeof(*h));
}
