/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_doubt.h"

#include "base/mem.h"
#include "codec/stat_trend.h"
#include "codec/stat_ttest.h"

#include <stdio.h>

#define NAME_ROOM 48
#define P_WARN    0.05

/* The row in which order and trend are looked for: latency, matched-trim. */
#define WATCHED 4

static const char *const flag_texts[TAPE_COMPARE_FLAGS] = {
	[TAPE_COMPARE_FLAG_NO_VALUE] = "not every run has it: not compared",
	[TAPE_COMPARE_FLAG_MEDIANS] =
	    "too few prompts in common: medians are compared",
	[TAPE_COMPARE_FLAG_CONSTANT] =
	    "all pairs differ alike: no noise to judge by",
	[TAPE_COMPARE_FLAG_ONE_PAIR] =
	    "one pair decides: without it the sign could change",
	[TAPE_COMPARE_FLAG_WITHHELD] =
	    "withheld: one arm is always first, and without linear drift it is",
	[TAPE_COMPARE_FLAG_WITHIN] = NULL, /* stands in the table */
};

static void
doubt_row(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, struct tape_compare_notes *notes)
{
	char name[NAME_ROOM], drift[2 * NAME_ROOM];

	(void)tape_compare_row_name(row->def, name, sizeof(name));
	if (row->empty && row->k > 0 && !row->def->optional)
		tape_compare_note(notes, TAPE_COMPARE_NOTE, "no-data",
		    "%s %s: neither arm has it", row->def->phase, name);
	for (unsigned i = 0; i < TAPE_COMPARE_FLAGS; i++) {
		if (!j->flags[i] || flag_texts[i] == NULL)
			continue;
		drift[0] = '\0';
		if (i == TAPE_COMPARE_FLAG_WITHHELD)
			(void)snprintf(drift, sizeof(drift),
			    " %.3f [%.3f %.3f]", j->f.drift_ratio,
			    j->f.drift_ci.lo, j->f.drift_ci.hi);
		tape_compare_note(notes, TAPE_COMPARE_WARN,
		    tape_compare_flag_name(i), "%s %s: %s%s", row->def->phase,
		    name, flag_texts[i], drift);
	}
}

/* Order matters when d differs between the pairs that A began and those that B
   began: half of that difference is the effect of being second. */
static enum tape_status
doubt_order(const struct tape_compare_design *design,
    const struct tape_compare_row *row, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	struct tape_stat_sample ab = { NULL, 0 }, ba = { NULL, 0 };
	struct tape_stat_ttest t = { .constant = true };
	double *v;
	bool matters;
	enum tape_status st = TAPE_OK;

	v = tape_mem_calloc(2 * design->k, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < design->k; i++)
		if (design->pairs[i].b_first)
			v[design->k + ba.n++] = row->d[i];
		else
			v[ab.n++] = row->d[i];
	ab.x = v;
	ba.x = v + design->k;
	if (ab.n >= 2 && ba.n >= 2)
		st = tape_stat_welch(ab, ba, TAPE_COMPARE_LEVEL, &t, err);
	tape_mem_free(v);
	if (st != TAPE_OK || t.constant)
		return st;
	matters = t.p_two < P_WARN;
	tape_compare_note(notes,
	    matters ? TAPE_COMPARE_WARN : TAPE_COMPARE_NOTE, "order",
	    "order%s: position 2 is %.1f %% %s (p=%.2g)%s",
	    matters ? " matters" : "", 100 * fabs(expm1(t.estimate / 2)),
	    t.estimate > 0 ? "slower" : "faster", t.p_two,
	    matters ? "" : ": none");
	return TAPE_OK;
}

static double
trend_p(const struct tape_stat_kendall *k)
{
	return isnan(k->p_exact) ? k->p : k->p_exact;
}

/* Whether d goes up or down over the session. */
static enum tape_status
doubt_trend(const struct tape_compare_row *row,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	struct tape_stat_kendall k;
	enum tape_status st;

	st = tape_stat_kendall_trend(row->d, row->k, &k, NULL);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK && trend_p(&k) < P_WARN)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "trend",
		    "B/A of latency goes %s over the session (p=%.2g)",
		    k.tau > 0 ? "up" : "down", trend_p(&k));
	return TAPE_OK;
}

static void
doubt_verdict(size_t k, const struct tape_compare_verdict *v,
    struct tape_compare_notes *notes)
{
	size_t n = v->counts[TAPE_COMPARE_POSSIBLE_LOSS];

	if (k < TAPE_COMPARE_PAIRS_FLIP &&
	    v->progress == TAPE_COMPARE_NOT_SEQUENTIAL)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "provisional",
		    "provisional: normal theory, no distribution-free test can "
		    "reach .05 below %d pairs",
		    TAPE_COMPARE_PAIRS_FLIP);
	if (n > 0)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "by-chance",
		    "%zu row%s beyond %.2g before correction; about %.1f "
		    "expected by chance among %zu",
		    n, n == 1 ? "" : "s", v->beyond, v->by_chance, v->tested);
}

enum tape_status
tape_compare_doubt(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_verdict *v, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		doubt_row(&rows[i], &v->rows[i], notes);
	if (v->overall != TAPE_COMPARE_ALL_NONE) {
		doubt_verdict(design->k, v, notes);
		if (rows[WATCHED].usable)
			st = doubt_trend(&rows[WATCHED], notes, err);
		if (st == TAPE_OK && rows[WATCHED].usable)
			st = doubt_order(design, &rows[WATCHED], notes, err);
	}
	return st == TAPE_OK ? tape_compare_notes_status(notes, err) : st;
}
