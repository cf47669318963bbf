/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clockstep: the wall clock of a program steps by a second, CLOCKSTEP seconds
 * after its start.  The kernel's stamps do not, so that what is
 * compared with them sees what a real step shows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t step_at_ns; /* of the monotonic clock; 0 not known yet */

static int64_t
mono_ns(void)
{
	struct timespec t;

	(void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((constructor)) set_up(void)
{
	const char *env = getenv("CLOCKSTEP");

	if (env != NULL)
		step_at_ns =
		    mono_ns() + (int64_t)strtol(env, NULL, 10) * 1000000000;
}

int
clock_gettime(clockid_t which, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, which, t);

	if (rc == 0 && which == CLOCK_REALTIME && step_at_ns > 0 &&
	    mono_ns() >= step_at_ns)
		t->tv_sec++;
	return rc;
}
