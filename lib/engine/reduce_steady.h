/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reduce_steady: what was cut of a run, and what changes in the rest, for its
   head in a table. */
#ifndef TAPE_ENGINE_REDUCE_STEADY_H
#define TAPE_ENGINE_REDUCE_STEADY_H

#include "engine/steady.h"

/* Appends lines; text begins in that column.  cut NULL: none. */
void tape_reduce_steady(
    struct tape_buf *b, const struct tape_steady_cut *cut, size_t indent);

#endif
