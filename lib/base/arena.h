/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena: memory that is given back all at once.
 *
 * For what belongs to one record: a loop resets it between records and, once
 * the largest record was seen, allocates nothing.  What was handed out is valid
 * until reset or release.  A zeroed struct is an empty arena.
 */
#ifndef TAPE_BASE_ARENA_H
#define TAPE_BASE_ARENA_H

#include <stddef.h>

struct tape_arena_block;

struct tape_arena {
	struct tape_arena_block *blocks; /* newest first */
	size_t used;                     /* of the newest */
};

/* n * size bytes, zeroed, aligned for any type; NULL when memory is out. */
void *tape_arena_alloc(struct tape_arena *a, size_t n, size_t size);

/* Copy with a NUL behind it. */
char *tape_arena_dup(struct tape_arena *a, const void *p, size_t len);

void tape_arena_reset(struct tape_arena *a);   /* keeps the largest block */
void tape_arena_release(struct tape_arena *a); /* keeps nothing */

#endif
