/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_runs.h"

#include "base/clock.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>

#define CLOCK_TIME   11 /* where hh:mm:ss stands in an ISO time */
#define CLOCK_LENGTH 8

enum { ROUND, PLACE, ARM, START, N, FAILED, TTFT, ITL, LATENCY, RATE };

const char *const tape_compare_run_heads[TAPE_COMPARE_RUN_CELLS] = { "round",
	"pos", "arm", "start", "n", "failed", "ttft p50", "itl p50", "lat. p50",
	"tok/s" };

/* Widths of the columns; below zero: to the left. */
static const int widths[TAPE_COMPARE_RUN_CELLS] = { 5, 3, -3, -8, 6, 6, 9, 9, 9,
	8 };

static void
median_cell(const struct tape_compare_run *run, enum tape_compare_value value,
    char dst[TAPE_COMPARE_RUN_CELL])
{
	double ns = run->level[value].median;

	if (isnan(ns))
		(void)snprintf(dst, TAPE_COMPARE_RUN_CELL, "n/a");
	else
		(void)tape_num_print_duration(ns, dst);
}

static void
integer_cell(int64_t v, char dst[TAPE_COMPARE_RUN_CELL])
{
	(void)snprintf(dst, TAPE_COMPARE_RUN_CELL, "%" PRId64, v);
}

static void
start_cell(const struct tape_compare_run *run, char dst[TAPE_COMPARE_RUN_CELL])
{
	char iso[TAPE_CLOCK_ISO];

	(void)tape_clock_print_iso(run->start_ns, iso);
	(void)snprintf(
	    dst, TAPE_COMPARE_RUN_CELL, "%.*s", CLOCK_LENGTH, iso + CLOCK_TIME);
}

void
tape_compare_run_cells(const struct tape_compare_design *design, size_t i,
    struct tape_compare_run_row *row)
{
	const struct tape_compare_pair *pair = &design->pairs[i / 2];
	const struct tape_compare_run *run =
	    i % 2 == 0 ? tape_compare_first(pair) : tape_compare_second(pair);
	int64_t round =
	    run->round == TAPE_ABSENT_I64 ? (int64_t)(i / 2 + 1) : run->round;

	integer_cell(round, row->cell[ROUND]);
	integer_cell((int64_t)(i % 2 + 1), row->cell[PLACE]);
	(void)snprintf(row->cell[ARM], sizeof(row->cell[ARM]), "%s",
	    tape_compare_arm_letter(run->arm));
	start_cell(run, row->cell[START]);
	integer_cell(run->n, row->cell[N]);
	integer_cell(run->failed, row->cell[FAILED]);
	median_cell(run, TAPE_COMPARE_TTFT, row->cell[TTFT]);
	median_cell(run, TAPE_COMPARE_TPOT, row->cell[ITL]);
	median_cell(run, TAPE_COMPARE_LATENCY, row->cell[LATENCY]);
	if (isnan(run->output_tokens_per_s))
		(void)snprintf(row->cell[RATE], sizeof(row->cell[RATE]), "n/a");
	else
		(void)snprintf(row->cell[RATE], sizeof(row->cell[RATE]), "%.4g",
		    run->output_tokens_per_s);
}

static void
print_cell(size_t column, const char *text, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(
	    out, "%s%*s", column == 0 ? "" : "  ", widths[column], text);
}

void
tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out)
{
	struct tape_compare_run_row row;

	for (size_t c = 0; c < TAPE_COMPARE_RUN_CELLS; c++)
		print_cell(c, tape_compare_run_heads[c], out);
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < 2 * design->k; i++) {
		tape_compare_run_cells(design, i, &row);
		for (size_t c = 0; c < TAPE_COMPARE_RUN_CELLS; c++)
			print_cell(c, row.cell[c], out);
		(void)tape_buf_add_char(out, '\n');
	}
}
