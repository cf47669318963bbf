/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_flip: the sign-flip permutation test on pair differences.
 *
 * When the order inside each pair was drawn, or the noise is symmetric, "no
 * difference" means that every d_i could as well have come with the other
 * sign: the sum S = sum d_i is one of 2^k equally likely ones (Fisher 1935).
 * No normality is assumed.  The smallest two-sided p is 2^-(k-1), so nothing
 * below six pairs can reach .05.
 *
 * Up to TAPE_STAT_FLIP_EXACT pairs all 2^k sums are counted (stat_halves);
 * beyond, B sign vectors are drawn (stat_signs, purpose TAPE_RNG_FLIP), and
 * p = (b + 1)/(B + 1) (Phipson and Smyth 2010).
 *
 * Ties: a sum within 1e-12 sum |d_i| of the observed one counts as reaching
 * it.  All d equal to 0: p = 1.  TAPE_E_DATA: no pair, or a value that is not
 * finite; TAPE_E_LIMIT: more than TAPE_STAT_SIGNS_MAX pairs; TAPE_E_NOMEM.
 * On failure *out is unchanged.
 */
#ifndef TAPE_CODEC_STAT_FLIP_H
#define TAPE_CODEC_STAT_FLIP_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/stat_signs.h"
#include "codec/stat_ttest.h"

#define TAPE_STAT_FLIP_EXACT 40

struct tape_stat_flip {
	bool exact;
	uint64_t total;         /* 2^k, or B + 1 */
	uint64_t count_two;     /* |S| >= |S observed|, itself included */
	uint64_t count_greater; /* S >= S observed */
	uint64_t count_less;    /* S <= S observed */
	double p_two;           /* the counts' shares of total */
	double p_greater;       /* against the alternative: mean above 0 */
	double p_less;
};

enum tape_status tape_stat_flip(const double *d, size_t k,
    const struct tape_stat_flip_opt *opt, struct tape_stat_flip *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Equivalence by one-sided flips of d + margin and of d - margin; margin as
 * for tape_stat_tost_t, else TAPE_E_USAGE.
 */
enum tape_status tape_stat_tost_flip(const double *d, size_t k, double margin,
    const struct tape_stat_flip_opt *opt, struct tape_stat_tost *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
