/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * telemetry: readings of devices and servers, taken while something else runs,
 * as sample records of a wire stream, with a clock record each second.
 *
 * A source is a command that writes lines, each of which is stamped when it has
 * come, or the page of a Prometheus exporter, asked for at absolute deadlines
 * and stamped when its first byte comes.  Each has a thread of its own; one that
 * fails is said once and tried again, where it can be, and the others go on.
 */
#ifndef TAPE_ENGINE_TELEMETRY_H
#define TAPE_ENGINE_TELEMETRY_H

#include "base/clock.h"
#include "record/writer.h"

#define TAPE_TELEMETRY_SOURCES 16
#define TAPE_TELEMETRY_LINE    ((size_t)64 << 10)  /* a longer one is dropped */
#define TAPE_TELEMETRY_PAGE    ((size_t)8 << 20)   /* what is more is cut */
#define TAPE_TELEMETRY_ASK_NS  (2 * TAPE_NS_PER_S) /* most for a page */

enum tape_telemetry_kind {
	TAPE_TELEMETRY_SMI,
	TAPE_TELEMETRY_TEGRA,
	TAPE_TELEMETRY_PROMETHEUS
};

/* "nvidia-smi", "tegrastats", "prometheus": the source of a record. */
const char *tape_telemetry_name(enum tape_telemetry_kind kind);

struct tape_telemetry_source {
	enum tape_telemetry_kind kind;
	const char *what; /* a command of the shell, or a URL */
};

struct tape_telemetry_opts {
	const struct tape_telemetry_source *sources;
	size_t sources_n;
	int64_t every_ns;            /* between two pages */
	int64_t duration_ns;         /* 0: until told, or all have ended */
	const char *const *patterns; /* of values of pages; none: all */
	size_t patterns_n;
	struct tape_writer *writer; /* its segment is open */
	int64_t epoch_ns;           /* of the monotonic clock */
	int (*interrupts)(void);    /* not 0: end */
	/* What is wrong with a source; any thread, one at a time. */
	void (*warn)(void *arg, const char *text);
	void *arg;
};

struct tape_telemetry_counts {
	uint64_t samples;
	uint64_t bad;     /* lines and pages that were no reading */
	uint64_t missed;  /* pages that did not come */
	uint64_t dropped; /* values beyond the limits of reading.h */
};

/* TAPE_E_IO when all sources have ended or failed without a sample. */
enum tape_status tape_telemetry_run(const struct tape_telemetry_opts *opts,
    struct tape_telemetry_counts *counts, struct tape_err *err) TAPE_NODISCARD;

#endif
