/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the feeder's thread gives to a loop. */
#include "base/mem.h"
#include "engine/loop_impl.h"

/*
 * The loop says until when it sleeps, and then looks whether something was
 * given; here something is given, and then the sleep is looked at.  So at least
 * one of the two sees the other.
 */
static enum tape_status
push(struct tape_loop *l, const struct tape_loop_cue *cue, int64_t before_ns,
    struct tape_err *err)
{
	struct tape_loop_cue *c = tape_mem_calloc(1, sizeof(*c));

	if (c == NULL)
		return tape_err_nomem(err);
	*c = *cue;
	if (!tape_queue_push(l->cues, c, 0, NULL)) {
		tape_mem_free(c);
		return tape_err_set(err, TAPE_E_BUG, "the loop is closed");
	}
	atomic_fetch_add(&l->given, 1);
	if (before_ns < atomic_load(&l->asleep_ns))
		tape_loop_wake(l);
	return TAPE_OK;
}

enum tape_status
tape_loop_begin(
    struct tape_loop *l, const struct tape_stage *stage, struct tape_err *err)
{
	struct tape_loop_cue c = { .kind = CUE_BEGIN, .stage = *stage };

	atomic_store(&l->end_wanted, false);
	if (l->common == &l->own)
		tape_loop_common_begin(&l->own, 1);
	l->base_ns = stage->rules.open ? stage->rules.base_ns : INT64_MIN;
	return push(l, &c, INT64_MIN + 1, err);
}

enum tape_status
tape_loop_add(struct tape_loop *l, struct tape_flight *f, struct tape_err *err)
{
	struct tape_loop_cue c = { .kind = CUE_FLIGHT, .flight = f };
	int64_t at = INT64_MIN + 1;

	/* One whose time is after the end of the sleep can wait. */
	if (f->turn.ready_ns != TAPE_ABSENT_I64)
		at = f->turn.ready_ns;
	else if (l->base_ns != INT64_MIN && f->turn.t_ns != TAPE_ABSENT_I64 &&
		 __builtin_add_overflow(l->base_ns, f->turn.t_ns, &at))
		at = INT64_MAX;
	return push(l, &c, at, err);
}

void
tape_loop_end(struct tape_loop *l)
{
	atomic_store(&l->end_wanted, true);
	tape_loop_wake(l);
}
