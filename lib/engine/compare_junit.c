/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"
#include "engine/canary.h"
#include "engine/compare_cells.h"
#include "engine/compare_formats.h"
#include "engine/compare_point.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_ROOM  48
#define LABEL_ROOM 128
#define ISO_DAY    19 /* of an ISO time, up to its seconds */

/* Character data or a value.  Control characters are gone from all texts; of
   what XML forbids that leaves U+FFFE and U+FFFF. */
static void
add_text(struct tape_buf *out, const char *text)
{
	for (const char *p = text; *p != '\0'; p++) {
		if (strncmp(p, "\xef\xbf\xbe", 3) == 0 ||
		    strncmp(p, "\xef\xbf\xbf", 3) == 0) {
			(void)tape_buf_add_char(out, '?');
			p += 2;
		} else if (*p == '&') {
			(void)tape_buf_add_str(out, "&amp;");
		} else if (*p == '<') {
			(void)tape_buf_add_str(out, "&lt;");
		} else if (*p == '>') {
			(void)tape_buf_add_str(out, "&gt;");
		} else if (*p == '"') {
			(void)tape_buf_add_str(out, "&quot;");
		} else {
			(void)tape_buf_add_char(out, *p);
		}
	}
}

static void
add_attribute(struct tape_buf *out, const char *name, const char *value)
{
	(void)tape_buf_add_fmt(out, " %s=\"", name);
	add_text(out, value);
	(void)tape_buf_add_char(out, '"');
}

static void
add_property(struct tape_buf *out, const char *name, const char *value)
{
	(void)tape_buf_add_str(out, "<property");
	add_attribute(out, "name", name);
	add_attribute(out, "value", value);
	(void)tape_buf_add_str(out, "/>\n");
}

static void
add_number(struct tape_buf *out, const char *name, double v)
{
	char text[TAPE_NUM_TEXT];

	if (isfinite(v))
		add_property(out, name, tape_num_print_double(v, text));
}

static void
add_count(struct tape_buf *out, const char *name, uint64_t n)
{
	char text[TAPE_NUM_TEXT];

	(void)snprintf(text, sizeof(text), "%" PRIu64, n);
	add_property(out, name, text);
}

static void
open_case(struct tape_buf *out, const char *class, const char *name)
{
	(void)tape_buf_add_str(out, "<testcase");
	(void)tape_buf_add_fmt(out, " classname=\"ab-compare.%s\"", class);
	add_attribute(out, "name", name);
	(void)tape_buf_add_str(out, " time=\"0\">\n");
}

static void
print_figures(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    struct tape_buf *out)
{
	const struct tape_compare_figures *f = &j->f;

	(void)tape_buf_add_str(out, "<properties>\n");
	add_property(out, "status", tape_compare_status_name(j->status));
	add_property(
	    out, "statistic", tape_compare_statistic_name(row->statistic));
	add_property(out, "unit", row->def->unit);
	if (r->canary == NULL)
		add_count(out, "pairs", r->design->k);
	add_number(out, "a_value", row->value[TAPE_COMPARE_A]);
	add_number(out, "b_value", row->value[TAPE_COMPARE_B]);
	add_number(out, "ratio", f->ratio);
	add_number(out, "ci_lo", f->ci.lo);
	add_number(out, "ci_hi", f->ci.hi);
	add_number(out, "p", f->p);
	add_number(out, "p_adjusted", j->p_adjusted);
	(void)tape_buf_add_str(out, "</properties>\n");
}

/* The row as the table has it. */
static void
print_line(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, struct tape_buf *out)
{
	char a[TAPE_NUM_TEXT], b[TAPE_NUM_TEXT], p[TAPE_NUM_TEXT];
	char q[TAPE_NUM_TEXT], ratio[TAPE_COMPARE_CELL];

	(void)tape_buf_add_fmt(out, "A %s, B %s, B/A ",
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_A], a),
	    tape_compare_cell_value(row, row->value[TAPE_COMPARE_B], b));
	add_text(out, tape_compare_cell_ratio(row, &j->f, ratio));
	(void)tape_buf_add_str(out, ", p ");
	add_text(out, tape_compare_cell_p(j->f.p, p));
	(void)tape_buf_add_str(out, ", adjusted ");
	add_text(out, tape_compare_cell_p(j->p_adjusted, q));
}

static bool
passes(enum tape_compare_status s)
{
	return s == TAPE_COMPARE_WIN || s == TAPE_COMPARE_EQUIVALENT;
}

static void
print_row(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    struct tape_buf *out)
{
	char name[NAME_ROOM], status[TAPE_COMPARE_CELL];

	(void)tape_compare_row_name(row->def, name, sizeof(name));
	(void)tape_compare_cell_status(r, row, j, status);
	open_case(out, row->def->phase, name);
	print_figures(r, row, j, out);
	if (j->status == TAPE_COMPARE_LOSS && r->gate == NULL) {
		(void)tape_buf_add_str(out, "<failure type=\"loss\"");
		add_attribute(out, "message", status);
		(void)tape_buf_add_char(out, '>');
		print_line(row, j, out);
		(void)tape_buf_add_str(out, "</failure>\n");
	} else if (passes(j->status)) {
		(void)tape_buf_add_str(out, "<system-out>");
		add_text(out, status);
		(void)tape_buf_add_str(out, ": ");
		print_line(row, j, out);
		(void)tape_buf_add_str(out, "</system-out>\n");
	} else {
		(void)tape_buf_add_str(out, "<skipped");
		add_attribute(out, "message", status);
		(void)tape_buf_add_str(out, "/>\n");
	}
	(void)tape_buf_add_str(out, "</testcase>\n");
}

static void
print_refusals(const struct tape_compare_notes *notes, struct tape_buf *out)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (notes->v[i].severity != TAPE_COMPARE_REFUSE)
			continue;
		open_case(out, "design", notes->v[i].code);
		(void)tape_buf_add_str(out, "<error type=\"refused\"");
		add_attribute(out, "message", notes->v[i].text);
		(void)tape_buf_add_str(out, "/>\n</testcase>\n");
	}
}

/* What a rule of the gate is to a CI system. */
static const char *
element_of(const struct tape_gate_verdict *v, enum tape_gate_result r)
{
	if (r == TAPE_GATE_UNDECIDED) {
		if (v->policy == TAPE_GATE_UNDECIDED_FAILS)
			return "failure";
		return v->policy == TAPE_GATE_UNDECIDED_WARNS ? "skipped"
							      : NULL;
	}
	if (r == TAPE_GATE_PASSED)
		return NULL;
	return r == TAPE_GATE_REFUSED ? "error" : "failure";
}

static void
print_gate(const struct tape_gate_verdict *v, struct tape_buf *out)
{
	for (size_t i = 0; i < v->gate->n; i++) {
		const char *element = element_of(v, v->rules[i].result);

		open_case(out, "gate", v->gate->rules[i].text);
		if (element == NULL) {
			(void)tape_buf_add_str(out, "<system-out>");
			add_text(out, v->rules[i].text);
			(void)tape_buf_add_str(out, "</system-out>\n");
		} else {
			(void)tape_buf_add_fmt(out, "<%s", element);
			if (strcmp(element, "skipped") != 0)
				add_attribute(out, "type",
				    tape_gate_result_name(v->rules[i].result));
			add_attribute(out, "message", v->rules[i].text);
			(void)tape_buf_add_str(out, "/>\n");
		}
		(void)tape_buf_add_str(out, "</testcase>\n");
	}
}

struct counts {
	size_t tests;
	size_t failures;
	size_t errors;
	size_t skipped;
};

static void
count_gate(const struct tape_gate_verdict *v, struct counts *c)
{
	for (size_t i = 0; i < v->gate->n; i++) {
		const char *element = element_of(v, v->rules[i].result);

		c->tests++;
		if (element == NULL)
			continue;
		c->failures += strcmp(element, "failure") == 0 ? 1U : 0U;
		c->errors += strcmp(element, "error") == 0 ? 1U : 0U;
		c->skipped += strcmp(element, "skipped") == 0 ? 1U : 0U;
	}
}

static struct counts
count(const struct tape_compare_report *r)
{
	struct counts c = { 0 };

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		enum tape_compare_status s = r->verdict->rows[i].status;

		if (r->rows[i].empty)
			continue;
		c.tests++;
		if (s == TAPE_COMPARE_LOSS && r->gate == NULL)
			c.failures++;
		else if (!passes(s))
			c.skipped++;
	}
	for (size_t i = 0; i < r->notes->n; i++)
		if (r->notes->v[i].severity == TAPE_COMPARE_REFUSE) {
			c.tests++;
			c.errors++;
		}
	if (r->gate != NULL)
		count_gate(r->gate, &c);
	return c;
}

/* When the first run began, and how long it took to the end of the last. */
static void
add_times(const struct tape_compare_design *d, struct tape_buf *out)
{
	char iso[TAPE_CLOCK_ISO];
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t i = 0; i < d->k; i++)
		for (size_t arm = 0; arm < TAPE_COMPARE_ARMS; arm++) {
			const struct tape_compare_run *run =
			    d->pairs[i].run[arm];

			if (run->start_ns < first_ns)
				first_ns = run->start_ns;
			if (run->end_ns > last_ns)
				last_ns = run->end_ns;
		}
	if (last_ns < first_ns) {
		(void)tape_buf_add_str(out, " time=\"0\"");
		return;
	}
	(void)tape_buf_add_fmt(out, " timestamp=\"%.*s\" time=\"%.3f\"",
	    ISO_DAY, tape_clock_print_iso(first_ns, iso),
	    ((double)last_ns - (double)first_ns) / TAPE_NS_PER_S);
}

static void
add_counts(const struct counts *c, struct tape_buf *out)
{
	(void)tape_buf_add_fmt(out,
	    " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
	    c->tests, c->failures, c->errors, c->skipped);
}

static void
print_conditions(const struct tape_compare_report *r, struct tape_buf *out)
{
	const struct tape_compare_design *d = r->design;
	char a[LABEL_ROOM], b[LABEL_ROOM];

	(void)tape_buf_add_str(out, "<properties>\n");
	add_property(out, "arm_a",
	    tape_compare_show(r->set->arm_name[TAPE_COMPARE_A], a, sizeof(a)));
	add_property(out, "arm_b",
	    tape_compare_show(r->set->arm_name[TAPE_COMPARE_B], b, sizeof(b)));
	add_property(
	    out, "overall", tape_compare_overall_name(r->verdict->overall));
	if (r->canary != NULL) {
		add_property(out, "canary",
		    tape_compare_show(r->canary->label, a, sizeof(a)));
		add_count(out, "pairs", tape_canary_pairs(r->canary));
	} else {
		add_count(out, "pairs", d->k);
		add_count(out, "pairs_a_first", d->a_first);
		add_count(out, "matched_prompts", d->matched);
	}
	add_number(out, "alpha", r->opts->alpha);
	add_number(out, "margin_ratio", r->opts->margin_ratio);
	add_count(out, "seed", r->opts->seed);
	(void)tape_buf_add_str(out, "</properties>\n");
}

/* The verdict, then what is said besides refusals. */
static void
print_out(const struct tape_compare_report *r, struct tape_buf *out)
{
	struct tape_buf text;

	tape_buf_init(&text, TAPE_CAP_LINE);
	tape_compare_print_verdict(r, &text);
	(void)tape_buf_add_str(out, "<system-out>");
	add_text(out, text.data);
	(void)tape_buf_add_char(out, '\n');
	for (size_t i = 0; i < r->notes->n; i++) {
		const struct tape_compare_note *n = &r->notes->v[i];

		if (n->severity == TAPE_COMPARE_REFUSE)
			continue;
		(void)tape_buf_add_str(
		    out, n->severity == TAPE_COMPARE_WARN ? "! " : "- ");
		add_text(out, n->text);
		(void)tape_buf_add_char(out, '\n');
	}
	(void)tape_buf_add_str(out, "</system-out>\n");
	if (text.status != TAPE_OK)
		out->status = text.status;
	tape_buf_release(&text);
}

static void
print_suite(const struct tape_compare_report *r, struct tape_buf *out)
{
	struct counts c = count(r);
	char b[LABEL_ROOM], point[LABEL_ROOM], name[2 * LABEL_ROOM + 16];

	(void)snprintf(name, sizeof(name), "ab-compare %s%s%s",
	    tape_compare_show(r->set->arm_name[TAPE_COMPARE_B], b, sizeof(b)),
	    r->point.p != NULL ? " " : "",
	    tape_compare_point_text(r->point, point, sizeof(point)));
	(void)tape_buf_add_str(out, "<testsuite");
	add_attribute(out, "name", name);
	add_counts(&c, out);
	add_times(r->design, out);
	(void)tape_buf_add_str(out, ">\n");
	print_conditions(r, out);
	print_refusals(r->notes, out);
	if (r->gate != NULL)
		print_gate(r->gate, out);
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!r->rows[i].empty)
			print_row(r, &r->rows[i], &r->verdict->rows[i], out);
	print_out(r, out);
	(void)tape_buf_add_str(out, "</testsuite>\n");
}

void
tape_compare_print_junit(
    const struct tape_compare_report *r, size_t n, struct tape_buf *out)
{
	struct counts all = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct counts c = count(&r[i]);

		all.tests += c.tests;
		all.failures += c.failures;
		all.errors += c.errors;
		all.skipped += c.skipped;
	}
	(void)tape_buf_add_str(out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<testsuites name=\"ab-compare\"");
	add_counts(&all, out);
	(void)tape_buf_add_str(out, ">\n");
	for (size_t i = 0; i < n; i++)
		print_suite(&r[i], out);
	(void)tape_buf_add_str(out, "</testsuites>\n");
}
