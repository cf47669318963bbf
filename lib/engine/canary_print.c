/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/canary.h"

#include "base/clock.h"
#include "engine/compare_arms.h"
#include "engine/compare_cells.h"
#include "engine/compare_design.h"
#include "engine/gate.h"

#include <stdio.h>

#define NAME_ROOM  48
#define LABEL_ROOM 25
#define DAY_LENGTH 16 /* 2026-03-01T12:00 */

/* "A=base (8 pairs from 2026-02-28T12:00)" */
static void
print_session(const struct tape_compare_member *m, const char *letter,
    struct tape_buf *out)
{
	char label[LABEL_ROOM], iso[TAPE_CLOCK_ISO];

	(void)tape_buf_add_fmt(out, "  %s=%s (", letter,
	    tape_compare_show(
		m->view.arm_name[TAPE_COMPARE_B], label, sizeof(label)));
	(void)tape_buf_add_fmt(
	    out, "%zu pair%s", m->design.k, m->design.k == 1 ? "" : "s");
	if (m->design.k > 0)
		(void)tape_buf_add_fmt(out, " from %.*s", DAY_LENGTH,
		    tape_clock_print_iso(
			tape_compare_first(&m->design.pairs[0])->start_ns,
			iso));
	(void)tape_buf_add_char(out, ')');
}

const char *
tape_canary_cell(const struct tape_canary *c, size_t arm, size_t i,
    char dst[TAPE_CANARY_CELL])
{
	const struct tape_compare_row *row = &c->of[arm]->rows[i];
	double sum = 0;

	for (size_t j = 0; j < row->k; j++)
		sum += row->d[j];
	if (!row->usable)
		(void)snprintf(dst, TAPE_CANARY_CELL, "n/a");
	else if (tape_compare_is_share(row))
		(void)snprintf(dst, TAPE_CANARY_CELL, "%+.1f pt",
		    100 * sum / (double)row->k);
	else
		(void)snprintf(
		    dst, TAPE_CANARY_CELL, "%.3f", exp(sum / (double)row->k));
	return dst;
}

static void
print_row(const struct tape_canary *c, size_t i, struct tape_buf *out)
{
	const struct tape_compare_row *row = &c->rows[i];
	const struct tape_compare_judged *j = &c->verdict.rows[i];
	char name[NAME_ROOM], x[TAPE_CANARY_CELL], y[TAPE_CANARY_CELL];
	char ratio[TAPE_COMPARE_CELL], p[TAPE_NUM_TEXT];

	if (row->empty)
		return;
	(void)tape_buf_add_fmt(out, "%-8s %-12s %9s %9s  %-21s %6s\n",
	    row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)),
	    tape_canary_cell(c, TAPE_COMPARE_A, i, x),
	    tape_canary_cell(c, TAPE_COMPARE_B, i, y),
	    tape_compare_cell_ratio(row, &j->f, ratio),
	    tape_compare_cell_p(j->f.p, p));
}

void
tape_canary_print(const struct tape_canary *c, struct tape_buf *out)
{
	static const char *const marks[] = { "refused:", "!", "-" };
	char label[LABEL_ROOM];

	(void)tape_buf_add_str(out, "ab-compare  cross-session");
	print_session(c->of[TAPE_COMPARE_A], "A", out);
	print_session(c->of[TAPE_COMPARE_B], "B", out);
	(void)tape_buf_add_fmt(out,
	    "  through ref=%s\n\n%-8s %-12s %9s %9s  %-21s %6s\n",
	    tape_compare_show(c->label, label, sizeof(label)), "phase",
	    "metric", "A/ref", "B/ref", "B/A [95 % CI]", "p");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		print_row(c, i, out);
	(void)tape_buf_add_char(out, '\n');
	tape_gate_print(&c->gated, out);
	for (int s = TAPE_COMPARE_REFUSE; s <= TAPE_COMPARE_NOTE; s++)
		for (size_t i = 0; i < c->notes.n; i++)
			if ((int)c->notes.v[i].severity == s)
				(void)tape_buf_add_fmt(out, "%s %s\n", marks[s],
				    c->notes.v[i].text);
}
