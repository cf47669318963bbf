/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/queue.h"

#include "base/clock.h"
#include "base/cond.h"
#include "base/mem.h"

#include <pthread.h>

struct slot {
	void *item;
	size_t weight;
};

struct tape_queue {
	pthread_mutex_t lock;
	pthread_cond_t room;
	pthread_cond_t item;
	bool closed;
	size_t first; /* ring of max_items slots */
	size_t count;
	size_t weight;
	size_t max_items;
	size_t max_weight;
	struct slot *slots;
};

static int
init_sync(struct tape_queue *q)
{
	int rc = pthread_mutex_init(&q->lock, NULL);

	if (rc != 0)
		return rc;
	rc = tape_cond_init(&q->room);
	if (rc == 0) {
		rc = tape_cond_init(&q->item);
		if (rc == 0)
			return 0;
		(void)pthread_cond_destroy(&q->room);
	}
	(void)pthread_mutex_destroy(&q->lock);
	return rc;
}

enum tape_status
tape_queue_open(struct tape_queue **q, size_t max_items, size_t max_weight,
    struct tape_err *err)
{
	struct tape_queue *n;
	int rc;

	if (max_items == 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "a queue needs room for an item");
	n = tape_mem_calloc(1, sizeof(*n));
	if (n == NULL)
		return tape_err_nomem(err);
	n->max_items = max_items;
	n->max_weight = max_weight;
	n->slots = tape_mem_calloc(max_items, sizeof(*n->slots));
	if (n->slots == NULL) {
		tape_mem_free(n);
		return tape_err_nomem(err);
	}
	rc = init_sync(n);
	if (rc != 0) {
		tape_mem_free(n->slots);
		tape_mem_free(n);
		return tape_err_sys(err, rc, "cannot set up a queue");
	}
	*q = n;
	return TAPE_OK;
}

void
tape_queue_free(struct tape_queue *q, void (*free_item)(void *))
{
	if (q == NULL)
		return;
	for (size_t i = 0; i < q->count && free_item != NULL; i++)
		free_item(q->slots[(q->first + i) % q->max_items].item);
	(void)pthread_cond_destroy(&q->item);
	(void)pthread_cond_destroy(&q->room);
	(void)pthread_mutex_destroy(&q->lock);
	tape_mem_free(q->slots);
	tape_mem_free(q);
}

static bool
has_room(const struct tape_queue *q, size_t weight)
{
	if (q->count == 0)
		return true;
	return q->count < q->max_items && q->weight <= q->max_weight &&
	       weight <= q->max_weight - q->weight;
}

bool
tape_queue_push(
    struct tape_queue *q, void *item, size_t weight, int64_t *stalled_ns)
{
	int64_t since = 0;
	bool taken;

	(void)pthread_mutex_lock(&q->lock);
	if (!q->closed && !has_room(q, weight)) {
		since = tape_clock_now_ns(&tape_clock_system);
		while (!q->closed && !has_room(q, weight))
			(void)pthread_cond_wait(&q->room, &q->lock);
		since = tape_clock_now_ns(&tape_clock_system) - since;
	}
	taken = !q->closed;
	if (taken) {
		q->slots[(q->first + q->count) % q->max_items] =
		    (struct slot){ item, weight };
		q->count++;
		q->weight += weight;
		(void)pthread_cond_signal(&q->item);
	}
	(void)pthread_mutex_unlock(&q->lock);
	if (stalled_ns != NULL)
		*stalled_ns = since;
	return taken;
}

/* Waits for an item, the close, or the time. */
static void
await(struct tape_queue *q, int64_t timeout_ns)
{
	int64_t at_ns;
	bool early = true;

	if (q->count > 0 || q->closed || timeout_ns <= 0)
		return;
	at_ns = tape_cond_after_ns(timeout_ns);
	while (q->count == 0 && !q->closed && early)
		early = tape_cond_wait_until(&q->item, &q->lock, at_ns);
}

void *
tape_queue_pop(struct tape_queue *q, int64_t timeout_ns, bool *closed)
{
	struct slot s = { NULL, 0 };

	(void)pthread_mutex_lock(&q->lock);
	await(q, timeout_ns);
	*closed = q->count == 0 && q->closed;
	if (q->count > 0) {
		s = q->slots[q->first];
		q->first = (q->first + 1) % q->max_items;
		q->count--;
		q->weight -= s.weight;
		/* Waiters ask for different room: all have to look. */
		(void)pthread_cond_broadcast(&q->room);
	}
	(void)pthread_mutex_unlock(&q->lock);
	return s.item;
}

void
tape_queue_close(struct tape_queue *q)
{
	(void)pthread_mutex_lock(&q->lock);
	q->closed = true;
	(void)pthread_cond_broadcast(&q->item);
	(void)pthread_cond_broadcast(&q->room);
	(void)pthread_mutex_unlock(&q->lock);
}
