/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_design: what the design of a comparison forbids, whatever the
 * numbers: statistics of any kind cannot mend it.
 */
#ifndef TAPE_ENGINE_COMPARE_DESIGN_H
#define TAPE_ENGINE_COMPARE_DESIGN_H

#include "engine/compare_conditions.h"

#define TAPE_COMPARE_PAIRS_MIN 3 /* for any verdict */

/*
 * Refused: fewer than 3 pairs; all runs of one arm before all of the other;
 * runs of a pair that overlap, that end before they start, or whose positions
 * contradict the clock; conditions (compare_conditions.h) and sessions
 * (compare_session.h) that do not allow it.  Warned of: one arm always first;
 * runs of other pairs between those of a pair.  Sets design->interleaved.
 * vary may be NULL: nothing may differ.
 */
void tape_compare_check_design(const struct tape_compare_set *set,
    const struct tape_compare_vary *vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes);

#endif
