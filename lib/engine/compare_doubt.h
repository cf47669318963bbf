/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_doubt: what makes a verdict doubtful, looked for in the pairs.
 */
#ifndef TAPE_ENGINE_COMPARE_DOUBT_H
#define TAPE_ENGINE_COMPARE_DOUBT_H

#include "engine/compare_judge.h"

/*
 * Adds to notes: the flags of the rows; tests by normal theory (3 to 5 pairs);
 * possible losses and how many chance alone gives; and an effect of the position
 * in a pair (Welch, where both orders occur twice) and a trend over the session
 * (Kendall): in the row for latency at .05, in any other at .05 over the number
 * of rows that are tested.  Without a verdict the flags only.
 */
enum tape_status tape_compare_doubt(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_verdict *v, struct tape_compare_notes *notes,
    struct tape_err *err) TAPE_NODISCARD;

#endif
