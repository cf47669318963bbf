/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#define BLOCK_MIN ((size_t)32 << 10)

struct tape_arena_block {
	struct tape_arena_block *older;
	size_t size;
	alignas(max_align_t) char data[];
};

/* A block as large as all before it, but not more than a step. */
static int
add_block(struct tape_arena *a, size_t need)
{
	struct tape_arena_block *b;
	size_t size = a->size;

	if (size > TAPE_ARENA_STEP)
		size = TAPE_ARENA_STEP;
	if (size < BLOCK_MIN)
		size = BLOCK_MIN;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(*b))
		return -1;
	b = tape_mem_realloc(NULL, 1, sizeof(*b) + size);
	if (b == NULL)
		return -1;
	b->size = size;
	b->older = a->blocks;
	a->blocks = b;
	a->used = 0;
	a->size += size;
	return 0;
}

/* Room for bytes at a multiple of unit. */
static char *
take(struct tape_arena *a, size_t bytes, size_t unit)
{
	size_t at = (a->used + unit - 1) / unit * unit;

	if (a->blocks == NULL || at > a->blocks->size ||
	    a->blocks->size - at < bytes) {
		if (add_block(a, bytes) != 0)
			return NULL;
		at = 0;
	}
	a->used = at + bytes;
	return a->blocks->data + at;
}

void *
tape_arena_alloc(struct tape_arena *a, size_t n, size_t size)
{
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	p = take(a, bytes > 0 ? bytes : 1, alignof(max_align_t));
	if (p != NULL)
		memset(p, 0, bytes);
	return p;
}

char *
tape_arena_dup(struct tape_arena *a, const void *p, size_t len)
{
	char *q = len < SIZE_MAX ? take(a, len + 1, 1) : NULL;

	if (q == NULL)
		return NULL;
	if (len > 0)
		memcpy(q, p, len);
	q[len] = '\0';
	return q;
}

static void
free_blocks(struct tape_arena *a)
{
	struct tape_arena_block *b, *older;

	for (b = a->blocks; b != NULL; b = older) {
		older = b->older;
		tape_mem_free(b);
	}
	memset(a, 0, sizeof(*a));
}

/* What took several blocks will next time find one for all; when memory is out
   for it, the next allocation tells. */
void
tape_arena_reset(struct tape_arena *a)
{
	size_t size = a->size;

	if (a->blocks == NULL)
		return;
	if (a->blocks->older != NULL || size > TAPE_ARENA_KEEP) {
		free_blocks(a);
		if (size <= TAPE_ARENA_KEEP)
			(void)add_block(a, size);
	}
	a->used = 0;
}

void
tape_arena_release(struct tape_arena *a)
{
	free_blocks(a);
}
