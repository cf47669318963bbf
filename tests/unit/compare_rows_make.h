/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_rows_make: comparisons whose rows are given by their d alone.
 */
#ifndef TAPE_UNIT_COMPARE_ROWS_MAKE_H
#define TAPE_UNIT_COMPARE_ROWS_MAKE_H

#include "base/mem.h"
#include "unit/compare_make.h"

/* k pairs without requests, in the order AB BA BA AB; no row is there yet. */
static inline void
open_pairs(struct outcome *o, size_t k, double margin)
{
	outcome_init(o, margin);
	o->design.k = k;
	o->design.a_first = k / 2;
	o->design.interleaved = true;
	o->design.pairs = tape_mem_calloc(k, sizeof(*o->design.pairs));
	o->set.runs = tape_mem_calloc(2 * k, sizeof(*o->set.runs));
	for (size_t i = 0; i < 2 * k; i++) {
		o->set.runs[i].arm = i % 2;
		o->set.runs[i].start_ns = (int64_t)i * 1000000000;
		o->design.pairs[i / 2].run[i % 2] = &o->set.runs[i];
		o->design.pairs[i / 2].b_first = i / 2 % 2 == 1;
	}
	make_must(tape_compare_rows(&o->design, o->rows, NULL));
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		o->rows[i].usable = false;
		o->rows[i].empty = true;
		o->rows[i].statistic = o->rows[i].def->statistic;
	}
}

/* Gives a row its d; the runs drift by that from one to the next. */
static inline void
set_row(struct outcome *o, int row, const double *d, double drift)
{
	struct tape_compare_row *r = &o->rows[row];

	r->usable = true;
	r->empty = false;
	for (size_t i = 0; i < r->k; i++) {
		r->level[0][i] = 2.0 * (double)i * drift;
		r->level[1][i] = r->level[0][i] + d[i];
		r->d[i] = d[i];
	}
}

static inline void
judge(struct outcome *o)
{
	tape_compare_notes_release(&o->notes);
	o->st = tape_compare_judge(
	    &o->design, o->rows, &o->opts, &o->verdict, &o->notes, &o->err);
	is_int(o->st, TAPE_OK, "judged %s", o->err.text);
}

#endif
