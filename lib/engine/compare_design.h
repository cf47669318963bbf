/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_design: what the design of a comparison forbids or makes doubtful.
 */
#ifndef TAPE_ENGINE_COMPARE_DESIGN_H
#define TAPE_ENGINE_COMPARE_DESIGN_H

#include "engine/compare_pair.h"

/*
 * Refused: fewer than 3 pairs; all runs of one arm before all of the other;
 * runs of a pair that overlap, or end before they start; conditions that
 * differ between the arms and are not in vary.  Warned of: A always first; few
 * matched prompts; runs without end; output lengths and failed shares that
 * differ; rounds with different conditions.
 */
void tape_compare_check_design(const struct tape_compare_set *set,
    unsigned vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes);

#endif
