/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_timer.h"

#include "base/mem.h"

void
tape_server_timers_release(struct tape_server_timers *h)
{
	tape_mem_free(h->heap);
	h->heap = NULL;
	h->n = h->cap = 0;
}

static bool
before(const struct tape_server_timer *a, const struct tape_server_timer *b)
{
	if (a->deadline_ns != b->deadline_ns)
		return a->deadline_ns < b->deadline_ns;
	return a->order < b->order;
}

static void
set(struct tape_server_timers *h, size_t i, struct tape_server_timer *t)
{
	h->heap[i] = t;
	t->place = i;
}

/* Moves t, whose place i is free, to where it belongs. */
static void
settle(struct tape_server_timers *h, size_t i, struct tape_server_timer *t)
{
	size_t kid;

	while (i > 1 && before(t, h->heap[i / 2])) {
		set(h, i, h->heap[i / 2]);
		i /= 2;
	}
	for (;;) {
		kid = i * 2;
		if (kid > h->n)
			break;
		if (kid < h->n && before(h->heap[kid + 1], h->heap[kid]))
			kid++;
		if (!before(h->heap[kid], t))
			break;
		set(h, i, h->heap[kid]);
		i = kid;
	}
	set(h, i, t);
}

enum tape_status
tape_server_timers_arm(struct tape_server_timers *h,
    struct tape_server_timer *t, int64_t deadline_ns)
{
	void *heap = h->heap;
	size_t place = t->place;

	if (place == 0) {
		if (tape_mem_grow(&heap, &h->cap, h->n + 2,
			sizeof(struct tape_server_timer *)) != 0)
			return TAPE_E_NOMEM;
		h->heap = heap;
		place = ++h->n;
	}
	t->deadline_ns = deadline_ns;
	t->order = h->armed++;
	settle(h, place, t);
	return TAPE_OK;
}

void
tape_server_timers_disarm(
    struct tape_server_timers *h, struct tape_server_timer *t)
{
	struct tape_server_timer *last;
	size_t place = t->place;

	if (place == 0)
		return;
	t->place = 0;
	last = h->heap[h->n--];
	if (last != t)
		settle(h, place, last);
}

int64_t
tape_server_timers_next_ns(const struct tape_server_timers *h)
{
	return h->n > 0 ? h->heap[1]->deadline_ns : INT64_MAX;
}

struct tape_server_timer *
tape_server_timers_pop(struct tape_server_timers *h, int64_t now_ns)
{
	struct tape_server_timer *t;

	if (h->n == 0 || h->heap[1]->deadline_ns > now_ns)
		return NULL;
	t = h->heap[1];
	tape_server_timers_disarm(h, t);
	return t;
}
