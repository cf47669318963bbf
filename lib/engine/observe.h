/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * observe: what samples say of a run: a telemetry record for each quantity of
 * each device that was sampled by the run's clock.
 *
 * Gauges are of the samples within the run's window, each counting the same.
 * A counter's increase is from the last sample at or before the window's begin
 * to the first at or behind its end, so that nothing of the run is missed;
 * where it falls it began again from 0.  A run without a window has none.
 *
 * Where a source gives power, a further record, without device, has the energy
 * for each output token: the power of all its devices, as mean over the samples,
 * times the window, over the output tokens.
 */
#ifndef TAPE_ENGINE_OBSERVE_H
#define TAPE_ENGINE_OBSERVE_H

#include "base/err.h"
#include "engine/roles.h"
#include "engine/samples.h"

struct tape_observe_run {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	int64_t position;
	int64_t first_ns; /* its window, by the segment; TAPE_ABSENT_I64 none */
	int64_t last_ns;
	double output_tokens; /* NaN: not known of all its requests */
};

/* How well the samples of a track cover the window. */
struct tape_observe_cover {
	const struct tape_samples_track *track;
	size_t from, to;   /* its samples in the window: [from, to) */
	int64_t period_ns; /* median time between two; 0: fewer than two */
	double ratio;      /* of the window that lies within two periods of a
	                      sample */
};

struct tape_observe_set {
	struct tape_observed *v;
	size_t n;
	size_t cap;
	struct tape_observe_cover *cover; /* a track each */
	size_t cover_n;
};

/*
 * Records borrow from samples and run.  Release the set in every case; a
 * zeroed one is empty.  TAPE_E_NOMEM.
 */
enum tape_status tape_observe(const struct tape_samples *samples,
    const struct tape_observe_run *run, struct tape_observe_set *set,
    struct tape_err *err) TAPE_NODISCARD;
void tape_observe_release(struct tape_observe_set *set);

/*
 * The next record of that role in the set from *i on, behind which *i is then;
 * NULL: none.
 */
const struct tape_observed *tape_observe_next(
    const struct tape_observe_set *set, const char *role, size_t *i);

/* Sum of the increases of that role; NaN: none was sampled. */
double tape_observe_increase(
    const struct tape_observe_set *set, const char *role);

#endif
