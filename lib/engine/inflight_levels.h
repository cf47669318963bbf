/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inflight_levels: quantiles of weighted whole numbers, without sorting them
 * all: they are put into buckets, and only those in which a quantile lies are
 * sorted.
 */
#ifndef TAPE_ENGINE_INFLIGHT_LEVELS_H
#define TAPE_ENGINE_INFLIGHT_LEVELS_H

#include "base/err.h"
#include "engine/inflight_sort.h"

struct tape_inflight_level {
	double weight; /* in: so much lies at or below it */
	uint64_t key;  /* out: the least key of which that is so */
};

struct tape_inflight_pairs {
	struct tape_inflight_pair *v; /* in any order */
	struct tape_inflight_pair *scratch;
	size_t n;         /* above 0; scratch has room for as many */
	uint64_t least;   /* key that is not 0; any when all are */
	uint64_t largest; /* key */
};

/*
 * Fills in the keys of n levels from pairs of key and weight, which are lost.  A
 * level beyond all weight has the largest key.  TAPE_E_NOMEM.
 */
enum tape_status tape_inflight_levels(const struct tape_inflight_pairs *pairs,
    struct tape_inflight_level *level, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

#endif
