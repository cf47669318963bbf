/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_print.h"

#include "base/clock.h"
#include "base/num.h"
#include "engine/compare_runs.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_ROOM 48

static bool
is_share(const struct tape_compare_row *row)
{
	return row->statistic == TAPE_COMPARE_DIFFERENCE;
}

static bool
lower_is_better(const struct tape_compare_row *row)
{
	return row->def->better[0] == 'l';
}

double
tape_compare_change(const struct tape_compare_row *row, double ratio)
{
	if (is_share(row))
		return 100 * ratio;
	return 100 * (lower_is_better(row) ? ratio - 1 : 1 - ratio);
}

static int
arm_width(struct tape_str s)
{
	return (int)(s.len < 24 ? s.len : 24);
}

/* "10 pairs, 5 AB 5 BA, 50 prompts matched" and the method. */
static void
print_head(const struct tape_compare_report *r, struct tape_buf *out)
{
	const struct tape_compare_design *d = r->design;
	const struct tape_str *name = r->set->arm_name;

	(void)tape_buf_add_fmt(out,
	    "ab-compare  A=%.*s  B=%.*s   %zu pair%s (%zu AB, %zu BA), %zu "
	    "prompts matched\n",
	    arm_width(name[0]), name[0].p ? name[0].p : "", arm_width(name[1]),
	    name[1].p ? name[1].p : "", d->k, d->k == 1 ? "" : "s", d->a_first,
	    d->k - d->a_first, d->matched);
	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE)
		return;
	if (d->k < 6)
		(void)tape_buf_add_fmt(
		    out, "paired t, Holm over %zu rows", r->verdict->family);
	else
		(void)tape_buf_add_fmt(out, "%s sign flip, max-T over %zu rows",
		    d->k <= 40 ? "exact" : "Monte Carlo", r->verdict->family);
	(void)tape_buf_add_fmt(out, ", alpha %g", r->opts->alpha);
	if (!isnan(r->opts->margin_ratio))
		(void)tape_buf_add_fmt(
		    out, ", margin %g %%", 100 * r->opts->margin_ratio);
	(void)tape_buf_add_char(out, '\n');
}

static const char *
print_value(
    const struct tape_compare_row *row, double v, char dst[TAPE_NUM_TEXT])
{
	if (isnan(v))
		(void)snprintf(dst, TAPE_NUM_TEXT, "n/a");
	else if (is_share(row))
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.2f %%", 100 * v);
	else if (strcmp(row->def->unit, "per_s") == 0)
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.4g/s", v);
	else
		(void)tape_num_print_duration(v, dst);
	return dst;
}

static const char *
print_p(double p, char dst[TAPE_NUM_TEXT])
{
	if (isnan(p))
		(void)snprintf(dst, TAPE_NUM_TEXT, "-");
	else if (p < 0.0005)
		(void)snprintf(dst, TAPE_NUM_TEXT, "<.001");
	else
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.3f", p);
	return dst;
}

/* "0.940 [0.921 0.959]", or a difference in points. */
static void
print_ratio(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, char *dst, size_t size)
{
	if (isnan(j->ratio))
		(void)snprintf(dst, size, "n/a");
	else if (is_share(row) && isnan(j->ci.lo))
		(void)snprintf(dst, size, "%+.1f pt", 100 * j->ratio);
	else if (is_share(row))
		(void)snprintf(dst, size, "%+.1f pt [%+.1f %+.1f]",
		    100 * j->ratio, 100 * j->ci.lo, 100 * j->ci.hi);
	else if (isnan(j->ci.lo))
		(void)snprintf(dst, size, "%.3f", j->ratio);
	else
		(void)snprintf(dst, size, "%.3f [%.3f %.3f]", j->ratio,
		    j->ci.lo, j->ci.hi);
}

static bool
within_margin(const struct tape_compare_row *row,
    const struct tape_compare_judged *j, double margin)
{
	if (isnan(margin))
		return false;
	if (is_share(row))
		return j->ci.lo >= -margin && j->ci.hi <= margin;
	return j->ci.lo >= 1 / (1 + margin) && j->ci.hi <= 1 + margin;
}

static const char *
direction(const struct tape_compare_row *row, bool worse)
{
	if (is_share(row))
		return worse ? "more" : "fewer";
	if (!lower_is_better(row))
		return worse ? "lower" : "higher";
	return worse ? "slower" : "faster";
}

/* What is said of a row that decides nothing: what could have been seen. */
static void
print_undecided(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    char *dst, size_t size)
{
	double margin =
	    isnan(r->opts->margin_ratio) ? 0.02 : r->opts->margin_ratio;
	double sees =
	    is_share(row) ? 100 * j->mde_ratio : 100 * (j->mde_ratio - 1);
	char pairs[48];

	if (isnan(j->mde_ratio)) {
		(void)snprintf(dst, size, "undecided");
		return;
	}
	if (j->pairs_needed == TAPE_ABSENT_I64)
		(void)snprintf(pairs, sizeof(pairs), "too many");
	else if (j->pairs_needed_upper == TAPE_ABSENT_I64)
		(void)snprintf(
		    pairs, sizeof(pairs), "%" PRId64 "+", j->pairs_needed);
	else
		(void)snprintf(pairs, sizeof(pairs), "%" PRId64 "-%" PRId64,
		    j->pairs_needed, j->pairs_needed_upper);
	(void)snprintf(dst, size,
	    "undecided (sees >= %.2g%s, %s pairs for %g%s)", sees,
	    is_share(row) ? " pt" : " %", pairs, 100 * margin,
	    is_share(row) ? " pt" : " %");
}

static void
print_status(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    char *dst, size_t size)
{
	double change = fabs(tape_compare_change(row, j->ratio));
	const char *unit = is_share(row) ? " pt" : " %";
	const char *small = within_margin(row, j, r->opts->margin_ratio)
				? " (within margin)"
				: "";

	switch (j->status) {
	case TAPE_COMPARE_LOSS:
	case TAPE_COMPARE_POSSIBLE_LOSS:
		(void)snprintf(dst, size, "%s  %.1f%s %s%s",
		    j->status == TAPE_COMPARE_LOSS ? "LOSS" : "POSSIBLE LOSS",
		    change, unit, direction(row, true), small);
		break;
	case TAPE_COMPARE_WIN:
		(void)snprintf(dst, size, "WIN   %.1f%s %s%s", change, unit,
		    direction(row, false), small);
		break;
	case TAPE_COMPARE_EQUIVALENT:
		(void)snprintf(dst, size, "equivalent (within %g%s)",
		    100 * r->opts->margin_ratio, unit);
		break;
	case TAPE_COMPARE_UNDECIDED:
		print_undecided(r, row, j, dst, size);
		break;
	case TAPE_COMPARE_NONE:
		(void)snprintf(dst, size, "no verdict");
		break;
	}
}

static void
print_row(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    struct tape_buf *out)
{
	char name[NAME_ROOM], a[TAPE_NUM_TEXT], b[TAPE_NUM_TEXT], ratio[64];
	char p[TAPE_NUM_TEXT], q[TAPE_NUM_TEXT], status[160];

	print_ratio(row, j, ratio, sizeof(ratio));
	print_status(r, row, j, status, sizeof(status));
	(void)tape_buf_add_fmt(out, "%-8s %-12s %9s %9s  %-21s %6s %6s  %s\n",
	    row->def->phase,
	    tape_compare_row_name(row->def, name, sizeof(name)),
	    print_value(row, row->value[TAPE_COMPARE_A], a),
	    print_value(row, row->value[TAPE_COMPARE_B], b), ratio,
	    print_p(j->p, p), print_p(j->p_adjusted, q), status);
}

/* Names the rows of one status, phase by phase, with their change. */
static size_t
print_named(const struct tape_compare_report *r, enum tape_compare_status s,
    const char *verb, struct tape_buf *out)
{
	const char *phase = NULL;
	size_t n = 0;

	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++) {
		const struct tape_compare_row *row = &r->rows[i];
		const struct tape_compare_judged *j = &r->verdict->rows[i];
		char name[NAME_ROOM];
		double change = tape_compare_change(row, j->ratio);

		if (j->status != s)
			continue;
		if (phase == NULL)
			(void)tape_buf_add_fmt(out, "B %s in ", verb);
		if (phase == NULL || strcmp(phase, row->def->phase) != 0)
			(void)tape_buf_add_fmt(out, "%s%s (",
			    phase == NULL ? "" : "), ", row->def->phase);
		else
			(void)tape_buf_add_str(out, ", ");
		phase = row->def->phase;
		(void)tape_buf_add_fmt(out, "%s %+.1f %s",
		    tape_compare_row_name(row->def, name, sizeof(name)),
		    lower_is_better(row) ? change : -change,
		    is_share(row) ? "pt" : "%");
		n++;
	}
	if (n > 0)
		(void)tape_buf_add_str(out, ")");
	return n;
}

void
tape_compare_print_overall(
    const struct tape_compare_report *r, struct tape_buf *out)
{
	size_t lost, won;

	if (r->verdict->overall == TAPE_COMPARE_ALL_NONE) {
		(void)tape_buf_add_str(out, "no comparison possible");
		return;
	}
	lost = print_named(r, TAPE_COMPARE_LOSS, "loses", out);
	if (lost > 0 && r->verdict->counts[TAPE_COMPARE_WIN] > 0)
		(void)tape_buf_add_str(out, " and ");
	won = print_named(r, TAPE_COMPARE_WIN, "wins", out);
	if (lost + won > 0)
		(void)tape_buf_add_str(out, "; phases are not averaged");
	else if (r->verdict->overall == TAPE_COMPARE_ALL_EQUIVALENT)
		(void)tape_buf_add_str(out, "all rows are within the margin");
	else
		(void)tape_buf_add_str(
		    out, "no difference was shown, and none was excluded");
	if (r->verdict->overall == TAPE_COMPARE_ALL_WIN_UNPROVEN)
		(void)tape_buf_add_str(out,
		    isnan(r->opts->margin_ratio)
			? "; that no other row loses was not tested (--margin)"
			: "; that no other row loses is not shown");
}

static void
print_verdict(const struct tape_compare_report *r, struct tape_buf *out)
{
	char word[24];
	const char *name = tape_compare_overall_name(r->verdict->overall);
	size_t i = 0;

	for (; name[i] != '\0' && i + 1 < sizeof(word); i++) {
		word[i] = name[i];
		if (name[i] >= 'a' && name[i] <= 'z')
			word[i] = (char)(name[i] - 'a' + 'A');
	}
	word[i] = '\0';
	(void)tape_buf_add_fmt(out, "overall: %s.  ", word);
	tape_compare_print_overall(r, out);
	(void)tape_buf_add_char(out, '\n');
}

static void
print_notes(const struct tape_compare_notes *notes, struct tape_buf *out)
{
	static const char *const marks[] = { [TAPE_COMPARE_REFUSE] = "refused",
		[TAPE_COMPARE_WARN] = "!",
		[TAPE_COMPARE_NOTE] = "-" };

	for (int s = TAPE_COMPARE_REFUSE; s <= TAPE_COMPARE_NOTE; s++)
		for (size_t i = 0; i < notes->n; i++)
			if ((int)notes->v[i].severity == s)
				(void)tape_buf_add_fmt(out, "%s%s %s\n",
				    marks[s],
				    s == TAPE_COMPARE_REFUSE ? ":" : "",
				    notes->v[i].text);
}

void
tape_compare_print(const struct tape_compare_report *r, struct tape_buf *out)
{
	print_head(r, out);
	(void)tape_buf_add_char(out, '\n');
	tape_compare_print_runs(r->design, out);
	(void)tape_buf_add_fmt(out, "\n%-8s %-12s %9s %9s  %-21s %6s %6s  %s\n",
	    "phase", "metric", "A", "B", "B/A [95 % CI]", "p", "p.adj",
	    "verdict");
	for (size_t i = 0; i < TAPE_COMPARE_ROWS; i++)
		if (!r->rows[i].empty)
			print_row(r, &r->rows[i], &r->verdict->rows[i], out);
	(void)tape_buf_add_char(out, '\n');
	print_verdict(r, out);
	print_notes(r->notes, out);
}
