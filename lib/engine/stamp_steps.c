/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_steps.h"

#include "base/mem.h"

void
tape_stamp_steps_clear(struct tape_stamp_steps *s)
{
	s->n = 0;
	s->last_ns = INT64_MIN;
}

void
tape_stamp_steps_release(struct tape_stamp_steps *s)
{
	tape_mem_free(s->v);
	*s = (struct tape_stamp_steps){ .last_ns = INT64_MIN };
}

enum tape_status
tape_stamp_steps_add(struct tape_stamp_steps *s, const struct tape_tick *tick,
    bool *stepped, struct tape_err *err)
{
	*stepped = tick->step == 1;
	if (*stepped) {
		if (tape_mem_grow(
			(void **)&s->v, &s->cap, s->n + 1, sizeof(*s->v)) != 0)
			return tape_err_nomem(err);
		s->v[s->n++] =
		    (struct tape_stamp_step){ s->last_ns, tick->t_ns };
	}
	s->last_ns = tick->t_ns;
	return TAPE_OK;
}

bool
tape_stamp_steps_has(const struct tape_stamp_steps *s, int64_t t_ns)
{
	for (size_t i = 0; i < s->n; i++)
		if (t_ns > s->v[i].from_ns && t_ns <= s->v[i].to_ns)
			return true;
	return false;
}
