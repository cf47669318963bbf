/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_cells.h"

#include "base/num.h"
#include "engine/compare_power.h"

#include <inttypes.h>
#include <stdio.h>

#define PAIRS_SHOWN 999 /* more are "1000+" */

double
tape_compare_change(const struct tape_compare_row *row, double ratio)
{
	return 100 * (tape_compare_is_share(row) ? ratio : ratio - 1);
}

const char *
tape_compare_change_unit(const struct tape_compare_row *row)
{
	return tape_compare_is_share(row) ? "pt" : "%";
}

const char *
tape_compare_cell_value(
    const struct tape_compare_row *row, double v, char dst[TAPE_NUM_TEXT])
{
	if (isnan(v))
		(void)snprintf(dst, TAPE_NUM_TEXT, "n/a");
	else if (tape_compare_is_share(row))
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.2f %%", 100 * v);
	else if (row->statistic == TAPE_COMPARE_VALUE)
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.4g/s", v);
	else
		(void)tape_num_print_duration(v, dst);
	return dst;
}

const char *
tape_compare_cell_p(double p, char dst[TAPE_NUM_TEXT])
{
	if (isnan(p))
		(void)snprintf(dst, TAPE_NUM_TEXT, "-");
	else if (p < 0.0005)
		(void)snprintf(dst, TAPE_NUM_TEXT, "<.001");
	else
		(void)snprintf(dst, TAPE_NUM_TEXT, "%.3f", p);
	return dst;
}

const char *
tape_compare_cell_ratio(const struct tape_compare_row *row,
    const struct tape_compare_figures *f, char dst[TAPE_COMPARE_CELL])
{
	size_t size = TAPE_COMPARE_CELL;
	bool share = tape_compare_is_share(row);

	if (isnan(f->ratio))
		(void)snprintf(dst, size, "n/a");
	else if (share && isnan(f->ci.lo))
		(void)snprintf(dst, size, "%+.1f pt", 100 * f->ratio);
	else if (share)
		(void)snprintf(dst, size, "%+.1f pt [%+.1f %+.1f]",
		    100 * f->ratio, 100 * f->ci.lo, 100 * f->ci.hi);
	else if (isnan(f->ci.lo))
		(void)snprintf(dst, size, "%.3f", f->ratio);
	else
		(void)snprintf(dst, size, "%.3f [%.3f %.3f]", f->ratio,
		    f->ci.lo, f->ci.hi);
	return dst;
}

/* What B is when it has more of the metric, or less. */
static const char *
direction(const struct tape_compare_row *row, bool more)
{
	if (tape_compare_is_share(row) || row->statistic == TAPE_COMPARE_VALUE)
		return more ? "higher" : "lower";
	return more ? "slower" : "faster";
}

static void
print_pairs(int64_t n, char dst[TAPE_NUM_TEXT])
{
	if (n == TAPE_ABSENT_I64 || n > PAIRS_SHOWN)
		(void)snprintf(dst, TAPE_NUM_TEXT, "%d+", PAIRS_SHOWN + 1);
	else
		(void)snprintf(dst, TAPE_NUM_TEXT, "%" PRId64, n);
}

/* Two digits, and no power of ten: what can be seen may be far off. */
static const char *
print_seen(double change, char dst[TAPE_NUM_TEXT])
{
	bool plain = fabs(change) >= 99.5 && fabs(change) < 1e6;

	(void)snprintf(dst, TAPE_NUM_TEXT, plain ? "%.0f" : "%.2g", change);
	return dst;
}

/* "undecided (sees >= 2.8 %; 2 % needs 17 pairs, up to 30)" */
static void
print_undecided(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_figures *f,
    char *dst, size_t size)
{
	double effect = isnan(r->opts->margin_ratio) ? TAPE_COMPARE_NEED_RATIO
						     : r->opts->margin_ratio;
	char pairs[TAPE_NUM_TEXT], upper[TAPE_NUM_TEXT], seen[TAPE_NUM_TEXT];

	if (isnan(f->mde_ratio)) {
		(void)snprintf(dst, size, "undecided");
		return;
	}
	print_pairs(f->pairs_needed, pairs);
	print_pairs(f->pairs_needed_upper, upper);
	(void)snprintf(dst, size,
	    "undecided (sees >= %s %s; %g %s needs %s pairs%s%s)",
	    print_seen(tape_compare_change(row, f->mde_ratio), seen),
	    tape_compare_change_unit(row), 100 * effect,
	    tape_compare_change_unit(row), pairs,
	    strcmp(pairs, upper) == 0 ? "" : ", up to ",
	    strcmp(pairs, upper) == 0 ? "" : upper);
}

/* Of two pairs, what each of them says: there is nothing else. */
static void
print_none(const struct tape_compare_row *row, char *dst, size_t size)
{
	double times = tape_compare_is_share(row) ? 100 : 1;

	if (row->k != 2 || !row->usable)
		(void)snprintf(dst, size, "no verdict");
	else
		(void)snprintf(dst, size, "no verdict (pairs %.3f, %.3f)",
		    times * tape_compare_scale(row, row->d[0]),
		    times * tape_compare_scale(row, row->d[1]));
}

const char *
tape_compare_cell_status(const struct tape_compare_report *r,
    const struct tape_compare_row *row, const struct tape_compare_judged *j,
    char dst[TAPE_COMPARE_CELL])
{
	size_t size = TAPE_COMPARE_CELL;
	static const char *const words[] = { [TAPE_COMPARE_LOSS] = "LOSS ",
		[TAPE_COMPARE_POSSIBLE_LOSS] = "POSSIBLE LOSS",
		[TAPE_COMPARE_WIN] = "WIN  " };
	double by = tape_compare_change(row, j->f.ratio);

	switch (j->status) {
	case TAPE_COMPARE_LOSS:
	case TAPE_COMPARE_POSSIBLE_LOSS:
	case TAPE_COMPARE_WIN:
		(void)snprintf(dst, size, "%s %.1f %s %s%s", words[j->status],
		    fabs(by), tape_compare_change_unit(row),
		    direction(row, by > 0),
		    j->flags[TAPE_COMPARE_FLAG_WITHIN] ? " (within margin)"
						       : "");
		break;
	case TAPE_COMPARE_EQUIVALENT:
		(void)snprintf(dst, size, "equivalent (within %g %s)",
		    100 * r->opts->margin_ratio, tape_compare_change_unit(row));
		break;
	case TAPE_COMPARE_UNDECIDED:
		print_undecided(r, row, &j->f, dst, size);
		break;
	case TAPE_COMPARE_NONE:
		print_none(row, dst, size);
		break;
	}
	return dst;
}
