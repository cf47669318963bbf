/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_between: what several runs of the same arm and conditions come to, in a
 * table.
 */
#ifndef TAPE_ENGINE_REDUCE_BETWEEN_H
#define TAPE_ENGINE_REDUCE_BETWEEN_H

#include "base/buf.h"
#include "engine/reduce.h"

/* A block of at most 80 columns, but for long names, and whether the aim is
   reached; wide: all metrics. */
void tape_reduce_between_table(
    struct tape_buf *b, const struct tape_reduce_between *info, bool wide);

#endif
