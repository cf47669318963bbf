/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sched.h"

#include "base/mem.h"
#include "base/span.h"

#include <string.h>

void
tape_sched_init(struct tape_sched *s)
{
	memset(s, 0, sizeof(*s));
}

void
tape_sched_release(struct tape_sched *s)
{
	tape_mem_free(s->later.v);
	tape_mem_free(s->ready.v);
	tape_mem_free(s->freed);
	tape_sched_init(s);
}

void
tape_sched_begin(struct tape_sched *s, const struct tape_sched_rules *rules)
{
	s->rules = *rules;
	s->later.n = 0;
	s->ready.n = 0;
	s->running = 0;
	s->fresh = rules->slots;
	s->freed_first = 0;
	s->freed_n = 0;
	s->held = 0;
}

/* Before these it cannot go, whatever the slots say. */
static int64_t
time_of(const struct tape_sched *s, const struct tape_turn *t)
{
	int64_t at = s->rules.base_ns;

	if (s->rules.open && t->t_ns != TAPE_ABSENT_I64 &&
	    __builtin_add_overflow(at, t->t_ns, &at))
		at = INT64_MAX;
	/* TAPE_ABSENT_I64 is the least value. */
	return t->ready_ns > at ? t->ready_ns : at;
}

static bool
before(const struct tape_sched *s, const struct tape_turn *a,
    const struct tape_turn *b, bool by_time)
{
	if (by_time) {
		int64_t ta = time_of(s, a);
		int64_t tb = time_of(s, b);

		if (ta != tb)
			return ta < tb;
	}
	return a->seq < b->seq;
}

static enum tape_status
heap_push(struct tape_sched *s, struct tape_sched_heap *h,
    struct tape_turn *turn, bool by_time, struct tape_err *err)
{
	size_t i = h->n;

	if (tape_mem_grow((void **)&h->v, &h->cap, h->n + 1, sizeof(*h->v)) !=
	    0)
		return tape_err_nomem(err);
	h->n++;
	while (i > 0 && before(s, turn, h->v[(i - 1) / 2], by_time)) {
		h->v[i] = h->v[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->v[i] = turn;
	return TAPE_OK;
}

static struct tape_turn *
heap_pop(struct tape_sched *s, struct tape_sched_heap *h, bool by_time)
{
	struct tape_turn *top = h->v[0];
	struct tape_turn *last = h->v[--h->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n &&
		    before(s, h->v[child + 1], h->v[child], by_time))
			child++;
		if (!before(s, h->v[child], last, by_time))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = last;
	return top;
}

enum tape_status
tape_sched_add(
    struct tape_sched *s, struct tape_turn *turn, struct tape_err *err)
{
	/* Room for all in the second heap too: moving there cannot fail. */
	if (tape_mem_grow((void **)&s->ready.v, &s->ready.cap,
		s->later.n + s->ready.n + 1, sizeof(*s->ready.v)) != 0)
		return tape_err_nomem(err);
	return heap_push(s, &s->later, turn, true, err);
}

/* When the next of the slots that were never used is free. */
static int64_t
fresh_ns(const struct tape_sched *s)
{
	const struct tape_sched_rules *r = &s->rules;
	size_t i;
	int64_t n, at;

	if (r->ramp_ns == 0 || r->ramp_slots == 0)
		return r->base_ns;
	i = r->ramp_first + (r->slots - s->fresh) * r->ramp_step;
	n = (int64_t)r->ramp_slots;
	/* ramp_ns * i / n without overflow: i is less than n. */
	at = r->ramp_ns / n * (int64_t)i + r->ramp_ns % n * (int64_t)i / n;
	return __builtin_add_overflow(r->base_ns, at, &at) ? INT64_MAX : at;
}

static bool
fresh_is_first(const struct tape_sched *s)
{
	return s->fresh > 0 &&
	       (s->freed_n == 0 || fresh_ns(s) <= s->freed[s->freed_first]);
}

/* The time at which the slot to be used next is free; INT64_MAX: none is. */
static int64_t
slot_free_ns(const struct tape_sched *s)
{
	if (s->rules.slots == 0)
		return s->rules.base_ns;
	if (fresh_is_first(s))
		return fresh_ns(s);
	return s->freed_n > 0 ? s->freed[s->freed_first] : INT64_MAX;
}

static void
slot_use(struct tape_sched *s)
{
	s->running++;
	if (s->rules.slots == 0)
		return;
	if (fresh_is_first(s)) {
		s->fresh--;
		return;
	}
	s->freed_first = (s->freed_first + 1) % s->freed_cap;
	s->freed_n--;
}

struct tape_turn *
tape_sched_take(struct tape_sched *s, int64_t now_ns)
{
	struct tape_turn *t;
	int64_t slot = slot_free_ns(s);
	int64_t at;

	if (slot > now_ns || slot == INT64_MAX)
		return NULL;
	while (s->later.n > 0 && time_of(s, s->later.v[0]) <= now_ns) {
		t = heap_pop(s, &s->later, true);
		/* Reserved by add. */
		(void)heap_push(s, &s->ready, t, s->rules.open, NULL);
	}
	if (s->ready.n == 0)
		return NULL;
	t = heap_pop(s, &s->ready, s->rules.open);
	at = time_of(s, t);
	t->could_ns = slot > at ? slot : at;
	t->due_ns = s->rules.open ? at : t->could_ns;
	if (t->could_ns > t->due_ns)
		s->held++;
	slot_use(s);
	return t;
}

static enum tape_status
ring_grow(struct tape_sched *s, struct tape_err *err)
{
	size_t cap = s->freed_cap == 0 ? 16 : s->freed_cap * 2;
	int64_t *v = tape_mem_calloc(cap, sizeof(*v));

	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < s->freed_n; i++)
		v[i] = s->freed[(s->freed_first + i) % s->freed_cap];
	tape_mem_free(s->freed);
	s->freed = v;
	s->freed_first = 0;
	s->freed_cap = cap;
	return TAPE_OK;
}

enum tape_status
tape_sched_done(struct tape_sched *s, int64_t end_ns, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	s->running--;
	if (s->rules.slots == 0)
		return TAPE_OK;
	if (s->freed_n == s->freed_cap)
		st = ring_grow(s, err);
	if (st != TAPE_OK)
		return st;
	s->freed[(s->freed_first + s->freed_n) % s->freed_cap] = end_ns;
	s->freed_n++;
	return TAPE_OK;
}

int64_t
tape_sched_deadline(const struct tape_sched *s)
{
	int64_t slot = slot_free_ns(s);
	int64_t at = INT64_MIN;

	if (slot == INT64_MAX)
		return INT64_MAX;
	if (s->ready.n == 0) {
		if (s->later.n == 0)
			return INT64_MAX;
		at = time_of(s, s->later.v[0]);
	}
	return at > slot ? at : slot;
}

struct tape_turn *
tape_sched_drop(struct tape_sched *s)
{
	if (s->ready.n > 0)
		return s->ready.v[--s->ready.n];
	if (s->later.n > 0)
		return s->later.v[--s->later.n];
	return NULL;
}

size_t
tape_sched_waiting(const struct tape_sched *s)
{
	return s->later.n + s->ready.n;
}
