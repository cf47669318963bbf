/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaps that somebody else has measured. */
#include "base/mem.h"
#include "engine/measure.h"

enum tape_status
tape_measure_given_gaps(struct tape_measure *m, struct tape_f64s gaps,
    struct tape_measured *out, struct tape_err *err)
{
	enum tape_status st;

	m->gap_n = gaps.n;
	if (gaps.n == 0)
		return TAPE_OK;
	if (tape_mem_grow(
		(void **)&m->gaps, &m->gap_cap, gaps.n, sizeof(double)) != 0)
		return tape_err_nomem(err);
	memcpy(m->gaps, gaps.v, gaps.n * sizeof(double));
	m->stats.v = m->gaps;
	m->stats.n = gaps.n;
	m->stats.one_choice = true;
	st = tape_measure_gaps_fill(
	    &m->stats, &m->opts.gap_stats, &out->result, err);
	out->backwards = m->stats.backwards;
	return st;
}
