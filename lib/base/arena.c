/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#define BLOCK_MIN ((size_t)16 << 10)

struct tape_arena_block {
	struct tape_arena_block *older;
	size_t size;
	alignas(max_align_t) char data[];
};

static int
add_block(struct tape_arena *a, size_t need)
{
	struct tape_arena_block *b;
	size_t size = a->blocks == NULL ? BLOCK_MIN : a->blocks->size;

	if (size < SIZE_MAX / 2)
		size *= 2;
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
	return 0;
}

void *
tape_arena_alloc(struct tape_arena *a, size_t n, size_t size)
{
	const size_t unit = alignof(max_align_t);
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX - unit)
		return NULL;
	bytes = (bytes + unit - 1) / unit * unit;
	if (bytes == 0)
		bytes = unit;
	if (a->blocks == NULL || a->blocks->size - a->used < bytes)
		if (add_block(a, bytes) != 0)
			return NULL;
	p = a->blocks->data + a->used;
	a->used += bytes;
	memset(p, 0, bytes);
	return p;
}

char *
tape_arena_dup(struct tape_arena *a, const void *p, size_t len)
{
	char *q;

	if (len == SIZE_MAX)
		return NULL;
	q = tape_arena_alloc(a, len + 1, 1);
	if (q != NULL && len > 0)
		memcpy(q, p, len);
	return q;
}

void
tape_arena_reset(struct tape_arena *a)
{
	struct tape_arena_block *b, *older;

	if (a->blocks == NULL)
		return;
	for (b = a->blocks->older; b != NULL; b = older) {
		older = b->older;
		tape_mem_free(b);
	}
	a->blocks->older = NULL;
	a->used = 0;
}

void
tape_arena_release(struct tape_arena *a)
{
	tape_arena_reset(a);
	tape_mem_free(a->blocks);
	memset(a, 0, sizeof(*a));
}
