/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_head: what stands above the numbers of a run in a table: what was
 * run, how far the client is to be trusted, and the checks.
 */
#ifndef TAPE_ENGINE_REDUCE_HEAD_H
#define TAPE_ENGINE_REDUCE_HEAD_H

#include "engine/reduce.h"

/* Appends lines of at most 80 columns, but for long names. */
void tape_reduce_head(struct tape_buf *b, const struct tape_reduce_run *info);

/* The same for one run of many: a line, and what speaks against its numbers. */
void tape_reduce_head_brief(
    struct tape_buf *b, const struct tape_reduce_run *info);

#endif
