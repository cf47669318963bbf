/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_opts: the options of ab-compare, as given.  What they mean is the
 * engine's business: the tool hands them on.
 */
#ifndef TAPE_CLI_COMPARE_OPTS_H
#define TAPE_CLI_COMPARE_OPTS_H

#include "cli/opt.h"

enum tape_compare_format {
	TAPE_COMPARE_AUTO,
	TAPE_COMPARE_TABLE,
	TAPE_COMPARE_JSON,
	TAPE_COMPARE_MARKDOWN,
	TAPE_COMPARE_JUNIT,
	TAPE_COMPARE_BENCHSTAT,
	TAPE_COMPARE_STREAM
};

/* NULL, 0 or false: not given; alpha and seed have their defaults before. */
struct tape_compare_given {
	struct tape_opt_list a, b;
	const char *arms;
	struct tape_opt_list vary; /* each separated by commas */
	int64_t within_ns;
	double alpha;
	double margin_ratio;
	bool has_margin;
	uint64_t seed;
	int format;       /* enum tape_compare_format */
	const char *gate; /* a file of rules */
	int undecided;    /* fail, warn, pass */
	bool has_undecided;
	const char *canary; /* label of the reference */
	bool allow_truncated;
};

extern const struct tape_opt_part tape_compare_opts_part;

/* TAPE_E_USAGE: alpha, margin, or a format that cannot be. */
enum tape_status tape_compare_given_check(
    const struct tape_compare_given *g, struct tape_err *err) TAPE_NODISCARD;

#endif
