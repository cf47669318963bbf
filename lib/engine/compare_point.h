/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_point: the points of a sweep, by what runs have in their labels.
 *
 * A point is the values of some names.  A name is a label of the run or, where
 * it has none of that name, concurrency, rate or model of its load.
 */
#ifndef TAPE_ENGINE_COMPARE_POINT_H
#define TAPE_ENGINE_COMPARE_POINT_H

#include "engine/compare.h"

#define TAPE_COMPARE_POINTS_MAX 256

/*
 * The point of each run, in names ("concurrency,isl"), as text of a JSON object
 * in the set's arena: into point, one a run.  TAPE_E_DATA: a run that has none
 * of them; TAPE_E_FORMAT: labels that are none; TAPE_E_USAGE: an empty name;
 * TAPE_E_NOMEM.
 */
enum tape_status tape_compare_find_points(struct tape_compare_set *set,
    const char *names, struct tape_str *point,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * The distinct ones of n points, in order: by their first number, then by
 * bytes.  TAPE_E_USAGE beyond TAPE_COMPARE_POINTS_MAX.
 */
enum tape_status tape_compare_list_points(const struct tape_str *point,
    size_t n, struct tape_str list[TAPE_COMPARE_POINTS_MAX], size_t *count,
    struct tape_err *err) TAPE_NODISCARD;

/* {"concurrency":4} as "concurrency 4", into dst, which it returns. */
const char *tape_compare_point_text(
    struct tape_str point, char *dst, size_t size);

#endif
