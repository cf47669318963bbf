/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why and when a stage of a loop stops, and what becomes of what is open. */
#include "engine/loop_impl.h"

/* For the network to end what was cancelled: it takes one pass. */
#define PATIENCE_NS (10 * TAPE_NS_PER_S)

void
tape_loop_drop_waiting(struct tape_loop *l)
{
	struct tape_turn *t;

	/* The turn is the first member of a flight. */
	while ((t = tape_sched_drop(&l->sched)) != NULL)
		tape_flight_free((struct tape_flight *)(void *)t);
}

/* What is open has no longer than the grace, or than it had before. */
static void
grant_grace(struct tape_loop *l, int64_t now_ns)
{
	int64_t at;

	if (!l->cancelled &&
	    !__builtin_add_overflow(now_ns, l->stage.grace_ns, &at) &&
	    at < l->cancel_ns)
		l->cancel_ns = at;
}

/* A worse reason takes the place of a milder one, but gives no new grace.  The
   feeder wakes the other loops at every flag, so that they see it too. */
void
tape_loop_stop(struct tape_loop *l, enum tape_loop_stop why, int64_t now_ns)
{
	if (!l->active || why <= l->stats.stop)
		return;
	l->stats.stop = why;
	if (why == TAPE_LOOP_ABORTED || why == TAPE_LOOP_BROKEN)
		tape_loop_common_stop(l->common, why);
	grant_grace(l, now_ns);
	tape_loop_drop_waiting(l);
	if (why > TAPE_LOOP_DURATION)
		tape_loop_drop_retries(l);
	tape_post_flag(l->opts.post, TAPE_NOTE_STOPPED);
}

/* The plan's time is over.  When all was sent it is not stopped, but what is
   open still has no longer than the grace. */
static void
time_is_over(struct tape_loop *l, int64_t now_ns)
{
	l->over = true;
	if (!l->ending || tape_sched_waiting(&l->sched) > 0)
		tape_loop_stop(l, TAPE_LOOP_DURATION, now_ns);
	else if (l->stats.stop == TAPE_LOOP_ON)
		grant_grace(l, now_ns);
}

static void
cancel_open(struct tape_loop *l)
{
	if (l->cancelled)
		return;
	l->cancelled = true;
	l->cancel_ns = INT64_MAX;
	l->give_up_ns = tape_loop_now(l) + PATIENCE_NS;
	for (struct tape_flight *f = l->open; f != NULL; f = f->next)
		l->net.cancel(l->net.self, f->xfer);
	tape_loop_drop_retries(l);
}

void
tape_loop_break(struct tape_loop *l, const struct tape_err *err)
{
	if (l->broken)
		return;
	l->broken = true;
	l->why = *err;
	tape_loop_stop(l, TAPE_LOOP_BROKEN, tape_loop_now(l));
}

int64_t
tape_loop_duration_end(const struct tape_loop *l)
{
	int64_t at;

	if (!l->active || l->stage.duration_ns == 0 || l->over ||
	    __builtin_add_overflow(
		l->stage.rules.base_ns, l->stage.duration_ns, &at))
		return INT64_MAX;
	return at;
}

void
tape_loop_mind_stops(struct tape_loop *l, int64_t now_ns)
{
	int n = l->opts.interrupts == NULL ? 0 : l->opts.interrupts();
	int common = atomic_load(&l->common->stop);

	if (n > 0)
		tape_loop_stop(l, TAPE_LOOP_INTERRUPTED, now_ns);
	if (tape_sink_failed(l->opts.sink))
		tape_loop_stop(l, TAPE_LOOP_BROKEN, now_ns);
	if (common != TAPE_LOOP_ON)
		tape_loop_stop(l, (enum tape_loop_stop)common, now_ns);
	if (now_ns >= tape_loop_duration_end(l))
		time_is_over(l, now_ns);
	/* What the user has stopped no failures stop. */
	if (l->stage.abort_after > 0 && l->stats.stop < TAPE_LOOP_INTERRUPTED &&
	    atomic_load(&l->common->failures) >= l->stage.abort_after)
		tape_loop_stop(l, TAPE_LOOP_ABORTED, now_ns);
	if (now_ns >= l->cancel_ns || n > 1 ||
	    (l->active && l->stats.stop == TAPE_LOOP_BROKEN))
		cancel_open(l);
}
