/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_judge: the figures of all rows into statuses and a verdict.
 *
 * p is adjusted over the rows of the family (compare_adjust.h).
 *
 * Statuses are tried in the order of the enum.  A loss needs the adjusted p; a
 * possible loss the plain one, or an interval that lies wholly on the worse
 * side: a loss is never averaged away.  Equivalence has to be shown (TOST
 * within a margin that the user gives).
 *
 * Where one arm is always first, what the drift-adjusted interval (log S = a +
 * theta arm + beta time) does not confirm is withheld: undecided.
 */
#ifndef TAPE_ENGINE_COMPARE_JUDGE_H
#define TAPE_ENGINE_COMPARE_JUDGE_H

#include "engine/compare_infer.h"

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

/* Of a sequential comparison. */
enum tape_compare_progress {
	TAPE_COMPARE_NOT_SEQUENTIAL,
	TAPE_COMPARE_ADD_PAIRS,
	TAPE_COMPARE_DECIDED,  /* a row found, or all equivalent */
	TAPE_COMPARE_EXHAUSTED /* undecided at the last look or pair */
};

const char *tape_compare_progress_name(enum tape_compare_progress p);

const char *tape_compare_status_name(enum tape_compare_status s);
const char *tape_compare_overall_name(enum tape_compare_overall o);

/* What is to be known of a row besides its status. */
enum tape_compare_flag {
	TAPE_COMPARE_FLAG_NO_VALUE, /* some runs lack it: not compared */
	TAPE_COMPARE_FLAG_MEDIANS,
	TAPE_COMPARE_FLAG_CONSTANT,
	TAPE_COMPARE_FLAG_ONE_PAIR, /* without it the sign could change */
	TAPE_COMPARE_FLAG_WITHHELD,
	TAPE_COMPARE_FLAG_WITHIN, /* found, but within the margin */
	TAPE_COMPARE_FLAGS
};

const char *tape_compare_flag_name(enum tape_compare_flag f);

struct tape_compare_judged {
	struct tape_compare_figures f;
	double p_adjusted;
	enum tape_compare_status status;
	bool found;       /* after adjustment, or by the sequential plan */
	bool equivalent;  /* shown to be within the margin */
	bool noninferior; /* shown not to be worse by the margin */
	bool flags[TAPE_COMPARE_FLAGS];
};

struct tape_compare_verdict {
	struct tape_compare_judged rows[TAPE_COMPARE_ROWS];
	bool judged;   /* there is a verdict */
	size_t tested; /* rows that have a test */
	size_t family; /* rows over which p is adjusted, of all comparisons */
	enum tape_compare_overall overall;
	enum tape_compare_progress progress;
	size_t counts[TAPE_COMPARE_NONE + 1]; /* rows of each status */
	/* The level, unadjusted, beyond which a row is at least a possible
	   loss; and how many chance alone would give. */
	double beyond;
	double by_chance;
};

/*
 * Judges the rows of one comparison; with notes->refused, or fewer than 3 pairs,
 * there are values and no verdict.  What makes it doubtful goes to notes
 * (compare_doubt.h).
 */
enum tape_status tape_compare_judge(const struct tape_compare_design *design,
    const struct tape_compare_row rows[TAPE_COMPARE_ROWS],
    const struct tape_compare_opts *opts, struct tape_compare_verdict *out,
    struct tape_compare_notes *notes, struct tape_err *err) TAPE_NODISCARD;

/* One comparison of those that are judged together. */
struct tape_compare_case {
	const struct tape_compare_design *design;
	const struct tape_compare_row *rows; /* TAPE_COMPARE_ROWS */
	struct tape_compare_verdict *verdict;
	struct tape_compare_notes *notes;
};

/* The same for n comparisons, with one family over all their rows. */
enum tape_status tape_compare_judge_all(const struct tape_compare_case *cases,
    size_t n, const struct tape_compare_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

/* Whether one arm was first in all pairs. */
bool tape_compare_fixed_order(const struct tape_compare_design *design);

#endif
