/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_between.h"

#include "engine/reduce_cell.h"

#include <inttypes.h>

#define PERCENT    100
#define TEXT_BYTES 60

static bool
is_shown(int metric, bool wide)
{
	switch (metric) {
	case TAPE_METRIC_TTFT:
	case TAPE_METRIC_LATENCY:
	case TAPE_METRIC_TPOT:
	case TAPE_METRIC_GAP:
	case TAPE_METRIC_TOKENS_PER_S_PER_USER:
	case TAPE_METRIC_REQUESTS_PER_S:
	case TAPE_METRIC_OUTPUT_TOKENS_PER_S:
	case TAPE_METRIC_GOOD_RATIO:
	case TAPE_METRIC_FAILED_RATIO:
		return true;
	default:
		return wide;
	}
}

static void
add_row(struct tape_buf *b, const struct tape_summary *s,
    const struct tape_metric *m)
{
	const struct tape_reduce_scale scale =
	    tape_reduce_scale_for(m->unit, s->mean, s->max);

	(void)tape_buf_add_fmt(
	    b, "%-17s%-6s%5" PRId64, m->display, scale.unit, s->n_runs);
	tape_reduce_cell(b, &scale, s->mean, "-");
	tape_reduce_cell(b, &scale, s->ci.lo, "-");
	tape_reduce_cell(b, &scale, s->ci.hi, "-");
	if (isnan(s->cv_ratio))
		(void)tape_buf_add_fmt(b, "%7s", "-");
	else
		(void)tape_buf_add_fmt(b, "%7.2f", PERCENT * s->cv_ratio);
	tape_reduce_cell(b, &scale, s->min, "-");
	tape_reduce_cell(b, &scale, s->max, "-");
	(void)tape_buf_add_char(b, '\n');
}

static void
add_aim(struct tape_buf *b, const struct tape_reduce_between *info)
{
	const enum tape_metric_id metric = info->aim->metric;
	const struct tape_summary *s;
	double off;

	if (metric == TAPE_METRIC_COUNT)
		return;
	s = &info->set->summary[metric];
	(void)tape_buf_add_fmt(b,
	    "converge %s to +-%g %%: ", tape_metric_table[metric].name,
	    PERCENT * info->aim->ratio);
	if (s->n_runs == TAPE_ABSENT_I64) {
		(void)tape_buf_add_str(
		    b, "unknown, two runs with a value are needed\n");
		return;
	}
	off = PERCENT * (s->ci.hi - s->ci.lo) / 2 / fabs(s->mean);
	(void)tape_buf_add_fmt(
	    b, "+-%.2f %% with %" PRId64 " runs, ", off, s->n_runs);
	if (off <= PERCENT * info->aim->ratio)
		(void)tape_buf_add_str(b, "reached\n");
	else if (s->runs_needed == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(
		    b, "over %d would be needed\n", TAPE_BETWEEN_RUNS_MOST);
	else
		(void)tape_buf_add_fmt(b, "about %" PRId64 " more needed\n",
		    s->runs_needed - s->n_runs);
}

void
tape_reduce_between_table(
    struct tape_buf *b, const struct tape_reduce_between *info, bool wide)
{
	bool any = false;

	(void)tape_buf_add_fmt(
	    b, "\nbetween %zu run%s", info->runs, info->runs == 1 ? "" : "s");
	tape_reduce_text_part(b, ", arm ", info->arm);
	tape_reduce_text_part(b, ", ", info->group);
	(void)tape_buf_add_str(b, "\n");
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_summary *s = &info->set->summary[i];

		if (s->n_runs == TAPE_ABSENT_I64 || !is_shown(i, wide))
			continue;
		if (!any)
			(void)tape_buf_add_fmt(b,
			    "%-17s%-6s%5s%9s%9s%9s%7s%9s%9s\n", "metric",
			    "unit", "runs", "avg", "95% from", "to", "cv %",
			    "min", "max");
		any = true;
		add_row(b, s, &tape_metric_table[i]);
	}
	add_aim(b, info);
}
