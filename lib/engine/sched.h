/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sched: when which request is sent, and which was its time.
 *
 * Pure: no clock, no thread, no I/O.  Its owner adds requests as they become
 * known, takes those whose time has come, and says when one has ended.
 *
 * Open loop: a request is due at the planned time, base_ns + t_ns, or when its
 * predecessors let it go, whichever is later.  Closed loop: it is due when its
 * slot became free, or when its predecessors let it go.  A number of slots in
 * an open loop delays sends and leaves due_ns as it is; could_ns is then when
 * the request could be sent at last, so that what the cap costs (could - due)
 * and what this client costs (start - could) stay apart.
 *
 * The slots may be opened evenly over a time, the ramp: slot i of n is free from
 * base_ns + ramp_ns * i / n.
 *
 * Among requests that could go, the open loop takes the one due first, the
 * closed loop the first of the trace; equals go in the order of seq.  Slots are
 * given in the order in which they became free.
 */
#ifndef TAPE_ENGINE_SCHED_H
#define TAPE_ENGINE_SCHED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* One request, embedded in its owner's struct; borrowed while it waits. */
struct tape_turn {
	uint64_t seq;     /* order of the trace */
	int64_t t_ns;     /* planned, from base; TAPE_ABSENT_I64: none */
	int64_t ready_ns; /* not before, absolute; TAPE_ABSENT_I64: any time */
	/* Set by take: */
	int64_t due_ns;
	int64_t could_ns;
};

struct tape_sched_rules {
	bool open;    /* planned times count */
	size_t slots; /* most that may be open at once; 0: any number */
	int64_t
	    base_ns; /* zero of the planned times; slots are free from here */
	/* Or over ramp_ns: these slots are number ramp_first, and every
	   ramp_step-th behind it, of ramp_slots in all.  0: at once. */
	int64_t ramp_ns;
	size_t ramp_first, ramp_step, ramp_slots;
};

struct tape_sched_heap {
	struct tape_turn **v;
	size_t n;
	size_t cap;
};

struct tape_sched {
	struct tape_sched_rules rules;
	struct tape_sched_heap later; /* by the time they become ready */
	struct tape_sched_heap ready; /* by precedence */
	size_t running;
	size_t fresh; /* slots that were never used */
	/* Times at which used slots became free, oldest first; a ring. */
	int64_t *freed;
	size_t freed_first, freed_n, freed_cap;
	uint64_t held; /* takes that the slots delayed */
};

void tape_sched_init(struct tape_sched *s);
void tape_sched_release(struct tape_sched *s);

/* New rules; nothing is waiting or running. */
void tape_sched_begin(
    struct tape_sched *s, const struct tape_sched_rules *rules);

/* On failure the turn is not in it. */
enum tape_status tape_sched_add(struct tape_sched *s, struct tape_turn *turn,
    struct tape_err *err) TAPE_NODISCARD;

/* The next request that may be sent at now_ns, with due_ns and could_ns set; it
   occupies a slot.  NULL: none. */
struct tape_turn *tape_sched_take(struct tape_sched *s, int64_t now_ns);

/* A request that was taken ended: its slot is free. */
enum tape_status tape_sched_done(
    struct tape_sched *s, int64_t end_ns, struct tape_err *err) TAPE_NODISCARD;

/* When take may have one, without another add or done; INT64_MAX: never. */
int64_t tape_sched_deadline(const struct tape_sched *s);

/* Takes any waiting request out without sending it; NULL: none is left. */
struct tape_turn *tape_sched_drop(struct tape_sched *s);

size_t tape_sched_waiting(const struct tape_sched *s);

#endif
