/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_sum: what a stream is, segment by segment: its header, what is in it,
 * how it was stored, and whether it is whole.
 *
 * All of the stream is read.  What is wrong with it stands in the segment in
 * which it was met, with what came before.
 */
#ifndef TAPE_ENGINE_VIEW_SUM_H
#define TAPE_ENGINE_VIEW_SUM_H

#include "codec/stream_in.h"
#include "record/reader.h"

#include <stdbool.h>

#define TAPE_VIEW_RUNS 4096 /* of a segment are listed; all are counted */
#define TAPE_VIEW_WORD 48   /* bytes of a name that are kept */

/* A run, from its records and that of its fidelity; words are "" and numbers
   TAPE_ABSENT_I64 when unknown. */
struct tape_view_run {
	int64_t run, round, position;
	int64_t start_ns, end_ns;
	int64_t sent, done, failed;
	bool ended;
	char arm[TAPE_VIEW_WORD];
	char stop[TAPE_VIEW_WORD];
	char verdict[TAPE_VIEW_WORD];
	char reasons[400]; /* joined by "; ", cut */
};

struct tape_view_sum {
	const char *name; /* of the input */
	uint64_t segment; /* from 1 */
	enum tape_format format;
	const struct tape_header *header;
	uint64_t records;
	uint64_t counts[TAPE_KIND_COUNT];
	bool timed; /* there are times: */
	int64_t first_ns, last_ns;
	/* Exchanges or responses. */
	uint64_t exchanges, warmup, failed;
	uint64_t reads, kernel_reads, events, token_events;
	int64_t body_bytes;
	const struct tape_view_run *runs;
	size_t runs_n;
	uint64_t runs_more; /* not listed */
	/* As it was stored. */
	uint64_t text_bytes;
	bool stored_known;
	uint64_t stored_bytes; /* index frames included */
	struct tape_in_sums stored;
	/* Whether it is whole. */
	bool has_end; /* an end record that counts right */
	enum tape_ending ending;
	struct tape_err err; /* what is wrong; or empty */
};

struct tape_view_sum_sink {
	enum tape_status (*segment)(
	    void *arg, const struct tape_view_sum *s, struct tape_err *err);
	void *arg;
};

/* What is wrong with the input: TAPE_E_TRUNC when it is not whole or says that
   it failed, or TAPE_E_FORMAT and the like; or empty. */
struct tape_view_sum_result {
	struct tape_err err;
};

/*
 * Reads the input, which is owned from now on.  What is wrong with it is in r;
 * returned are failures of the system and of the sink, with err, which is not
 * NULL here.
 */
enum tape_status tape_view_sum(struct tape_in *in,
    struct tape_view_sum_sink sink, struct tape_view_sum_result *r,
    struct tape_err *err) TAPE_NODISCARD;

#endif
