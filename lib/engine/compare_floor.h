/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_floor: the noise floor of a set-up, from equal arms (A/A).
 *
 * The variance of d is that between runs and that of the requests within them:
 *
 *	var d = 2 s_run^2 + 2 s_req^2 / n
 *
 * The second is known from within the pairs (compare_rows.h), the first is what
 * remains.  Where starting a run takes as long as c requests, a given time
 * gives the sharpest result with n = sqrt(c s_req^2 / s_run^2) requests a run
 * (Kalibera and Jones 2013).
 */
#ifndef TAPE_ENGINE_COMPARE_FLOOR_H
#define TAPE_ENGINE_COMPARE_FLOOR_H

#include "engine/compare_print.h"

struct tape_compare_floor {
	double sd;         /* of d */
	double largest;    /* |d| */
	double run_share;  /* of var d that is between runs, 0 to 1 */
	double requests;   /* a run, at best; infinite: as many as can be */
	double start_cost; /* of a run, in requests; NaN: not known */
};

/* NaN where the row is not matched-trim, or has no noise; needs 3 pairs. */
void tape_compare_floor(const struct tape_compare_design *design,
    const struct tape_compare_row *row, struct tape_compare_floor *out);

/* Appends what is known of a row as a JSON object; nothing where there is no
   noise. */
enum tape_status tape_compare_floor_json(const struct tape_compare_report *r,
    size_t row, struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

/* Appends a table: sd and largest effect of each row, pairs that effects of 1,
   2 and 5 % need; then what more requests would help, and whether anything was
   found that cannot be there. */
void tape_compare_print_floor(
    const struct tape_compare_report *r, struct tape_buf *out);

#endif
