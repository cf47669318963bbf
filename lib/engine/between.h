/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * between: several runs of the same arm and conditions as one result: of each
 * metric the mean over runs, with its interval, and whether there were enough.
 *
 * A run counts with one value: its mean or, of a metric that has one value a
 * run, that value.  The interval is Student's on R - 1 df: unlike those of one
 * run it holds what differs from run to run.  Conditions are arm, model, api,
 * concurrency, rate, trace, extra fields and labels.
 *
 * Shares (good_ratio, failed_ratio) have Wilson's interval of all requests, whose
 * number is divided by the design effect: the variance between runs over that
 * of as many independent requests, at least 1.
 */
#ifndef TAPE_ENGINE_BETWEEN_H
#define TAPE_ENGINE_BETWEEN_H

#include "engine/summarize.h"

/* Beyond so many runs nothing is promised. */
#define TAPE_BETWEEN_RUNS_MOST 10000

/* "ttft=2%": the interval is to be -+ 2 % of the mean. */
struct tape_between_aim {
	enum tape_metric_id metric; /* TAPE_METRIC_COUNT: none */
	double ratio;
};

/* NULL: none.  TAPE_E_USAGE. */
enum tape_status tape_between_aim_parse(const char *text,
    struct tape_between_aim *out, struct tape_err *err) TAPE_NODISCARD;

struct tape_between_value {
	double v; /* NaN: the run has none */
	double p50, p90, p95, p99;
	int64_t n, failed;
};

struct tape_between_run {
	struct tape_between_value of[TAPE_METRIC_COUNT];
};

/* Runs of the same arm, conditions and group. */
struct tape_between_cell {
	char *key, *arm, *group; /* the latter two may be NULL */
	size_t key_len, group_len;
	int64_t first; /* run */
	struct tape_between_run **runs;
	size_t n, cap;
};

/* A zeroed struct is empty. */
struct tape_between {
	struct tape_between_cell *cells; /* in the order of first runs */
	size_t n, cap;
};

/* set is that of a run (start: its record) or of a group in it.  TAPE_E_NOMEM,
   TAPE_E_LIMIT. */
enum tape_status tape_between_add(struct tape_between *b,
    const struct tape_run *start, struct tape_str group,
    const struct tape_summarize_set *set, struct tape_err *err) TAPE_NODISCARD;

/*
 * Makes out of the runs of a cell: its summaries with n_runs, and aims' row
 * with runs_needed; those of metrics which fewer than two runs have are as at
 * schema init.  Spans are borrowed from the cell and out.  TAPE_E_NOMEM.
 */
enum tape_status tape_between_make(const struct tape_between_cell *cell,
    const struct tape_between_aim *aim, struct tape_summarize_set *out,
    struct tape_err *err) TAPE_NODISCARD;

void tape_between_clear(struct tape_between *b);

/* What two runs must have in common to be of one cell, appended.  TAPE_E_NOMEM,
   TAPE_E_LIMIT. */
enum tape_status tape_between_conditions(struct tape_buf *b,
    const struct tape_run *run, struct tape_str group,
    struct tape_err *err) TAPE_NODISCARD;

/* Half the interval of the mean of so many runs, two or more. */
double tape_between_half(double sd, double runs);

/* Runs from which on the interval of the mean is -+ ratio of it; absent when
   there are too many. */
int64_t tape_between_needed(double mean, double sd, double ratio);

#endif
