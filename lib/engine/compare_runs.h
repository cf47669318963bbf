/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_runs: every run of a comparison, a line each.
 */
#ifndef TAPE_ENGINE_COMPARE_RUNS_H
#define TAPE_ENGINE_COMPARE_RUNS_H

#include "base/buf.h"
#include "engine/compare_pair.h"

/*
 * Appends a table in order of time: round, place in it, arm, start (UTC), n,
 * failed, the medians of TTFT, ITL and latency, and the output rate.
 */
void tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out);

#endif
