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
	int64_t attempt, start_ns;
	uint64_t key;   /* tape_tally_key */
	size_t line_at; /* its result record, in failed_lines */
	size_t line_len;
};

/* What is held of one run, until its report. */
struct tape_reduce_hand {
	int64_t run;
	bool basic; /* of its tallies */
	struct tape_reduce_kept start, end, fidelity;
	uint64_t warmup;
	struct tape_checks checks;
	struct tape_failures failures;
	struct tape_worst worst;
	struct tape_reduce_group *groups;
	size_t group_n, group_cap;
	struct tape_idmap group_map; /* digest of the key to the index */
	struct tape_reduce_failed *failed;
	size_t failed_n, failed_cap;
	struct tape_buf failed_lines;
	/* By tape_tally_key: the last attempt, of requests that were sent more
	   than once. */
	struct tape_idmap attempts;
};

struct tape_reduce {
	struct tape_reduce_opts opts;
	struct tape_reduce_sink sink;
	struct tape_reduce_counts counts;
	struct tape_measure measure;
	struct tape_grouping grouping;
	struct tape_checks_history history; /* of all runs read */
	bool in_segment;
	enum tape_ending ending;
	struct tape_idmap reported;    /* runs of this segment */
	struct tape_reduce_hand *hand; /* the run in hand, or NULL */
	struct tape_record again;      /* a held record, decoded */
	struct tape_summarize_set set;
};

static inline struct tape_str
tape_reduce_group_key(const struct tape_reduce_group *g)
{
	return tape_str_make(g->key, g->key_len);
}

/* Reports the run in hand. */
enum tape_status tape_reduce_report(
    struct tape_reduce *r, struct tape_err *err) TAPE_NODISCARD;

/* reduce_hand.c */

/* *out is the caller's. */
enum tape_status tape_reduce_hand_open(struct tape_reduce_hand **out,
    const struct tape_reduce *r, int64_t run,
    struct tape_err *err) TAPE_NODISCARD;
void tape_reduce_hand_free(struct tape_reduce_hand *h);

/* Copies a record that outlives its line. */
enum tape_status tape_reduce_keep(struct tape_reduce_kept *k,
    const struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

/* The group of a request with that key (absent: the only one). */
enum tape_status tape_reduce_hand_group(struct tape_reduce_hand *h,
    struct tape_str key, size_t *index, struct tape_err *err) TAPE_NODISCARD;

/* A measured request came, maybe not for the first time. */
enum tape_status tape_reduce_hand_attempt(struct tape_reduce_hand *h,
    const struct tape_result *res, struct tape_err *err) TAPE_NODISCARD;

/* Holds a failed one until the report. */
enum tape_status tape_reduce_hand_fail(struct tape_reduce_hand *h,
    const struct tape_result *res, size_t group,
    struct tape_err *err) TAPE_NODISCARD;

/* Of the failed ones leaves those that no later attempt replaced, in the order
   of their starts. */
void tape_reduce_hand_settle(struct tape_reduce_hand *h);

#endif
