/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_shown.h"

bool
tape_shown_is(const struct tape_summarize_set *set, int metric, bool wide)
{
	const struct tape_summary *s = &set->summary[metric];

	if (tape_metric_table[metric].kind == TAPE_METRIC_RUN)
		return false;
	if (metric == TAPE_METRIC_TTFT || metric == TAPE_METRIC_LATENCY)
		return true;
	if (s->n == 0)
		return false;
	if (wide)
		return true;
	if (tape_metric_table[metric].extra)
		return false;
	switch (metric) {
	case TAPE_METRIC_TTH:
	case TAPE_METRIC_TTFB:
	case TAPE_METRIC_BYTES:
		return set->to_end;
	case TAPE_METRIC_TTST:
	case TAPE_METRIC_ANSWER_TOKENS:
	case TAPE_METRIC_TOKEN_EVENTS:
		return false;
	case TAPE_METRIC_TTFO:
		return set->reasoned > 0;
	case TAPE_METRIC_CACHED_TOKENS:
	case TAPE_METRIC_REASONING_TOKENS:
	case TAPE_METRIC_CACHE_WRITE_TOKENS:
	case TAPE_METRIC_AUDIO_INPUT_TOKENS:
	case TAPE_METRIC_AUDIO_OUTPUT_TOKENS:
	case TAPE_METRIC_ACCEPTED_TOKENS:
	case TAPE_METRIC_REJECTED_TOKENS:
		return s->max > 0;
	default:
		return true;
	}
}

bool
tape_shown_flag(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

size_t
tape_shown_values(
    const struct tape_summary *s, bool wide, double v[TAPE_SHOWN_CELLS])
{
	double max;
	const struct tape_quantiles q = tape_summarize_quantiles(s, &max);
	const double narrow[] = { s->mean, q.p50, q.p90, q.p99, max };
	const double all[] = { s->mean, s->sd, s->min, q.p1, q.p5, q.p10, q.p25,
		q.p50, q.p75, q.p90, q.p95, q.p99, q.p999, q.p9999, max };

	memcpy(v, wide ? all : narrow, wide ? sizeof(all) : sizeof(narrow));
	return (wide ? sizeof(all) : sizeof(narrow)) / sizeof(*v);
}

static const char *const narrow_names[] = { "avg", "p50", "p90", "p99", "max",
	NULL };
static const char *const wide_names[] = { "avg", "sd", "min", "p1", "p5", "p10",
	"p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max",
	NULL };

const char *const *
tape_shown_names(bool wide)
{
	return wide ? wide_names : narrow_names;
}

/* Where the middle or the largest is infinite, the largest that is not. */
struct tape_reduce_scale
tape_shown_scale(const struct tape_summary *s, const char *unit)
{
	const struct tape_quantiles *q = &s->quantiles;
	const double rising[] = { s->min, q->p10, q->p50, q->p90, q->p99,
		s->max };
	double largest = s->min, middle = q->p50;

	for (size_t i = 0; i < sizeof(rising) / sizeof(*rising); i++)
		if (!isnan(rising[i]))
			largest = rising[i];
	if (isnan(middle))
		middle = largest;
	return tape_reduce_scale_for(unit, middle, largest);
}
