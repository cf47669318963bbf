/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hash: FNV-1a, 64 bits (Fowler, Noll and Vo): tells bodies apart, and
 * anybody can compute it again.  Not against an adversary: who chooses the
 * bytes can make them collide.
 */
#ifndef TAPE_BASE_HASH_H
#define TAPE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TAPE_HASH_START UINT64_C(0xcbf29ce484222325) /* hash of nothing */
#define TAPE_HASH_TEXT  17 /* room for 16 hexadecimal digits */

/* The hash of what h is the hash of, with these bytes behind it. */
uint64_t tape_hash_add(uint64_t h, const void *p, size_t len);

/* Sixteen lower-case hexadecimal digits.  Returns dst. */
char *tape_hash_print(uint64_t h, char dst[TAPE_HASH_TEXT]);

#endif
