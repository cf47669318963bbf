/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_formats: the comparison in the formats of others.
 *
 * All append to out, where errors stick, and end with LF.
 */
#ifndef TAPE_ENGINE_COMPARE_FORMATS_H
#define TAPE_ENGINE_COMPARE_FORMATS_H

#include "engine/compare_print.h"

/*
 * Markdown as code hosts show it, for a comment: verdict, rows, warnings, and
 * the runs folded away.  What comes from labels is escaped.
 */
void tape_compare_print_markdown(
    const struct tape_compare_report *r, struct tape_buf *out);

/*
 * JUnit's XML, as CI systems read it: a suite each of n comparisons, a test
 * case a row.
 *
 *	loss				failure
 *	win, equivalent			passes
 *	possible loss, undecided	skipped, since nothing was shown
 *	no verdict			skipped
 *
 * Each refusal is a case of the class design, with an error.  The figures of a
 * row are its properties.  Each rule of a gate is a case of the class gate; then
 * these alone fail, and rows that are lost are skipped.
 */
void tape_compare_print_junit(
    const struct tape_compare_report *r, size_t n, struct tape_buf *out);

/*
 * Tables as Go's benchstat prints them, one a unit: the mean over the runs of
 * either arm, +- half of its interval over the runs in percent, and the change
 * with the adjusted p and the pairs.  Unlike there the change is that of the
 * pairs, it is printed whatever p is, the row's status follows, and there is
 * no mean over rows.
 */
void tape_compare_print_benchstat(
    const struct tape_compare_report *r, struct tape_buf *out);

#endif
