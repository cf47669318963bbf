/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_lru.h"

#include "base/mem.h"

/* Entry 0 is the head of the ring: its next is the newest, its prev the
   oldest.  Buckets and chains hold entry numbers; 0 ends a chain. */
struct entry {
	uint64_t key;
	uint32_t value;
	uint32_t chain;
	uint32_t prev, next;
};

struct tape_serve_lru {
	struct entry *e;
	uint32_t *bucket;
	uint32_t cap, n, mask;
};

enum tape_status
tape_serve_lru_open(
    struct tape_serve_lru **l, uint32_t cap, struct tape_err *err)
{
	struct tape_serve_lru *t = tape_mem_calloc(1, sizeof(*t));
	uint32_t buckets = 8;

	if (t == NULL)
		return tape_err_nomem(err);
	while (buckets < cap)
		buckets *= 2;
	t->cap = cap;
	t->mask = buckets - 1;
	t->e = tape_mem_calloc((size_t)cap + 1, sizeof(*t->e));
	t->bucket = tape_mem_calloc(buckets, sizeof(*t->bucket));
	if (t->e == NULL || t->bucket == NULL) {
		tape_serve_lru_free(t);
		return tape_err_nomem(err);
	}
	*l = t;
	return TAPE_OK;
}

void
tape_serve_lru_free(struct tape_serve_lru *l)
{
	if (l == NULL)
		return;
	tape_mem_free(l->e);
	tape_mem_free(l->bucket);
	tape_mem_free(l);
}

static uint32_t *
bucket_of(struct tape_serve_lru *l, uint64_t key)
{
	uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);

	return &l->bucket[(uint32_t)(h >> 32) & l->mask];
}

static void
unlink_ring(struct tape_serve_lru *l, uint32_t i)
{
	struct entry *e = &l->e[i];

	l->e[e->prev].next = e->next;
	l->e[e->next].prev = e->prev;
}

static void
link_newest(struct tape_serve_lru *l, uint32_t i)
{
	struct entry *e = &l->e[i], *head = &l->e[0];

	e->prev = 0;
	e->next = head->next;
	l->e[head->next].prev = i;
	head->next = i;
}

/* Takes the oldest out of ring and chain. */
static uint32_t
evict(struct tape_serve_lru *l)
{
	uint32_t i = l->e[0].prev;
	uint32_t *at = bucket_of(l, l->e[i].key);

	while (*at != i)
		at = &l->e[*at].chain;
	*at = l->e[i].chain;
	unlink_ring(l, i);
	return i;
}

uint32_t *
tape_serve_lru_find(struct tape_serve_lru *l, uint64_t key)
{
	uint32_t i = *bucket_of(l, key);

	while (i != 0 && l->e[i].key != key)
		i = l->e[i].chain;
	if (i == 0)
		return NULL;
	unlink_ring(l, i);
	link_newest(l, i);
	return &l->e[i].value;
}

uint32_t *
tape_serve_lru_put(struct tape_serve_lru *l, uint64_t key)
{
	uint32_t *found = tape_serve_lru_find(l, key), *at, i;

	if (found != NULL)
		return found;
	i = l->n < l->cap ? ++l->n : evict(l);
	at = bucket_of(l, key);
	l->e[i] = (struct entry){ .key = key, .chain = *at };
	*at = i;
	link_newest(l, i);
	return &l->e[i].value;
}

uint32_t
tape_serve_lru_count(const struct tape_serve_lru *l)
{
	return l->n;
}
