/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_print: the comparison as text for people.
 */
#ifndef TAPE_ENGINE_COMPARE_PRINT_H
#define TAPE_ENGINE_COMPARE_PRINT_H

#include "base/buf.h"
#include "engine/compare_judge.h"

struct tape_canary;       /* canary.h */
struct tape_gate_verdict; /* gate.h */

/* All that came of a comparison, for those who write it down. */
struct tape_compare_report {
	const struct tape_compare_set *set;
	const struct tape_compare_design *design;
	const struct tape_compare_row *rows; /* TAPE_COMPARE_ROWS of them */
	const struct tape_compare_verdict *verdict;
	const struct tape_compare_notes *notes;
	const struct tape_compare_opts *opts;
	struct tape_str point; /* of a sweep: JSON object; absent: none */
	const struct tape_gate_verdict *gate; /* NULL: there is none */
	/* Of two sessions: the design is empty, and the rows have no pairs;
	   NULL: of one. */
	const struct tape_canary *canary;
};

/* Appends the runs, the rows, the verdict and the notes.  Errors stick in
   out. */
void tape_compare_print(
    const struct tape_compare_report *r, struct tape_buf *out);

/* The sentences behind the verdict, as "B loses in decode (itl +4.6 %).", in
   which + is more of the metric. */
void tape_compare_print_overall(
    const struct tape_compare_report *r, struct tape_buf *out);

/* How the rows were tested, in one line without its end. */
void tape_compare_print_method(
    const struct tape_compare_report *r, struct tape_buf *out);

/* "overall: MIXED.", and the sentences behind it; one line without its end. */
void tape_compare_print_verdict(
    const struct tape_compare_report *r, struct tape_buf *out);

/* What the interval beside the ratio is: the head of its column. */
const char *tape_compare_interval_name(const struct tape_compare_report *r);

#endif
