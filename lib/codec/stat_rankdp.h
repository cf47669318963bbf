/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_rankdp: exact laws of rank sums, for stat_rank and stat_hl.
 *
 * Sums are of doubled ranks, so that mid-ranks are whole.  Counts are kept as
 * probabilities or doubles; they are exact below 2^53 and right to about
 * 1e-14 beyond.
 */
#ifndef TAPE_CODEC_STAT_RANKDP_H
#define TAPE_CODEC_STAT_RANKDP_H

#include "base/err.h"

/* A zeroed struct is empty; release it in any case. */
struct tape_stat_law {
	double *p; /* of the doubled sums 0 .. top */
	size_t top;
	double centre; /* the mean */
};

/* Sum of the ranks that get a plus: 2^n sign vectors. */
enum tape_status tape_stat_law_signs(struct tape_stat_law *law,
    const double *rank, size_t n, struct tape_err *err) TAPE_NODISCARD;

/* Sum of m of the m + n ranks: all splits. */
enum tape_status tape_stat_law_splits(struct tape_stat_law *law,
    const double *rank, size_t m, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

void tape_stat_law_release(struct tape_stat_law *law);

#endif
