/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem: allocation with overflow checks, and the hook with which a test makes
 * the Nth allocation of its thread fail.
 *
 * All functions return NULL when memory is out or a size overflows; the caller
 * owns what they return and frees it with tape_mem_free.
 *
 * A program that may need more memory than there is can set a bound, beyond
 * which large blocks live in temporary files (base/mem_large.h).
 */
#ifndef TAPE_BASE_MEM_H
#define TAPE_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed array of n elements.  n or size may be 0. */
void *tape_mem_calloc(size_t n, size_t size);

/* As realloc for n elements; on failure p stays valid and owned. */
void *tape_mem_realloc(void *p, size_t n, size_t size);

/* Copy of len bytes with a NUL behind them. */
void *tape_mem_dup(const void *p, size_t len);

/* Copy of a string; NULL for NULL. */
char *tape_mem_strdup(const char *s);

void tape_mem_free(void *p);

/*
 * Grows *p (array of *cap elements of size bytes) so that at least need fit;
 * doubles.  Returns 0, or -1 with *p and *cap unchanged.
 */
int tape_mem_grow(void **p, size_t *cap, size_t need, size_t size);

#define TAPE_MEM_LARGE ((size_t)1 << 20)

/*
 * From now on blocks of TAPE_MEM_LARGE bytes and more take no more ordinary
 * memory than so many bytes together; beyond that they are temporary files in
 * dir (borrowed; NULL or "": /tmp).  0: without bound, as at first.  For the
 * whole process, and to be called while it has one thread.
 */
void tape_mem_bound(size_t bytes, const char *dir);

/* Why the last allocation of this thread that failed had no room in a file, as
   errno; 0 when that was not the reason. */
int tape_mem_why(void);

/*
 * Test hook: the nth allocation from now in this thread, and all after it,
 * fail; 0 turns it off.  Returns how many were made since the last call.
 */
uint64_t tape_mem_fail_at(uint64_t nth);

#endif
