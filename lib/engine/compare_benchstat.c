/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_ttest.h"
#include "engine/compare_cells.h"
#include "engine/compare_formats.h"
#include "engine/gate.h"

#include <stdio.h>

#define NAME_ROOM    64
#define CELL_ROOM    64
#define LABEL_ROOM   25
#define NAME_WIDTH   24 /* columns, in characters */
#define A_WIDTH      18
#define B_WIDTH      46
#define CHANGE_WIDTH 27

/* The units as Go's benchmarks have them, and what makes ours of them. */
static const struct {
	const char *unit, *shown;
	double factor;
} units[] = {
	{ "ns", "sec/op", 1e-9 },
	{ "per_s", "tok/s", 1 },
	{ "ratio", "failed/op", 1 },
};

/* "prefill/ttft/p99" */
static void
name_row(const struct tape_compare_row_def *def, char dst[NAME_ROOM])
{
	char name[NAME_ROOM / 2];

	(void)tape_compare_row_name(def, name, sizeof(name));
	for (char *p = name; *p != '\0'; p++)
		if (*p == ' ')
			*p = '/';
	(void)snprintf(dst, NAME_ROOM, "%s/%s", def->phase, name);
}

/* Four digits with a prefix, as 11.82m. */
static void
scale(double v, char dst[CELL_ROOM])
{
	static const struct {
		double at;
		const char *prefix;
	} steps[] = { { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
		{ 1, "" }, { 1e-3, "m" }, { 1e-6, "µ" }, { 1e-9, "n" } };
	size_t i = 0, n = sizeof(steps) / sizeof(steps[0]);
	double x;

	if (v == 0) {
		(void)snprintf(dst, CELL_ROOM, "0.000");
		return;
	}
	while (i + 1 < n && fabs(v) < steps[i].at * 0.99995)
		i++;
	x = v / steps[i].at;
	(void)snprintf(dst, CELL_ROOM, "%.*f%s",
	    fabs(x) < 9.9995   ? 3
	    : fabs(x) < 99.995 ? 2
	    : fabs(x) < 999.95 ? 1
			       : 0,
	    x, steps[i].prefix);
}

/* Half the interval of the arm's mean over its runs, in percent of it; of a
   share in points. */
static void
half_width(const struct tape_compare_row *row, size_t arm, char dst[CELL_ROOM])
{
	struct tape_stat_ttest t;
	double half;

	if (row->k < 2 || tape_stat_paired_t(row->level[arm], row->k, 0,
			      TAPE_COMPARE_LEVEL, &t, NULL) != TAPE_OK) {
		(void)snprintf(dst, CELL_ROOM, "∞");
		return;
	}
	half = t.ci.hi - t.estimate;
	if (tape_compare_is_share(row))
		(void)snprintf(dst, CELL_ROOM, "%.1f pt", 100 * half);
	else
		(void)snprintf(dst, CELL_ROOM, "%.0f%%", 100 * expm1(half));
}

static void
print_arm(const struct tape_compare_row *row, size_t arm, double factor,
    char dst[CELL_ROOM])
{
	char value[CELL_ROOM / 4], half[CELL_ROOM / 4];
	char v[CELL_ROOM], h[CELL_ROOM];

	if (!isfinite(row->value[arm])) {
		(void)snprintf(dst, CELL_ROOM, "n/a");
		return;
	}
	if (tape_compare_is_share(row))
		(void)snprintf(v, sizeof(v), "%.2f%%", 100 * row->value[arm]);
	else
		scale(factor * row->value[arm], v);
	half_width(row, arm, h);
	(void)snprintf(value, sizeof(value), "%.15s", v);
	(void)snprintf(half, sizeof(half), "%.15s", h);
	(void)snprintf(dst, CELL_ROOM, "%s ± %s", value, half);
}

static void
print_change(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, char dst[CELL_ROOM])
{
	char change[CELL_ROOM / 2], p[CELL_ROOM / 4];

	p[0] = '\0';
	if (!isnan(j->p_adjusted))
		(void)snprintf(p, sizeof(p), "p=%.3f ", j->p_adjusted);
	if (isnan(j->f.ratio))
		(void)snprintf(change, sizeof(change), "n/a");
	else if (tape_compare_is_share(row))
		(void)snprintf(
		    change, sizeof(change), "%+.2f pt", 100 * j->f.ratio);
	else
		(void)snprintf(change, sizeof(change), "%+.2f%%",
		    tape_compare_change(row, j->f.ratio));
	(void)snprintf(dst, CELL_ROOM, "%s (%sn=%zu)", change, p, row->k);
}

/* Characters, not bytes. */
static int
width_of(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void
pad(struct tape_buf *out, const char *text, int width)
{
	int n = width - width_of(text);

	(void)tape_buf_add_fmt(out, "%s%*s", text, n > 0 ? n : 0, "");
}

static void
centre(struct tape_buf *out, const char *text, int width)
{
	int n = width - width_of(text);
	int left = n > 0 ? n / 2 : 0;

	(void)tape_buf_add_fmt(out, "%*s", left, "");
	pad(out, text, width - left);
}

static void
print_row(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, double factor, struct tape_buf *out)
{
	char name[NAME_ROOM], a[CELL_ROOM], b[CELL_ROOM], change[CELL_ROOM];

	name_row(row->def, name);
	print_arm(row, TAPE_COMPARE_A, factor, a);
	print_arm(row, TAPE_COMPARE_B, factor, b);
	print_change(row, j, change);
	pad(out, name, NAME_WIDTH);
	(void)tape_buf_add_str(out, "  ");
	pad(out, a, A_WIDTH);
	(void)tape_buf_add_char(out, ' ');
	pad(out, b, A_WIDTH);
	pad(out, change, CHANGE_WIDTH);
	(void)tape_buf_add_fmt(
	    out, " %s\n", tape_compare_status_name(j->status));
}

static void
print_head(
    const struct tape_compare_report *r, const char *unit, struct tape_buf *out)
{
	char a[LABEL_ROOM], b[LABEL_ROOM];

	(void)tape_compare_show(r->set->arm_name[TAPE_COMPARE_A], a, sizeof(a));
	(void)tape_compare_show(r->set->arm_name[TAPE_COMPARE_B], b, sizeof(b));
	pad(out, "", NAME_WIDTH);
	(void)tape_buf_add_str(out, "│");
	centre(out, a, A_WIDTH);
	(void)tape_buf_add_str(out, "│");
	centre(out, b, B_WIDTH);
	(void)tape_buf_add_str(out, "│\n");
	pad(out, "", NAME_WIDTH);
	(void)tape_buf_add_str(out, "│ ");
	pad(out, unit, A_WIDTH - 1);
	(void)tape_buf_add_str(out, "│ ");
	pad(out, unit, A_WIDTH);
	pad(out, "vs base", B_WIDTH - A_WIDTH - 1);
	(void)tape_buf_add_str(out, "│\n");
}

void
tape_compare_print_benchstat(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	bool any = false;

	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		bool head = false;

		for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
			const struct tape_compare_row *row = &r->rows[i];

			if (row->empty || row->k == 0 ||
			    strcmp(row->def->unit, units[u].unit) != 0)
				continue;
			if (!head && any)
				(void)tape_buf_add_char(out, '\n');
			if (!head)
				print_head(r, units[u].shown, out);
			head = any = true;
			print_row(
			    row, &r->verdict->rows[i], units[u].factor, out);
		}
	}
	if (any)
		(void)tape_buf_add_char(out, '\n');
	tape_compare_print_verdict(r, out);
	(void)tape_buf_add_char(out, '\n');
	if (r->gate != NULL)
		tape_gate_print(r->gate, out);
}
