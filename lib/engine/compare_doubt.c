/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_doubt.h"

#include "base/mem.h"
#include "codec/stat_trend.h"
#include "codec/stat_ttest.h"

#define PAIRS_FLIP 6
#define NAME_ROOM  48

/* The row that order and trend are looked for in. */
#define WATCHED 4 /* all, latency, matched-trim */

static void
warn_row(struct tape_compare_notes *notes, const struct tape_compare_row *row,
    const char *code, const char *text)
{
	char name[NAME_ROOM];

	(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN, code,
	    "%s %s: %s", row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)), text);
}

static void
doubt_row(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, struct tape_compare_notes *notes)
{
	bool found = j->status == TAPE_COMPARE_LOSS ||
		     j->status == TAPE_COMPARE_WIN ||
		     j->status == TAPE_COMPARE_POSSIBLE_LOSS;
	double zero = row->statistic == TAPE_COMPARE_DIFFERENCE ? 0 : 1;

	if (row->empty)
		warn_row(notes, row, "no-data", "neither arm has it");
	else if (!row->usable)
		warn_row(notes, row, "no-value",
		    "a run has no positive value: not compared");
	if (row->usable && row->def->statistic != row->statistic)
		warn_row(notes, row, "medians",
		    "too few prompts in common: medians are compared");
	if (found && j->loo.lo <= zero && j->loo.hi >= zero)
		warn_row(notes, row, "one-pair-decides",
		    "without one of the pairs the sign could change");
	if (j->constant && j->ratio != zero)
		warn_row(notes, row, "constant",
		    "all pairs differ by the same: no noise to judge by");
}

/* Order matters when d differs between the pairs that A began and those that B
   began: half of that difference is the effect of being second. */
static enum tape_status
doubt_order(const struct tape_compare_design *design,
    const struct tape_compare_row *row, const struct tape_compare_opts *opts,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	struct tape_stat_sample ab = { NULL, 0 }, ba = { NULL, 0 };
	struct tape_stat_ttest t;
	double *v;
	size_t n = 0, m = 0;
	enum tape_status st = TAPE_OK;

	v = tape_mem_calloc(2 * design->k, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < design->k; i++)
		if (design->pairs[i].b_first)
			v[design->k + m++] = row->d[i];
		else
			v[n++] = row->d[i];
	ab.x = v;
	ab.n = n;
	ba.x = v + design->k;
	ba.n = m;
	if (n >= 2 && m >= 2)
		st = tape_stat_welch(ab, ba, 1 - opts->alpha, &t, err);
	if (st == TAPE_OK && n >= 2 && m >= 2 && !t.constant)
		(void)tape_compare_notes_add(notes,
		    t.p_two < opts->alpha ? TAPE_COMPARE_WARN
					  : TAPE_COMPARE_NOTE,
		    "order", "order%s: position 2 is %.1f %% %s (p=%.2g)",
		    t.p_two < opts->alpha ? " matters" : "",
		    100 * fabs(expm1(t.estimate / 2)),
		    t.estimate > 0 ? "slower" : "faster", t.p_two);
	tape_mem_free(v);
	return st;
}

static double
trend_p(const struct tape_stat_kendall *k)
{
	return isnan(k->p_exact) ? k->p : k->p_exact;
}

/* Whether d goes up or down over the session. */
static enum tape_status
doubt_trend(const struct tape_compare_row *row,
    const struct tape_compare_opts *opts, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	struct tape_stat_kendall k;
	enum tape_status st;

	st = tape_stat_kendall_trend(row->d, row->k, &k, NULL);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK && trend_p(&k) < opts->alpha)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN, "trend",
		    "B/A of latency goes %s over the session (p=%.2g)",
		    k.tau > 0 ? "up" : "down", trend_p(&k));
	return TAPE_OK;
}

enum tape_status
tape_compare_doubt(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, const struct tape_compare_verdict *v,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		doubt_row(&rows[i], &v->rows[i], notes);
	if (design->k < PAIRS_FLIP)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_WARN,
		    "provisional",
		    "provisional: normal theory, no distribution-free test can "
		    "reach .05 below 6 pairs");
	if (v->counts[TAPE_COMPARE_POSSIBLE_LOSS] > 0)
		(void)tape_compare_notes_add(notes, TAPE_COMPARE_NOTE,
		    "by-chance",
		    "%zu row%s beyond %.2g before correction; about %.1f "
		    "expected by chance among %zu",
		    v->counts[TAPE_COMPARE_POSSIBLE_LOSS],
		    v->counts[TAPE_COMPARE_POSSIBLE_LOSS] == 1 ? "" : "s",
		    opts->alpha, v->by_chance, v->family);
	if (!rows[WATCHED].usable)
		return TAPE_OK;
	if (doubt_trend(&rows[WATCHED], opts, notes, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	return doubt_order(design, &rows[WATCHED], opts, notes, err);
}
