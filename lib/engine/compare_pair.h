/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_pair: runs into pairs.
 *
 * A pair is the run of A and the run of B of one round of one session.  A run
 * that was interrupted, or has no end, is none.
 */
#ifndef TAPE_ENGINE_COMPARE_PAIR_H
#define TAPE_ENGINE_COMPARE_PAIR_H

#include "engine/compare.h"

struct tape_compare_pair {
	const struct tape_compare_run *run[TAPE_COMPARE_ARMS];
	bool b_first;
	size_t matched; /* ids that succeeded in both */
};

struct tape_compare_design {
	struct tape_compare_pair *pairs; /* in order of time */
	size_t k;
	bool by_order;    /* paired by time, not by round */
	size_t a_first;   /* pairs in which A ran first */
	size_t matched;   /* the least of all pairs */
	bool interleaved; /* set by tape_compare_check_design */
	/* Set by tape_compare_check_work: */
	bool equal_lengths; /* per-token rows take answers of equal length */
	bool no_gaps;       /* gaps of the arms are not the same thing */
};

/*
 * Pairs the runs of an arranged set, which must outlive the design.  by_order:
 * the i-th run of A in time with the i-th of B, instead of by session and
 * round.  Refused: a round with two runs of an arm, or that lacks one; but the
 * last round of a session, if it lacks one, is left out with a warning.
 */
enum tape_status tape_compare_pair_runs(const struct tape_compare_set *set,
    bool by_order, struct tape_compare_design *design,
    struct tape_compare_notes *notes, struct tape_err *err) TAPE_NODISCARD;

void tape_compare_design_release(struct tape_compare_design *design);

/* The runs of a pair in the order in which they ran. */
const struct tape_compare_run *tape_compare_first(
    const struct tape_compare_pair *pair);
const struct tape_compare_run *tape_compare_second(
    const struct tape_compare_pair *pair);

/* Which pair it is, for people: "round 3", or "pair 3" where runs have no
   rounds; i is its place in the design. */
char *tape_compare_pair_name(
    const struct tape_compare_design *design, size_t i, char *dst, size_t size);

/*
 * Walks the ids that both runs of a pair have, in order of id: *ia and *ib,
 * 0 at first, move to the next such pair of requests.  False at the end.
 */
bool tape_compare_next_match(const struct tape_compare_pair *pair, size_t *ia,
    size_t *ib, const struct tape_compare_request **a,
    const struct tape_compare_request **b);

#endif
