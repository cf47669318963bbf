/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/recent.h"

#include "base/mem.h"

#define ROOM_FIRST ((size_t)1024)

void
tape_recent_release(struct tape_recent *r)
{
	tape_mem_free(r->keys);
	tape_mem_free(r->sessions);
	tape_mem_free(r->table);
	*r = (struct tape_recent){ 0 };
}

static size_t
mask(const struct tape_recent *r)
{
	return 2 * r->room - 1;
}

/* The slot of the key, or the empty one where it would go. */
static size_t
find(const struct tape_recent *r, uint64_t key)
{
	size_t i = (size_t)key & mask(r);

	while (r->table[i] != 0 && r->keys[r->table[i] - 1] != key)
		i = (i + 1) & mask(r);
	return i;
}

bool
tape_recent_get(
    const struct tape_recent *r, uint64_t key, uint64_t *seq, uint64_t *session)
{
	size_t at, last;

	if (r->room == 0)
		return false;
	at = find(r, key);
	if (r->table[at] == 0)
		return false;
	at = r->table[at] - 1;
	last = (size_t)(r->n - 1) & (r->room - 1);
	if (seq != NULL)
		*seq = r->n - 1 - ((last - at) & (r->room - 1));
	if (session != NULL)
		*session = r->sessions == NULL ? 0 : r->sessions[at];
	return true;
}

/* Twice the room; the rings have not wrapped yet. */
static enum tape_status
grow(struct tape_recent *r, struct tape_err *err)
{
	struct tape_recent old = *r;
	size_t room = r->room == 0 ? ROOM_FIRST : 2 * r->room;
	void *keys = tape_mem_realloc(r->keys, room, sizeof(*r->keys));
	void *sessions = r->sessions;

	if (keys == NULL)
		return tape_err_nomem(err);
	r->keys = keys;
	if (sessions != NULL)
		sessions =
		    tape_mem_realloc(r->sessions, room, sizeof(*r->sessions));
	if (old.sessions != NULL && sessions == NULL)
		return tape_err_nomem(err);
	r->sessions = sessions;
	r->table = tape_mem_calloc(2 * room, sizeof(*r->table));
	if (r->table == NULL) {
		r->table = old.table;
		return tape_err_nomem(err);
	}
	tape_mem_free(old.table);
	r->room = room;
	for (size_t i = 0; i < (size_t)r->n; i++)
		r->table[find(r, r->keys[i])] = (uint32_t)i + 1;
	return TAPE_OK;
}

/* Takes out what is at the place of the rings. */
static void
forget(struct tape_recent *r, size_t at)
{
	size_t hole = find(r, r->keys[at]);

	/* Whatever the hole would cut off from its place moves into it. */
	for (size_t i = (hole + 1) & mask(r); r->table[i] != 0;
	     i = (i + 1) & mask(r)) {
		size_t home = (size_t)r->keys[r->table[i] - 1] & mask(r);

		if (((i - home) & mask(r)) < ((i - hole) & mask(r)))
			continue;
		r->table[hole] = r->table[i];
		hole = i;
	}
	r->table[hole] = 0;
}

enum tape_status
tape_recent_add(
    struct tape_recent *r, uint64_t key, uint64_t session, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	size_t at;

	if (r->n == r->room && r->room < TAPE_RECENT)
		st = grow(r, err);
	if (st != TAPE_OK)
		return st;
	if (session != 0 && r->sessions == NULL) {
		r->sessions = tape_mem_calloc(r->room, sizeof(*r->sessions));
		if (r->sessions == NULL)
			return tape_err_nomem(err);
	}
	at = (size_t)r->n & (r->room - 1);
	if (r->n >= r->room)
		forget(r, at);
	r->keys[at] = key;
	if (r->sessions != NULL)
		r->sessions[at] = session;
	r->table[find(r, key)] = (uint32_t)at + 1;
	r->n++;
	return TAPE_OK;
}
