/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_prop: intervals of a proportion, good out of n.
 *
 * level is two-sided, 0.95 for 95 %.  TAPE_E_DATA when n is 0, TAPE_E_USAGE
 * when good > n or level is not within (0, 1); *out is then unchanged.
 */
#ifndef TAPE_CODEC_STAT_PROP_H
#define TAPE_CODEC_STAT_PROP_H

#include "base/err.h"
#include "codec/stat_dist.h"

/*
 * Wilson (1927), without continuity correction:
 *
 *	(p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
 *
 * good and n need not be whole: divide both by a design effect when the
 * trials come in clusters.
 */
enum tape_status tape_stat_wilson(double good, double n, double level,
    struct tape_stat_interval *out, struct tape_err *err) TAPE_NODISCARD;

/*
 * Clopper and Pearson (1934): all p that neither one-sided binomial test
 * rejects.  Exact, n up to TAPE_STAT_BINOM_MAX.
 */
enum tape_status tape_stat_clopper(uint64_t good, uint64_t n, double level,
    struct tape_stat_interval *out, struct tape_err *err) TAPE_NODISCARD;

#endif
