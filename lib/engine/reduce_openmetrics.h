/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_openmetrics: names of metrics as Prometheus has them, and the families
 * that are gathered until all runs are in.
 */
#ifndef TAPE_ENGINE_REDUCE_OPENMETRICS_H
#define TAPE_ENGINE_REDUCE_OPENMETRICS_H

#include "base/buf.h"
#include "engine/metrics.h"

#define TAPE_OPENMETRICS_NAME 96

/* The name of a family and, if there is one, its unit: seconds for ns, else the
   metric's. */
struct tape_openmetrics_name {
	char name[TAPE_OPENMETRICS_NAME];
	const char *unit; /* "": none */
	double by;        /* divides a value */
};

void tape_openmetrics_name(
    const struct tape_metric *m, struct tape_openmetrics_name *out);

struct tape_openmetrics;

void tape_openmetrics_free(struct tape_openmetrics *o);

#endif
