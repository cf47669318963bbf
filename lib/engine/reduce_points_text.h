/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_points_text: the points of a sweep as tables: for people, one for what
 * was asked for and one for how fast it was, or both in one, wide; and in
 * Markdown.  Points are finished.
 */
#ifndef TAPE_ENGINE_REDUCE_POINTS_TEXT_H
#define TAPE_ENGINE_REDUCE_POINTS_TEXT_H

#include "engine/reduce_points.h"

void tape_points_text(
    const struct tape_points *p, bool wide, struct tape_buf *out);
void tape_points_markdown(const struct tape_points *p, struct tape_buf *out);

/* A text as a cell of a table in Markdown. */
void tape_markdown_text(struct tape_buf *out, struct tape_str text);

#endif
