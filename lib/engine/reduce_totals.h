/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_totals: the metrics of which a run has one value, a line each, as the
 * wide table lists them below its rows.
 */
#ifndef TAPE_ENGINE_REDUCE_TOTALS_H
#define TAPE_ENGINE_REDUCE_TOTALS_H

#include "base/buf.h"
#include "engine/summarize.h"

/* Appends those that have a value. */
void tape_reduce_totals(
    struct tape_buf *b, const struct tape_summarize_set *set);

#endif
