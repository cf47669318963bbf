/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_outside: what a run's report has from elsewhere than its responses:
 * telemetry of its devices, and what the engine counted.
 */
#ifndef TAPE_ENGINE_REDUCE_OUTSIDE_H
#define TAPE_ENGINE_REDUCE_OUTSIDE_H

#include "engine/native.h"

struct tape_reduce_outside {
	bool observed; /* telemetry was given; else set is empty */
	struct tape_observe_set set;
	bool native; /* the engine said something: */
	struct tape_engine engine;
};

/* Of a run with these summaries of all its requests. */
struct tape_reduce_outside_run {
	const struct tape_samples *samples; /* NULL: there are none */
	const struct tape_offline *offline; /* likewise */
	const struct tape_run *start;       /* likewise */
	const struct tape_summarize_run *run;
	const struct tape_summarize_set *all;
};

/* out borrows from it.  Release out in every case.  TAPE_E_NOMEM. */
enum tape_status tape_reduce_outside_make(struct tape_reduce_outside *out,
    const struct tape_reduce_outside_run *about,
    struct tape_err *err) TAPE_NODISCARD;
void tape_reduce_outside_release(struct tape_reduce_outside *o);

#endif
