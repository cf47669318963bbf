/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/summarize_curves.h"

static const double levels[] = { 0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95,
	0.99, 0.999, 0.9999 };

/* In the order of levels. */
static void
fill_quantiles(const double *q, struct tape_quantiles *out)
{
	*out = (struct tape_quantiles){ q[0], q[1], q[2], q[3], q[4], q[5],
		q[6], q[7], q[8], q[9], q[10] };
}

static void
fill(const struct tape_inflight_stats *c, const struct tape_summarize_run *run,
    struct tape_summary *s)
{
	s->n = (int64_t)c->n;
	s->window_start_ns = run->first_ns;
	s->window_end_ns = run->last_ns;
	if (c->n == 0)
		return;
	s->mean = c->mean;
	s->sd = c->sd;
	s->min = c->min;
	s->max = c->max;
	s->quantile_type = 1;
	fill_quantiles(c->q, &s->quantiles);
}

/* Of one tally its own intervals, of several a copy of all. */
static enum tape_status
join(struct tape_tally *const *tallies, size_t n, struct tape_inflight *all,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = tape_inflight_append(all, &tallies[i]->inflight, err);
	return st;
}

enum tape_status
tape_summarize_curves(const struct tape_summarize_run *run,
    struct tape_tally *const *tallies, size_t n, struct tape_summarize_set *out,
    struct tape_err *err)
{
	const struct tape_inflight_window window = { run->first_ns,
		run->last_ns, levels, sizeof(levels) / sizeof(*levels) };
	struct tape_inflight_stats stats[TAPE_INFLIGHT_CURVES];
	struct tape_inflight all = { 0 };
	enum tape_status st = TAPE_OK;

	if (run->sliced || run->first_ns == TAPE_ABSENT_I64 ||
	    run->last_ns == TAPE_ABSENT_I64)
		return TAPE_OK;
	if (n != 1)
		st = join(tallies, n, &all, err);
	if (st == TAPE_OK)
		st = tape_inflight_describe(
		    n == 1 ? &tallies[0]->inflight : &all, &window, stats, err);
	for (int c = 0; c < TAPE_INFLIGHT_CURVES && st == TAPE_OK; c++)
		fill(&stats[c], run, &out->summary[TAPE_METRIC_CURVES + c]);
	tape_inflight_release(&all);
	return st;
}
