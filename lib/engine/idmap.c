/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/idmap.h"

#include "base/hash.h"
#include "base/mem.h"

void
tape_idmap_release(struct tape_idmap *m)
{
	tape_mem_free(m->slots);
	*m = (struct tape_idmap){ 0 };
}

uint64_t
tape_idmap_mix(uint64_t key, uint64_t more)
{
	uint64_t x = key ^ (more + 1) * UINT64_C(0x9e3779b97f4a7c15);

	/* The finalizer of MurmurHash3 (Appleby): every bit reaches all. */
	x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ (x >> 33);
}

uint64_t
tape_idmap_key(const char *p, size_t len)
{
	return tape_idmap_mix(tape_hash_add(TAPE_HASH_START, p, len), len);
}

/* The slot of the key, or the empty one where it would go. */
static size_t
find(const struct tape_idmap *m, uint64_t key)
{
	size_t i = (size_t)key & (m->size - 1);

	while (m->slots[i].value != 0 && m->slots[i].key != key)
		i = (i + 1) & (m->size - 1);
	return i;
}

bool
tape_idmap_get(const struct tape_idmap *m, uint64_t key, uint64_t *value)
{
	size_t i;

	if (m->n == 0)
		return false;
	i = find(m, key);
	if (m->slots[i].value == 0)
		return false;
	if (value != NULL)
		*value = m->slots[i].value - 1;
	return true;
}

static enum tape_status
grow(struct tape_idmap *m, struct tape_err *err)
{
	struct tape_idmap bigger = { .size = m->size == 0 ? 64 : m->size * 2 };

	bigger.slots = tape_mem_calloc(bigger.size, sizeof(*bigger.slots));
	if (bigger.slots == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < m->size; i++)
		if (m->slots[i].value != 0)
			bigger.slots[find(&bigger, m->slots[i].key)] =
			    m->slots[i];
	bigger.n = m->n;
	tape_mem_free(m->slots);
	*m = bigger;
	return TAPE_OK;
}

enum tape_status
tape_idmap_add(
    struct tape_idmap *m, uint64_t key, uint64_t value, struct tape_err *err)
{
	if ((m->n + 1) * 4 > m->size * 3) {
		enum tape_status st = grow(m, err);

		if (st != TAPE_OK)
			return st;
	}
	m->slots[find(m, key)] = (struct tape_idmap_slot){ key, value + 1 };
	m->n++;
	return TAPE_OK;
}

void
tape_idmap_remove(struct tape_idmap *m, uint64_t key)
{
	size_t mask = m->size - 1;
	size_t hole;

	if (m->n == 0)
		return;
	hole = find(m, key);
	if (m->slots[hole].value == 0)
		return;
	/* Whatever the hole would cut off from its place moves into it. */
	for (size_t i = (hole + 1) & mask; m->slots[i].value != 0;
	     i = (i + 1) & mask) {
		size_t home = (size_t)m->slots[i].key & mask;

		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].value = 0;
	m->n--;
}
