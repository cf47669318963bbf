/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_power: what the pairs of a comparison could have seen, and how many
 * would have been needed.
 */
#ifndef TAPE_ENGINE_COMPARE_POWER_H
#define TAPE_ENGINE_COMPARE_POWER_H

#include "engine/compare_judge.h"

#define TAPE_COMPARE_POWER 0.8

/* The effect that pairs are counted for without a margin. */
#define TAPE_COMPARE_NEED_RATIO 0.02

/*
 * Fills, in the figures of every row that was tested and has noise, the
 * smallest effect that so many pairs find at alpha, and the pairs that the
 * margin needs: with the sd as it is, and with its upper 80 % bound.  Both
 * hold for a test that is made once: a sequential comparison has none.
 */
void tape_compare_power(const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *v);

#endif
