/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_adjust: which rows are found, over all rows that are judged
 * together: those of one comparison, or of several (more than two arms, the
 * points of a sweep).
 *
 *	fixed plan	step-down max-T on the sign flips from 6 pairs on, over
 *			all comparisons that have as many pairs (the i-th pairs
 *			of all are flipped alike); Holm on t below, where all
 *			signs of a row must also agree.  Where comparisons have
 *			different numbers of pairs, each by itself times their
 *			number.
 *	exploratory	Benjamini-Hochberg on the p of all
 *	sequential	by the plan (compare_seq.h), times the comparisons
 *
 * Only rows of the family (options, primary) can be found.
 */
#ifndef TAPE_ENGINE_COMPARE_ADJUST_H
#define TAPE_ENGINE_COMPARE_ADJUST_H

#include "engine/compare_judge.h"

/* Fills p_adjusted, found, equivalent, noninferior and the family in the
   verdicts of the cases that have one (verdict->tested > 0). */
enum tape_status tape_compare_adjust(const struct tape_compare_case *cases,
    size_t n, const struct tape_compare_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

#endif
