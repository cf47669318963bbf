/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink_write: what the sink's thread does with a piece: a record is made of it
 * and written: whole, decoded, or with its times only.
 */
#ifndef TAPE_ENGINE_SINK_WRITE_H
#define TAPE_ENGINE_SINK_WRITE_H

#include "base/hash.h"
#include "engine/stamp.h"
#include "engine/tape_sink.h"

/* What the record in hand points into. */
struct tape_sink_scratch {
	struct tape_arena arena;
	struct tape_buf headers; /* JSON */
	struct tape_buf body64;
	struct tape_buf ask64;
	struct tape_buf message;
	char hash[TAPE_HASH_TEXT];
};

struct tape_sink_write {
	struct tape_sink_opts opts;
	struct tape_sink_scratch scratch;
	struct tape_stamp *stamp; /* of TAPE_KEEP_EVENTS, else NULL */
	struct tape_record again; /* a line that is looked into */
	int64_t reads;            /* written */
	bool described;           /* the first failure */
};

/* Release it in any case. */
enum tape_status tape_sink_write_open(struct tape_sink_write *w,
    const struct tape_sink_opts *opts, struct tape_err *err) TAPE_NODISCARD;
void tape_sink_write_release(struct tape_sink_write *w);

enum tape_status tape_sink_write_piece(struct tape_sink_write *w,
    struct tape_piece *p, struct tape_err *err) TAPE_NODISCARD;

/* No more pieces come: answers that are half decoded are lost ones. */
enum tape_status tape_sink_write_end(
    struct tape_sink_write *w, struct tape_err *err) TAPE_NODISCARD;

void tape_sink_scratch_init(struct tape_sink_scratch *s);
void tape_sink_scratch_release(struct tape_sink_scratch *s);

/*
 * The exchange or part record of a piece, in e; spans point into the piece and
 * into s.  Of times only, the body stands in the record of a failed exchange
 * all the same, for who describes it: the caller takes it out.
 */
enum tape_status tape_sink_fill(const struct tape_sink_opts *opts,
    struct tape_piece *p, struct tape_sink_scratch *s, struct tape_exchange *e,
    struct tape_err *err) TAPE_NODISCARD;

/* One line about a failed exchange, dst always terminated. */
void tape_sink_describe(
    const struct tape_exchange *e, char dst[TAPE_SINK_FIRST_TEXT]);

#endif
