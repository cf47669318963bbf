/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_hl: Hodges-Lehmann estimates (1963) and their intervals.
 *
 * One sample: the median of the n(n+1)/2 Walsh averages (d_i + d_j)/2, i <=
 * j; two samples: the median of the m n differences x - y.  The interval
 * [w_(q), w_(N+1-q)] of the N sorted averages or differences has q from the
 * signed-rank or Mann-Whitney law without ties (normal approximation beyond
 * TAPE_STAT_RANK_EXACT values), as R's wilcox.test(conf.int=TRUE); zeros are
 * kept.  TAPE_E_DATA, TAPE_E_USAGE (level), TAPE_E_NOMEM, and TAPE_E_LIMIT
 * beyond TAPE_STAT_HL_MAX averages; *out is then unchanged.
 */
#ifndef TAPE_CODEC_STAT_HL_H
#define TAPE_CODEC_STAT_HL_H

#include "base/err.h"
#include "codec/stat_dist.h"
#include "codec/stat_ttest.h"

#define TAPE_STAT_HL_MAX 10000000 /* 80 MB; some 4,400 pairs */

struct tape_stat_hl {
	double estimate;
	struct tape_stat_interval ci;
	double level; /* achieved: below the one asked for when n < 6 at .95 */
};

enum tape_status tape_stat_hodges_lehmann(const double *d, size_t n,
    double level, struct tape_stat_hl *out,
    struct tape_err *err) TAPE_NODISCARD;

enum tape_status tape_stat_shift(struct tape_stat_sample x,
    struct tape_stat_sample y, double level, struct tape_stat_hl *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
