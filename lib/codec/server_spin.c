/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server.h"

#include <stdlib.h>
#include <time.h>

#define SLEEPS   100
#define SLEEP_NS (300 * TAPE_NS_PER_US)
#define SPAN_NS  (60 * TAPE_NS_PER_MS) /* a busy machine oversleeps much */
#define MOST_NS  (300 * TAPE_NS_PER_US)
#define LEAST_NS (10 * TAPE_NS_PER_US)

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How much longer than asked for one sleep was. */
static int64_t
oversleep_ns(void)
{
	struct timespec ts = { .tv_nsec = SLEEP_NS };
	int64_t from_ns = tape_clock_now_ns(&tape_clock_system);

	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	return tape_clock_now_ns(&tape_clock_system) - from_ns - SLEEP_NS;
}

int64_t
tape_server_wake_ns(void)
{
	int64_t start_ns = tape_clock_now_ns(&tape_clock_system);
	int64_t late[SLEEPS], p99;
	size_t n = 0;

	while (n < SLEEPS &&
	       (n == 0 ||
		   tape_clock_now_ns(&tape_clock_system) - start_ns < SPAN_NS))
		late[n++] = oversleep_ns();
	qsort(late, n, sizeof(late[0]), by_value);
	p99 = late[(n - 1) * 99 / 100];
	if (p99 > MOST_NS)
		return MOST_NS;
	return p99 > LEAST_NS ? p99 : LEAST_NS;
}
