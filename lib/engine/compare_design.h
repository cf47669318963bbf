/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_design: what the design of a comparison forbids, whatever the
 * numbers: statistics of any kind cannot mend it.
 */
#ifndef TAPE_ENGINE_COMPARE_DESIGN_H
#define TAPE_ENGINE_COMPARE_DESIGN_H

#include "engine/compare_pair.h"

#define TAPE_COMPARE_PAIRS_MIN 3 /* for any verdict */

/* What may differ between the arms, being what is compared. */
enum tape_compare_vary {
	TAPE_COMPARE_VARY_MODEL = 1 << 0,
	TAPE_COMPARE_VARY_EXTRA = 1 << 1,
	TAPE_COMPARE_VARY_LOAD = 1 << 2,  /* loop, concurrency, rate */
	TAPE_COMPARE_VARY_TRACE = 1 << 3, /* its hash, requests, passes, salt */
	TAPE_COMPARE_VARY_API = 1 << 4,   /* dialect, streaming */
	TAPE_COMPARE_VARY_WARMUP = 1 << 5
};

#define TAPE_COMPARE_CONDITIONS 6

/* Their names, in the order of their bits. */
extern const char *const tape_compare_condition_names[TAPE_COMPARE_CONDITIONS];

/*
 * Refused: fewer than 3 pairs; all runs of one arm before all of the other;
 * runs of a pair that overlap, that end before they start, or whose positions
 * contradict the clock; conditions that differ between the arms and are not in
 * vary, or between the rounds of an arm.  Warned of: one arm always first;
 * runs of other pairs between those of a pair.  Sets design->interleaved.
 */
void tape_compare_check_design(const struct tape_compare_set *set,
    unsigned vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes);

#endif
