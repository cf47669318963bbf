/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tape_sink: the thread between the network loop and the archive.  It takes
 * finished pieces and records by ownership from a bounded queue, encodes,
 * compresses and writes them, so that none of this delays a read.
 *
 * It also writes a clock record each second and then ends the frame, so that a
 * crash loses at most the frame in hand, and flushes every 200 ms for whoever
 * reads the pipe.
 *
 * What is kept of an answer is chosen: all of it; its events, decoded here as
 * sse-timestamp would decode the archive, which then is a stream of events; or
 * the times of its reads alone.
 *
 * After a failure of the output it goes on taking, and drops: nothing that
 * pushes may hang.  failed tells, and close gives the reason.
 */
#ifndef TAPE_ENGINE_TAPE_SINK_H
#define TAPE_ENGINE_TAPE_SINK_H

#include "base/clock.h"
#include "base/queue.h"
#include "engine/merged.h"
#include "engine/secrets.h"
#include "record/writer.h"

#define TAPE_SINK_FLUSH_NS (200 * TAPE_NS_PER_MS)
#define TAPE_SINK_TICK_NS  TAPE_NS_PER_S
#define TAPE_SINK_LULL_NS  (2 * TAPE_NS_PER_MS)  /* between two batches */
#define TAPE_SINK_STEP_NS  (50 * TAPE_NS_PER_US) /* of the wall clock */

/* Room for what is said of the first failure. */
#define TAPE_SINK_FIRST_TEXT 640

enum tape_keep {
	TAPE_KEEP_RAW,
	TAPE_KEEP_EVENTS, /* the writer's format is that of events */
	TAPE_KEEP_TIMES
};

/* As options and run records name it. */
const char *tape_keep_name(enum tape_keep keep);

/* The format of what is written then. */
enum tape_format tape_keep_format(enum tape_keep keep);

struct tape_sink_opts {
	struct tape_writer *writer; /* borrowed: begun, and ended, by others */
	enum tape_keep keep;
	const struct tape_clock *clock;     /* NULL: the system's */
	int64_t epoch_ns;                   /* of the segment, monotonic */
	const struct tape_secrets *secrets; /* masked; NULL none */
	size_t queue_items;                 /* 0: TAPE_CAP_QUEUE_RECORDS */
	size_t queue_bytes;                 /* 0: TAPE_CAP_QUEUE_BYTES */
	/* The first failed exchange, in one line, in the sink's thread; may be
	   NULL. */
	void (*first_failure)(void *arg, const char *text);
	/* A remark, likewise. */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

/* What the clock records said since the last time somebody asked. */
struct tape_sink_clock {
	int64_t steps;
	int64_t step_max_ns;
	int64_t width_max_ns;
};

struct tape_sink;

enum tape_status tape_sink_open(struct tape_sink **out,
    const struct tape_sink_opts *opts, struct tape_err *err) TAPE_NODISCARD;

/* Ends the thread when all that was pushed is written, and what is left open
   of decoded answers.  The first failure of the output.  Frees s. */
enum tape_status tape_sink_close(
    struct tape_sink *s, struct tape_err *err) TAPE_NODISCARD;

/* Starts the thread.  Without it step does the work, in tests. */
enum tape_status tape_sink_start(
    struct tape_sink *s, struct tape_err *err) TAPE_NODISCARD;

/* Takes one thing, waiting at most so long, and does what the clock asks for.
   False when the sink is closed and drained. */
bool tape_sink_step(struct tape_sink *s, int64_t timeout_ns);

/* Hands a piece over; *stalled_ns as tape_queue_push.  It is freed in any
   case. */
void tape_sink_piece(
    struct tape_sink *s, struct tape_piece *p, int64_t *stalled_ns);

/* Writes a copy of a record of that kind (run or fidelity) in its turn.  A
   fidelity record gets the archive as of then. */
enum tape_status tape_sink_record(struct tape_sink *s, enum tape_kind kind,
    const void *record, struct tape_err *err) TAPE_NODISCARD;

/* True when the output is lost and nothing more needs to be done. */
bool tape_sink_failed(const struct tape_sink *s);

/* Any thread.  Takes the counts and starts them anew. */
void tape_sink_take_clock(struct tape_sink *s, struct tape_sink_clock *out);

/* Waits until all that was pushed before is written, or dropped.  The pusher's
   thread; nothing else may push meanwhile. */
void tape_sink_drain(struct tape_sink *s);

/* After drain.  Takes the counts of measured flights and starts them anew. */
void tape_sink_take_merged(struct tape_sink *s, struct tape_merged *out);

/* CPU time of the sink's thread so far; 0 without one. */
int64_t tape_sink_cpu_ns(struct tape_sink *s);

#endif
