/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arena: memory that is given back all at once.
 *
 * For what belongs to one record: a loop resets it between records and, once
 * the largest record was seen, allocates nothing.  What was handed out is valid
 * until reset or release.  A zeroed struct is an empty arena.
 *
 * It holds at most TAPE_ARENA_STEP more than was asked for, or twice that while
 * it is small; and from reset to reset TAPE_ARENA_KEEP at most, so that one
 * huge record is not paid for ever after.
 */
#ifndef TAPE_BASE_ARENA_H
#define TAPE_BASE_ARENA_H

#include <stddef.h>

#define TAPE_ARENA_STEP ((size_t)1 << 20)
#define TAPE_ARENA_KEEP ((size_t)16 << 20)

struct tape_arena_block;

struct tape_arena {
	struct tape_arena_block *blocks; /* newest first */
	size_t used;                     /* of the newest */
	size_t size;                     /* of all */
};

/* n * size bytes, zeroed, aligned for any type; NULL when memory is out. */
void *tape_arena_alloc(struct tape_arena *a, size_t n, size_t size);

/* Copy with a NUL behind it, not aligned. */
char *tape_arena_dup(struct tape_arena *a, const void *p, size_t len);

/* Empty again; keeps memory for as much as there was, see above. */
void tape_arena_reset(struct tape_arena *a);

/* Keeps nothing. */
void tape_arena_release(struct tape_arena *a);

#endif
