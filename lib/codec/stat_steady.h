/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_steady: where the warm-up of a series ends, and the mean after it.
 *
 * Values in the order of time.  TAPE_E_DATA when there are too few or one is
 * not finite; *out is then unchanged.
 */
#ifndef TAPE_CODEC_STAT_STEADY_H
#define TAPE_CODEC_STAT_STEADY_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/stat_dist.h"

#define TAPE_STAT_MSER_BATCH 5
#define TAPE_STAT_MSER_MIN   50

struct tape_stat_mser {
	size_t batches; /* of five values; a rest at the end is left out */
	size_t cut;     /* values to leave out at the start */
	double value;   /* the g that was smallest */
	bool steady;    /* false: the cut is as late as it may be, do not cut */
};

/*
 * MSER-5 (White 1997): over the m means Y of five values, the d <= m/2 that
 * minimises g(d) = sum_{j >= d} (Y_j - mean_d)^2 / (m - d)^2, the first one on
 * ties.  n >= TAPE_STAT_MSER_MIN.  It can be fooled (Wang and Glynn 2016):
 * show the result with and without the cut.
 */
enum tape_status tape_stat_mser5(const double *x, size_t n,
    struct tape_stat_mser *out, struct tape_err *err) TAPE_NODISCARD;

struct tape_stat_batch {
	size_t length; /* values a batch; a rest at the end is left out */
	double mean;   /* of the batch means */
	double se;
	struct tape_stat_interval ci;
};

/*
 * Batch means (Schmeiser 1982): the mean of so many equal batches and its t
 * interval on batches - 1 df.  2 <= batches <= n, else TAPE_E_USAGE.
 */
enum tape_status tape_stat_batch_means(const double *x, size_t n,
    size_t batches, double level, struct tape_stat_batch *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
