/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summarize_curves: the summaries of what was in flight over a run's window.
 * n is the number of requests that a curve is made from; mean, sd and quantiles
 * are by time, these of type 1 (no value between two that were).
 */
#ifndef TAPE_ENGINE_SUMMARIZE_CURVES_H
#define TAPE_ENGINE_SUMMARIZE_CURVES_H

#include "engine/summarize.h"

/* Fills those rows of the set that are curves, of the n tallies together.
   TAPE_E_NOMEM. */
enum tape_status tape_summarize_curves(const struct tape_summarize_run *run,
    struct tape_tally *const *tallies, size_t n, struct tape_summarize_set *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
