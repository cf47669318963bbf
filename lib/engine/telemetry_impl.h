/* SPDX-License-Identifier: GPL-3.0-or-later */
/* telemetry_impl: what the threads of telemetry share. */
#ifndef TAPE_ENGINE_TELEMETRY_IMPL_H
#define TAPE_ENGINE_TELEMETRY_IMPL_H

#include "base/command.h"
#include "base/cond.h"
#include "engine/reading.h"
#include "engine/telemetry.h"

#include <stdatomic.h>

struct tape_telemetry {
	const struct tape_telemetry_opts *o;
	atomic_bool stop;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	size_t running;
	struct tape_telemetry_counts counts;
	struct tape_err err;  /* of the writer */
	struct tape_err last; /* of a source */
};

struct tape_telemetry_thread {
	struct tape_telemetry *all;
	const struct tape_telemetry_source *source;
	struct tape_command command; /* of a source that is one */
	struct tape_reading reading;
	bool told; /* what is wrong */
	bool started;
	pthread_t thread;
};

/* Thread functions. */
void *tape_telemetry_lines(void *thread);
void *tape_telemetry_pages(void *thread);

/* The reading in hand, of that time, becomes a record. */
void tape_telemetry_put(struct tape_telemetry_thread *t, int64_t t_ns);

/* A line or page was no reading, or did not come. */
void tape_telemetry_bad(
    struct tape_telemetry_thread *t, const struct tape_err *why);
void tape_telemetry_missed(
    struct tape_telemetry_thread *t, const struct tape_err *why);

/* Sleeps until then, or until all is to stop. */
void tape_telemetry_sleep(struct tape_telemetry *all, int64_t at_ns);

#endif
