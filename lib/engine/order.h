/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order: which requests wait for which.  Pure, as sched.
 *
 * Requests are added in the order of the trace.  One whose predecessors have
 * all ended, or that has none, may be handed on at once; one that waits is
 * parked here until its last predecessor ends, and then comes out of pop with
 * the time from which on it may be sent.  When a predecessor failed it comes
 * out doomed: it is not sent, and fails in its turn.
 *
 * Requests are known by their place in the run.  Whether others will name one
 * is not known when it is added, because the trace is still being read; only
 * one with a session may be named.  So the ends of these are remembered for the
 * next TAPE_RECENT requests, eight bytes each, and nobody may name one that is
 * further back (the spool has seen to it).  Besides, memory is that of the
 * requests that wait or are under way.
 */
#ifndef TAPE_ENGINE_ORDER_H
#define TAPE_ENGINE_ORDER_H

#include "engine/recent.h"

/* A request as order sees it. */
struct tape_order_item {
	uint64_t seq;     /* its place in the run */
	bool named;       /* others may name it */
	int64_t delay_ns; /* after its last predecessor; 0 or more */
	/* Set by order: */
	int64_t ready_ns; /* last end of a predecessor + delay_ns;
	                     TAPE_ABSENT_I64 when it has none */
	bool doomed;
	void *held; /* the owner's, NULL at first: see candidate */
};

enum tape_order_state {
	TAPE_ORDER_READY, /* item is filled in: hand it on */
	TAPE_ORDER_PARKED
};

struct tape_order;

enum tape_status tape_order_open(
    struct tape_order **o, struct tape_err *err) TAPE_NODISCARD;

/* free_held gets what parked items still hold; may be NULL. */
void tape_order_free(struct tape_order *o, void (*free_held)(void *));

/*
 * after: places of its predecessors, each of which was added as one that may be
 * named (TAPE_E_BUG).  Copies the item.
 */
enum tape_status tape_order_add(struct tape_order *o,
    struct tape_order_item *item, const uint64_t *after, size_t n,
    enum tape_order_state *state, struct tape_err *err) TAPE_NODISCARD;

/* A request ended, at a time above 0.  Harmless for one that was not added. */
enum tape_status tape_order_done(struct tape_order *o, uint64_t seq,
    int64_t end_ns, bool failed, struct tape_err *err) TAPE_NODISCARD;

/* The released request that may go first (by ready_ns, then seq): looked at,
   or taken out.  False when there is none. */
bool tape_order_peek(const struct tape_order *o, int64_t *ready_ns);
bool tape_order_pop(struct tape_order *o, struct tape_order_item *item);

/*
 * The first parked request that nobody prepared yet and whose predecessors are
 * all handed on: it is likely next.  Its owner may set held; the item stays
 * here.  NULL: none.
 */
struct tape_order_item *tape_order_candidate(struct tape_order *o);

size_t tape_order_parked(const struct tape_order *o); /* waiting */
size_t tape_order_released(const struct tape_order *o);

#endif
