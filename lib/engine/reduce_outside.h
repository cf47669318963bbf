/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_outside: what a run's report has from elsewhere than its responses:
 * telemetry of its devices.
 */
#ifndef TAPE_ENGINE_REDUCE_OUTSIDE_H
#define TAPE_ENGINE_REDUCE_OUTSIDE_H

#include "engine/observe.h"
#include "engine/summarize.h"

struct tape_reduce_outside {
	bool observed; /* telemetry was given; else set is empty */
	struct tape_observe_set set;
};

/*
 * Of the run with these summaries of all its requests.  samples may be NULL.
 * Release out in every case.  TAPE_E_NOMEM.
 */
enum tape_status tape_reduce_outside_make(struct tape_reduce_outside *out,
    const struct tape_samples *samples, const struct tape_summarize_run *run,
    const struct tape_summarize_set *all, struct tape_err *err) TAPE_NODISCARD;
void tape_reduce_outside_release(struct tape_reduce_outside *o);

#endif
