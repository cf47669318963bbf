/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include "base/mem_large.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local uint64_t made;
static _Thread_local uint64_t fail_at;

static bool
refused(void)
{
	made++;
	return fail_at != 0 && made >= fail_at;
}

uint64_t
tape_mem_fail_at(uint64_t nth)
{
	uint64_t n = made;

	made = 0;
	fail_at = nth;
	return n;
}

void *
tape_mem_calloc(size_t n, size_t size)
{
	size_t bytes;

	if (refused() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	if (n == 0 || size == 0)
		return calloc(1, 1);
	if (tape_mem_large_wants(bytes))
		return tape_mem_large_get(bytes);
	return calloc(n, size);
}

/* A small block, or none, becomes a large one. */
static void *
enlarge(void *p, size_t bytes)
{
	void *q = tape_mem_large_get(bytes);
	size_t has = p == NULL ? 0 : malloc_usable_size(p);

	if (q == NULL)
		return NULL;
	if (has > 0)
		memcpy(q, p, has < bytes ? has : bytes);
	free(p);
	return q;
}

void *
tape_mem_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (refused() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
	if (tape_mem_large_holds(p))
		return tape_mem_large_resize(p, bytes);
	if (tape_mem_large_wants(bytes))
		return enlarge(p, bytes);
	return realloc(p, bytes == 0 ? 1 : bytes);
}

void *
tape_mem_dup(const void *p, size_t len)
{
	char *q;

	if (refused() || len == SIZE_MAX)
		return NULL;
	q = malloc(len + 1);
	if (q == NULL)
		return NULL;
	if (len > 0)
		memcpy(q, p, len);
	q[len] = '\0';
	return q;
}

char *
tape_mem_strdup(const char *s)
{
	return s == NULL ? NULL : tape_mem_dup(s, strlen(s));
}

void
tape_mem_free(void *p)
{
	if (tape_mem_large_holds(p))
		tape_mem_large_free(p);
	else
		free(p);
}

void
tape_mem_bound(size_t bytes, const char *dir)
{
	tape_mem_large_bound(bytes, dir);
}

int
tape_mem_why(void)
{
	return tape_mem_large_why();
}

int
tape_mem_grow(void **p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap < 8 ? 8 : *cap;
	void *q;

	if (need <= *cap)
		return 0;
	while (n < need)
		if (__builtin_mul_overflow(n, (size_t)2, &n))
			return -1;
	q = tape_mem_realloc(*p, n, size);
	if (q == NULL)
		return -1;
	*p = q;
	*cap = n;
	return 0;
}
