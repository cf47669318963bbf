/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_adjust: p-values of several rows at once, adjusted; as R's p.adjust.
 *
 * With the p sorted upwards, p_(1) <= ... <= p_(m):
 *
 *	Bonferroni	min(1, m p)
 *	Holm (1979)	step down: max over j <= i of (m - j + 1) p_(j)
 *	Hochberg (1988)	step up:   min over j >= i of (m - j + 1) p_(j)
 *	BH (1995)	step up:   min over j >= i of m/j p_(j)
 *	BY (2001)	BH times 1 + 1/2 + ... + 1/m
 *
 * Holm and Bonferroni hold for any dependence and bound the chance of any
 * false row, Hochberg under positive dependence; BH (positive dependence) and
 * BY (any) bound the expected share of false ones: for exploring only.
 */
#ifndef TAPE_CODEC_STAT_ADJUST_H
#define TAPE_CODEC_STAT_ADJUST_H

#include "base/err.h"

enum tape_stat_adjust {
	TAPE_STAT_BONFERRONI,
	TAPE_STAT_HOLM,
	TAPE_STAT_HOCHBERG,
	TAPE_STAT_BH,
	TAPE_STAT_BY
};

/*
 * Adjusted p of p[0 .. m) into out[0 .. m), in the same order; out may be p.
 * A p that is NaN belongs to no family: it stays NaN and is not counted in m.
 * TAPE_E_DATA when one is outside [0, 1], TAPE_E_NOMEM; out is then unchanged.
 */
enum tape_status tape_stat_adjust(enum tape_stat_adjust method, const double *p,
    size_t m, double *out, struct tape_err *err) TAPE_NODISCARD;

#endif
