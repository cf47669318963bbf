/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_flipci: the interval that belongs to the sign-flip test.
 *
 * It holds all theta for which the flips of d - theta are not rejected at
 * 1 - level.  A flip that makes the pairs of a set N negative changes the sum
 * by -2 sum_N (d_i - theta), so the ends are order statistics of the means of
 * the 2^k - 1 non-empty subsets (Hartigan 1969): the r-th smallest and
 * largest, r = floor((1 - level) 2^(k-1)).
 */
#ifndef TAPE_CODEC_STAT_FLIPCI_H
#define TAPE_CODEC_STAT_FLIPCI_H

#include "base/err.h"
#include "codec/stat_dist.h"
#include "codec/stat_signs.h"

struct tape_stat_flipci {
	struct tape_stat_interval ci;
	double level; /* achieved: 1 - r / 2^(k-1), at least what was asked */
};

/*
 * The ends are infinite, and the level is 1, when r is 0: for k < 6 at .95.
 * To k = 16 all subset means are listed (512 KB); to k = 40 the ends are found
 * by root search on the exact count, to 1e-12 of the range of d (24 MB);
 * beyond they are order statistics of the means of the subsets, and of their
 * complements, that the Monte Carlo test flips, so that test and interval
 * agree.  TAPE_E_DATA and TAPE_E_LIMIT as for tape_stat_flip, TAPE_E_USAGE
 * when level is not within (0, 1), TAPE_E_NOMEM; *out is then unchanged.
 */
enum tape_status tape_stat_flipci(const double *d, size_t k, double level,
    const struct tape_stat_flip_opt *opt, struct tape_stat_flipci *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
