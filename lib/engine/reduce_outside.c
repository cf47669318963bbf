/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_outside.h"

static bool
has_flag(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

/* Sum over all successful requests, as the server counted; NaN unless it did. */
static double
counted(const struct tape_summarize_set *all, int metric)
{
	const struct tape_summary *s = &all->summary[metric];

	if (s->n == 0 || (uint64_t)s->n != all->totals.ok ||
	    has_flag(s, "from-token-events"))
		return TAPE_ABSENT_F64;
	return s->mean * (double)s->n;
}

enum tape_status
tape_reduce_outside_make(struct tape_reduce_outside *out,
    const struct tape_samples *samples, const struct tape_summarize_run *run,
    const struct tape_summarize_set *all, struct tape_err *err)
{
	const struct tape_observe_run about = { .run = run->run,
		.arm = run->arm,
		.round = run->round,
		.position = run->position,
		.first_ns = run->first_ns,
		.last_ns = run->last_ns,
		.output_tokens = counted(all, TAPE_METRIC_OUTPUT_TOKENS) };

	memset(out, 0, sizeof(*out));
	if (samples == NULL || samples->track_n == 0)
		return TAPE_OK;
	out->observed = true;
	return tape_observe(samples, &about, &out->set, err);
}

void
tape_reduce_outside_release(struct tape_reduce_outside *o)
{
	tape_observe_release(&o->set);
	memset(o, 0, sizeof(*o));
}
