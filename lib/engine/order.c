/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/order.h"

#include "base/mem.h"
#include "base/span.h"
#include "engine/idmap.h"

enum state { PARKED, RELEASED, HANDED_ON };

/* A request that waits, or that others may name, until it ends. */
struct node {
	struct tape_order_item item;
	enum state state;
	int64_t end_ns;       /* the last of its predecessors */
	uint32_t unmet;       /* predecessors that have not ended */
	uint32_t behind;      /* of those, not yet handed on */
	struct edge *waiting; /* dependents to be told */
	bool listed;          /* as a candidate */
	struct node *prev, *next;
};

struct edge {
	struct node *dependent;
	struct edge *next;
};

struct tape_order {
	struct tape_idmap map; /* by place */
	/* Of each place, modulo TAPE_RECENT: twice the time at which it ended,
	   and 1 more when it failed; 0 unknown.  NULL until the first. */
	int64_t *ends;
	struct node **heap; /* released */
	size_t heap_n, heap_cap;
	size_t parked;
	struct node *first, *last; /* candidates */
};

enum tape_status
tape_order_open(struct tape_order **o, struct tape_err *err)
{
	*o = tape_mem_calloc(1, sizeof(**o));
	return *o == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static void
drop_node(struct node *n, void (*free_held)(void *))
{
	while (n->waiting != NULL) {
		struct edge *e = n->waiting;

		n->waiting = e->next;
		tape_mem_free(e);
	}
	if (n->item.held != NULL && free_held != NULL)
		free_held(n->item.held);
	tape_mem_free(n);
}

static struct node *
node_at(uint64_t value)
{
	return (struct node *)(uintptr_t)value; /* NOLINT: kept as a number */
}

void
tape_order_free(struct tape_order *o, void (*free_held)(void *))
{
	if (o == NULL)
		return;
	for (size_t i = 0; i < o->map.size; i++)
		if (o->map.slots[i].value != 0)
			drop_node(
			    node_at(o->map.slots[i].value - 1), free_held);
	tape_idmap_release(&o->map);
	tape_mem_free(o->ends);
	tape_mem_free(o->heap);
	tape_mem_free(o);
}

/* Places that follow each other must not be neighbours in the map. */
static uint64_t
key_of(uint64_t seq)
{
	return tape_idmap_mix(seq, 0);
}

static struct node *
find(const struct tape_order *o, uint64_t seq)
{
	uint64_t value;

	return tape_idmap_get(&o->map, key_of(seq), &value) ? node_at(value)
							    : NULL;
}

static int64_t *
end_of(const struct tape_order *o, uint64_t seq)
{
	return &o->ends[seq & (TAPE_RECENT - 1)];
}

/* Nobody will ask for it again. */
static void
forget(struct tape_order *o, struct node *n)
{
	tape_idmap_remove(&o->map, key_of(n->item.seq));
	drop_node(n, NULL);
}

static void
list(struct tape_order *o, struct node *n)
{
	n->listed = true;
	n->next = NULL;
	n->prev = o->last;
	if (o->last != NULL)
		o->last->next = n;
	else
		o->first = n;
	o->last = n;
}

static void
unlist(struct tape_order *o, struct node *n)
{
	if (!n->listed)
		return;
	n->listed = false;
	if (n->prev != NULL)
		n->prev->next = n->next;
	else
		o->first = n->next;
	if (n->next != NULL)
		n->next->prev = n->prev;
	else
		o->last = n->prev;
}

static bool
before(const struct node *a, const struct node *b)
{
	if (a->item.ready_ns != b->item.ready_ns)
		return a->item.ready_ns < b->item.ready_ns;
	return a->item.seq < b->item.seq;
}

/* Room was made by add. */
static void
heap_push(struct tape_order *o, struct node *n)
{
	size_t i = o->heap_n++;

	while (i > 0 && before(n, o->heap[(i - 1) / 2])) {
		o->heap[i] = o->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	o->heap[i] = n;
}

static struct node *
heap_pop(struct tape_order *o)
{
	struct node *top = o->heap[0];
	struct node *last = o->heap[--o->heap_n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= o->heap_n)
			break;
		if (child + 1 < o->heap_n &&
		    before(o->heap[child + 1], o->heap[child]))
			child++;
		if (!before(o->heap[child], last))
			break;
		o->heap[i] = o->heap[child];
		i = child;
	}
	o->heap[i] = last;
	return top;
}

/* What an ended predecessor means for one that waits. */
static void
meet(struct node *n, int64_t end_ns, bool failed)
{
	if (end_ns > n->end_ns)
		n->end_ns = end_ns;
	if (failed)
		n->item.doomed = true;
}

static void
set_ready(struct node *n)
{
	n->item.ready_ns = n->end_ns;
	if (n->end_ns != TAPE_ABSENT_I64 && !n->item.doomed &&
	    __builtin_add_overflow(
		n->end_ns, n->item.delay_ns, &n->item.ready_ns))
		n->item.ready_ns = INT64_MAX;
}

static enum tape_status
wait_for(struct node *n, struct node *pred, struct tape_err *err)
{
	struct edge *e = tape_mem_calloc(1, sizeof(*e));

	if (e == NULL)
		return tape_err_nomem(err);
	e->dependent = n;
	e->next = pred->waiting;
	pred->waiting = e;
	n->unmet++;
	if (pred->state == PARKED || pred->state == RELEASED)
		n->behind++;
	return TAPE_OK;
}

static enum tape_status
look_at(
    struct tape_order *o, struct node *n, uint64_t seq, struct tape_err *err)
{
	struct node *pred = find(o, seq);
	int64_t end = o->ends == NULL ? 0 : *end_of(o, seq);

	if (pred != NULL)
		return wait_for(n, pred, err);
	if (end == 0 || seq >= n->item.seq || n->item.seq - seq > TAPE_RECENT)
		return tape_err_set(
		    err, TAPE_E_BUG, "a request waits for one that is gone");
	meet(n, end / 2, end % 2 == 1);
	return TAPE_OK;
}

static enum tape_status
keep(struct tape_order *o, struct node *n, struct tape_err *err)
{
	if (tape_mem_grow((void **)&o->heap, &o->heap_cap,
		o->heap_n + o->parked + 1, sizeof(*o->heap)) != 0)
		return tape_err_nomem(err);
	return tape_idmap_add(
	    &o->map, key_of(n->item.seq), (uint64_t)(uintptr_t)n, err);
}

/* After a failure nobody may point to the node. */
static void
unlink_edges(struct tape_order *o, const struct node *n, const uint64_t *after,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct node *pred = find(o, after[i]);
		struct edge **at = pred == NULL ? NULL : &pred->waiting;

		while (at != NULL && *at != NULL) {
			struct edge *e = *at;

			if (e->dependent != n) {
				at = &e->next;
				continue;
			}
			*at = e->next;
			tape_mem_free(e);
		}
	}
}

enum tape_status
tape_order_add(struct tape_order *o, struct tape_order_item *item,
    const uint64_t *after, size_t n, enum tape_order_state *state,
    struct tape_err *err)
{
	struct node *node = tape_mem_calloc(1, sizeof(*node));
	enum tape_status st = TAPE_OK;

	if (node == NULL)
		return tape_err_nomem(err);
	item->doomed = false;
	item->held = NULL;
	node->item = *item;
	node->end_ns = TAPE_ABSENT_I64;
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = look_at(o, node, after[i], err);
	if (st == TAPE_OK && (node->unmet > 0 || item->named))
		st = keep(o, node, err);
	if (st != TAPE_OK) {
		unlink_edges(o, node, after, n);
		tape_mem_free(node);
		return st;
	}
	*state = node->unmet > 0 ? TAPE_ORDER_PARKED : TAPE_ORDER_READY;
	if (*state == TAPE_ORDER_PARKED) {
		node->state = PARKED;
		o->parked++;
		if (node->behind == 0)
			list(o, node);
		return TAPE_OK;
	}
	set_ready(node);
	*item = node->item;
	node->state = HANDED_ON;
	if (!item->named)
		tape_mem_free(node);
	return TAPE_OK;
}

/* For those that are still to be read. */
static enum tape_status
remember(struct tape_order *o, const struct node *n, int64_t end_ns,
    bool failed, struct tape_err *err)
{
	/* Pages that are not used cost nothing. */
	if (o->ends == NULL)
		o->ends = tape_mem_calloc(TAPE_RECENT, sizeof(*o->ends));
	if (o->ends == NULL)
		return tape_err_nomem(err);
	*end_of(o, n->item.seq) = 2 * end_ns + (failed ? 1 : 0);
	return TAPE_OK;
}

enum tape_status
tape_order_done(struct tape_order *o, uint64_t seq, int64_t end_ns, bool failed,
    struct tape_err *err)
{
	struct node *n = find(o, seq);
	enum tape_status st = TAPE_OK;

	if (n == NULL)
		return TAPE_OK;
	if (n->state != HANDED_ON)
		return tape_err_set(
		    err, TAPE_E_BUG, "a request ended that was not sent");
	if (n->item.named)
		st = remember(o, n, end_ns, failed, err);
	while (n->waiting != NULL) {
		struct edge *e = n->waiting;
		struct node *d = e->dependent;

		n->waiting = e->next;
		tape_mem_free(e);
		meet(d, end_ns, failed);
		if (--d->unmet > 0)
			continue;
		set_ready(d);
		unlist(o, d);
		d->state = RELEASED;
		o->parked--;
		heap_push(o, d);
	}
	forget(o, n);
	return st;
}

bool
tape_order_peek(const struct tape_order *o, int64_t *ready_ns)
{
	if (o->heap_n == 0)
		return false;
	*ready_ns = o->heap[0]->item.ready_ns;
	return true;
}

bool
tape_order_pop(struct tape_order *o, struct tape_order_item *item)
{
	struct node *n;

	if (o->heap_n == 0)
		return false;
	n = heap_pop(o);
	*item = n->item;
	n->item.held = NULL;
	n->state = HANDED_ON;
	for (struct edge *e = n->waiting; e != NULL; e = e->next)
		if (--e->dependent->behind == 0)
			list(o, e->dependent);
	if (!n->item.named)
		forget(o, n);
	return true;
}

struct tape_order_item *
tape_order_candidate(struct tape_order *o)
{
	struct node *n = o->first;

	if (n == NULL)
		return NULL;
	unlist(o, n);
	return &n->item;
}

size_t
tape_order_parked(const struct tape_order *o)
{
	return o->parked;
}

size_t
tape_order_released(const struct tape_order *o)
{
	return o->heap_n;
}
