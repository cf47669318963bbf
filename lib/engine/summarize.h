/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summarize: the summary records of a run, or of a group of its requests, from
 * tallies: one for each metric of the table, in its order.
 *
 * Quantiles are of type 7, from the values.  A percentile that the number of
 * values does not reach is absent: p99 below 100 (then flagged), p999 below
 * 1000, p9999 below 10000.  sd is that with n - 1, absent when n is 1.
 * Intervals and outliers are those of engine/intervals.
 *
 * Where failures are infinite, each failed request is one more value, +infinity,
 * of the times from a request to its answer.  A record has no infinity: quantiles
 * that touch one are absent, as are mean, sd and max, which do not exist then;
 * the row is flagged and has finite_ratio.
 */
#ifndef TAPE_ENGINE_SUMMARIZE_H
#define TAPE_ENGINE_SUMMARIZE_H

#include "engine/intervals.h"
#include "engine/tally.h"

#define TAPE_SUMMARIZE_FLAGS 16

/* Rows are flagged when more of the token events were merged. */
#define TAPE_SUMMARIZE_MERGED 0.01

/* From so many requests on threads pay. */
#define TAPE_SUMMARIZE_SHARED 10000

/* What all summaries of a run have in common.  Spans are borrowed. */
struct tape_summarize_run {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	int64_t position;
	struct tape_str from;
	bool has_good;
	bool infinite;    /* failures are infinite */
	unsigned threads; /* at most; 0 is 1 */
	bool imported;    /* another tool's client measured: a flag */
	bool sliced;      /* a slice of time: no curves of what was in flight */
	int64_t first_ns; /* the run's window; TAPE_ABSENT_I64 none */
	int64_t last_ns;
};

struct tape_summarize_set {
	struct tape_summary summary[TAPE_METRIC_COUNT];
	struct tape_str flag[TAPE_METRIC_COUNT][TAPE_SUMMARIZE_FLAGS];
	struct tape_intervals_text ci[TAPE_METRIC_COUNT];
	struct tape_metric_totals totals;
	uint64_t reasoned;
	uint64_t cancelled;  /* on purpose */
	uint64_t retried;    /* sent more than once */
	double shared_ratio; /* tokens that shared an event; NaN unknown */
	bool to_end;         /* some latencies of streams are to the end */
	double merged_ratio; /* token events that were merged; NaN none */
};

/*
 * Summarizes the n tallies together; group (absent:
 * all) is borrowed by out.  TAPE_E_NOMEM.
 */
enum tape_status tape_summarize(const struct tape_summarize_run *run,
    struct tape_str group, struct tape_tally *const *tallies, size_t n,
    struct tape_summarize_set *out, struct tape_err *err) TAPE_NODISCARD;

/* The quantiles with those that are infinite as such, and the largest value. */
struct tape_quantiles tape_summarize_quantiles(
    const struct tape_summary *s, double *max);

/* Whether the metric belongs into the output: those of objectives only where
   there are some. */
bool tape_summarize_has(const struct tape_summarize_set *set, int metric);

#endif
