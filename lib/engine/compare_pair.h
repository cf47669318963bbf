/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_pair: runs into pairs, and whether they may be compared at all.
 *
 * A pair is the run of A and the run of B of one round of one session.  What
 * the design forbids is refused (statistics of any kind cannot mend it), what
 * it makes doubtful is warned of.
 */
#ifndef TAPE_ENGINE_COMPARE_PAIR_H
#define TAPE_ENGINE_COMPARE_PAIR_H

#include "engine/compare.h"

/* What may differ between the arms, being what is compared. */
enum tape_compare_vary {
	TAPE_COMPARE_VARY_MODEL = 1 << 0,
	TAPE_COMPARE_VARY_EXTRA = 1 << 1,
	TAPE_COMPARE_VARY_LOAD = 1 << 2, /* concurrency and rate */
	TAPE_COMPARE_VARY_TRACE = 1 << 3,
	TAPE_COMPARE_VARY_API = 1 << 4,
	TAPE_COMPARE_VARY_WARMUP = 1 << 5
};

struct tape_compare_pair {
	const struct tape_compare_run *run[TAPE_COMPARE_ARMS];
	bool b_first;
	size_t matched; /* ids that succeeded in both */
};

struct tape_compare_design {
	struct tape_compare_pair *pairs; /* in order of time */
	size_t k;
	size_t a_first; /* pairs in which A ran first */
	size_t matched; /* the least of all pairs */
	bool interleaved;
};

/*
 * by_order: the i-th run of A with the i-th of B, as files were named, instead
 * of by session and round.  Refusals and warnings go to notes.
 */
enum tape_status tape_compare_pair_runs(const struct tape_compare_set *set,
    bool by_order, unsigned vary, struct tape_compare_design *design,
    struct tape_compare_notes *notes, struct tape_err *err) TAPE_NODISCARD;

void tape_compare_design_release(struct tape_compare_design *design);

/*
 * Walks the ids that both runs of a pair have, in order of id: *ia and *ib,
 * 0 at first, move to the next such pair of requests.  False at the end.
 */
bool tape_compare_next_match(const struct tape_compare_pair *pair, size_t *ia,
    size_t *ib, const struct tape_compare_request **a,
    const struct tape_compare_request **b);

#endif
