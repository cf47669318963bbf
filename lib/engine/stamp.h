/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp: wire records become events: each exchange, put together from its
 * parts, becomes one response.
 *
 * Bodies of a content encoding are decoded as they came, read by read.
 *
 * The time of an event is that of the read whose bytes completed it, less the
 * lag where that is known (clk k); without it the user time (u).  Of events
 * that one read completed, all but the last are marked m: their time is an
 * upper bound.  Comments are events, and so are lines of an unknown field
 * named error.  A body that is no stream is one event, of the last read.
 *
 * A response has failed when the exchange has, when its status is 400 or more,
 * or when the answer says so or breaks off; stamp_judge.h has the classes and
 * causes.  Parts that came without an exchange make one of class lost.
 *
 * Of a run of which only times were kept there are no bytes to decode: each
 * read is an event of class o, no text and no token is known, and a response
 * fails with its exchange, by its status or its content type.
 *
 * Where a clock record says that the wall clock stepped, reads have their user
 * time (stamp_steps.h).
 *
 * A malformed event among good ones is counted and fails nothing.
 *
 * Bodies are not kept: parts are decoded as they come.  Records of run, clock,
 * sample and fidelity are passed on as they are, in their place.
 */
#ifndef TAPE_ENGINE_STAMP_H
#define TAPE_ENGINE_STAMP_H

#include "api/api.h"
#include "record/writer.h"

struct tape_stamp_opts {
	const struct tape_api *api; /* NULL: what each exchange says, or chat */
	bool text;                  /* put texts into the responses */
};

/* Of all segments. */
struct tape_stamp_counts {
	uint64_t responses;
	uint64_t failed; /* of responses */
	uint64_t lost;   /* of failed */
	uint64_t events;
	uint64_t token_events;
	uint64_t malformed;
};

struct tape_stamp;

/* Writes to w, which is borrowed; *s is the caller's. */
enum tape_status tape_stamp_open(struct tape_stamp **s,
    const struct tape_stamp_opts *opts, struct tape_writer *w,
    struct tape_err *err) TAPE_NODISCARD;
void tape_stamp_free(struct tape_stamp *s);

/* A segment begins, whose header is written by the caller. */
enum tape_status tape_stamp_begin(struct tape_stamp *s,
    const struct tape_header *header, struct tape_err *err) TAPE_NODISCARD;

/* The same where the epoch is at hand, on the monotonic clock. */
void tape_stamp_begin_at(struct tape_stamp *s, int64_t epoch_mono_ns);

/*
 * A record between header and end.  TAPE_E_FORMAT: reads that do not add up to
 * the body, parts that are missing or twice, an unknown dialect.
 */
enum tape_status tape_stamp_record(struct tape_stamp *s,
    const struct tape_record *rec, struct tape_err *err) TAPE_NODISCARD;

/* The same with a part or an exchange that is not from a stream. */
enum tape_status tape_stamp_exchange(struct tape_stamp *s, enum tape_kind kind,
    const struct tape_exchange *x, struct tape_err *err) TAPE_NODISCARD;

/* The segment ends (the end record is written by the caller): parts without an
   exchange become responses of class lost, in the order in which they began. */
enum tape_status tape_stamp_end(
    struct tape_stamp *s, struct tape_err *err) TAPE_NODISCARD;

struct tape_stamp_counts tape_stamp_counts(const struct tape_stamp *s);

#endif
