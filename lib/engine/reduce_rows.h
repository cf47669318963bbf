/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_rows: what a run has from elsewhere, as rows of summaries, for outputs
 * that have nothing else: n, mean, min and max of a gauge, the increase of a
 * counter as value, of bits all that were set; and as group the source, the
 * device and the role.
 */
#ifndef TAPE_ENGINE_REDUCE_ROWS_H
#define TAPE_ENGINE_REDUCE_ROWS_H

#include "base/buf.h"
#include "engine/reduce_outside.h"

/* How many there are. */
size_t tape_reduce_rows(const struct tape_reduce_outside *o);

/* Row i; it borrows from o, and its group from text, which is replaced. */
enum tape_status tape_reduce_row(const struct tape_reduce_outside *o, size_t i,
    struct tape_summary *row, struct tape_buf *text,
    struct tape_err *err) TAPE_NODISCARD;

#endif
