/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cond.h"

#include "base/clock.h"

#include <errno.h>
#include <time.h>

int
tape_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t attr;
	int rc = pthread_condattr_init(&attr);

	if (rc != 0)
		return rc;
	rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = pthread_cond_init(c, &attr);
	(void)pthread_condattr_destroy(&attr);
	return rc;
}

int64_t
tape_cond_after_ns(int64_t timeout_ns)
{
	int64_t at_ns;

	if (__builtin_add_overflow(
		tape_clock_now_ns(&tape_clock_system), timeout_ns, &at_ns))
		return INT64_MAX;
	return at_ns;
}

bool
tape_cond_wait_until(pthread_cond_t *c, pthread_mutex_t *lock, int64_t at_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(at_ns / TAPE_NS_PER_S),
		.tv_nsec = (long)(at_ns % TAPE_NS_PER_S) };

	return pthread_cond_timedwait(c, lock, &ts) != ETIMEDOUT;
}
