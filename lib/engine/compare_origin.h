/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_origin: where the runs came from.
 */
#ifndef TAPE_ENGINE_COMPARE_ORIGIN_H
#define TAPE_ENGINE_COMPARE_ORIGIN_H

#include "engine/compare.h"

/* Keeps, in set->origin, what a report's header needs of the header of one
   segment.  TAPE_E_NOMEM. */
enum tape_status tape_compare_origin_add(struct tape_compare_set *set,
    const struct tape_header *h, struct tape_err *err) TAPE_NODISCARD;

/* Adds the chains of another set's segments.  TAPE_E_NOMEM. */
enum tape_status tape_compare_origin_join(struct tape_compare_set *set,
    const struct tape_compare_origin *from,
    struct tape_err *err) TAPE_NODISCARD;

#endif
