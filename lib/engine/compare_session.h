/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_session: whether the runs of a pair are near enough to each other for
 * what drifts to cancel.
 */
#ifndef TAPE_ENGINE_COMPARE_SESSION_H
#define TAPE_ENGINE_COMPARE_SESSION_H

#include "engine/compare_conditions.h"

/* From the end of the first run of a pair to the start of the second. */
#define TAPE_COMPARE_WITHIN_NS (INT64_C(30) * 60 * 1000000000)

/*
 * Refused: pairs whose runs are over set->within_ns (0: half an hour) apart, so
 * that days which alternate do not pass for interleaving; of different boots,
 * or sent from different hosts, where these are known, unless vary has them;
 * runs of A of another session than those of B, as yesterday's archive against
 * today's.
 */
void tape_compare_check_sessions(const struct tape_compare_set *set,
    const struct tape_compare_design *design,
    const struct tape_compare_vary *vary, struct tape_compare_notes *notes);

#endif
