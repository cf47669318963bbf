/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_precision.h"

#include "base/num.h"
#include "engine/reduce_cell.h"

#include <inttypes.h>

#define PERCENT 100

static void
add(struct tape_buf *b, const char *s)
{
	(void)tape_buf_add_str(b, s);
}

/* Half of the interval, in percent of the mean; NaN when there is none. */
static double
off_by(const struct tape_summary *s)
{
	if (isnan(s->ci.level_ratio) || !(fabs(s->mean) > 0))
		return TAPE_ABSENT_F64;
	return PERCENT * (s->ci.hi - s->ci.lo) / 2 / fabs(s->mean);
}

/* What the lines below a table speak of. */
static const int shown[] = { TAPE_METRIC_TTFT, TAPE_METRIC_LATENCY,
	TAPE_METRIC_TPOT };

/* A p99 of so few values that its interval has no upper end. */
static void
add_open(struct tape_buf *b, const struct tape_summarize_set *set)
{
	const char *sep = "p99 is open above, and at least: ";
	char text[TAPE_NUM_TEXT];
	bool any = false;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		struct tape_intervals_ends e;

		if (!tape_intervals_find(&set->summary[shown[i]], 0.99, &e) ||
		    isnan(e.lo) || !isnan(e.hi))
			continue;
		(void)tape_buf_add_fmt(b, "%s%s %s", sep,
		    tape_metric_table[shown[i]].name,
		    tape_num_print_duration(e.lo, text));
		sep = ", ";
		any = true;
	}
	if (any)
		add(b, "\n");
}

static void
add_line(struct tape_buf *b, const struct tape_summarize_set *set)
{
	const char *sep = "95 % of avg, within this run only: ";
	bool any = false;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		const double off = off_by(&set->summary[shown[i]]);

		if (isnan(off))
			continue;
		(void)tape_buf_add_fmt(b, "%s%s +-%.*f %%", sep,
		    tape_metric_table[shown[i]].name, off < 10 ? 1 : 0, off);
		sep = ", ";
		any = true;
	}
	if (any)
		add(b, "\n");
	else if (set->summary[TAPE_METRIC_LATENCY].n > 0 &&
		 isnan(set->summary[TAPE_METRIC_LATENCY].finite_ratio))
		add(b, "no intervals: they need 20 requests\n");
}

/* Outliers that move a mean. */
static void
add_moved(struct tape_buf *b, const struct tape_summarize_set *set)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_summary *s = &set->summary[i];
		const struct tape_metric *m = &tape_metric_table[i];
		struct tape_reduce_scale scale;

		if (isnan(s->mean_without) ||
		    (i != TAPE_METRIC_TTFT && i != TAPE_METRIC_LATENCY &&
			i != TAPE_METRIC_TPOT && i != TAPE_METRIC_GAP))
			continue;
		scale = tape_reduce_scale_for(
		    m->unit, s->mean_without, s->mean_without);
		(void)tape_buf_add_fmt(b,
		    "outliers: %" PRId64 " of %s, whose avg would be %.*f %s "
		    "without\n",
		    s->outliers, m->name, scale.decimals,
		    s->mean_without / scale.by, scale.unit);
	}
}

static void
add_ends(struct tape_buf *b, const struct tape_reduce_scale *scale, double lo,
    double hi)
{
	tape_reduce_cell(b, scale, lo, "-");
	tape_reduce_cell(b, scale, hi, "-");
}

static void
add_count(struct tape_buf *b, int64_t n)
{
	if (n == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%10s", "-");
	else
		(void)tape_buf_add_fmt(b, "%10" PRId64, n);
}

static void
add_row(struct tape_buf *b, const struct tape_summary *s,
    const struct tape_metric *m)
{
	static const double q[] = { 0.5, 0.9, 0.99 };
	const struct tape_reduce_scale scale =
	    tape_reduce_scale_for(m->unit, s->quantiles.p50, s->max);

	(void)tape_buf_add_fmt(
	    b, "%-13s%-6s%9.1f", m->display, scale.unit, s->n_eff);
	add_ends(b, &scale, s->ci.lo, s->ci.hi);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++) {
		struct tape_intervals_ends e;

		(void)tape_intervals_find(s, q[i], &e);
		add_ends(b, &scale, e.lo, e.hi);
	}
	add_count(b, s->n_mean_2pct);
	add_count(b, s->n_p50_2pct);
	add_count(b, s->outliers);
	add(b, "\n");
}

void
tape_reduce_precision(
    struct tape_buf *b, const struct tape_summarize_set *set, bool wide)
{
	bool begun = false;

	add_line(b, set);
	add_open(b, set);
	add_moved(b, set);
	for (int i = 0; wide && i < TAPE_METRIC_COUNT; i++) {
		const struct tape_summary *s = &set->summary[i];

		if (tape_metric_table[i].kind != TAPE_METRIC_REQUEST ||
		    isnan(s->ci.level_ratio))
			continue;
		if (!begun)
			add(b, "metric       unit      n_eff  avg from       to"
			       " p50 from       to p90 from       to p99 from"
			       "       to    n: avg    n: p50  outliers\n");
		begun = true;
		add_row(b, s, &tape_metric_table[i]);
	}
	if (begun)
		add(b, "n: requests for +-2 % of avg, of p50\n");
}
