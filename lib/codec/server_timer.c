/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_timer.h"

#include "base/mem.h"

#define KIDS ((size_t)4)

void
tape_server_timers_release(struct tape_server_timers *h)
{
	tape_mem_free(h->heap);
	h->heap = NULL;
	h->n = h->cap = 0;
}

static bool
before(const struct tape_server_timer_node *a,
    const struct tape_server_timer_node *b)
{
	if (a->deadline_ns != b->deadline_ns)
		return a->deadline_ns < b->deadline_ns;
	return a->order < b->order;
}

static void
set(struct tape_server_timers *h, size_t i,
    const struct tape_server_timer_node *node)
{
	h->heap[i] = *node;
	node->timer->place = i + 1;
}

/* The earliest of i's kids, or n when it has none. */
static size_t
first_kid(const struct tape_server_timers *h, size_t i)
{
	size_t kid = i * KIDS + 1, best = kid, end = kid + KIDS;

	if (kid >= h->n)
		return h->n;
	if (end > h->n)
		end = h->n;
	while (++kid < end)
		if (before(&h->heap[kid], &h->heap[best]))
			best = kid;
	return best;
}

/* Moves a node, whose place i is free, to where it belongs. */
static void
settle(struct tape_server_timers *h, size_t i,
    const struct tape_server_timer_node *node)
{
	size_t kid;

	while (i > 0 && before(node, &h->heap[(i - 1) / KIDS])) {
		set(h, i, &h->heap[(i - 1) / KIDS]);
		i = (i - 1) / KIDS;
	}
	while ((kid = first_kid(h, i)) < h->n && before(&h->heap[kid], node)) {
		set(h, i, &h->heap[kid]);
		i = kid;
	}
	set(h, i, node);
}

enum tape_status
tape_server_timers_arm(struct tape_server_timers *h,
    struct tape_server_timer *t, int64_t deadline_ns)
{
	struct tape_server_timer_node node = { deadline_ns, h->armed, t };
	void *heap = h->heap;
	size_t place = t->place;

	if (place == 0) {
		if (tape_mem_grow(&heap, &h->cap, h->n + 1, sizeof(node)) != 0)
			return TAPE_E_NOMEM;
		h->heap = heap;
		place = ++h->n;
	}
	h->armed++;
	t->deadline_ns = deadline_ns;
	settle(h, place - 1, &node);
	return TAPE_OK;
}

void
tape_server_timers_disarm(
    struct tape_server_timers *h, struct tape_server_timer *t)
{
	struct tape_server_timer_node last;
	size_t place = t->place;

	if (place == 0)
		return;
	t->place = 0;
	last = h->heap[--h->n];
	if (last.timer != t)
		settle(h, place - 1, &last);
}

int64_t
tape_server_timers_next_ns(const struct tape_server_timers *h)
{
	return h->n > 0 ? h->heap[0].deadline_ns : INT64_MAX;
}

struct tape_server_timer *
tape_server_timers_pop(struct tape_server_timers *h, int64_t now_ns)
{
	struct tape_server_timer *t;

	if (h->n == 0 || h->heap[0].deadline_ns > now_ns)
		return NULL;
	t = h->heap[0].timer;
	tape_server_timers_disarm(h, t);
	return t;
}
