/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_doubt.h"

#include "base/mem.h"
#include "codec/stat_trend.h"
#include "codec/stat_ttest.h"

#include <stdio.h>

#define NAME_ROOM 48
#define P_WARN    0.05

/* The row in which order and trend are looked for first: latency,
   matched-trim. */
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

/* A row in which order and trend are looked for. */
struct watch {
	const struct tape_compare_design *design;
	const struct tape_compare_row *row;
	double level;       /* a p below it is worth a warning */
	bool first;         /* said also when there is nothing */
	char in[NAME_ROOM]; /* " in prefill ttft", but for latency */
};

/* "0.4 % slower", of half of the difference of two means of d. */
static void
print_shift(const struct tape_compare_row *row, double d, char dst[NAME_ROOM])
{
	bool share = tape_compare_is_share(row);
	bool time = !share && row->statistic != TAPE_COMPARE_VALUE;
	double by = share ? d : expm1(d);

	(void)snprintf(dst, NAME_ROOM, "%.1f %s %s", 100 * fabs(by),
	    share ? "pt" : "%",
	    time ? (d > 0 ? "slower" : "faster")
		 : (d > 0 ? "higher" : "lower"));
}

static void
say_order(const struct watch *w, const struct tape_stat_ttest *t,
    struct tape_compare_notes *notes)
{
	bool matters = t->p_two < w->level;
	char shift[NAME_ROOM];

	print_shift(w->row, t->estimate / 2, shift);
	if (matters || w->first)
		tape_compare_note(notes,
		    matters ? TAPE_COMPARE_WARN : TAPE_COMPARE_NOTE, "order",
		    "order%s%s: position 2 is %s (p=%.2g)%s",
		    matters ? " matters" : "", w->in, shift, t->p_two,
		    matters ? "" : ": none");
}

/* Order matters when d differs between the pairs that A began and those that B
   began: half of that difference is the effect of being second. */
static enum tape_status
doubt_order(const struct watch *w, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	const struct tape_compare_design *design = w->design;
	struct tape_stat_sample ab = { NULL, 0 }, ba = { NULL, 0 };
	struct tape_stat_ttest t = { .constant = true };
	double *v;
	enum tape_status st = TAPE_OK;

	v = tape_mem_calloc(2 * design->k, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < design->k; i++)
		if (design->pairs[i].b_first)
			v[design->k + ba.n++] = w->row->d[i];
		else
			v[ab.n++] = w->row->d[i];
	ab.x = v;
	ba.x = v + design->k;
	if (ab.n >= 2 && ba.n >= 2)
		st = tape_stat_welch(ab, ba, TAPE_COMPARE_LEVEL, &t, err);
	tape_mem_free(v);
	if (st == TAPE_OK && !t.constant)
		say_order(w, &t, notes);
	return st;
}

static double
trend_p(const struct tape_stat_kendall *k)
{
	return isnan(k->p_exact) ? k->p : k->p_exact;
}

/* Whether d goes up or down over the session. */
static enum tape_status
doubt_trend(const struct watch *w, struct tape_compare_notes *notes,
    struct tape_err *err)
{
	struct tape_stat_kendall k;
	enum tape_status st;

	st = tape_stat_kendall_trend(w->row->d, w->row->k, &k, NULL);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK && trend_p(&k) < w->level)
		tape_compare_note(notes, TAPE_COMPARE_WARN, "trend",
		    "B/A%s goes %s over the session (p=%.2g)",
		    w->in[0] == '\0' ? " of latency" : w->in,
		    k.tau > 0 ? "up" : "down", trend_p(&k));
	return TAPE_OK;
}

/* Latency is what order and drift would be in.  Another row is worth a warning
   only when so small a p is rare among so many rows. */
static enum tape_status
doubt_rows(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS], size_t tested,
    struct tape_compare_notes *notes, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	char name[NAME_ROOM];

	for (size_t n = 0; n < TAPE_COMPARE_ROWS && st == TAPE_OK; n++) {
		/* The watched one first, then as they come. */
		size_t i = n == 0 ? WATCHED : n - (n <= WATCHED);
		struct watch w = { design, &rows[i], P_WARN, n == 0, "" };

		if (!rows[i].usable)
			continue;
		if (n > 0) {
			w.level = P_WARN / (double)(tested > 0 ? tested : 1);
			(void)snprintf(w.in, sizeof(w.in), " in %s %s",
			    rows[i].def->phase,
			    tape_compare_row_name(
				rows[i].def, name, sizeof(name)));
		}
		st = doubt_trend(&w, notes, err);
		if (st == TAPE_OK)
			st = doubt_order(&w, notes, err);
	}
	return st;
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
		st = doubt_rows(design, rows, v->tested, notes, err);
	}
	return st == TAPE_OK ? tape_compare_notes_status(notes, err) : st;
}
