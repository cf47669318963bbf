/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inflight_sort: pairs of whole numbers by the first, in linear time.
 */
#ifndef TAPE_ENGINE_INFLIGHT_SORT_H
#define TAPE_ENGINE_INFLIGHT_SORT_H

#include <stddef.h>
#include <stdint.h>

struct tape_inflight_pair {
	uint64_t key;
	uint64_t value;
};

/*
 * Sorts by key, upwards; the order of equal keys is not said.  scratch has room
 * for as many.  Some hundred and more take a radix sort,
 * in linear time.
 */
void tape_inflight_sort(
    struct tape_inflight_pair *v, struct tape_inflight_pair *scratch, size_t n);

#endif
