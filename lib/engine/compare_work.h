/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_work: whether the arms did equal work: what their answers were like.
 */
#ifndef TAPE_ENGINE_COMPARE_WORK_H
#define TAPE_ENGINE_COMPARE_WORK_H

#include "engine/compare_pair.h"

/* Adds a successful answer to those of its run. */
void tape_compare_add_answer(
    struct tape_compare_answers *to, const struct tape_result *r);

/* Whether two answers to one prompt have as many tokens. */
bool tape_compare_equal_length(
    const struct tape_compare_request *a, const struct tape_compare_request *b);

/*
 * Warned of, with numbers: answers to the same prompts whose lengths differ by
 * over 1 %; the same prompts counted differently; reasons to finish, and shares
 * of cached prompt tokens, that differ by over a point.  Noted: how many
 * answers are identical.
 *
 * Sets design->equal_lengths where lengths differ and every pair has enough
 * answers of equal length; design->no_gaps where one arm decodes speculatively
 * or sends tokens several at a time and the other does not: then what is known
 * of acceptance is said, too.
 */
void tape_compare_check_work(
    struct tape_compare_design *design, struct tape_compare_notes *notes);

#endif
