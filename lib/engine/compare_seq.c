/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_seq.h"

#include "codec/stat_flip.h"
#include "codec/stat_ttest.h"

#include <string.h>

bool
tape_compare_is_primary(const struct tape_compare_opts *opts, size_t i)
{
	return opts->primary == 0 || (opts->primary >> i & 1) != 0;
}

/* Rows that can be found, of all comparisons that are judged together. */
static size_t
family_of(
    const struct tape_compare_row *rows, const struct tape_compare_opts *opts)
{
	size_t n = 0;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!rows[i].empty && tape_compare_is_primary(opts, i))
			n++;
	return n * (opts->cases > 0 ? opts->cases : 1);
}

static double
margin_or_scale(
    const struct tape_compare_row *row, const struct tape_compare_opts *opts)
{
	return tape_compare_margin_d(row, isnan(opts->margin_ratio)
					      ? TAPE_COMPARE_SCALE_RATIO
					      : opts->margin_ratio);
}

/* Nominal p of each planned look, the family's share of alpha spent by it. */
static enum tape_status
open_bounds(struct tape_compare_walk *w, struct tape_err *err)
{
	const struct tape_compare_seq *s = &w->opts->seq;
	double t[TAPE_STAT_LOOKS_MAX];
	enum tape_status st;

	for (size_t i = 0; i < s->look_count; i++)
		t[i] =
		    (double)s->looks[i] / (double)s->looks[s->look_count - 1];
	st = tape_stat_look_bounds(s->spending, t, s->look_count,
	    w->opts->alpha / (double)(w->family > 0 ? w->family : 1), w->bound,
	    err);
	for (size_t i = 0; i < s->look_count && st == TAPE_OK; i++)
		w->bound[i] = 2 * tape_stat_normal_q(w->bound[i]);
	return st;
}

enum tape_status
tape_compare_walk_open(struct tape_compare_walk *w,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t k,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	memset(w, 0, sizeof(*w));
	w->rows = rows;
	w->opts = opts;
	w->k = k;
	w->family = family_of(rows, opts);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		w->p[i] = TAPE_ABSENT_F64;
		st = tape_stat_eproc_init(
		    &w->e[i], margin_or_scale(&rows[i], opts), err);
	}
	if (st == TAPE_OK && opts->seq.plan == TAPE_COMPARE_PLANNED)
		st = open_bounds(w, err);
	return st;
}

/* The p of a row's first n pairs, by the test that so many allow. */
static enum tape_status
prefix_p(const struct tape_compare_walk *w, size_t i, size_t n,
    struct tape_err *err, double *p)
{
	const double *d = w->rows[i].d;
	struct tape_stat_flip_opt fo =
	    tape_compare_flip_opt(&w->rows[i], w->opts->seed);
	struct tape_stat_flip flip;
	struct tape_stat_ttest t;
	enum tape_status st;

	if (n >= TAPE_COMPARE_PAIRS_FLIP) {
		st = tape_stat_flip(d, n, &fo, &flip, err);
		if (st == TAPE_OK)
			*p = flip.p_two;
		return st;
	}
	st = tape_stat_paired_t(d, n, 0, TAPE_COMPARE_LEVEL, &t, err);
	/* Equal differences say nothing of noise: no evidence. */
	if (st == TAPE_OK)
		*p = t.constant ? 1 : t.p_two;
	return st;
}

/* Brings row i up to n pairs. */
static enum tape_status
look_at_row(
    struct tape_compare_walk *w, size_t i, size_t n, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	double p = 1;

	if (w->opts->seq.plan == TAPE_COMPARE_PLANNED) {
		st = prefix_p(w, i, n, err, &p);
	} else {
		while (w->e[i].k < n && st == TAPE_OK)
			st = tape_stat_eproc_add(
			    &w->e[i], w->rows[i].d[w->e[i].k], err);
		p = tape_stat_eproc_p(&w->e[i]);
	}
	if (st == TAPE_OK)
		w->p[i] = p;
	return st;
}

/* The evidence of row i against its bound. */
static void
weigh_row(struct tape_compare_walk *w, size_t i, struct tape_compare_look *look,
    bool first)
{
	bool planned = w->opts->seq.plan == TAPE_COMPARE_PLANNED;
	double bound =
	    planned ? w->bound[w->looks] : (double)w->family / w->opts->alpha;
	/* A hair's breadth for rounding: E of equal factors is 2^k / 2. */
	bool crossed =
	    planned ? w->p[i] <= bound
		    : tape_stat_eproc_log(&w->e[i]) >= log(bound) - 1e-12;

	w->found[i] |= crossed;
	if (!first && !(w->p[i] < look->p))
		return;
	look->row = i;
	look->p = w->p[i];
	look->e =
	    planned ? TAPE_ABSENT_F64 : exp(tape_stat_eproc_log(&w->e[i]));
	look->bound = bound;
	look->crossed = crossed;
}

size_t
tape_compare_next_look(const struct tape_compare_seq *s, size_t k)
{
	if (s->plan == TAPE_COMPARE_ANYTIME)
		return k + 1;
	for (size_t i = 0; i < s->look_count; i++)
		if (s->looks[i] > k)
			return s->looks[i];
	return 0;
}

enum tape_status
tape_compare_walk_next(struct tape_compare_walk *w,
    struct tape_compare_look *look, struct tape_err *err)
{
	bool planned = w->opts->seq.plan == TAPE_COMPARE_PLANNED;
	bool first = true;
	size_t n;
	enum tape_status st = TAPE_OK;

	if (planned && w->looks == w->opts->seq.look_count)
		return TAPE_EOF;
	n = planned ? w->opts->seq.looks[w->looks] : w->looks + 1;
	if (n > w->k)
		return TAPE_EOF;
	memset(look, 0, sizeof(*look));
	look->pairs = n;
	look->row = TAPE_COMPARE_ROWS;
	look->e = look->p = look->bound = TAPE_ABSENT_F64;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS && st == TAPE_OK; i++) {
		if (!w->rows[i].usable)
			continue;
		st = look_at_row(w, i, n, err);
		if (st != TAPE_OK || !tape_compare_is_primary(w->opts, i))
			continue;
		weigh_row(w, i, look, first);
		first = false;
	}
	w->looks++;
	return st;
}
