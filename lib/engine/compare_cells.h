/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_cells: what stands in the cells of a row, in whatever format the
 * rows are printed.
 */
#ifndef TAPE_ENGINE_COMPARE_CELLS_H
#define TAPE_ENGINE_COMPARE_CELLS_H

#include "base/num.h"
#include "engine/compare_print.h"

#define TAPE_COMPARE_CELL 160 /* room for a status or a ratio */

/* How much more of the metric B has: percent, or points of a share; and which
   of the two, as % or pt. */
double tape_compare_change(const struct tape_compare_row *row, double ratio);
const char *tape_compare_change_unit(const struct tape_compare_row *row);

/* A value of one arm, as 12.3 ms; n/a when it is absent.  Returns dst. */
const char *tape_compare_cell_value(
    const struct tape_compare_row *row, double v, char dst[TAPE_NUM_TEXT]);

/* A p to three places, - when it is absent.  Returns dst. */
const char *tape_compare_cell_p(double p, char dst[TAPE_NUM_TEXT]);

/* "0.940 [0.921 0.959]", or a difference in points.  Returns dst. */
const char *tape_compare_cell_ratio(const struct tape_compare_row *row,
    const struct tape_compare_figures *f, char dst[TAPE_COMPARE_CELL]);

/* "LOSS  4.6 % slower" and the like.  Returns dst. */
const char *tape_compare_cell_status(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    char dst[TAPE_COMPARE_CELL]);

#endif
