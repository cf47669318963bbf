/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_shape: how two distributions differ, decile by decile.
 *
 * Of ttft, itl and latency, by the requests that succeeded in each run, paired
 * by run and not by prompt: the shift function, log(B/A) of each decile
 * (Harrell and Davis) with a simultaneous band; and Cliff's delta, the share of
 * pairs of requests in which B takes longer less that in which A does, with a
 * paired t interval.  They describe, and decide nothing.
 */
#ifndef TAPE_ENGINE_COMPARE_SHAPE_H
#define TAPE_ENGINE_COMPARE_SHAPE_H

#include "engine/compare_print.h"

#define TAPE_COMPARE_DECILES 9

struct tape_compare_shape {
	double ratio[TAPE_COMPARE_DECILES];
	struct tape_stat_interval band[TAPE_COMPARE_DECILES];
	double cliff;
	struct tape_stat_interval cliff_ci; /* NaN below 3 pairs */
};

/*
 * The shape of one value; *there is false, and out unchanged, when a run has
 * none of it or there are fewer than 3 pairs.
 */
enum tape_status tape_compare_shape(const struct tape_compare_design *design,
    enum tape_compare_value value, uint64_t seed,
    struct tape_compare_shape *out, bool *there,
    struct tape_err *err) TAPE_NODISCARD;

/* Appends the shape of a row as a JSON object; nothing where there is none. */
enum tape_status tape_compare_shape_json(const struct tape_compare_report *r,
    size_t row, struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

/* Appends a table of all three that are there, if any.  Errors stick in out. */
void tape_compare_print_shape(
    const struct tape_compare_report *r, struct tape_buf *out);

#endif
