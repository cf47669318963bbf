/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

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
	return calloc(n, size);
}

void *
tape_mem_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (refused() || __builtin_mul_overflow(n, size, &bytes))
		return NULL;
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
	free(p);
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
