/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue: bounded queue of owned pointers between threads.
 *
 * A push passes ownership to the queue, a pop to the consumer.  The bound is in
 * items and in the sum of their weights (bytes, say), so that memory is bounded
 * too; one item heavier than the whole bound is taken when the queue is empty.
 * When it is full, push waits and says how long: a stall is data, never silent.
 */
#ifndef TAPE_BASE_QUEUE_H
#define TAPE_BASE_QUEUE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tape_queue;

enum tape_status tape_queue_open(struct tape_queue **q, size_t max_items,
    size_t max_weight, struct tape_err *err) TAPE_NODISCARD;

/* Frees the queue; free_item (may be NULL) gets what was never popped. */
void tape_queue_free(struct tape_queue *q, void (*free_item)(void *));

/*
 * The item is not NULL.  Waits for room as long as it takes, or until close.
 * False when the queue is closed: the item then stays the caller's.
 * *stalled_ns (may be NULL) is the time waited for room.
 */
bool tape_queue_push(
    struct tape_queue *q, void *item, size_t weight, int64_t *stalled_ns);

/*
 * Waits at most timeout_ns (0 no wait).  NULL when there is nothing: *closed
 * then tells whether the queue is closed and drained.
 */
void *tape_queue_pop(struct tape_queue *q, int64_t timeout_ns, bool *closed);

/* No more pushes, and what is in it can still be popped; wakes everybody.  Any
   thread may call it, repeatedly. */
void tape_queue_close(struct tape_queue *q);

#endif
