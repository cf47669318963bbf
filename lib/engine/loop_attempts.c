/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flights that are sent again, and flights that are cancelled on purpose. */
#include "engine/loop_impl.h"

/* Whether one may still be sent then. */
static bool
may_retry(const struct tape_loop *l, int64_t at_ns)
{
	return l->active && l->stats.stop <= TAPE_LOOP_DURATION &&
	       !l->cancelled && !l->broken && at_ns < l->cancel_ns;
}

static bool
is_worth_it(const struct tape_loop *l, const struct tape_flight *f)
{
	const struct tape_attempts *a = &l->stage.attempts;

	return a->retries > 0 && f->attempt <= (int64_t)a->retries &&
	       !f->doomed && !f->cutting &&
	       tape_attempts_retries(a, f->class, f->state.status);
}

bool
tape_loop_retry(struct tape_loop *l, struct tape_flight *f)
{
	struct tape_flight *next;
	int64_t at;

	if (!is_worth_it(l, f))
		return false;
	at = f->state.end_ns + tape_attempts_delay_ns(&l->stage.attempts,
				   f->attempt,
				   tape_attempts_retry_after_ns(&f->headers));
	if (!may_retry(l, at))
		return false;
	f->retry_ns = at;
	next = tape_flight_again(f);
	if (next == NULL ||
	    tape_sched_add(&l->again, &next->turn, NULL) != TAPE_OK) {
		/* It stays what it is: a failed one. */
		tape_flight_free(next);
		f->retry_ns = TAPE_ABSENT_I64;
		return false;
	}
	tape_flight_hand_down(f, next);
	return true;
}

/* Each attempt that was announced is in the archive, also those that never
   were. */
void
tape_loop_drop_retries(struct tape_loop *l)
{
	struct tape_turn *t;

	while ((t = tape_sched_drop(&l->again)) != NULL) {
		struct tape_flight *f = (struct tape_flight *)(void *)t;

		tape_loop_link(l, f);
		f->start_ns = tape_loop_now(l);
		f->turn.due_ns = f->start_ns;
		f->turn.could_ns = f->start_ns;
		tape_flight_fail(f, TAPE_HTTP_CANCELLED, "unsent",
		    "the run stopped before it was sent again", f->start_ns);
		tape_loop_finished(l, f);
	}
}

void
tape_loop_free_retries(struct tape_loop *l)
{
	struct tape_turn *t;

	while ((t = tape_sched_drop(&l->again)) != NULL)
		tape_flight_free((struct tape_flight *)(void *)t);
}

/* All wait equally long, so the last one is the last to be cancelled. */
void
tape_loop_cut_later(struct tape_loop *l, struct tape_flight *f)
{
	if (!f->cancels || f->cancel_ns != TAPE_ABSENT_I64)
		return;
	f->cancel_ns = tape_loop_now(l) + l->stage.attempts.cancel_after_ns;
	f->cut_listed = true;
	f->cut_prev = l->cut_last;
	if (l->cut_last != NULL)
		l->cut_last->cut_next = f;
	else
		l->cut_first = f;
	l->cut_last = f;
}

void
tape_loop_cut_never(struct tape_loop *l, struct tape_flight *f)
{
	if (!f->cut_listed)
		return;
	f->cut_listed = false;
	if (f->cut_prev != NULL)
		f->cut_prev->cut_next = f->cut_next;
	else
		l->cut_first = f->cut_next;
	if (f->cut_next != NULL)
		f->cut_next->cut_prev = f->cut_prev;
	else
		l->cut_last = f->cut_prev;
	f->cut_prev = f->cut_next = NULL;
}

int64_t
tape_loop_cut(struct tape_loop *l, int64_t now_ns)
{
	struct tape_flight *f;

	while ((f = l->cut_first) != NULL && f->cancel_ns <= now_ns) {
		tape_loop_cut_never(l, f);
		f->cutting = true;
		l->net.cancel(l->net.self, f->xfer);
	}
	return f == NULL ? INT64_MAX : f->cancel_ns;
}
