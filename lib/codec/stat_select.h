/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_select: a quantile or two of a sample that is not worth sorting.
 */
#ifndef TAPE_CODEC_STAT_SELECT_H
#define TAPE_CODEC_STAT_SELECT_H

#include "base/err.h"

/*
 * The quantile of type 7, equal to that of tape_stat_quantile over the sorted
 * values, in linear time; x is left in another order, in which the next
 * quantile can be asked for.  Quickselect (Hoare 1961) with the median of three
 * as pivot; a range on which that fails to get on is sorted, so that no order
 * of the values makes it quadratic.
 *
 * NaN when n is 0 or q is not within [0, 1]; values are finite.  TAPE_E_NOMEM
 * can only come from such a sort.
 */
enum tape_status tape_stat_select(double *x, size_t n, double q, double *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
