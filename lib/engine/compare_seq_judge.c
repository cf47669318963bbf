/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the rows by the plan of a sequential comparison. */
#include "engine/compare_seq.h"

#include "codec/stat_ttest.h"

#include <string.h>

static struct tape_stat_interval
scaled(const struct tape_compare_row *row, struct tape_stat_interval d)
{
	struct tape_stat_interval v = { tape_compare_scale(row, d.lo),
		tape_compare_scale(row, d.hi) };

	return v;
}

/* No interval holds before the first look. */
static void
forget(struct tape_compare_figures *f)
{
	f->ci.lo = f->ci.hi = f->p = f->p_min = TAPE_ABSENT_F64;
	f->tost_p = f->noninferior_p = TAPE_ABSENT_F64;
	f->ci_basis = f->test = NULL;
}

/* All that no bet on a direction could refute, at any time. */
static enum tape_status
any_time(const struct tape_compare_walk *w, size_t i,
    struct tape_compare_figures *f, struct tape_err *err)
{
	const struct tape_compare_row *row = &w->rows[i];
	struct tape_stat_interval ci;
	double margin = isnan(w->opts->margin_ratio) ? TAPE_COMPARE_SCALE_RATIO
						     : w->opts->margin_ratio;
	enum tape_status st = tape_stat_eproc_interval(row->d, row->k,
	    tape_compare_margin_d(row, margin), w->opts->alpha, &ci, err);

	if (st != TAPE_OK)
		return st;
	f->test = "e-process";
	f->p = w->p[i];
	f->p_min = exp2(1 - (double)row->k);
	if (isfinite(ci.lo) && isfinite(ci.hi))
		f->ci = scaled(row, ci);
	f->ci_level = 1 - w->opts->alpha;
	f->ci_basis = "confidence-sequence";
	return TAPE_OK;
}

/* The interval of the look, at the level that its bound leaves (Jennison and
   Turnbull 1989, repeated confidence intervals). */
static enum tape_status
at_look(const struct tape_compare_walk *w, size_t i,
    struct tape_compare_figures *f, struct tape_err *err)
{
	const struct tape_compare_row *row = &w->rows[i];
	size_t n = w->opts->seq.looks[w->looks - 1];
	double level = 1 - w->bound[w->looks - 1];
	struct tape_stat_ttest t;
	enum tape_status st =
	    level < 1 ? tape_stat_paired_t(row->d, n, 0, level, &t, err)
		      : TAPE_EOF;

	f->test = n >= TAPE_COMPARE_PAIRS_FLIP ? "sign-flip" : "paired-t";
	f->p = w->p[i];
	if (st == TAPE_EOF) /* spent so little that no interval has an end */
		return TAPE_OK;
	if (st != TAPE_OK)
		return st;
	f->ci = scaled(row, t.ci);
	f->ci_level = level;
	f->ci_basis = "repeated-t";
	return TAPE_OK;
}

static enum tape_status
walk(struct tape_compare_walk *w, struct tape_err *err)
{
	struct tape_compare_look look;
	enum tape_status st;

	do
		st = tape_compare_walk_next(w, &look, err);
	while (st == TAPE_OK);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* Equivalence is shown by a sequence within the margin; by TOST only at the
   last look, since it has no share of alpha at the others. */
static void
weigh_margin(const struct tape_compare_walk *w, size_t i,
    const struct tape_compare_figures *f, struct tape_compare_found *out)
{
	const struct tape_compare_row *row = &w->rows[i];
	struct tape_stat_interval m =
	    tape_compare_margin(row, w->opts->margin_ratio);

	if (w->opts->seq.plan == TAPE_COMPARE_PLANNED) {
		bool last = w->looks == w->opts->seq.look_count;

		out->equivalent[i] = last && f->tost_p <= w->opts->alpha;
		out->noninferior[i] =
		    last && f->noninferior_p <= w->opts->alpha;
		return;
	}
	out->equivalent[i] = f->ci.lo >= m.lo && f->ci.hi <= m.hi;
	out->noninferior[i] =
	    row->def->lower_is_better ? f->ci.hi <= m.hi : f->ci.lo >= m.lo;
}

enum tape_status
tape_compare_seq_judge(const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    size_t k, const struct tape_compare_opts *opts,
    struct tape_compare_figures *const f[TAPE_COMPARE_ROWS],
    struct tape_compare_found *out, struct tape_err *err)
{
	struct tape_compare_walk w;
	bool anytime = opts->seq.plan == TAPE_COMPARE_ANYTIME;
	enum tape_status st = tape_compare_walk_open(&w, rows, k, opts, err);

	memset(out, 0, sizeof(*out));
	if (st == TAPE_OK)
		st = walk(&w, err);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		double tost = f[i]->tost_p, lower = f[i]->noninferior_p;

		out->p_adjusted[i] = TAPE_ABSENT_F64;
		if (!rows[i].usable)
			continue;
		forget(f[i]);
		if (!anytime && w.looks > 0 &&
		    w.looks == opts->seq.look_count) {
			f[i]->tost_p = tost;
			f[i]->noninferior_p = lower;
		}
		if (w.looks > 0)
			st = anytime ? any_time(&w, i, f[i], err)
				     : at_look(&w, i, f[i], err);
		if (anytime && tape_compare_is_primary(opts, i))
			out->p_adjusted[i] = fmin(1, (double)w.family * w.p[i]);
		weigh_margin(&w, i, f[i], out);
		out->found[i] = w.found[i];
	}
	out->family = w.family;
	return st;
}
