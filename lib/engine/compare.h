/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare: two arms, run by run: what a comparison is made of.
 *
 *	load (compare_load.h)	metrics streams -> runs
 *	pair (compare_pair.h)	runs -> pairs, and whether they can be compared
 *	rows (compare_rows.h)	pairs -> one number a pair, for each row
 *	judge (compare_judge.h)	numbers -> tests, statuses, verdict
 *	print (compare_print.h, compare_record.h)	what came of it
 *
 * The run is the unit: all significance comes from one number a pair,
 * log(B/A); requests make each of these sharper.  The rules are those of
 * ab-compare(1).
 */
#ifndef TAPE_ENGINE_COMPARE_H
#define TAPE_ENGINE_COMPARE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#define TAPE_COMPARE_ARMS 2
#define TAPE_COMPARE_A    0
#define TAPE_COMPARE_B    1

/* What is measured of a request, as natural logarithms of ns. */
enum tape_compare_value {
	TAPE_COMPARE_TTFT,
	TAPE_COMPARE_TPOT,
	TAPE_COMPARE_LATENCY,
	TAPE_COMPARE_VALUES
};

/* One request id of one run; NaN where it has no such value. */
struct tape_compare_request {
	struct tape_str id;
	double log_value[TAPE_COMPARE_VALUES]; /* mean over repeats of the id */
	unsigned repeats[TAPE_COMPARE_VALUES];
	int64_t output_tokens; /* sum over repeats, absent unknown */
};

/* One run.  Spans live in the set's arena. */
struct tape_compare_run {
	size_t arm;
	int64_t run; /* number in its stream */
	int64_t round;
	int64_t position;
	struct tape_str session;
	struct tape_str target;
	struct tape_str model;
	struct tape_str api;
	struct tape_str extra;
	struct tape_str trace_hash;
	int64_t concurrency;
	int64_t warmup;
	double rate_per_s;
	int64_t start_ns; /* wall clock */
	int64_t end_ns;
	int64_t n; /* measured requests that succeeded */
	int64_t failed;
	struct tape_compare_request *requests; /* sorted by id */
	size_t request_count;
	size_t request_cap;
	double gap_p99_ns;
	double output_tokens_per_s;
	bool ended; /* its end record was read */
};

struct tape_compare_set {
	struct tape_arena arena;
	struct tape_str arm_name[TAPE_COMPARE_ARMS];
	size_t arms;
	struct tape_compare_run *runs;
	size_t run_count;
	size_t run_cap;
	int64_t skipped_runs; /* of arms that are not compared */
};

enum tape_compare_severity {
	TAPE_COMPARE_REFUSE, /* no verdict can be given */
	TAPE_COMPARE_WARN,
	TAPE_COMPARE_NOTE
};

struct tape_compare_note {
	enum tape_compare_severity severity;
	char code[24];
	char text[200];
};

struct tape_compare_notes {
	struct tape_compare_note *v;
	size_t n;
	size_t cap;
	bool refused;
};

void tape_compare_notes_release(struct tape_compare_notes *notes);

enum tape_status tape_compare_notes_add(struct tape_compare_notes *notes,
    enum tape_compare_severity severity, const char *code, const char *fmt, ...)
    TAPE_PRINTF(4, 5);

#endif
