/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/urgency.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS  100000 /* the least that Linux takes */
#define NICE_MOST 19
#define NICER     10 /* a tenth of a normal thread's share */

/* struct sched_attr of sched_setattr(2), which the C library does not have. */
struct attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns; /* of a normal thread: its slice */
	uint64_t deadline_ns;
	uint64_t period_ns;
};

void
tape_urgency_raise(void)
{
	struct attr a = { .size = sizeof(a) };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) != 0 ||
	    a.policy != SCHED_OTHER)
		return;
	a.runtime_ns = SLICE_NS;
	(void)syscall(SYS_sched_setattr, 0, &a, 0);
}

void
tape_urgency_lower(void)
{
	const struct sched_param none = { 0 };
	int nice = getpriority(PRIO_PROCESS, 0);

	if (sched_getscheduler(0) != SCHED_OTHER ||
	    sched_setscheduler(0, SCHED_BATCH, &none) != 0)
		return;
	nice = nice > NICE_MOST - NICER ? NICE_MOST : nice + NICER;
	(void)setpriority(PRIO_PROCESS, 0, nice);
}
