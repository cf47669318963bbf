/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/urgency.h"

#include "unit/tap.h"

#include <sched.h>
#include <sys/resource.h>

int
main(void)
{
	int nice = getpriority(PRIO_PROCESS, 0);
	int policy = sched_getscheduler(0);
	int was;

	tape_urgency_raise();
	is_int(sched_getscheduler(0), policy, "urgent: the policy stays");
	is_int(getpriority(PRIO_PROCESS, 0), nice, "and the nice value");
	was = tape_urgency_lower();
	if (policy == SCHED_OTHER)
		is_int(sched_getscheduler(0), SCHED_BATCH, "in nobody's way");
	else
		is_int(was, -1, "another policy is the user's");
	is_int(tape_urgency_lower(), -1, "twice is once");
	tape_urgency_restore(-1);
	tape_urgency_raise();
	is_int(sched_getscheduler(0), was >= 0 ? SCHED_BATCH : policy,
	    "a batch thread is not made urgent");
	tape_urgency_restore(was);
	is_int(sched_getscheduler(0), policy, "as before");
	is_int(getpriority(PRIO_PROCESS, 0), nice, "all the while as nice");
	return done_testing();
}
