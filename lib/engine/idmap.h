/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * idmap: 64-bit keys, digests of ids, to a number or a pointer.
 *
 * Open addressing with removal, at most three quarters full.  A key may be
 * there once only.  A zeroed struct is an empty map.
 */
#ifndef TAPE_ENGINE_IDMAP_H
#define TAPE_ENGINE_IDMAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tape_idmap_slot {
	uint64_t key;
	uint64_t value; /* plus one; 0 is an empty slot */
};

struct tape_idmap {
	struct tape_idmap_slot *slots;
	size_t size; /* a power of two, or 0 */
	size_t n;
};

void tape_idmap_release(struct tape_idmap *m);

/* False when there is none.  value may be NULL. */
bool tape_idmap_get(const struct tape_idmap *m, uint64_t key, uint64_t *value);

/* The key is not there yet; value is less than UINT64_MAX. */
enum tape_status tape_idmap_add(struct tape_idmap *m, uint64_t key,
    uint64_t value, struct tape_err *err) TAPE_NODISCARD;

void tape_idmap_remove(struct tape_idmap *m, uint64_t key);

/* Digest of an id, and of an id within something else. */
uint64_t tape_idmap_key(const char *p, size_t len);
uint64_t tape_idmap_mix(uint64_t key, uint64_t more);

#endif
