/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_rows: one number a pair, for each row of the comparison.
 *
 * A row is a metric of a phase and the statistic by which a pair becomes a
 * number d:
 *
 *	matched-trim	10 % trimmed mean, over the requests that occur in
 *			both arms, of log(B/A); floor(0.1 n) left out at each
 *			end.  With fewer than 5 such requests in any pair:
 *	ratio-of-medians  log of the ratio of the runs' medians
 *	mean, p99, value  log of the ratio of that statistic of the runs
 *	difference	B - A, for shares
 *
 * Of a design with equal_lengths, itl is over the answers that have the same
 * number of tokens in both arms; with no_gaps the row of gaps is empty.
 */
#ifndef TAPE_ENGINE_COMPARE_ROWS_H
#define TAPE_ENGINE_COMPARE_ROWS_H

#include "engine/compare_pair.h"

#define TAPE_COMPARE_MATCH_MIN 5
#define TAPE_COMPARE_TRIM      0.1

enum tape_compare_statistic {
	TAPE_COMPARE_MATCHED, /* falls back to medians */
	TAPE_COMPARE_MEDIANS,
	TAPE_COMPARE_MEAN,
	TAPE_COMPARE_P99,
	TAPE_COMPARE_VALUE,
	TAPE_COMPARE_DIFFERENCE
};

/* The table of rows; their order is that of the printed table. */
struct tape_compare_row_def {
	const char *phase; /* prefill, decode, all */
	const char *metric;
	const char *unit;
	bool lower_is_better;
	bool optional; /* that no run has it is not worth a word */
	enum tape_compare_statistic statistic;
	enum tape_compare_value value; /* matched, mean, p99 of requests */
};

#define TAPE_COMPARE_ROWS 10

extern const struct tape_compare_row_def
    tape_compare_row_table[TAPE_COMPARE_ROWS];

struct tape_compare_row {
	const struct tape_compare_row_def *def;
	enum tape_compare_statistic statistic; /* as it was done */
	double *d; /* k numbers, in the order of the pairs */
	/* The runs' own, log or share: level[B][i] - level[A][i] is d[i]; of
	   matched-trim the trimmed means of the logs, moved alike to that. */
	double *level[TAPE_COMPARE_ARMS];
	/* Of matched-trim: the square of d's standard error within its pair,
	   were requests independent (winsorized variance); else NaN. */
	double *within;
	size_t k;
	bool usable;                     /* every pair has a finite number */
	bool empty;                      /* no run has this metric */
	double value[TAPE_COMPARE_ARMS]; /* mean over runs, natural unit */
};

/* All rows of the table; release frees what they hold, also on failure. */
enum tape_status tape_compare_rows(const struct tape_compare_design *design,
    struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    struct tape_err *err) TAPE_NODISCARD;
void tape_compare_rows_release(struct tape_compare_row rows[TAPE_COMPARE_ROWS]);

/* "ttft p99" and the like, as the table and the list of losses have it. */
const char *tape_compare_row_name(
    const struct tape_compare_row_def *def, char *dst, size_t size);

const char *tape_compare_statistic_name(enum tape_compare_statistic s);

/* Whether d is a difference of shares, not a log ratio. */
bool tape_compare_is_share(const struct tape_compare_row *row);

/* From the scale of d to that of the row: exp, but for shares. */
double tape_compare_scale(const struct tape_compare_row *row, double d);

#endif
