/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_state: what reduce holds of the run in hand; for reduce.c, which fills
 * it, and reduce_report.c, which empties it.
 */
#ifndef TAPE_ENGINE_REDUCE_STATE_H
#define TAPE_ENGINE_REDUCE_STATE_H

#include "engine/failures.h"
#include "engine/grouping.h"
#include "engine/idmap.h"
#include "engine/reduce.h"

/* A record that outlives its line. */
struct tape_reduce_kept {
	bool present;
	struct tape_buf line;
	struct tape_record rec;
};

struct tape_reduce_group {
	char *key; /* JSON text; NULL without --by */
	size_t key_len;
	struct tape_tally tally;
};

/* A failed request of the measured ones, until the report. */
struct tape_reduce_failed {
	size_t group;
	int64_t attempt, start_ns; /* the last, and of the first */
	bool superseded;           /* a later attempt came */
	char class[TAPE_CHECKS_NAME];
	size_t reason;  /* its group in failures */
	size_t line_at; /* its result record, in failed_lines */
	size_t line_len;
};

struct tape_reduce {
	struct tape_reduce_opts opts;
	struct tape_reduce_sink sink;
	struct tape_reduce_counts counts;
	struct tape_measure measure;
	struct tape_grouping grouping;
	struct tape_worst worst;
	struct tape_checks_history history; /* of all runs read */
	bool in_segment;
	enum tape_ending ending;
	struct tape_idmap reported; /* runs of this segment */

	/* The run in hand. */
	bool open;
	int64_t run;
	struct tape_reduce_kept start, end, fidelity;
	uint64_t warmup;
	struct tape_checks checks;
	struct tape_failures failures;
	struct tape_reduce_group *groups;
	size_t group_n, group_cap;
	struct tape_idmap group_map; /* digest of the key to the index */
	struct tape_reduce_failed *failed;
	size_t failed_n, failed_cap;
	struct tape_idmap failed_map; /* digest of id and pass to the index */
	struct tape_buf failed_lines;
	struct tape_record again; /* a held record, decoded */
	struct tape_summarize_set set;
};

static inline struct tape_str
tape_reduce_group_key(const struct tape_reduce_group *g)
{
	return tape_str_make(g->key, g->key_len);
}

/* Reports the run in hand and makes room for the next. */
enum tape_status tape_reduce_report(
    struct tape_reduce *r, struct tape_err *err) TAPE_NODISCARD;

/* Forgets the run in hand. */
void tape_reduce_reset(struct tape_reduce *r);

#endif
