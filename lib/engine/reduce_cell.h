/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_cell: numbers and texts of a table for people.
 */
#ifndef TAPE_ENGINE_REDUCE_CELL_H
#define TAPE_ENGINE_REDUCE_CELL_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_REDUCE_CELL       9  /* columns of a number, its gap included */
#define TAPE_REDUCE_NAME_BYTES 40 /* what is shown of a name at most */

/* How the numbers of one row are shown: all in one unit. */
struct tape_reduce_scale {
	const char *unit;
	double by; /* divides a value */
	int decimals;
};

/*
 * For values of a metric's unit whose middle and largest are these: the unit in
 * which the middle has one to three digits before the point, decimals such that
 * it shows four digits and that the largest fits a cell.
 */
struct tape_reduce_scale tape_reduce_scale_for(
    const char *unit, double middle, double largest);

/* Adds a cell, right-aligned; NaN as the given text. */
void tape_reduce_cell(struct tape_buf *b, const struct tape_reduce_scale *s,
    double v, const char *absent);

/* Adds a text, its control characters as '?', cut to max bytes. */
void tape_reduce_text_safe(struct tape_buf *b, struct tape_str s, size_t max);

/* Adds before and a name, cut to TAPE_REDUCE_NAME_BYTES, or, if the name is
   absent, nothing. */
void tape_reduce_text_part(
    struct tape_buf *b, const char *before, struct tape_str name);

/* Adds a text of words, broken before column 80; the lines after the first are
   indented by that much.  column is where the text begins. */
void tape_reduce_text_wrap(
    struct tape_buf *b, struct tape_str s, size_t column, size_t indent);

#endif
