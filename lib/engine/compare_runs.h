/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_runs: every run of a comparison, a line each, in order of time: round,
 * place in it, arm, start (UTC), n, failed, the medians of TTFT, ITL and
 * latency, the output rate; and clock, power and temperature of the devices,
 * where any run has them.
 */
#ifndef TAPE_ENGINE_COMPARE_RUNS_H
#define TAPE_ENGINE_COMPARE_RUNS_H

#include "base/buf.h"
#include "codec/json_write.h"
#include "engine/compare_pair.h"

#define TAPE_COMPARE_RUN_CELLS 13
#define TAPE_COMPARE_RUN_CELL  32 /* room for one */

/* The heads of the columns. */
extern const char *const tape_compare_run_heads[TAPE_COMPARE_RUN_CELLS];

struct tape_compare_run_row {
	char cell[TAPE_COMPARE_RUN_CELLS][TAPE_COMPARE_RUN_CELL];
};

/* The cells of the i-th run in order of time, of 2 k. */
void tape_compare_run_cells(const struct tape_compare_design *design, size_t i,
    struct tape_compare_run_row *row);

/* Which columns there are: their places, in order; returns how many. */
size_t tape_compare_run_columns(const struct tape_compare_design *design,
    size_t columns[TAPE_COMPARE_RUN_CELLS]);

/* As the member runs of an open object: an array in order of time, of objects
   with arm, round, position, start (UTC), n, failed, ttft_p50_ns,
   itl_p50_ns, latency_p50_ns, output_tokens_per_s, clock_mhz, power_w and
   temperature_c, without what is not known. */
void tape_compare_write_runs(
    const struct tape_compare_design *design, struct tape_json_writer *w);

/* Appends the table as text. */
void tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out);

#endif
