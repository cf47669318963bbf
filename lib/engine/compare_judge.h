/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_judge: rows into tests, statuses and a verdict.
 *
 *	pairs	test
 *	1, 2	none: values only
 *	3 to 5	paired t, Holm over the rows, and all pairs must agree in sign
 *	6 on	exact sign flip (Monte Carlo beyond 40), step-down max-T
 *
 * Where one arm is always first, a finding that the drift-adjusted estimate
 * (log S = a + theta arm + beta time) does not confirm is withheld.
 *
 * Statuses are tried in the order of the enum.  A loss needs the adjusted p, a
 * possible loss the plain one: a loss is never averaged away.  Equivalence has
 * to be shown (TOST within a margin that the user gives).
 */
#ifndef TAPE_ENGINE_COMPARE_JUDGE_H
#define TAPE_ENGINE_COMPARE_JUDGE_H

#include "codec/stat_dist.h"
#include "engine/compare_rows.h"

enum tape_compare_status {
	TAPE_COMPARE_LOSS,
	TAPE_COMPARE_POSSIBLE_LOSS,
	TAPE_COMPARE_WIN,
	TAPE_COMPARE_EQUIVALENT,
	TAPE_COMPARE_UNDECIDED,
	TAPE_COMPARE_NONE /* no verdict can be given */
};

enum tape_compare_overall {
	TAPE_COMPARE_ALL_LOSS,
	TAPE_COMPARE_ALL_MIXED,
	TAPE_COMPARE_ALL_WIN,
	TAPE_COMPARE_ALL_WIN_UNPROVEN,
	TAPE_COMPARE_ALL_EQUIVALENT,
	TAPE_COMPARE_ALL_UNDECIDED,
	TAPE_COMPARE_ALL_NONE
};

const char *tape_compare_status_name(enum tape_compare_status s);
const char *tape_compare_overall_name(enum tape_compare_overall o);

struct tape_compare_opts {
	double alpha;
	double margin_ratio; /* 0.02 for 2 %; NaN: none was given */
	uint64_t seed;       /* of Monte Carlo sign vectors */
};

/* What came of one row; NaN where there is no such figure.  For shares, ratio
   and intervals are differences. */
struct tape_compare_judged {
	double ratio;
	struct tape_stat_interval ci;       /* paired t, 95 % */
	struct tape_stat_interval ci_exact; /* sign flip, from 6 pairs */
	double ci_exact_level;
	double hl_ratio;
	const char *test;
	double p;
	double p_min;
	double p_t;
	double p_adjusted;
	double tost_p;
	double noninferior_p; /* that B is slower by the margin or more */
	double mde_ratio;
	int64_t pairs_needed; /* absent: more than can be said */
	int64_t pairs_needed_upper;
	struct tape_stat_interval loo;
	double drift_ratio; /* a linear drift over the session taken out */
	struct tape_stat_interval drift_ci;
	bool slower;
	bool signs_agree;
	bool constant;
	enum tape_compare_status status;
};

struct tape_compare_verdict {
	struct tape_compare_judged rows[TAPE_COMPARE_ROWS];
	size_t family; /* rows that were tested */
	enum tape_compare_overall overall;
	size_t counts[TAPE_COMPARE_NONE + 1]; /* rows of each status */
	double by_chance; /* possible losses that chance alone would give */
};

/*
 * Judges the rows; with notes->refused, or fewer than 3 pairs, there are values
 * and no verdict.  Warnings about the rows go to notes.
 */
enum tape_status tape_compare_judge(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_compare_notes *notes, struct tape_err *err) TAPE_NODISCARD;

#endif
