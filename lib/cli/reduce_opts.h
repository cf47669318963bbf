/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reduce_opts: the options of metrics-reduce, as given.  What they mean is the
 * engine's business: the tool hands them on.
 */
#ifndef TAPE_CLI_REDUCE_OPTS_H
#define TAPE_CLI_REDUCE_OPTS_H

#include "cli/opt.h"

enum tape_reduce_format {
	TAPE_REDUCE_TABLE,
	TAPE_REDUCE_JSON,
	TAPE_REDUCE_CSV,
	TAPE_REDUCE_STREAM,
	TAPE_REDUCE_MARKDOWN,
	TAPE_REDUCE_OPENMETRICS
};

/* What --worst may ask for: the engine's limit. */
#define TAPE_REDUCE_WORST_MAX 1000

/* NULL, 0 or false: not given. */
struct tape_reduce_given {
	int import; /* place in auto, aiperf, vllm, guidellm */
	bool has_import;
	int from;  /* place in due, start, sent */
	int clock; /* place in best, user */
	const char *definitions;
	struct tape_opt_list slo;
	bool infinite;
	int format; /* enum tape_reduce_format */
	bool has_format;
	const char *by;
	int64_t slice_ns;
	bool steady;
	const char *converge;
	uint64_t worst;
	bool has_worst;
	const char *worst_by;
	bool wide;
	int metrics; /* place in basic, all */
	bool has_metrics;
	double stall_ratio;
	bool has_stall_ratio;
	bool strict;
	struct tape_opt_list telemetry;
	const char *offline;
	bool allow_truncated;
	uint64_t memory_bytes;
	uint64_t threads;
	bool partial;
	const char *shard;
};

extern const struct tape_opt_part tape_reduce_opts_part;

#endif
