/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loop counts, and what loops have in common. */
#include "engine/replay_loop.h"

void
tape_loop_common_begin(struct tape_loop_common *c, size_t loops)
{
	atomic_store(&c->undrained, loops);
	atomic_store(&c->failures, 0);
	atomic_store(&c->stop, TAPE_LOOP_ON);
}

void
tape_loop_common_stop(struct tape_loop_common *c, enum tape_loop_stop why)
{
	int seen = atomic_load(&c->stop);

	while (seen < (int)why &&
	       !atomic_compare_exchange_weak(&c->stop, &seen, (int)why))
		continue;
}

static int64_t
more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Of the requests that were sent; *a had some before if had. */
static void
add_span(struct tape_loop_stats *a, const struct tape_loop_stats *b, bool had)
{
	if (!had || b->first_due_ns < a->first_due_ns)
		a->first_due_ns = b->first_due_ns;
	if (!had || b->first_start_ns < a->first_start_ns)
		a->first_start_ns = b->first_start_ns;
	if (!had || b->last_due_ns > a->last_due_ns)
		a->last_due_ns = b->last_due_ns;
	if (!had || b->last_start_ns > a->last_start_ns)
		a->last_start_ns = b->last_start_ns;
}

void
tape_loop_stats_add(struct tape_loop_stats *a, const struct tape_loop_stats *b)
{
	if (b->sent > 0)
		add_span(a, b, a->sent > 0);
	if (b->stop > a->stop)
		a->stop = b->stop;
	a->sent += b->sent;
	a->done += b->done;
	a->failed += b->failed;
	a->cancelled += b->cancelled;
	a->doomed += b->doomed;
	a->planned += b->planned;
	a->retried += b->retried;
	a->retries += b->retries;
	a->answered += b->answered;
	a->last_end_ns = more(a->last_end_ns, b->last_end_ns);
	tape_hist_merge(&a->late, &b->late);
	tape_hist_merge(&a->lag, &b->lag);
	a->reads += b->reads;
	a->passes += b->passes;
	a->stalls += b->stalls;
	a->stall_max_ns = more(a->stall_max_ns, b->stall_max_ns);
	a->queue_stalls += b->queue_stalls;
	a->queue_stalled_ns += b->queue_stalled_ns;
	a->spin_ns = more(a->spin_ns, b->spin_ns);
	a->spun_ns += b->spun_ns;
	a->hit_bodies = a->hit_bodies || b->hit_bodies;
	a->hit_descriptors = a->hit_descriptors || b->hit_descriptors;
}
