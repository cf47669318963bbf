/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem_large: the large blocks of base/mem, once a bound is set.
 *
 * Such a block is a mapping of its own.  As long as all of them together stay
 * within the bound they are ordinary memory.  One that goes beyond it is a
 * temporary file without a name: what of it was not used for a while the kernel
 * can write out, which it cannot with ordinary memory where there is no swap.
 * Room in the file is taken beforehand, so that a full disk is an allocation
 * that fails and no signal later.
 *
 * Only base/mem calls this.
 */
#ifndef TAPE_BASE_MEM_LARGE_H
#define TAPE_BASE_MEM_LARGE_H

#include <stdbool.h>
#include <stddef.h>

/* As tape_mem_bound. */
void tape_mem_large_bound(size_t bytes, const char *dir);

/* Whether a new block of that size is to be a large one. */
bool tape_mem_large_wants(size_t bytes);

bool tape_mem_large_holds(const void *p);

/* Zeroed; NULL when there is no room. */
void *tape_mem_large_get(size_t bytes);

/* p is held; on failure it stays as it was. */
void *tape_mem_large_resize(void *p, size_t bytes);

void tape_mem_large_free(void *p);

/* Why the last call of this thread that returned NULL had no room in a file, as
   errno; 0 when that was not the reason. */
int tape_mem_large_why(void);

#endif
