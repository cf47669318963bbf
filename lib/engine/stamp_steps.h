/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_steps: the spans of a segment in which the wall clock stepped, so that
 * no kernel's time there can be mapped.
 *
 * The client marks such reads by itself as it takes them; this is for what came
 * before it could know.  A clock record with step speaks of the time since the
 * one before it, and stands behind the exchanges that ended in that time:
 * those are gone, what is open or comes later is caught.
 */
#ifndef TAPE_ENGINE_STAMP_STEPS_H
#define TAPE_ENGINE_STAMP_STEPS_H

#include "base/err.h"
#include "record/record.h"

struct tape_stamp_steps {
	struct tape_stamp_step {
		int64_t from_ns, to_ns; /* from the epoch; from is not in it */
	} * v;
	size_t n, cap;
	int64_t last_ns; /* of the clock record before */
};

/* Empty; a zeroed one is to be cleared, too. */
void tape_stamp_steps_clear(struct tape_stamp_steps *s);
void tape_stamp_steps_release(struct tape_stamp_steps *s);

/* Takes a clock record, in their order.  *stepped: it added the last span. */
enum tape_status tape_stamp_steps_add(struct tape_stamp_steps *s,
    const struct tape_tick *tick, bool *stepped,
    struct tape_err *err) TAPE_NODISCARD;

/* Whether a user time is in one of them. */
bool tape_stamp_steps_has(const struct tape_stamp_steps *s, int64_t t_ns);

#endif
