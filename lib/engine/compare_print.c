/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_print.h"

#include "codec/stat_flip.h"
#include "codec/stat_maxt.h"
#include "engine/canary.h"
#include "engine/compare_cells.h"
#include "engine/compare_floor.h"
#include "engine/compare_point.h"
#include "engine/compare_runs.h"
#include "engine/compare_seq_write.h"
#include "engine/compare_shape.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_ROOM  48
#define LABEL_ROOM 25
#define PLAN_ROOM  1200
#define POINT_ROOM 200

/* "exact sign flip, max-T" and what else was done. */
static void
print_tests(const struct tape_compare_report *r, struct tape_buf *out)
{
	size_t k = r->design->k;
	bool bh = r->opts->exploratory;
	char plan[PLAN_ROOM];

	if (r->opts->seq.plan != TAPE_COMPARE_FIXED)
		(void)tape_buf_add_fmt(out, "%s, Bonferroni",
		    tape_compare_plan_text(r->opts, plan, sizeof(plan)));
	else if (k < TAPE_COMPARE_PAIRS_FLIP)
		(void)tape_buf_add_fmt(
		    out, "paired t, %s", bh ? "Benjamini-Hochberg" : "Holm");
	else
		(void)tape_buf_add_fmt(out, "%s sign flip, %s%s",
		    k <= TAPE_STAT_FLIP_EXACT ? "exact" : "Monte Carlo",
		    !bh && k > TAPE_STAT_MAXT_EXACT && k <= TAPE_STAT_FLIP_EXACT
			? "Monte Carlo "
			: "",
		    bh ? "Benjamini-Hochberg" : "max-T");
}

void
tape_compare_print_method(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	print_tests(r, out);
	(void)tape_buf_add_fmt(out, " over %zu rows, alpha %g",
	    r->verdict->family, r->opts->alpha);
	if (!isnan(r->opts->margin_ratio))
		(void)tape_buf_add_fmt(
		    out, ", margin %g %%", 100 * r->opts->margin_ratio);
	if (r->opts->exploratory)
		(void)tape_buf_add_str(out, ", exploratory");
}

const char *
tape_compare_interval_name(const struct tape_compare_report *r)
{
	if (r->opts->seq.plan == TAPE_COMPARE_ANYTIME)
		return "B/A [any time]";
	if (r->opts->seq.plan == TAPE_COMPARE_PLANNED)
		return "B/A [repeated CI]";
	if (r->opts->ci == TAPE_COMPARE_CI_EXACT &&
	    r->design->k >= TAPE_COMPARE_PAIRS_FLIP)
		return "B/A [exact CI]";
	if (r->opts->ci == TAPE_COMPARE_CI_BOOT &&
	    r->design->k >= TAPE_COMPARE_PAIRS_FLIP)
		return "B/A [bootstrap CI]";
	return "B/A [95 % CI]";
}

static void
print_head(const struct tape_compare_report *r, struct tape_buf *out)
{
	const struct tape_compare_design *d = r->design;
	char a[LABEL_ROOM], b[LABEL_ROOM], point[POINT_ROOM];

	(void)tape_buf_add_fmt(out,
	    "ab-compare  A=%s  B=%s%s%s   %zu pair%s (%zu AB, %zu BA), %zu "
	    "prompts matched   seed %" PRIu64 "\n",
	    tape_compare_show(r->set->arm_name[TAPE_COMPARE_A], a, sizeof(a)),
	    tape_compare_show(r->set->arm_name[TAPE_COMPARE_B], b, sizeof(b)),
	    r->point.p == NULL ? "" : "  ",
	    tape_compare_point_text(r->point, point, sizeof(point)), d->k,
	    d->k == 1 ? "" : "s", d->a_first, d->k - d->a_first, d->matched,
	    r->opts->seed);
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE)
		return;
	tape_compare_print_method(r, out);
	(void)tape_buf_add_char(out, '\n');
}

static void
print_row(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    struct tape_buf *out)
{
	char name[NAME_ROOM], a[TAPE_NUM_TEXT], b[TAPE_NUM_TEXT];
	char p[TAPE_NUM_TEXT], q[TAPE_NUM_TEXT];
	char ratio[TAPE_COMPARE_CELL], status[TAPE_COMPARE_CELL];

	(void)tape_buf_add_fmt(out, "%-8s %-12s %9s %9s  %-21s %6s %6s  %s\n",
	    row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)),
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_A], a),
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_B], b),
	    tape_compare_cell_ratio(row, &j->f, ratio),
	    tape_compare_cell_p(j->f.p, p),
	    tape_compare_cell_p(j->p_adjusted, q),
	    tape_compare_cell_status(r, row, j, status));
}

/* Names the rows of one status, phase by phase, with their change; before is
   put in front of them. */
static bool
print_named(const struct tape_compare_report *r, enum tape_compare_status s,
    const char *before, struct tape_buf *out)
{
	const char *phase = NULL;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_row *row = &r->rows[i];
		const struct tape_compare_judged *j = &r->verdict->rows[i];
		char name[NAME_ROOM];

		if (j->status != s)
			continue;
		if (phase == NULL)
			(void)tape_buf_add_fmt(
			    out, "%s in %s (", before, row->def->phase);
		else if (strcmp(phase, row->def->phase) != 0)
			(void)tape_buf_add_fmt(out, "), %s (", row->def->phase);
		else
			(void)tape_buf_add_str(out, ", ");
		phase = row->def->phase;
		(void)tape_buf_add_fmt(out, "%s %+.1f %s",
		    tape_compare_row_name(row->def, name, sizeof(name)),
		    tape_compare_change(row, j->f.ratio),
		    tape_compare_change_unit(row));
	}
	if (phase != NULL)
		(void)tape_buf_add_char(out, ')');
	return phase != NULL;
}

void
tape_compare_print_overall(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	bool lost, maybe, won;

	if (r->verdict->overall != TAPE_COMPARE_ALL_NONE && r->canary != NULL) {
		(void)tape_buf_add_str(out,
		    "Cross-session: the gate decides, and no row by itself.");
		return;
	}
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE) {
		(void)tape_buf_add_str(
		    out, "No comparison possible: values only.");
		return;
	}
	lost = print_named(r, TAPE_COMPARE_LOSS, "B loses", out);
	maybe = print_named(r, TAPE_COMPARE_POSSIBLE_LOSS,
	    lost ? ", may lose" : "B may lose", out);
	won = print_named(
	    r, TAPE_COMPARE_WIN, lost || maybe ? " and wins" : "B wins", out);
	if (lost || won)
		(void)tape_buf_add_str(out, ".  Phases are not averaged.");
	else if (maybe)
		(void)tape_buf_add_str(out, ".  Nothing else was shown.");
	else if (r->verdict->overall == TAPE_COMPARE_ALL_EQUIVALENT)
		(void)tape_buf_add_str(out, "All rows are within the margin.");
	else
		(void)tape_buf_add_str(out,
		    "Neither a loss nor a win was shown, and none excluded.");
	if (r->verdict->overall == TAPE_COMPARE_ALL_WIN_UNPROVEN)
		(void)tape_buf_add_str(out,
		    isnan(r->opts->margin_ratio)
			? "  That no other row loses was not tested (--margin)."
			: "  That no other row loses is not shown.");
}

void
tape_compare_print_verdict(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	const char *name = tape_compare_overall_name(r->verdict->overall);

	(void)tape_buf_add_str(out, "overall: ");
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE)
		name = "no verdict";
	for (; *name != '\0'; name++)
		(void)tape_buf_add_char(out, *name >= 'a' && *name <= 'z'
						 ? (char)(*name - 'a' + 'A')
						 : *name);
	(void)tape_buf_add_str(out, ".  ");
	tape_compare_print_overall(r, out);
}

static void
print_notes(const struct tape_compare_notes *notes, struct tape_buf *out)
{
	static const char *const marks[] = { [TAPE_COMPARE_REFUSE] = "refused:",
		[TAPE_COMPARE_WARN] = "!",
		[TAPE_COMPARE_NOTE] = "-" };

	for (int s = TAPE_COMPARE_REFUSE; s <= TAPE_COMPARE_NOTE; s++)
		for (size_t i = 0; i < notes->n; i++)
			if ((int)notes->v[i].severity == s)
				(void)tape_buf_add_fmt(
				    out, "%s %s\n", marks[s], notes->v[i].text);
}

void
tape_compare_print(const struct tape_compare_report *r, struct tape_buf *out)
{
	if (r->canary != NULL) {
		tape_canary_print(r->canary, out);
		return;
	}
	print_head(r, out);
	if (r->design->k > 0) {
		(void)tape_buf_add_char(out, '\n');
		tape_compare_print_runs(r->design, out);
		(void)tape_buf_add_fmt(out,
		    "\n%-8s %-12s %9s %9s  %-21s %6s %6s  %s\n", "phase",
		    "metric", "A", "B", tape_compare_interval_name(r), "p",
		    "p.adj", "verdict");
	}
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!r->rows[i].empty)
			print_row(r, &r->rows[i], &r->verdict->rows[i], out);
	(void)tape_buf_add_char(out, '\n');
	if (r->opts->shape)
		tape_compare_print_shape(r, out);
	if (r->opts->aa)
		tape_compare_print_floor(r, out);
	tape_compare_print_verdict(r, out);
	(void)tape_buf_add_char(out, '\n');
	if (r->gate != NULL)
		tape_gate_print(r->gate, out);
	if (r->verdict->progress != TAPE_COMPARE_NOT_SEQUENTIAL)
		tape_compare_seq_print(
		    r->rows, r->design->k, r->opts, r->verdict->progress, out);
	if (r->opts->exploratory)
		(void)tape_buf_add_str(out,
		    "! exploratory: of the rows found, the share of false ones "
		    "is bounded, not the chance of any\n");
	print_notes(r->notes, out);
}
