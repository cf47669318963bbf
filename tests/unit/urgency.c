/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/urgency.h"

#include "unit/tap.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The slice of this thread, the runtime of sched_getattr(2); 0 where the kernel
   does not say. */
static int64_t
slice_ns(void)
{
	char attr[48] = { 0 }; /* the first version of struct sched_attr */
	uint64_t ns = 0;

	if (syscall(SYS_sched_getattr, 0, attr, sizeof(attr), 0) == 0)
		memcpy(&ns, attr + 24, sizeof(ns));
	return (int64_t)ns;
}

int
main(void)
{
	int nice = getpriority(PRIO_PROCESS, 0);
	int policy = sched_getscheduler(0);
	int nicer = nice > 9 ? 19 : nice + 10;
	int low = policy == SCHED_OTHER ? SCHED_BATCH : policy;

	bool says = slice_ns() > 0 && policy == SCHED_OTHER;

	tape_urgency_raise();
	if (says)
		is_int(slice_ns(), 100000, "the slice is short");
	else
		ok(true, "the slice # SKIP the kernel does not tell it");
	is_int(sched_getscheduler(0), policy, "urgent: the policy stays");
	is_int(getpriority(PRIO_PROCESS, 0), nice, "and the nice value");
	tape_urgency_lower();
	is_int(sched_getscheduler(0), low,
	    "in nobody's way, unless the policy is the user's");
	tape_urgency_raise();
	is_int(sched_getscheduler(0), low, "that is not made urgent");
	tape_urgency_lower();
	is_int(sched_getscheduler(0), low, "twice is once");
	if (low == policy)
		nicer = nice;
	is_int(getpriority(PRIO_PROCESS, 0), nicer, "and nicer by 10, once");
	return done_testing();
}
