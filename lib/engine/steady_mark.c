/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What summaries say of the cut, and of what changes behind it. */
#include "engine/steady.h"

static void
mark_cut(const struct tape_steady_cut *cut, struct tape_summarize_set *set)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		struct tape_summary *s = &set->summary[i];

		s->warmup_cut = (int64_t)cut->warmup;
		s->drain_cut = (int64_t)cut->drain;
		if (cut->why == TAPE_STEADY_FOUND)
			continue;
		set->flag[i][s->flags.n++] = tape_str_of(
		    cut->why == TAPE_STEADY_FEW ? "few-to-cut" : "not-steady");
		s->flags.v = set->flag[i];
	}
}

static void
mark_full(const struct tape_steady_cut *cut, struct tape_summarize_set *set)
{
	const int at = TAPE_METRIC_CONCURRENCY;
	struct tape_summary *s = &set->summary[at];

	if (!(cut->open_mean < TAPE_STEADY_FULL * (double)cut->slots))
		return;
	set->flag[at][s->flags.n++] = tape_str_of("not-full");
	s->flags.v = set->flag[at];
}

static enum tape_status
mark_trend(const struct tape_trend *t, struct tape_summarize_set *set,
    int metric, char text[TAPE_TREND_TEXT], struct tape_err *err)
{
	struct tape_summary *s = &set->summary[metric];
	enum tape_status st =
	    tape_trend_mark(t, s, text, set->flag[metric], &s->flags.n, err);

	if (s->flags.n > 0)
		s->flags.v = set->flag[metric];
	return st;
}

enum tape_status
tape_steady_mark(struct tape_steady_cut *cut, struct tape_summarize_set *set,
    struct tape_steady_text *text, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	mark_cut(cut, set);
	mark_full(cut, set);
	for (int k = 0; k < TAPE_STEADY_METRICS && st == TAPE_OK; k++) {
		struct tape_summary *s = &set->summary[tape_steady_metrics[k]];

		cut->kept[k] =
		    (struct tape_steady_mean){ (uint64_t)s->n, s->mean };
		s->whole_n = (int64_t)cut->whole[k].n;
		s->whole_mean = cut->whole[k].mean;
		st = mark_trend(&cut->trend[k], set, tape_steady_metrics[k],
		    text->v[k], err);
	}
	return st == TAPE_OK
		   ? mark_trend(&cut->flight, set, TAPE_METRIC_CONCURRENCY,
			 text->v[TAPE_STEADY_METRICS], err)
		   : st;
}
