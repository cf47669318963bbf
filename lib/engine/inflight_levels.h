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

/*
 * Fills in the keys of n levels, from the count pairs of key and weight at v,
 * which are lost, as is scratch, which has room for as many.  A level beyond
 * all weight has the largest key.  count is above 0.  TAPE_E_NOMEM.
 */
enum tape_status tape_inflight_levels(struct tape_inflight_pair *v,
    struct tape_inflight_pair *scratch, size_t count,
    struct tape_inflight_level *level, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

#endif
