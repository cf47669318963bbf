/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_change: does a series in the order of time rise or fall, does its second
 * half differ from the first, and is there a step in it.
 *
 * Neighbours may be alike: none of the three takes n values for n independent
 * ones.  They are made to be silent rather than wrong: how often they find
 * something where there is nothing is simulated in tests/oracle/changes.c.
 */
#ifndef TAPE_CODEC_STAT_CHANGE_H
#define TAPE_CODEC_STAT_CHANGE_H

#include "base/err.h"

#include <stdbool.h>

#define TAPE_STAT_CHANGE_MIN      50
#define TAPE_STAT_CHANGE_LONG     1000 /* beyond, equal pieces' means stand in */
#define TAPE_STAT_CHANGE_SHUFFLES 999

struct tape_stat_change {
	size_t piece; /* values that were taken together; a rest is left out */

	/* What Theil's and Sen's slope comes to from the first value to the
	   last, in units of the values; and Kendall's two-sided p, its z made
	   smaller by the root of n_eff over n.  n_eff (stat_neff.h) is of the
	   ranks of what the slope leaves. */
	double rise;
	double median;
	double n_eff;
	double trend_p;

	/* Means of both halves, each in 5 equal batches (10 from 200 values
	   on), and p by Welch's t of the batches. */
	double first, second;
	double halves_p;

	/* Before which value, from 0, a step is most likely, by the largest
	   sum of ranks less their mean (Pettitt 1979), the medians on both
	   sides, and p by shuffling blocks of neighbours.  A slope makes that
	   sum large, too: whether the step leaves less than the slope does, of
	   the absolute values. */
	size_t step_at;
	double before, after;
	double step_p;
	bool step_fits;
};

/*
 * n >= TAPE_STAT_CHANGE_MIN finite values, else TAPE_E_DATA; TAPE_E_NOMEM;
 * *out is then unchanged.  Where all are equal nothing changes: p is 1.  The
 * shuffles are those of the stream (0, TAPE_RNG_CHANGE, row).
 */
enum tape_status tape_stat_change(const double *x, size_t n, uint32_t row,
    struct tape_stat_change *out, struct tape_err *err) TAPE_NODISCARD;

#endif
