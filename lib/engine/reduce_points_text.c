/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_points_text.h"

#include "engine/reduce_cell.h"

#include <inttypes.h>
#include <stdio.h>

#define LABEL_MAX  40 /* columns of a label, at most */
#define PERCENT    100
#define RATIO_MOST 1000 /* beyond, an interval is told by this bound */

/* Columns of numbers; those of quantiles beyond the median are wide only. */
static const struct column {
	const char *title;
	const char *unit;
	enum tape_point_value value;
	bool work; /* what was asked for, else how fast it was */
	bool wide;
} columns[] = {
	{ "asked in", "tokens", TAPE_POINT_ASKED_IN, true, false },
	{ "input", "tokens", TAPE_POINT_IN, true, false },
	{ "out", "tokens", TAPE_POINT_ASKED_OUT, true, false },
	{ "output", "tokens", TAPE_POINT_OUT, true, false },
	{ "ttft p50", "ns", TAPE_POINT_TTFT_P50, false, false },
	{ "p90", "ns", TAPE_POINT_TTFT_P90, false, false },
	{ "itl p50", "ns", TAPE_POINT_ITL_P50, false, false },
	{ "p90", "ns", TAPE_POINT_ITL_P90, false, true },
	{ "lat. p50", "ns", TAPE_POINT_LATENCY_P50, false, false },
	{ "p90", "ns", TAPE_POINT_LATENCY_P90, false, true },
	{ "per user", "per_s", TAPE_POINT_USER, false, false },
	{ "output/s", "per_s", TAPE_POINT_TOKENS_PER_S, false, false },
	{ "requests", "per_s", TAPE_POINT_REQUESTS_PER_S, false, true },
};

#define HALVES "+-: 95 % interval of the mean over runs of the same conditions"

#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* How a column's numbers are shown: in one unit. */
static struct tape_reduce_scale
scale_of(const struct tape_points *p, const struct column *c)
{
	double largest = 0, least = TAPE_ABSENT_F64;

	for (size_t i = 0; i < p->n; i++) {
		const double v = p->v[i].v[c->value];

		if (isnan(v) || isinf(v))
			continue;
		if (v > largest)
			largest = v;
		if (isnan(least) || v < least)
			least = v;
	}
	return tape_reduce_scale_for(
	    c->unit, isnan(least) ? largest : sqrt(least * largest), largest);
}

/* Whether a number of tokens has its mark. */
static bool
is_marked(const struct tape_point *at, const struct column *c)
{
	return (c->value == TAPE_POINT_IN && tape_point_is_off(at, true)) ||
	       (c->value == TAPE_POINT_OUT && tape_point_is_off(at, false));
}

struct frame {
	const struct tape_points *p;
	struct tape_buf *out;
	bool work, speed, wide; /* which columns */
	bool runs;              /* some point has several */
	int label[TAPE_GROUPING_NAMES];
	int arm;
};

static bool
is_in(const struct frame *f, const struct column *c)
{
	return (f->wide || !c->wide) && (c->work ? f->work : f->speed);
}

static int
width_of(struct tape_str text, int at_least)
{
	const int n = text.len < LABEL_MAX ? (int)text.len : LABEL_MAX;

	return n > at_least ? n : at_least;
}

static void
measure(struct frame *f)
{
	const struct tape_points *p = f->p;

	f->arm = p->arms ? 3 : 0;
	for (size_t j = 0; j < p->by.n; j++)
		f->label[j] = width_of(p->by.names[j], 1);
	for (size_t i = 0; i < p->n; i++) {
		f->runs |= p->v[i].runs > 1;
		if (p->arms)
			f->arm = width_of(p->v[i].arm, f->arm);
		for (size_t j = 0; j < p->by.n; j++)
			f->label[j] = width_of(p->v[i].label[j], f->label[j]);
	}
}

/* Right-aligned, behind two columns but for the first of a line. */
static void
add_label(struct frame *f, struct tape_str text, int width, bool first)
{
	int pad;

	if (text.p == NULL)
		text = tape_str_of("-");
	pad = width - width_of(text, 0);
	(void)tape_buf_add_fmt(f->out, "%*s", pad + (first ? 0 : 2), "");
	tape_reduce_text_safe(f->out, text, LABEL_MAX);
}

static void
end_line(struct tape_buf *b)
{
	while (b->len > 0 && b->data[b->len - 1] == ' ')
		b->len--;
	(void)tape_buf_add_str(b, "\n");
}

static void
add_names(struct frame *f)
{
	bool first = true;

	if (f->p->arms) {
		add_label(f, tape_str_of("arm"), f->arm, true);
		first = false;
	}
	for (size_t j = 0; j < f->p->by.n; j++) {
		add_label(f, f->p->by.names[j], f->label[j], first);
		first = false;
	}
}

static void
add_heads(struct frame *f)
{
	add_names(f);
	if (f->runs && f->work)
		(void)tape_buf_add_fmt(f->out, "%6s", "runs");
	if (f->work)
		(void)tape_buf_add_fmt(f->out, "%8s%8s", "n", "failed");
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_in(f, &columns[i]))
			(void)tape_buf_add_fmt(f->out, "%*s%s",
			    TAPE_REDUCE_CELL, columns[i].title,
			    columns[i].work ? " " : "");
	end_line(f->out);
}

/* Nothing in the columns before those of numbers. */
static void
add_margin(struct frame *f)
{
	int width = f->p->arms ? f->arm + 2 : 0;

	for (size_t j = 0; j < f->p->by.n; j++)
		width += f->label[j] + (j > 0 ? 2 : 0);
	if (f->runs && f->work)
		width += 6;
	if (f->work)
		width += 16;
	(void)tape_buf_add_fmt(f->out, "%*s", width, "");
}

/* The units stand in a line of their own. */
static void
add_units(struct frame *f, const struct tape_reduce_scale *scale)
{
	add_margin(f);
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_in(f, &columns[i]))
			(void)tape_buf_add_fmt(f->out, "%*s%s",
			    TAPE_REDUCE_CELL, scale[i].unit,
			    columns[i].work ? " " : "");
	end_line(f->out);
}

static void
add_point(struct frame *f, const struct tape_point *at,
    const struct tape_reduce_scale *scale)
{
	if (f->p->arms)
		add_label(f, at->arm, f->arm, true);
	for (size_t j = 0; j < f->p->by.n; j++)
		add_label(f, at->label[j], f->label[j], j == 0 && !f->p->arms);
	if (f->runs && f->work)
		(void)tape_buf_add_fmt(f->out, "%6" PRIu64, at->runs);
	if (f->work)
		(void)tape_buf_add_fmt(
		    f->out, "%8" PRIu64 "%8" PRIu64, at->ok, at->failed);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (!is_in(f, &columns[i]))
			continue;
		tape_reduce_cell(
		    f->out, &scale[i], at->v[columns[i].value], "-");
		if (columns[i].work)
			(void)tape_buf_add_str(
			    f->out, is_marked(at, &columns[i]) ? "!" : " ");
	}
	if (f->speed && at->saturated)
		(void)tape_buf_add_str(f->out, " <");
	end_line(f->out);
}

/* An interval between runs, of how fast it was only; "" where there is none. */
static const char *
half_text(const struct tape_point *at, const struct column *c, char dst[16])
{
	const double ratio =
	    c->work ? TAPE_ABSENT_F64 : tape_point_half_ratio(at, c->value);

	dst[0] = '\0';
	if (ratio > RATIO_MOST)
		(void)snprintf(dst, 16, ">%d%%", RATIO_MOST * PERCENT);
	else if (!isnan(ratio))
		(void)snprintf(dst, 16, "+-%.*f%%",
		    ratio < 0.1  ? 2
		    : ratio < 10 ? 1
				 : 0,
		    PERCENT * ratio);
	return dst;
}

static bool
has_halves(const struct tape_point *at)
{
	char text[16];

	for (size_t i = 0; i < COLUMNS; i++)
		if (half_text(at, &columns[i], text)[0] != '\0')
			return true;
	return false;
}

/* Below the means of a point, of several runs. */
static void
add_halves(struct frame *f, const struct tape_point *at)
{
	char text[16];

	if (!f->speed || !has_halves(at))
		return;
	add_margin(f);
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_in(f, &columns[i]))
			(void)tape_buf_add_fmt(f->out, "%*s%s",
			    TAPE_REDUCE_CELL, half_text(at, &columns[i], text),
			    columns[i].work ? " " : "");
	end_line(f->out);
}

static void
add_table(struct frame *f)
{
	struct tape_reduce_scale scale[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		scale[i] = scale_of(f->p, &columns[i]);
	(void)tape_buf_add_str(f->out, "\n");
	add_heads(f);
	add_units(f, scale);
	for (size_t i = 0; i < f->p->n; i++) {
		add_point(f, &f->p->v[i], scale);
		add_halves(f, &f->p->v[i]);
	}
}

/* Which of the marks stand somewhere. */
static void
find_marks(const struct tape_points *p, bool *off, bool *saturated, bool *runs,
    bool *halves)
{
	*off = *saturated = *runs = *halves = false;
	for (size_t i = 0; i < p->n; i++) {
		const struct tape_point *at = &p->v[i];

		*off |=
		    tape_point_is_off(at, true) || tape_point_is_off(at, false);
		*saturated |= at->saturated;
		*runs |= at->runs > 1;
		*halves |= has_halves(at);
	}
}

void
tape_points_text(const struct tape_points *p, bool wide, struct tape_buf *out)
{
	struct frame f = { .p = p, .out = out, .work = true, .wide = wide };
	bool off, saturated, runs, halves;

	if (p->n == 0)
		return;
	find_marks(p, &off, &saturated, &runs, &halves);
	measure(&f);
	f.speed = wide;
	add_table(&f);
	if (off)
		(void)tape_buf_add_str(out,
		    "!: over 2 % more or fewer tokens than were asked for\n");
	if (!wide) {
		f.work = false;
		f.speed = true;
		add_table(&f);
	}
	if (saturated)
		(void)tape_buf_add_str(out,
		    "<: saturated: to here output grew by under 10 % a "
		    "doubling of the load,\n   latency by more\n");
	if (runs)
		(void)tape_buf_add_str(out,
		    "of several runs: n and failed are sums, all else means "
		    "of the runs' values\n");
	if (halves)
		(void)tape_buf_add_str(out, HALVES "\n");
}

void
tape_markdown_text(struct tape_buf *out, struct tape_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		const unsigned char c = (unsigned char)text.p[i];

		if (c < 0x20 || c == 0x7f) {
			(void)tape_buf_add_char(out, ' ');
			continue;
		}
		if (c == '<' || c == '>' || c == '&') {
			(void)tape_buf_add_str(out, c == '<'   ? "&lt;"
						    : c == '>' ? "&gt;"
							       : "&amp;");
			continue;
		}
		if (strchr("\\`*_[]|~#@$", c) != NULL)
			(void)tape_buf_add_char(out, '\\');
		(void)tape_buf_add_char(out, text.p[i]);
	}
}

static void
add_markdown_heads(const struct tape_points *p, struct tape_buf *out,
    const struct tape_reduce_scale *scale, bool runs)
{
	size_t n = (p->arms ? 1 : 0) + p->by.n + (runs ? 3 : 2);

	(void)tape_buf_add_str(out, p->arms ? "| arm |" : "|");
	for (size_t j = 0; j < p->by.n; j++) {
		(void)tape_buf_add_char(out, ' ');
		tape_markdown_text(out, p->by.names[j]);
		(void)tape_buf_add_str(out, " |");
	}
	(void)tape_buf_add_str(out, runs ? " runs |" : "");
	(void)tape_buf_add_str(out, " n | failed |");
	for (size_t i = 0; i < COLUMNS; i++)
		(void)tape_buf_add_fmt(
		    out, " %s, %s |", columns[i].title, scale[i].unit);
	(void)tape_buf_add_str(out, "\n|");
	for (size_t i = 0; i < n + COLUMNS; i++)
		(void)tape_buf_add_str(out, " ---: |");
	(void)tape_buf_add_str(out, "\n");
}

static void
add_markdown_text(struct tape_buf *out, struct tape_str text)
{
	(void)tape_buf_add_char(out, ' ');
	tape_markdown_text(out, text.p == NULL ? tape_str_of("-") : text);
	(void)tape_buf_add_str(out, " |");
}

static void
add_markdown_value(
    struct tape_buf *out, const struct tape_reduce_scale *scale, double v)
{
	if (isnan(v))
		(void)tape_buf_add_str(out, " -");
	else if (isinf(v))
		(void)tape_buf_add_str(out, " inf");
	else
		(void)tape_buf_add_fmt(
		    out, " %.*f", scale->decimals, v / scale->by);
}

static void
add_markdown_point(const struct tape_points *p, const struct tape_point *at,
    struct tape_buf *out, const struct tape_reduce_scale *scale, bool runs)
{
	char half[16];

	(void)tape_buf_add_char(out, '|');
	if (p->arms)
		add_markdown_text(out, at->arm);
	for (size_t j = 0; j < p->by.n; j++)
		add_markdown_text(out, at->label[j]);
	if (runs)
		(void)tape_buf_add_fmt(out, " %" PRIu64 " |", at->runs);
	(void)tape_buf_add_fmt(
	    out, " %" PRIu64 " | %" PRIu64 " |", at->ok, at->failed);
	for (size_t i = 0; i < COLUMNS; i++) {
		add_markdown_value(out, &scale[i], at->v[columns[i].value]);
		if (half_text(at, &columns[i], half)[0] != '\0')
			(void)tape_buf_add_fmt(out, " %s", half);
		if (is_marked(at, &columns[i]))
			(void)tape_buf_add_str(out, " !");
		if (at->saturated &&
		    columns[i].value == TAPE_POINT_TOKENS_PER_S)
			(void)tape_buf_add_str(out, " (saturated)");
		(void)tape_buf_add_str(out, " |");
	}
	(void)tape_buf_add_str(out, "\n");
}

void
tape_points_markdown(const struct tape_points *p, struct tape_buf *out)
{
	struct tape_reduce_scale scale[COLUMNS];
	bool off, saturated, runs, halves;

	if (p->n == 0)
		return;
	find_marks(p, &off, &saturated, &runs, &halves);
	for (size_t i = 0; i < COLUMNS; i++)
		scale[i] = scale_of(p, &columns[i]);
	(void)tape_buf_add_str(out, "\n## Points\n\n");
	add_markdown_heads(p, out, scale, runs);
	for (size_t i = 0; i < p->n; i++)
		add_markdown_point(p, &p->v[i], out, scale, runs);
	if (off)
		(void)tape_buf_add_str(out,
		    "\n`!`: over 2 % more or fewer tokens than were asked "
		    "for.\n");
	if (saturated)
		(void)tape_buf_add_str(out,
		    "\nsaturated: to there output grew by under 10 % a "
		    "doubling of the load, latency by more.\n");
	if (runs)
		(void)tape_buf_add_str(out,
		    "\nOf several runs n and failed are sums, all else means "
		    "of the runs' values.\n");
	if (halves)
		(void)tape_buf_add_str(out, "\n" HALVES ".\n");
}
