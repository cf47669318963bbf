/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_speculative: speculative against normal decoding.  The time of a
 * token is what compares them; gaps are between bursts, of which one arm has
 * others than the other.
 */
#ifndef TAPE_ENGINE_COMPARE_SPECULATIVE_H
#define TAPE_ENGINE_COMPARE_SPECULATIVE_H

#include "engine/compare_pair.h"

/*
 * Where an arm is known to decode speculatively (its engine or its answers
 * count drafts), or one of the two sends tokens several at a time: notes what
 * is known of acceptance, never inferred from times, and that a speed-up is
 * specific to the workload.  Sets design->no_gaps where the arms are not alike.
 */
void tape_compare_check_speculation(
    struct tape_compare_design *design, struct tape_compare_notes *notes);

#endif
