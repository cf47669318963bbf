/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_state: what reduce holds of runs, and of sets of them; for the files
 * of reduce:
 *
 *	reduce.c	records come in
 *	reduce_set.c	sets of runs: segments, and shards that belong together
 *	reduce_hand.c	what is held of one run
 *	reduce_report.c	a run goes out
 */
#ifndef TAPE_ENGINE_REDUCE_STATE_H
#define TAPE_ENGINE_REDUCE_STATE_H

#include "engine/failures.h"
#include "engine/grouping.h"
#include "engine/idmap.h"
#include "engine/reduce.h"
#include "engine/slices.h"
#include "engine/sorter.h"

/* A record that outlives its line. */
struct tape_reduce_kept {
	bool present;
	struct tape_buf line;
	struct tape_record rec;
};

struct tape_reduce_group {
	char *key; /* JSON text; NULL without --by */
	size_t key_len;
	int64_t from_ns; /* of a slice */
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
	size_t memory;   /* as in the options */
	const char *dir; /* likewise */
	bool basic;      /* of its tallies */
	struct tape_reduce_kept start, end, fidelity;
	uint64_t warmup;
	struct tape_checks checks;
	struct tape_failures failures;
	struct tape_worst worst;
	struct tape_definitions *definitions; /* NULL without peers */
	bool steady;
	struct tape_steady held; /* where steady: of the tallies, until then */
	struct tape_steady_cut cut;
	struct tape_steady_text cut_text;
	struct tape_reduce_group *groups;
	size_t group_n, group_cap;
	struct tape_idmap group_map; /* digest of the key to the index */
	struct tape_reduce_failed *failed;
	size_t failed_n, failed_cap;
	struct tape_buf failed_lines;
	/* By tape_tally_key: the last attempt, of requests that were sent more
	   than once. */
	struct tape_idmap attempts;
	uint64_t responses;         /* so far, those of the warm-up too */
	struct tape_sorter results; /* where the sink takes results */
};

/* One segment of the output: one of the input, or the shards of one set. */
struct tape_reduce_set {
	struct tape_reduce_kept header; /* of the first shard so far */
	uint64_t of;                    /* shards; 0: it is no shard */
	struct tape_reduce_shard {
		uint64_t index; /* from 1 */
		char *prov;     /* the chain of its header */
		size_t prov_len;
	} * shards; /* those that came, by index */
	size_t shard_n, shard_cap;
	enum tape_ending ending; /* the worst */
	/* Of shards all runs until the last shard is there; else the one in
	   hand. */
	struct tape_reduce_hand **hands;
	size_t hand_n, hand_cap;
	struct tape_idmap runs; /* that were begun, to the place in hands */
};

struct tape_reduce {
	struct tape_reduce_opts opts;
	struct tape_reduce_sink sink;
	struct tape_reduce_counts counts;
	struct tape_measure measure;
	struct tape_grouping grouping;
	struct tape_slices slices;
	struct tape_between_aim aim;
	struct tape_between between;        /* of the segment that goes out */
	struct tape_checks_history history; /* of all runs read */
	/* Of the segment that goes out: its run_id, and the tools that made it. */
	struct tape_buf session, tools;
	struct tape_reduce_set **waiting; /* for shards */
	size_t waiting_n, waiting_cap;
	struct tape_idmap whole;       /* run_ids of sets that went out */
	struct tape_reduce_set *in;    /* that of the segment, or NULL */
	struct tape_reduce_hand *hand; /* the run in hand, or NULL */
	struct tape_buf line;          /* a result, on its way to a sorter */
	struct tape_record again;      /* a held record, decoded */
	struct tape_summarize_set set;
};

static inline struct tape_str
tape_reduce_group_key(const struct tape_reduce_group *g)
{
	return tape_str_make(g->key, g->key_len);
}

/* Reports the run in hand, of a set that ended so. */
enum tape_status tape_reduce_report(struct tape_reduce *r,
    enum tape_ending ending, struct tape_err *err) TAPE_NODISCARD;

/* What the runs of a segment come to together; forgets them. */
enum tape_status tape_reduce_between(
    struct tape_reduce *r, struct tape_err *err) TAPE_NODISCARD;

/* A result that goes out with the run in hand. */
enum tape_status tape_reduce_emit(struct tape_reduce *r,
    const struct tape_result *res, struct tape_err *err) TAPE_NODISCARD;

/* reduce_set.c */

/* A segment begins and ends.  At a run's end, or at that of the last shard, it
   is reported. */
enum tape_status tape_reduce_begin(struct tape_reduce *r,
    const struct tape_record *header, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_reduce_end(struct tape_reduce *r, enum tape_ending ending,
    struct tape_err *err) TAPE_NODISCARD;

/* Makes that run the one in hand. */
enum tape_status tape_reduce_select(
    struct tape_reduce *r, int64_t run, struct tape_err *err) TAPE_NODISCARD;

/* Keeps a record about the run in hand. */
enum tape_status tape_reduce_about(struct tape_reduce *r,
    const struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

void tape_reduce_set_free(struct tape_reduce_set *s);

/* reduce_hand.c */

/* *out is the caller's. */
enum tape_status tape_reduce_hand_open(struct tape_reduce_hand **out,
    const struct tape_reduce *r, int64_t run,
    struct tape_err *err) TAPE_NODISCARD;
void tape_reduce_hand_free(struct tape_reduce_hand *h);

void tape_reduce_kept_init(struct tape_reduce_kept *k);
void tape_reduce_kept_release(struct tape_reduce_kept *k);

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
