/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_arrange: which arm is which, and what each run comes to.
 */
#ifndef TAPE_ENGINE_COMPARE_ARRANGE_H
#define TAPE_ENGINE_COMPARE_ARRANGE_H

#include "engine/compare.h"

/*
 * After the last load.  Gives each run its arm: as it was loaded; or by its
 * label; of more than two labels set->many becomes the list, and no run has an
 * arm (compare_family.h pairs them).  The baseline A is then, in this order,
 * the one that was named first (set->named); that which stands first in the
 * arms that a run names; or the first by name (set->by_name).  Never the one
 * that ran first: the order of runs is drawn.
 *
 * Fills each run's levels, then sorts its requests by id and averages repeats
 * of an id in the log, so that each id counts once.  The order of the records
 * does not show in the result.
 *
 * TAPE_E_USAGE: more arms than TAPE_COMPARE_ARMS_MAX; TAPE_E_NOMEM.
 */
enum tape_status tape_compare_arrange(
    struct tape_compare_set *set, struct tape_err *err) TAPE_NODISCARD;

#endif
