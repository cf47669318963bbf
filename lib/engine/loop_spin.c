/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long before a send the loop stays awake: a thread that sleeps until a
 * time wakes up tens of microseconds after it, and how many is the machine's
 * affair.
 */
#include "engine/loop_impl.h"

#define SLEEPS     40
#define SHORT_NS   (200 * TAPE_NS_PER_US)
#define LONG_NS    (2 * TAPE_NS_PER_MS) /* a core sleeps deeper then */
#define LONG_EVERY 20
/* On a machine that is busy each sleep takes longer. */
#define MEASURE_NS (15 * TAPE_NS_PER_MS)
/* A pass that found nothing takes a microsecond or two.  If it took longer, the
   thread did not have its CPU, and burnt none. */
#define PASS_NS (20 * TAPE_NS_PER_US)

/* The largest of 40 is what 99 of 100 are below, as far as 40 can tell. */
static int64_t
worst_wake_ns(struct tape_loop *l)
{
	const int64_t start = tape_loop_now(l);
	int64_t worst = 0;

	for (int i = 1; i <= SLEEPS; i++) {
		int64_t at = tape_loop_now(l);
		int64_t late;

		if (at - start >= MEASURE_NS)
			break;
		at += i % LONG_EVERY == 0 ? LONG_NS : SHORT_NS;
		/* A failure will be met again. */
		if (l->net.poll(l->net.self, at, NULL) != TAPE_OK)
			break;
		late = tape_loop_now(l) - at;
		if (late > worst)
			worst = late;
	}
	return worst;
}

void
tape_loop_measure(struct tape_loop *l)
{
	int64_t most = l->opts.spin_most_ns;

	l->spin_ns = l->opts.spin_ns;
	if (l->opts.spin_ns == TAPE_SPIN_AUTO) {
		l->spin_ns = most > 0 ? worst_wake_ns(l) : 0;
		if (l->spin_ns < TAPE_LOOP_SPIN_LEAST_NS)
			l->spin_ns = TAPE_LOOP_SPIN_LEAST_NS;
		if (l->spin_ns > most)
			l->spin_ns = most;
	}
	atomic_store(&l->ready, true);
}

bool
tape_loop_is_ready(struct tape_loop *l)
{
	return !l->running || atomic_load(&l->ready);
}

void
tape_loop_count_spin(struct tape_loop *l, int64_t took_ns)
{
	if (!l->active)
		return;
	l->stats.spun_ns += took_ns < PASS_NS ? took_ns : PASS_NS;
}
