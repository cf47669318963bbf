/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_halves: how many of the 2^k subsets of k numbers have a sum of at most
 * a limit, in 2^(k/2) steps.
 *
 * The numbers are cut into halves; the sums of the subsets of each are listed
 * in order, each number doubling the list by merging it with itself shifted.
 * A pair of pointers, one rising and one falling, then counts the pairs of
 * sums that stay within the limit (Horowitz and Sahni 1974).  For the other
 * stat_* modules.
 */
#ifndef TAPE_CODEC_STAT_HALVES_H
#define TAPE_CODEC_STAT_HALVES_H

#include "base/err.h"

#define TAPE_STAT_HALVES_MAX 40

/* A zeroed struct is empty. */
struct tape_stat_halves {
	size_t k;
	double *low;  /* sums of the first k/2 numbers, ascending */
	double *high; /* of the others */
	double *scratch;
};

/*
 * Room for k numbers, at most TAPE_STAT_HALVES_MAX (TAPE_E_LIMIT): 24 MB for
 * 40.  On failure (TAPE_E_NOMEM) nothing is held.
 */
enum tape_status tape_stat_halves_open(
    struct tape_stat_halves *h, size_t k, struct tape_err *err) TAPE_NODISCARD;

/* Lists the sums of d[0 .. k); may be called again with other numbers. */
void tape_stat_halves_fill(struct tape_stat_halves *h, const double *d);

/* Subsets, the empty one included, with a sum <= limit. */
uint64_t tape_stat_halves_count(const struct tape_stat_halves *h, double limit);

void tape_stat_halves_release(struct tape_stat_halves *h);

#endif
