/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "engine/canary.h"
#include "engine/compare_cells.h"
#include "engine/compare_design.h"
#include "engine/compare_formats.h"
#include "engine/compare_runs.h"

#include <ctype.h>
#include <inttypes.h>

#define NAME_ROOM  48
#define LABEL_ROOM 65
#define DAY_LENGTH 16 /* 2026-03-01T12:00 */

/* Text in which nothing has a meaning of its own. */
static void
add_text(struct tape_buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("\\`*_[]<>#|~&", *text) != NULL)
			(void)tape_buf_add_char(out, '\\');
		(void)tape_buf_add_char(out, *text);
	}
}

/* A label as code: there is no escape in it, so what would end it goes. */
static void
add_label(struct tape_buf *out, struct tape_str label)
{
	char text[LABEL_ROOM];

	(void)tape_compare_show(label, text, sizeof(text));
	(void)tape_buf_add_char(out, '`');
	for (const char *p = text; *p != '\0'; p++)
		(void)tape_buf_add_char(out, *p == '`' || *p == '|' ? '?' : *p);
	(void)tape_buf_add_char(out, '`');
}

static void
print_head(const struct tape_compare_report *r, struct tape_buf *out)
{
	const struct tape_compare_design *d = r->design;
	struct tape_buf text;

	tape_buf_init(&text, TAPE_CAP_LINE);
	tape_compare_print_verdict(r, &text);
	(void)tape_buf_add_str(out, "### ab-compare: ");
	add_label(out, r->set->arm_name[TAPE_COMPARE_B]);
	(void)tape_buf_add_str(out, " against ");
	add_label(out, r->set->arm_name[TAPE_COMPARE_A]);
	(void)tape_buf_add_str(out, "\n\n");
	add_text(out, text.data);
	(void)tape_buf_add_fmt(out,
	    "\n\nA = %s, B = %s; %zu pair%s (%zu AB, %zu BA), %zu prompts "
	    "matched, seed %" PRIu64,
	    "baseline", "candidate", d->k, d->k == 1 ? "" : "s", d->a_first,
	    d->k - d->a_first, d->matched, r->opts->seed);
	if (r->verdict->overall != TAPE_COMPARE_ALL_NONE) {
		tape_buf_clear(&text);
		tape_compare_print_method(r, &text);
		(void)tape_buf_add_str(out, "; ");
		add_text(out, text.data);
	}
	(void)tape_buf_add_str(out, ".\n");
	if (text.status != TAPE_OK)
		out->status = text.status;
	tape_buf_release(&text);
}

/* Of two sessions. */
static void
print_canary_head(const struct tape_compare_report *r, struct tape_buf *out)
{
	static const char *const words[] = { "baseline", "candidate" };

	(void)tape_buf_add_str(out, "### ab-compare, cross-session: ");
	add_label(out, r->set->arm_name[TAPE_COMPARE_B]);
	(void)tape_buf_add_str(out, " against ");
	add_label(out, r->set->arm_name[TAPE_COMPARE_A]);
	(void)tape_buf_add_str(out, " through ");
	add_label(out, r->canary->label);
	(void)tape_buf_add_str(out, "\n\n");
	for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
		const struct tape_compare_design *d =
		    &r->canary->of[arm]->design;
		char iso[TAPE_CLOCK_ISO];

		(void)tape_buf_add_fmt(out, "%s%s = %s, %zu pair%s",
		    arm == 0 ? "" : "; ", arm == 0 ? "A" : "B", words[arm],
		    d->k, d->k == 1 ? "" : "s");
		if (d->k > 0)
			(void)tape_buf_add_fmt(out, " from %.*s", DAY_LENGTH,
			    tape_clock_print_iso(
				tape_compare_first(&d->pairs[0])->start_ns,
				iso));
	}
	(void)tape_buf_add_str(out, ".\n");
}

static void
print_canary_rows(const struct tape_compare_report *r, struct tape_buf *out)
{
	char name[NAME_ROOM], a[TAPE_CANARY_CELL], b[TAPE_CANARY_CELL];
	char p[TAPE_NUM_TEXT], ratio[TAPE_COMPARE_CELL];

	(void)tape_buf_add_str(out,
	    "\n| phase | metric | A/reference | B/reference | "
	    "B/A \\[95 % CI\\] | p |\n|:--|:--|--:|--:|:--|--:|\n");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_row *row = &r->rows[i];
		const struct tape_compare_figures *f = &r->verdict->rows[i].f;

		if (row->empty)
			continue;
		(void)tape_buf_add_fmt(out, "| %s | %s | %s | %s | ",
		    row->def->phase,
		    tape_compare_row_name(row->def, name, sizeof(name)),
		    tape_canary_cell(r->canary, TAPE_COMPARE_A, i, a),
		    tape_canary_cell(r->canary, TAPE_COMPARE_B, i, b));
		add_text(out, tape_compare_cell_ratio(row, f, ratio));
		(void)tape_buf_add_str(out, " | ");
		add_text(out, tape_compare_cell_p(f->p, p));
		(void)tape_buf_add_str(out, " |\n");
	}
}

static void
print_row(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    struct tape_buf *out)
{
	char name[NAME_ROOM], a[TAPE_NUM_TEXT], b[TAPE_NUM_TEXT];
	char p[TAPE_NUM_TEXT], q[TAPE_NUM_TEXT];
	char ratio[TAPE_COMPARE_CELL], status[TAPE_COMPARE_CELL];
	bool bold =
	    j->status == TAPE_COMPARE_LOSS || j->status == TAPE_COMPARE_WIN;
	const char *mark = bold ? "**" : "";

	(void)tape_buf_add_fmt(out, "| %s | %s | %s | %s | ", row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)),
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_A], a),
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_B], b));
	add_text(out, tape_compare_cell_ratio(row, &j->f, ratio));
	(void)tape_buf_add_str(out, " | ");
	add_text(out, tape_compare_cell_p(j->f.p, p));
	(void)tape_buf_add_str(out, " | ");
	add_text(out, tape_compare_cell_p(j->p_adjusted, q));
	(void)tape_buf_add_fmt(out, " | %s", mark);
	add_text(out, tape_compare_cell_status(r, row, j, status));
	(void)tape_buf_add_fmt(out, "%s |\n", mark);
}

static void
print_rows(const struct tape_compare_report *r, struct tape_buf *out)
{
	if (r->design->k == 0)
		return;
	(void)tape_buf_add_str(out,
	    "\n| phase | metric | A | B | B/A \\[95 % CI\\] | p | p adjusted | "
	    "verdict |\n|:--|:--|--:|--:|:--|--:|--:|:--|\n");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!r->rows[i].empty)
			print_row(r, &r->rows[i], &r->verdict->rows[i], out);
}

static void
print_gate(const struct tape_gate_verdict *v, struct tape_buf *out)
{
	(void)tape_buf_add_str(out, "\n**");
	tape_gate_print_overall(v, out);
	(void)tape_buf_add_str(
	    out, "**\n\n| rule | result | found |\n|:--|:--|:--|\n");
	for (size_t i = 0; i < v->gate->n; i++) {
		(void)tape_buf_add_str(out, "| ");
		add_text(out, v->gate->rules[i].text);
		(void)tape_buf_add_fmt(
		    out, " | %s | ", tape_gate_result_name(v->rules[i].result));
		add_text(out, v->rules[i].text);
		(void)tape_buf_add_str(out, " |\n");
	}
}

static void
print_notes(const struct tape_compare_notes *notes, struct tape_buf *out)
{
	static const char *const marks[] = { [TAPE_COMPARE_REFUSE] =
						 "**refused**: ",
		[TAPE_COMPARE_WARN] = "**warning**: ",
		[TAPE_COMPARE_NOTE] = "" };

	if (notes->n > 0)
		(void)tape_buf_add_char(out, '\n');
	for (int s = TAPE_COMPARE_REFUSE; s <= TAPE_COMPARE_NOTE; s++)
		for (size_t i = 0; i < notes->n; i++) {
			if ((int)notes->v[i].severity != s)
				continue;
			(void)tape_buf_add_fmt(out, "- %s", marks[s]);
			add_text(out, notes->v[i].text);
			(void)tape_buf_add_char(out, '\n');
		}
}

static void
print_runs(const struct tape_compare_design *d, struct tape_buf *out)
{
	size_t columns[TAPE_COMPARE_RUN_CELLS];
	size_t n = tape_compare_run_columns(d, columns);
	struct tape_compare_run_row row;

	if (d->k == 0)
		return;
	(void)tape_buf_add_fmt(
	    out, "\n<details><summary>%zu runs</summary>\n\n|", 2 * d->k);
	for (size_t c = 0; c < n; c++)
		(void)tape_buf_add_fmt(
		    out, " %s |", tape_compare_run_heads[columns[c]]);
	(void)tape_buf_add_str(out, "\n|");
	for (size_t c = 0; c < n; c++)
		(void)tape_buf_add_str(out, "--:|");
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < 2 * d->k; i++) {
		tape_compare_run_cells(d, i, &row);
		(void)tape_buf_add_char(out, '|');
		for (size_t c = 0; c < n; c++)
			(void)tape_buf_add_fmt(
			    out, " %s |", row.cell[columns[c]]);
		(void)tape_buf_add_char(out, '\n');
	}
	(void)tape_buf_add_str(out, "\n</details>\n");
}

void
tape_compare_print_markdown(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	if (r->canary != NULL)
		print_canary_head(r, out);
	else
		print_head(r, out);
	if (r->gate != NULL)
		print_gate(r->gate, out);
	if (r->canary != NULL)
		print_canary_rows(r, out);
	else
		print_rows(r, out);
	print_notes(r->notes, out);
	print_runs(r->design, out);
}
