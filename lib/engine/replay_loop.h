/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_loop: the thread that owns the network.  It sends what it is given
 * when the time has come, stamps what comes back, and hands it on; it parses
 * nothing, compresses nothing, prints nothing.
 *
 * It is told what to do by cues: the beginning of a stage with its rules,
 * flights, the end of the stage.  What becomes of them it says through a post:
 * STARTED and DONE for each flight, STOPPED when no more flights are wanted
 * (those still waiting, and those that come, are then dropped), DRAINED when
 * the end was given and nothing is open.  After a failure of its own it stays
 * alive, fails what is open, drops what comes, and reports DRAINED as ever.
 *
 * A request that is to be sent again keeps its slot, and stays open for the
 * feeder, until its last attempt has ended.  Where sending stops because the
 * stage's duration is over, that may still be within the grace; otherwise what
 * waits to be sent again is cancelled when sending stops.
 *
 * Of several loops (see loops.h) the last one to drain says DRAINED, and what
 * makes one stop for a reason that is not the clock's stops all.
 */
#ifndef TAPE_ENGINE_REPLAY_LOOP_H
#define TAPE_ENGINE_REPLAY_LOOP_H

#include "base/spin.h"
#include "codec/attempts.h"
#include "engine/arrivals.h"
#include "engine/hist.h"
#include "engine/own_lines.h"
#include "engine/post.h"
#include "engine/tape_sink.h"
#include "engine/transport.h"

#include <stdatomic.h>

#define TAPE_LOOP_STARTS   16 /* at most, between two looks at the network */
#define TAPE_LOOP_STALL_NS TAPE_NS_PER_MS
#define TAPE_LOOP_SENDING  ((size_t)8 << 20) /* bytes of bodies not yet out */
#define TAPE_LOOP_SWEEP_NS TAPE_NS_PER_S
#define TAPE_LOOP_HUNGRY   32   /* flights waiting; below, the feeder hurries */
#define TAPE_LOOP_CUES     1024 /* not yet taken; more than a feeder gives */

/* Of a margin that is measured when the thread starts. */
#define TAPE_LOOP_SPIN_LEAST_NS (20 * TAPE_NS_PER_US)

/* The worse, the later. */
enum tape_loop_stop {
	TAPE_LOOP_ON, /* the end came first */
	TAPE_LOOP_DURATION,
	TAPE_LOOP_INTERRUPTED,
	TAPE_LOOP_ABORTED, /* too many failures in a row, before an interrupt */
	TAPE_LOOP_BROKEN   /* this side failed: see tape_loop_error */
};

struct tape_stage {
	struct tape_sched_rules rules;
	bool measured;
	int64_t duration_ns;  /* from base_ns; 0 none */
	int64_t grace_ns;     /* from a stop until the rest is cancelled */
	uint64_t abort_after; /* failures in a row; 0 never */
	size_t max_open;      /* descriptors; 0 any number */
	struct tape_attempts attempts;
	bool ends_urgent; /* the feeder waits for ends, not for starts */
	/* With TAPE_HTTP_SESSION, requests without a session get a new one. */
	enum tape_http_conn_mode connections;
	const char *const *headers; /* "Name: value"; outlive the stage */
	size_t headers_n;
	struct tape_own_lines own; /* more of them, of each request */
};

/* What happened in a stage.  Read it between DRAINED and the next BEGIN. */
struct tape_loop_stats {
	enum tape_loop_stop stop;
	/* Requests; their last attempt says how they ended. */
	int64_t sent;
	int64_t done;
	int64_t planned; /* cancelled on purpose: neither done nor failed */
	int64_t failed;  /* the next two included */
	int64_t cancelled;
	int64_t doomed;   /* never sent */
	int64_t retried;  /* sent more than once */
	int64_t retries;  /* attempts beyond the first */
	int64_t answered; /* a status came, of attempts */
	int64_t first_due_ns, last_due_ns, first_start_ns, last_start_ns;
	int64_t last_end_ns;
	struct tape_hist late; /* start - could, of those sent */
	struct tape_hist lag;  /* of reads with a kernel time */
	int64_t reads;
	int64_t passes;
	int64_t stalls;
	int64_t stall_max_ns;
	int64_t queue_stalls;
	int64_t queue_stalled_ns;
	int64_t spin_ns;      /* margin of the stage */
	int64_t spun_ns;      /* spent in passes within it that found nothing */
	bool hit_bodies;      /* TAPE_LOOP_SENDING held sends back */
	bool hit_descriptors; /* max_open did */
};

/* Of the stage, for a progress line; any thread, approximate among each
   other. */
struct tape_loop_live {
	atomic_llong sent, running, done, failed, reads, late_p99_ns;
};

/* What the loops of a replay have in common. */
struct tape_loop_common {
	atomic_size_t undrained; /* loops */
	atomic_ullong failures;  /* in a row, in the order they ended in */
	atomic_int stop;         /* enum tape_loop_stop, for all */
};

struct tape_loop_opts {
	const struct tape_clock *clock; /* NULL: the system's */
	unsigned index;                 /* of the loop, for x; 16 bits */
	struct tape_sink *sink;
	struct tape_post *post;
	struct tape_loop_common *common; /* NULL: it is the only one */
	/* Before a send's time, without sleeping; or TAPE_SPIN_AUTO, and
	   then at most spin_most_ns. */
	int64_t spin_ns, spin_most_ns;
	/* How often the user interrupted: at once the stage is stopped, at
	   twice cancelled.  May be NULL. */
	int (*interrupts)(void);
};

struct tape_loop;

enum tape_status tape_loop_open(struct tape_loop **out,
    const struct tape_loop_opts *opts, struct tape_err *err) TAPE_NODISCARD;

/* Ends the thread, if there is one.  Flights still open are lost. */
void tape_loop_free(struct tape_loop *l);

/* The callbacks for tape_http_open, whose arg is the loop. */
extern const struct tape_http_calls tape_loop_calls;

/* Before the first step. */
void tape_loop_use(struct tape_loop *l, const struct tape_transport *t);

/* Starts the thread.  Without it step does the work, in tests. */
enum tape_status tape_loop_start(
    struct tape_loop *l, struct tape_err *err) TAPE_NODISCARD;

/* Measures what opts want measured.  The thread does that first, before it
   looks at cues; is_ready then, or without a thread. */
void tape_loop_measure(struct tape_loop *l);
bool tape_loop_is_ready(struct tape_loop *l);

/* One pass.  False when there will be none after it. */
bool tape_loop_step(struct tape_loop *l);

/* Cues, from the feeder's thread.  A flight passes to the loop on success. */
enum tape_status tape_loop_begin(struct tape_loop *l,
    const struct tape_stage *stage, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_loop_add(struct tape_loop *l, struct tape_flight *f,
    struct tape_err *err) TAPE_NODISCARD;
void tape_loop_end(struct tape_loop *l);

/* A stage of so many loops begins, before its cues; for the owner of common. */
void tape_loop_common_begin(struct tape_loop_common *c, size_t loops);
/* All stop for that reason or a worse one, as soon as they look, which a wake
   makes them do.  The end has to follow. */
void tape_loop_common_stop(struct tape_loop_common *c, enum tape_loop_stop why);

/* Adds those of another loop: sums, and the first, last and largest of both. */
void tape_loop_stats_add(
    struct tape_loop_stats *a, const struct tape_loop_stats *b);

const struct tape_loop_stats *tape_loop_stats(const struct tape_loop *l);
struct tape_loop_live *tape_loop_live(struct tape_loop *l);

/* Why it is broken; between DRAINED and the next BEGIN. */
const struct tape_err *tape_loop_error(const struct tape_loop *l);

/* CPU time of its thread; 0 without one. */
int64_t tape_loop_cpu_ns(struct tape_loop *l);

/* What was sent when, of the stage; as stats. */
const struct tape_arrivals *tape_loop_arrivals(const struct tape_loop *l);

/* Makes a wait return; async-signal-safe. */
void tape_loop_wake(struct tape_loop *l);

#endif
