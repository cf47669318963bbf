/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_runs.h"

#include "base/clock.h"
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>

#define CLOCK_TIME   11 /* where hh:mm:ss stands in an ISO time */
#define CLOCK_LENGTH 8

enum {
	ROUND,
	PLACE,
	ARM,
	START,
	N,
	FAILED,
	TTFT,
	ITL,
	LATENCY,
	RATE,
	CLOCK,
	POWER,
	TEMPERATURE
};

const char *const tape_compare_run_heads[TAPE_COMPARE_RUN_CELLS] = { "round",
	"pos", "arm", "start", "n", "failed", "ttft p50", "itl p50", "lat. p50",
	"tok/s", "MHz", "W", "C" };

/* Widths of the columns; below zero: to the left. */
static const int widths[TAPE_COMPARE_RUN_CELLS] = { 5, 3, -3, -8, 6, 6, 9, 9, 9,
	8, 5, 5, 4 };

/* Of the columns from CLOCK on: what is sampled. */
static const enum tape_compare_role sampled[] = { TAPE_COMPARE_CLOCK,
	TAPE_COMPARE_POWER, TAPE_COMPARE_TEMPERATURE };

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
number_cell(double v, char dst[TAPE_COMPARE_RUN_CELL])
{
	if (isnan(v))
		(void)snprintf(dst, TAPE_COMPARE_RUN_CELL, "n/a");
	else
		(void)snprintf(dst, TAPE_COMPARE_RUN_CELL, "%.4g", v);
}

static void
start_cell(const struct tape_compare_run *run, char dst[TAPE_COMPARE_RUN_CELL])
{
	char iso[TAPE_CLOCK_ISO];

	(void)tape_clock_print_iso(run->start_ns, iso);
	(void)snprintf(
	    dst, TAPE_COMPARE_RUN_CELL, "%.*s", CLOCK_LENGTH, iso + CLOCK_TIME);
}

/* The i-th run in order of time. */
static const struct tape_compare_run *
run_at(const struct tape_compare_design *design, size_t i)
{
	const struct tape_compare_pair *pair = &design->pairs[i / 2];

	return i % 2 == 0 ? tape_compare_first(pair)
			  : tape_compare_second(pair);
}

size_t
tape_compare_run_columns(const struct tape_compare_design *design,
    size_t columns[TAPE_COMPARE_RUN_CELLS])
{
	size_t n = 0;

	for (size_t c = 0; c < CLOCK; c++)
		columns[n++] = c;
	for (size_t c = CLOCK; c <= TEMPERATURE; c++) {
		enum tape_compare_role role = sampled[c - CLOCK];
		bool any = false;

		for (size_t i = 0; i < 2 * design->k && !any; i++)
			any = !isnan(run_at(design, i)->device.value[role]);
		if (any)
			columns[n++] = c;
	}
	return n;
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
	number_cell(run->output_tokens_per_s, row->cell[RATE]);
	for (size_t c = CLOCK; c <= TEMPERATURE; c++)
		number_cell(
		    run->device.value[sampled[c - CLOCK]], row->cell[c]);
}

static void
print_cell(size_t column, const char *text, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(
	    out, "%s%*s", column == 0 ? "" : "  ", widths[column], text);
}

static void
write_number(struct tape_json_writer *w, const char *key, double v)
{
	if (isfinite(v))
		tape_json_write_double(w, key, v);
}

void
tape_compare_write_runs(
    const struct tape_compare_design *design, struct tape_json_writer *w)
{
	tape_json_write_array(w, "runs");
	for (size_t i = 0; i < 2 * design->k; i++) {
		const struct tape_compare_run *r = run_at(design, i);
		char iso[TAPE_CLOCK_ISO];

		tape_json_write_object(w, NULL);
		tape_json_write_cstr(w, "arm", tape_compare_arm_letter(r->arm));
		if (r->round != TAPE_ABSENT_I64)
			tape_json_write_i64(w, "round", r->round);
		tape_json_write_i64(w, "position", (int64_t)(i % 2 + 1));
		tape_json_write_cstr(
		    w, "start", tape_clock_print_iso(r->start_ns, iso));
		tape_json_write_i64(w, "n", r->n);
		tape_json_write_i64(w, "failed", r->failed);
		write_number(
		    w, "ttft_p50_ns", r->level[TAPE_COMPARE_TTFT].median);
		write_number(
		    w, "itl_p50_ns", r->level[TAPE_COMPARE_TPOT].median);
		write_number(
		    w, "latency_p50_ns", r->level[TAPE_COMPARE_LATENCY].median);
		write_number(w, "output_tokens_per_s", r->output_tokens_per_s);
		write_number(
		    w, "clock_mhz", r->device.value[TAPE_COMPARE_CLOCK]);
		write_number(w, "power_w", r->device.value[TAPE_COMPARE_POWER]);
		write_number(w, "temperature_c",
		    r->device.value[TAPE_COMPARE_TEMPERATURE]);
		tape_json_write_object_end(w);
	}
	tape_json_write_array_end(w);
}

void
tape_compare_print_runs(
    const struct tape_compare_design *design, struct tape_buf *out)
{
	size_t columns[TAPE_COMPARE_RUN_CELLS];
	size_t n = tape_compare_run_columns(design, columns);
	struct tape_compare_run_row row;

	for (size_t c = 0; c < n; c++)
		print_cell(columns[c], tape_compare_run_heads[columns[c]], out);
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < 2 * design->k; i++) {
		tape_compare_run_cells(design, i, &row);
		for (size_t c = 0; c < n; c++)
			print_cell(columns[c], row.cell[columns[c]], out);
		(void)tape_buf_add_char(out, '\n');
	}
}
