/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * canary: two deployments that were measured on different days, set against
 * each other through a reference server that ran, interleaved, in both
 * sessions.
 *
 * Each session is a comparison of its own, with the reference as A.  Its pairs
 * give log(deployment/reference); B/A is the ratio of the two sessions' means,
 * its interval Welch's, of unequal variances.  What changed the machine between
 * the days cancels as far as it changed the reference alike: that is an
 * assumption, and everything that is printed says cross-session.
 */
#ifndef TAPE_ENGINE_CANARY_H
#define TAPE_ENGINE_CANARY_H

#include "codec/json_write.h"
#include "engine/compare_family.h"
#include "engine/gate.h"

struct tape_canary {
	struct tape_str label; /* of the reference */
	const struct tape_compare_member *of[TAPE_COMPARE_ARMS]; /* sessions */
	struct tape_compare_verdict verdict; /* ratio, ci, p of its rows */
	struct tape_compare_notes notes;     /* of both sessions */
	/* Of the deployments: values, no pairs. */
	struct tape_compare_row rows[TAPE_COMPARE_ROWS];
	struct tape_compare_set set; /* borrowed: of B's session */
	struct tape_compare_design none;
	struct tape_gate_verdict gated;
	struct tape_compare_report report; /* of the above, with its gate */
};

struct tape_canary_opts {
	const struct tape_compare_opts *opts;
	const struct tape_gate *gate;
	enum tape_gate_policy policy;
	const struct tape_compare_vary *vary;
};

/* Makes the reference A of a loaded set, before it is arranged.  TAPE_E_USAGE:
   its runs are not of two arms, one of which is the reference; TAPE_E_NOMEM. */
enum tape_status tape_canary_name_arms(struct tape_compare_set *set,
    const char *label, struct tape_err *err) TAPE_NODISCARD;

/*
 * Sets a session of A against one of B, both built and not judged, which must
 * outlive c, as must the gate.  Without a comparison of either session there is
 * none, and the verdict says so; likewise where the conditions of the reference
 * differ between the sessions and vary has them not.  TAPE_E_NOMEM; release
 * also then.
 */
enum tape_status tape_canary_compare(struct tape_canary *c, const char *label,
    const struct tape_compare_member *a, const struct tape_compare_member *b,
    const struct tape_canary_opts *o, struct tape_err *err) TAPE_NODISCARD;
void tape_canary_release(struct tape_canary *c);

/* The rows, what a gate made of them, and the notes, as text. */
void tape_canary_print(const struct tape_canary *c, struct tape_buf *out);

/* A session's mean of deployment/reference, in row i, as a table has it. */
#define TAPE_CANARY_CELL 48
const char *tape_canary_cell(const struct tape_canary *c, size_t arm, size_t i,
    char dst[TAPE_CANARY_CELL]);

/* Pairs of the session that has fewer. */
size_t tape_canary_pairs(const struct tape_canary *c);

/* Members of a verdict's design: cross_session, canary (the reference),
   sessions, of each arm, pairs, start and runs. */
void tape_canary_write_design(
    const struct tape_canary *c, struct tape_json_writer *w);

#endif
