/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_looked: the earlier looks of a sequential comparison, from the
 * report that was made of them.
 */
#ifndef TAPE_ENGINE_COMPARE_LOOKED_H
#define TAPE_ENGINE_COMPARE_LOOKED_H

#include "engine/compare_family.h"
#include "engine/compare_seq_write.h"
#include "record/reader.h"

/* A verdict of an earlier report; names live in the arena. */
struct tape_compare_looked {
	struct tape_str arm_a, arm_b, group;
	bool sequential;
	char hash[TAPE_COMPARE_PLAN_HASH];
	size_t pairs;
	size_t looks;
	struct tape_compare_look last; /* pairs, p; row is not read */
};

struct tape_compare_lookeds {
	struct tape_arena arena;
	struct tape_compare_looked *v;
	size_t n, cap;
};

void tape_compare_looked_release(struct tape_compare_lookeds *l);

/* Reads the verdicts of a report to its end.  TAPE_E_FORMAT: a method that is
   none; and what the reader refuses. */
enum tape_status tape_compare_looked_load(struct tape_compare_lookeds *l,
    struct tape_reader *in, struct tape_err *err) TAPE_NODISCARD;

/*
 * Refuses, in notes, what earlier looks make invalid: a report without a plan
 * or with another one, more pairs than there are now, or a last look that the
 * pairs at hand do not give again.  Verdicts of other arms and points are passed
 * over; a report that has none of these is refused.
 */
enum tape_status tape_compare_looked_check(const struct tape_compare_lookeds *l,
    struct tape_compare_member *m, const struct tape_compare_opts *opts,
    struct tape_err *err) TAPE_NODISCARD;

#endif
