/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_power: what k pairs could have seen, and how many are needed.
 *
 * All for the two-sided paired t test at alpha, effects in units of the sd of
 * the pair differences.  NaN (or 0 pairs) for arguments out of range: k >= 2,
 * 0 < alpha < 1, alpha < power < 1, finite effects.
 */
#ifndef TAPE_CODEC_STAT_POWER_H
#define TAPE_CODEC_STAT_POWER_H

#include <stdint.h>

/*
 * Non-central t: P(T <= t) with df > 0 and non-centrality delta.  Series of
 * Guenther (1978) and Lenth (1989, AS 243) in incomplete betas, absolute error
 * about 1e-12; for |delta| > 37 a quadrature to about 1e-6.
 */
double tape_stat_nct_p(double t, double df, double delta);

/*
 * Probability that |t| exceeds its critical value, both tails counted, when
 * the true effect is effect sd.  k need not be whole.
 */
double tape_stat_power(double k, double effect, double alpha);

/* Smallest effect, in sd, that k pairs detect with the power wanted. */
double tape_stat_detectable(double k, double alpha, double power);

/*
 * Smallest number of pairs with at least the power wanted; UINT64_MAX when
 * more than TAPE_STAT_PAIRS_MAX would be needed, an effect of 0 included.
 */
#define TAPE_STAT_PAIRS_MAX 100000

uint64_t tape_stat_pairs_needed(double effect, double alpha, double power);

/*
 * One-sided upper bound, at level, of a normal sd of which sd was estimated
 * from k values: sd sqrt((k - 1) / chi2_{1 - level, k - 1}).  With level 0.8
 * it gives the second figure of "12 (up to 21) pairs".
 */
double tape_stat_sd_upper(double sd, double k, double level);

#endif
