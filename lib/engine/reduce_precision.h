/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_precision: what a table says of the precision of its numbers.
 */
#ifndef TAPE_ENGINE_REDUCE_PRECISION_H
#define TAPE_ENGINE_REDUCE_PRECISION_H

#include "base/buf.h"
#include "engine/summarize.h"

/*
 * One line with the intervals of the means of ttft, latency and tpot, or that
 * there are too few requests for one; wide: also a block with those of mean, p50,
 * p90 and p99 of each metric that has some, and the requests for -+ 2 %, and the
 * outliers.
 */
void tape_reduce_precision(
    struct tape_buf *b, const struct tape_summarize_set *set, bool wide);

#endif
