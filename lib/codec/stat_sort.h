/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_sort: the gate through which data enter order statistics.
 *
 * What tape_stat_sort has sorted is finite, and the functions that take
 * "sorted" data rely on it.
 */
#ifndef TAPE_CODEC_STAT_SORT_H
#define TAPE_CODEC_STAT_SORT_H

#include "base/err.h"

/*
 * TAPE_OK when all n values are finite, else TAPE_E_DATA, naming the first
 * that is not by its 1-based place.  n may be 0.
 */
enum tape_status tape_stat_check(
    const double *x, size_t n, struct tape_err *err) TAPE_NODISCARD;

/*
 * Sorts x upwards in place, -0 before +0, so that equal sets of values give
 * equal bytes.  From 1024 values on a radix sort on the bits (least digit
 * first, linear time) with a scratch copy of x; below, a comparison sort.
 * TAPE_E_DATA when a value is not finite, TAPE_E_NOMEM: x is unchanged.
 */
enum tape_status tape_stat_sort(
    double *x, size_t n, struct tape_err *err) TAPE_NODISCARD;

/*
 * Ranks 1 .. n of x, the mean rank for equal values (mid-ranks), into
 * rank[0 .. n); *ties, when not NULL, becomes the sum of t^3 - t over the
 * groups of t equal values.  Errors as tape_stat_sort; rank must not be x.
 */
enum tape_status tape_stat_midranks(const double *x, size_t n, double *rank,
    double *ties, struct tape_err *err) TAPE_NODISCARD;

#endif
