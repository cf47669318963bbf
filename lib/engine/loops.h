/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loops: several network loops as one, for the feeder.
 *
 * A stage is split: slots and descriptors evenly, the first loops one more;
 * with fewer slots than loops the rest stay idle.
 *
 * Without slots a flight goes to the loop that has the fewest waiting, of those
 * to the one with the fewest open, of those to the next in turn: the trace is
 * dealt out.  With slots it goes to the loop that has the most free, and no loop
 * gets more than a few beyond its slots, for what waits in a loop waits for a
 * slot of that loop.  So the order of the trace holds within a loop, and between
 * loops nearly.  Requests that wait for others are held by the feeder, so
 * predecessors may run in any loop.
 *
 * The loops share the queue of the sink, the post, and the few words of struct
 * tape_loop_common, which are written when something fails or ends.
 *
 * One thread, that of the owner; tape_loops_wake and live from any.
 */
#ifndef TAPE_ENGINE_LOOPS_H
#define TAPE_ENGINE_LOOPS_H

#include "engine/replay_loop.h"

#define TAPE_LOOPS_MAX 256

struct tape_loops;

/* CPU time of the loops' threads since cpu_begin. */
struct tape_loops_cpu {
	int64_t sum_ns;
	int64_t max_ns;      /* of the busiest, spinning not counted */
	int64_t max_spun_ns; /* its spinning, which is in max_ns */
};

/* Of the stage, all loops together; see tape_loop_live. */
struct tape_loops_live {
	int64_t sent, running, done, failed, reads;
	int64_t late_p99_ns; /* the worst of the loops */
};

/* n loops, numbered from opts->index; n from 1 to TAPE_LOOPS_MAX.  opts->common
   is not looked at. */
enum tape_status tape_loops_open(struct tape_loops **out, size_t n,
    const struct tape_loop_opts *opts, struct tape_err *err) TAPE_NODISCARD;
void tape_loops_free(struct tape_loops *g);

size_t tape_loops_n(const struct tape_loops *g);
struct tape_loop *tape_loops_at(const struct tape_loops *g, size_t i);

/* As those of one loop.  start waits for nothing; ready waits until each has
   measured what it has to. */
enum tape_status tape_loops_start(
    struct tape_loops *g, struct tape_err *err) TAPE_NODISCARD;
void tape_loops_ready(struct tape_loops *g);
enum tape_status tape_loops_begin(struct tape_loops *g,
    const struct tape_stage *stage, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_loops_add(struct tape_loops *g, struct tape_flight *f,
    struct tape_err *err) TAPE_NODISCARD;
void tape_loops_end(struct tape_loops *g);
void tape_loops_stop(struct tape_loops *g);

/* How many play this stage. */
size_t tape_loops_used(const struct tape_loops *g);

/* Flights that loops may have beyond their slots, where there are several loops
   and slots: one of 16 slots, at least one, at most that. */
#define TAPE_LOOPS_BEYOND 64

/* Whether one can take a flight more; times 2 for one that is urgent. */
bool tape_loops_room(const struct tape_loops *g, size_t times);

/* Whether room is so scarce that none is for what is not yet due. */
bool tape_loops_tight(const struct tape_loops *g);

/* Each note and each flag that the post brought. */
void tape_loops_note(struct tape_loops *g, const struct tape_note *note);
void tape_loops_flags(struct tape_loops *g, unsigned flags);

/* Added up; between DRAINED and the next BEGIN.  Valid until the next call. */
const struct tape_loop_stats *tape_loops_stats(struct tape_loops *g);

/* The first loop's that has one; likewise. */
const struct tape_err *tape_loops_error(const struct tape_loops *g);

void tape_loops_live(const struct tape_loops *g, struct tape_loops_live *out);

/* Between stages.  The spinning that is taken off is that of the stage. */
void tape_loops_cpu_begin(struct tape_loops *g);
void tape_loops_cpu(const struct tape_loops *g, struct tape_loops_cpu *out);

/* Makes the waits of all return; async-signal-safe. */
void tape_loops_wake(struct tape_loops *g);

#endif
