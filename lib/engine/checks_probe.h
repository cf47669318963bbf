/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_probe: what the snapshots of /v1/models and /health say, as far as it
 * does not change by itself: many servers put the time of the answer and random
 * ids into them.
 */
#ifndef TAPE_ENGINE_CHECKS_PROBE_H
#define TAPE_ENGINE_CHECKS_PROBE_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_PROBE_MODELS     64 /* of a list */
#define TAPE_PROBE_MODEL_NAME 128

/* Names of models, in the order of their bytes. */
struct tape_probe_models {
	size_t n;
	char name[TAPE_PROBE_MODELS][TAPE_PROBE_MODEL_NAME];
	struct tape_buf list; /* "a, b" */
};

void tape_probe_models_init(struct tape_probe_models *models);
void tape_probe_models_release(struct tape_probe_models *models);

/* Of {"data":[{"id":...}]}; what is not that (or absent) has none. */
enum tape_status tape_probe_models_read(struct tape_probe_models *models,
    struct tape_str body, struct tape_err *err) TAPE_NODISCARD;

/* One is the other's beginning, or they are equal. */
bool tape_probe_models_have(
    const struct tape_probe_models *models, struct tape_str name);

/*
 * Appends "KEY was A and is B; " for the members of two objects that name the
 * server's program or its start (version, build, commit, model, pid, started,
 * ...) and differ, and for an uptime that fell.
 */
void tape_probe_health_compare(
    struct tape_str before, struct tape_str after, struct tape_buf *out);

/* Appends "version 1.2, commit x": what the object says of the program. */
void tape_probe_version(struct tape_str body, struct tape_buf *out);

#endif
