/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_args: what the options of ab-compare that say how to test mean.
 */
#ifndef TAPE_ENGINE_COMPARE_ARGS_H
#define TAPE_ENGINE_COMPARE_ARGS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "engine/compare.h"
#include "engine/compare_method.h"

/*
 * Pairs at each planned look, as "8,12,20": rising, from 3 on.  TAPE_E_USAGE
 * says what is wrong; *seq is then unchanged.  Sets the plan.
 */
enum tape_status tape_compare_parse_looks(const char *text,
    struct tape_compare_seq *seq, struct tape_err *err) TAPE_NODISCARD;

/*
 * Rows by name, as "itl,ttft-p99": the name in the table with - for a space;
 * adds their bits to *rows.  TAPE_E_USAGE names the known ones.
 */
enum tape_status tape_compare_parse_rows(
    const char *text, uint64_t *rows, struct tape_err *err) TAPE_NODISCARD;

/*
 * Labels of arms, as "base,fp8,fp8-kv": two or more, all different, which
 * point into text; the list is in the arena.  TAPE_E_USAGE, TAPE_E_NOMEM.
 */
enum tape_status tape_compare_parse_arms(const char *text,
    struct tape_arena *arena, struct tape_strs *out,
    struct tape_err *err) TAPE_NODISCARD;

/* Names the arms of a set that is not loaded yet, as --arms has them; NULL: not
   at all.  TAPE_E_USAGE as tape_compare_parse_arms; TAPE_E_NOMEM. */
enum tape_status tape_compare_name_arms(const char *arms,
    struct tape_compare_set *set, struct tape_err *err) TAPE_NODISCARD;

#endif
