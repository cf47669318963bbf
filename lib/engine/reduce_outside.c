/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_outside.h"

static enum tape_status
observe(struct tape_reduce_outside *out,
    const struct tape_reduce_outside_run *about, struct tape_err *err)
{
	const struct tape_summarize_run *run = about->run;
	const struct tape_observe_run seen = { .run = run->run,
		.arm = run->arm,
		.round = run->round,
		.position = run->position,
		.first_ns = run->first_ns,
		.last_ns = run->last_ns,
		.output_tokens = tape_native_counted(
		    about->all, TAPE_METRIC_OUTPUT_TOKENS) };

	if (about->samples == NULL || about->samples->track_n == 0)
		return TAPE_OK;
	out->observed = true;
	return tape_observe(about->samples, &seen, &out->set, err);
}

enum tape_status
tape_reduce_outside_make(struct tape_reduce_outside *out,
    const struct tape_reduce_outside_run *about, struct tape_err *err)
{
	const struct tape_native_run native = { .run = about->run,
		.all = about->all,
		.start = about->start,
		.offline = about->offline,
		.observed = &out->set };
	enum tape_status st;

	memset(out, 0, sizeof(*out));
	st = observe(out, about, err);
	if (st == TAPE_OK)
		out->native = tape_native_make(&out->engine, &native);
	return st;
}

void
tape_reduce_outside_release(struct tape_reduce_outside *o)
{
	tape_observe_release(&o->set);
	memset(o, 0, sizeof(*o));
}
