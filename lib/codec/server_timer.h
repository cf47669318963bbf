/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_timer: timers in a heap, earliest deadline first; equal deadlines in
 * the order of arming.  No clock: the caller says what time it is.
 *
 * Each node has four kids, and its timer's deadline beside it: with 10,000
 * timers, looking into the timers themselves misses the cache at each step.
 */
#ifndef TAPE_CODEC_SERVER_TIMER_H
#define TAPE_CODEC_SERVER_TIMER_H

#include "base/err.h"

#include <stdbool.h>

/* Embedded by its user; a zeroed one is not armed. */
struct tape_server_timer {
	int64_t deadline_ns;
	void (*fn)(void *arg);
	void *arg;
	size_t place; /* in the heap, from 1; 0 not armed */
};

struct tape_server_timer_node {
	int64_t deadline_ns;
	uint64_t order; /* of arming */
	struct tape_server_timer *timer;
};

struct tape_server_timers {
	struct tape_server_timer_node *heap;
	size_t n;
	size_t cap;
	uint64_t armed; /* so far */
};

void tape_server_timers_release(struct tape_server_timers *h);

/* Arms t, or moves it when it is armed.  Fails only for memory. */
enum tape_status tape_server_timers_arm(struct tape_server_timers *h,
    struct tape_server_timer *t, int64_t deadline_ns) TAPE_NODISCARD;
void tape_server_timers_disarm(
    struct tape_server_timers *h, struct tape_server_timer *t);

/* Deadline of the next one; INT64_MAX when there is none. */
int64_t tape_server_timers_next_ns(const struct tape_server_timers *h);

/* Disarms and returns the earliest that is due at now_ns, or NULL. */
struct tape_server_timer *tape_server_timers_pop(
    struct tape_server_timers *h, int64_t now_ns);

#endif
