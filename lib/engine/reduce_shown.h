/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_shown: what tables show of a set of summaries: which rows, which of
 * their numbers, in which unit.
 */
#ifndef TAPE_ENGINE_REDUCE_SHOWN_H
#define TAPE_ENGINE_REDUCE_SHOWN_H

#include "engine/reduce_cell.h"
#include "engine/reduce_out.h"

#define TAPE_SHOWN_CELLS 15 /* of a row, at most */

/* Whether a metric has a row; wide: each that has values. */
bool tape_shown_is(const struct tape_summarize_set *set, int metric, bool wide);

bool tape_shown_flag(const struct tape_summary *s, const char *flag);

/* Cells of the narrow and of the wide table, in the order of their names, which
   end with NULL.  Returns how many. */
size_t tape_shown_values(
    const struct tape_summary *s, bool wide, double v[TAPE_SHOWN_CELLS]);
const char *const *tape_shown_names(bool wide);

struct tape_reduce_scale tape_shown_scale(
    const struct tape_summary *s, const char *unit);

/* What stands below the rows: values of which a run has one, notes. */
void tape_reduce_foot(
    struct tape_reduce_text *t, const struct tape_summarize_set *s);

#endif
