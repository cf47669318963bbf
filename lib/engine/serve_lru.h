/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_lru: bounded table from 64-bit digests to counters; when it is full,
 * the entry that was not used for longest makes room.
 */
#ifndef TAPE_ENGINE_SERVE_LRU_H
#define TAPE_ENGINE_SERVE_LRU_H

#include "base/err.h"

struct tape_serve_lru;

/* Room for cap entries, 1 to 2^30; memory is used as they come. */
enum tape_status tape_serve_lru_open(struct tape_serve_lru **l, uint32_t cap,
    struct tape_err *err) TAPE_NODISCARD;
void tape_serve_lru_free(struct tape_serve_lru *l);

/* The counter of key, which becomes the most recently used; NULL when it is
   not there.  Valid until the next put. */
uint32_t *tape_serve_lru_find(struct tape_serve_lru *l, uint64_t key);

/* The same, and a new one starts at 0. */
uint32_t *tape_serve_lru_put(struct tape_serve_lru *l, uint64_t key);

uint32_t tape_serve_lru_count(const struct tape_serve_lru *l);

#endif
