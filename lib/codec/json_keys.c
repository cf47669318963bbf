/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of all open objects lie on one stack; those of the innermost are on
 * top, from first[depth - 1] on.  A key whose bit of seen[depth - 1] is not set
 * is new.  Else it is compared with the others of its object while they are
 * few; the keys of a large object are sorted when it ends, so that no input
 * makes this quadratic.
 */
#include "codec/json_impl.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FEW  64
#define BITS ((size_t)TAPE_JSON_SEEN * 64)

static uint64_t
load(const char *p, size_t n)
{
	uint64_t x = 0;

	memcpy(&x, p, n);
	return x;
}

/* Equal keys have equal tags, and few others do. */
static uint64_t
digest(const char *p, size_t len)
{
	uint64_t a, b;

	if (len >= 8) {
		a = load(p, 8);
		b = load(p + len - 8, 8);
	} else if (len >= 4) {
		a = load(p, 4);
		b = load(p + len - 4, 4);
	} else {
		a = len > 0 ? load(p, 1) | load(p + len / 2, 1) << 8 : 0;
		b = len > 0 ? load(p + len - 1, 1) : 0;
	}
	return a ^ (b << 29 | b >> 35) ^ (uint64_t)len << 56;
}

static const char *
bytes(const struct tape_json *r, const struct tape_json_key *k)
{
	return k->p != NULL ? k->p : r->arena.data + k->arena;
}

static bool
is_there(const struct tape_json *r, size_t first, uint64_t tag, const char *key,
    size_t len)
{
	const struct tape_json_key *k;
	size_t i;

	for (i = first; i < r->keys_len; i++) {
		k = &r->keys[i];
		if (k->tag == tag && k->len == len &&
		    memcmp(bytes(r, k), key, len) == 0)
			return true;
	}
	return false;
}

void
tape_json_keys_begin(struct tape_json *r)
{
	r->first[r->depth - 1] = r->keys_len;
	memset(r->seen[r->depth - 1], 0, sizeof(r->seen[0]));
}

/* Sets the bit of the tag; whether it was set. */
static bool
set_seen(struct tape_json *r, uint64_t tag)
{
	size_t bit = (size_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 32) % BITS;
	uint64_t *word = &r->seen[r->depth - 1][bit / 64];
	bool was = (*word >> bit % 64 & 1) != 0;

	*word |= UINT64_C(1) << bit % 64;
	return was;
}

enum tape_status
tape_json_keys_add(struct tape_json *r, const char *key, size_t len,
    const char *at, struct tape_err *err)
{
	size_t first = r->first[r->depth - 1];
	struct tape_json_key k = { .len = len, .at = at };
	void *keys = r->keys;

	k.tag = digest(key, len);
	if (set_seen(r, k.tag) && r->keys_len - first < FEW &&
	    is_there(r, first, k.tag, key, len))
		return tape_json_fail(
		    r, TAPE_E_FORMAT, at, "key twice in one object", err);
	if (r->keys_len == TAPE_CAP_JSON_KEYS)
		return tape_json_fail(
		    r, TAPE_E_LIMIT, at, "too many keys", err);
	if (key != r->key.data)
		k.p = key;
	k.arena = r->arena.len;
	if (k.p == NULL && tape_buf_add(&r->arena, key, len) != TAPE_OK)
		return tape_json_fail(
		    r, r->arena.status, at, "out of memory", err);
	if (tape_mem_grow(&keys, &r->keys_size, r->keys_len + 1, sizeof(k)) !=
	    0)
		return tape_json_fail(
		    r, TAPE_E_NOMEM, at, "out of memory", err);
	r->keys = keys;
	r->keys[r->keys_len++] = k;
	return TAPE_OK;
}

static int
by_bytes(const void *x, const void *y)
{
	const struct tape_json_key *a = x, *b = y;

	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->p, b->p, a->len);
}

enum tape_status
tape_json_keys_end(struct tape_json *r, struct tape_err *err)
{
	size_t first = r->first[r->depth - 1], n = r->keys_len - first, i;
	struct tape_json_key *k;

	r->keys_len = first;
	if (n <= FEW)
		return TAPE_OK;
	k = r->keys + first;
	for (i = 0; i < n; i++)
		k[i].p = bytes(r, &k[i]);
	qsort(k, n, sizeof(*k), by_bytes);
	for (i = 1; i < n; i++)
		if (by_bytes(&k[i - 1], &k[i]) == 0)
			return tape_json_fail(r, TAPE_E_FORMAT,
			    k[i - 1].at > k[i].at ? k[i - 1].at : k[i].at,
			    "key twice in one object", err);
	return TAPE_OK;
}
