/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_doubt: what makes a verdict doubtful, looked for in the pairs.
 */
#ifndef TAPE_ENGINE_COMPARE_DOUBT_H
#define TAPE_ENGINE_COMPARE_DOUBT_H

#include "engine/compare_judge.h"

/*
 * Adds to notes: an effect of the position in a pair (Welch, when both orders
 * occur), one pair that decides a row (leave one out), rows without a value,
 * rows whose pairs are all equal, tests by normal theory (3 to 5 pairs), and
 * rows that were compared by medians.
 */
enum tape_status tape_compare_doubt(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, const struct tape_compare_verdict *v,
    struct tape_compare_notes *notes, struct tape_err *err) TAPE_NODISCARD;

#endif
