/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_adjust.h"

#include "base/mem.h"
#include "codec/stat_adjust.h"
#include "codec/stat_maxt.h"
#include "engine/compare_seq.h"

/* The rows of a family, side by side. */
struct family {
	const struct tape_compare_row **row;
	struct tape_compare_judged **judged;
	double *p;
	size_t n;
};

static void
close_family(struct family *f)
{
	tape_mem_free(f->row);
	tape_mem_free(f->judged);
	tape_mem_free(f->p);
}

/* Rows of cases[0 .. n) that belong to the family and have a p. */
static enum tape_status
open_family(struct family *f, const struct tape_compare_case *cases, size_t n,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	size_t most = n * TAPE_COMPARE_ROWS;

	f->n = 0;
	f->row = tape_mem_calloc(most, sizeof(*f->row));
	f->judged = tape_mem_calloc(most, sizeof(*f->judged));
	f->p = tape_mem_calloc(most, sizeof(*f->p));
	if (f->row == NULL || f->judged == NULL || f->p == NULL) {
		close_family(f);
		return tape_err_nomem(err);
	}
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
			struct tape_compare_judged *j =
			    &cases[c].verdict->rows[i];

			if (!cases[c].verdict->judged || isnan(j->f.p) ||
			    !tape_compare_is_primary(opts, i))
				continue;
			f->row[f->n] = &cases[c].rows[i];
			f->judged[f->n] = j;
			f->p[f->n++] = j->f.p;
		}
	return TAPE_OK;
}

static enum tape_status
max_t(struct family *f, const struct tape_compare_opts *opts,
    struct tape_err *err)
{
	struct tape_stat_flip_opt fo = { .seed = opts->seed };
	size_t k = f->row[0]->k;
	double *d = tape_mem_calloc(f->n * k, sizeof(*d));
	enum tape_status st;

	if (d == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < f->n; i++)
		memcpy(d + i * k, f->row[i]->d, k * sizeof(*d));
	st = tape_stat_maxt(d, f->n, k, &fo, f->p, err);
	tape_mem_free(d);
	return st;
}

/* Adjusts over a family, then for times families that are judged apart. */
static enum tape_status
adjust(struct family *f, const struct tape_compare_opts *opts, double times,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (f->n == 0)
		return TAPE_OK;
	if (opts->exploratory)
		st = tape_stat_adjust(TAPE_STAT_BH, f->p, f->n, f->p, err);
	else if (f->row[0]->k >= TAPE_COMPARE_PAIRS_FLIP)
		st = max_t(f, opts, err);
	else
		st = tape_stat_adjust(TAPE_STAT_HOLM, f->p, f->n, f->p, err);
	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		struct tape_compare_judged *j = f->judged[i];

		j->p_adjusted = fmin(1, times * f->p[i]);
		j->found = j->p_adjusted <= opts->alpha &&
			   (f->row[i]->k >= TAPE_COMPARE_PAIRS_FLIP ||
			       j->f.signs_agree);
	}
	return st;
}

/* Whether all cases that are judged have as many pairs. */
static bool
alike(const struct tape_compare_case *cases, size_t n, size_t *judged)
{
	size_t k = 0;
	bool same = true;

	*judged = 0;
	for (size_t c = 0; c < n; c++) {
		if (!cases[c].verdict->judged)
			continue;
		++*judged;
		same &= k == 0 || cases[c].design->k == k;
		k = cases[c].design->k;
	}
	return same;
}

static enum tape_status
adjust_fixed(const struct tape_compare_case *cases, size_t n,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	size_t judged, all = 0, step;
	enum tape_status st = TAPE_OK;

	step = alike(cases, n, &judged) || opts->exploratory ? n : 1;
	for (size_t c = 0; c < n && st == TAPE_OK; c += step) {
		struct family f;

		st = open_family(&f, cases + c, step, opts, err);
		if (st != TAPE_OK)
			break;
		st = adjust(&f, opts, step == n ? 1 : (double)judged, err);
		all += f.n;
		close_family(&f);
	}
	for (size_t c = 0; c < n && st == TAPE_OK; c++)
		cases[c].verdict->family = all;
	return st;
}

static void
take_fixed(
    const struct tape_compare_case *c, const struct tape_compare_opts *opts)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		struct tape_compare_judged *j = &c->verdict->rows[i];

		j->equivalent = j->f.tost_p <= opts->alpha;
		j->noninferior = j->f.noninferior_p <= opts->alpha;
	}
}

static enum tape_status
adjust_sequential(const struct tape_compare_case *c,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	struct tape_compare_figures *f[TAPE_COMPARE_ROWS];
	struct tape_compare_found found;
	enum tape_status st;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		f[i] = &c->verdict->rows[i].f;
	st =
	    tape_compare_seq_judge(c->rows, c->design->k, opts, f, &found, err);
	if (st != TAPE_OK)
		return st;
	c->verdict->family = found.family;
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		struct tape_compare_judged *j = &c->verdict->rows[i];

		j->p_adjusted = found.p_adjusted[i];
		j->found = found.found[i];
		j->equivalent = found.equivalent[i];
		j->noninferior = found.noninferior[i];
	}
	return TAPE_OK;
}

enum tape_status
tape_compare_adjust(const struct tape_compare_case *cases, size_t n,
    const struct tape_compare_opts *opts, struct tape_err *err)
{
	bool fixed = opts->seq.plan == TAPE_COMPARE_FIXED;
	enum tape_status st =
	    fixed ? adjust_fixed(cases, n, opts, err) : TAPE_OK;

	for (size_t c = 0; c < n && st == TAPE_OK; c++) {
		if (!cases[c].verdict->judged)
			continue;
		if (fixed)
			take_fixed(&cases[c], opts);
		else
			st = adjust_sequential(&cases[c], opts, err);
	}
	return st;
}
