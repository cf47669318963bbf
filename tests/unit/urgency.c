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
	int low = policy == SCHED_OTHER ? SCHED_BATCH : policy;

	tape_urgency_raise();
	is_int(sched_getscheduler(0), policy, "urgent: the policy stays");
	is_int(getpriority(PRIO_PROCESS, 0), nice, "and the nice value");
	tape_urgency_lower();
	is_int(sched_getscheduler(0), low,
	    "in nobody's way, unless the policy is the user's");
	tape_urgency_raise();
	is_int(sched_getscheduler(0), low, "that is not made urgent");
	tape_urgency_lower();
	is_int(sched_getscheduler(0), low, "twice is once");
	is_int(getpriority(PRIO_PROCESS, 0), nice, "all the while as nice");
	return done_testing();
}
