/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_family: all comparisons that a set of runs holds, each candidate
 * against the baseline, at each point of a sweep; judged together.
 *
 * Pairs are made within a point.  One candidate and no points are a family of
 * one.
 */
#ifndef TAPE_ENGINE_COMPARE_FAMILY_H
#define TAPE_ENGINE_COMPARE_FAMILY_H

#include "engine/compare_conditions.h"
#include "engine/compare_judge.h"

/* Comparisons of one family. */
#define TAPE_COMPARE_MEMBERS_MAX 400

struct tape_compare_member {
	/* Runs of its own, of the two arms at the point; all else is borrowed
	   from the set. */
	struct tape_compare_set view;
	struct tape_str point; /* JSON object; absent: no sweep */
	struct tape_compare_design design;
	struct tape_compare_row rows[TAPE_COMPARE_ROWS];
	struct tape_compare_notes notes;
	struct tape_compare_verdict verdict;
};

struct tape_compare_family {
	struct tape_compare_member *v;
	size_t n;
};

struct tape_compare_family_opts {
	bool by_order;  /* pair by time, not by round */
	const char *by; /* names of labels that make a point; NULL: none */
	const struct tape_compare_vary *vary;
};

/*
 * Pairs an arranged set, which must outlive the family, checks designs and
 * data, and makes the rows.  TAPE_E_USAGE: too many comparisons; the errors of
 * compare_point.h; TAPE_E_NOMEM.  Release also after a failure.
 */
enum tape_status tape_compare_family_build(struct tape_compare_set *set,
    const struct tape_compare_family_opts *o, struct tape_compare_family *f,
    struct tape_err *err) TAPE_NODISCARD;

/* Judges all; opts->cases is their number. */
enum tape_status tape_compare_family_judge(struct tape_compare_family *f,
    const struct tape_compare_opts *opts, struct tape_err *err) TAPE_NODISCARD;

void tape_compare_family_release(struct tape_compare_family *f);

#endif
