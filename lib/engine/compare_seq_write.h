/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_seq_write: a sequential comparison, for people and for the next
 * look.
 *
 * The plan stands in the method of the verdict, hashed over all that must not
 * change from look to look (plan, alpha, scale or looks and spending, rows of
 * the family), with every look that the pairs allow.
 */
#ifndef TAPE_ENGINE_COMPARE_SEQ_WRITE_H
#define TAPE_ENGINE_COMPARE_SEQ_WRITE_H

#include "codec/json_write.h"
#include "engine/compare_judge.h"
#include "engine/compare_seq.h"

#define TAPE_COMPARE_PLAN_HASH 17 /* hex digits and NUL */

const char *tape_compare_plan_hash(
    const struct tape_compare_opts *opts, char dst[TAPE_COMPARE_PLAN_HASH]);

/* "decode/itl/matched-trim": the row as the table has it, whatever was done. */
#define TAPE_COMPARE_ROW_ID 64
const char *tape_compare_row_id(size_t row, char dst[TAPE_COMPARE_ROW_ID]);

/* The member "sequential" of an open object. */
enum tape_status tape_compare_seq_json(struct tape_json_writer *w,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts, enum tape_compare_progress progress,
    struct tape_err *err) TAPE_NODISCARD;

/* A line on the last look and what follows from it; errors stick in out. */
void tape_compare_seq_print(
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts, enum tape_compare_progress progress,
    struct tape_buf *out);

/* "any time", or "looks at 8, 12, 20 pairs (obf)", into dst. */
const char *tape_compare_plan_text(
    const struct tape_compare_opts *opts, char *dst, size_t size);

#endif
