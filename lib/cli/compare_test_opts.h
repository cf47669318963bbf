/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_test_opts: the options of ab-compare that say how it is tested, as
 * given; part of its table beside compare_opts.h.
 */
#ifndef TAPE_CLI_COMPARE_TEST_OPTS_H
#define TAPE_CLI_COMPARE_TEST_OPTS_H

#include "cli/opt.h"

/* NULL, 0 or false: not given. */
struct tape_compare_test_given {
	bool sequential;
	const char *looks;
	int spending; /* enum tape_stat_spending's order: obf, pocock */
	uint64_t max_pairs;
	const char *looked; /* an earlier report */
	const char *primary;
	const char *by; /* labels that make a point of a sweep */
	bool exploratory;
	bool aa;
	bool shape;
	int ci; /* t, exact, boot */
};

extern const struct tape_opt_part tape_compare_test_opts_part;

#endif
