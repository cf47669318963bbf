/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deadlines that are met and missed, counted by hand. */
#include "engine/fluidity.h"

#include "unit/tap.h"

#include <math.h>

static double
index_of(double ttft, const double *gaps, size_t n)
{
	return tape_fluidity_index(ttft, gaps, n, 100, 10);
}

static void
test_index(void)
{
	is_near(index_of(100, NULL, 0), 1, 0, "one event, in time");
	is_near(index_of(90, (double[]){ 10, 10, 10 }, 3), 1, 0, "all in time");
	/* Late by 1, as by 9: one deadline is missed, of four. */
	is_near(index_of(101, (double[]){ 10, 10, 10 }, 3), 0.75, 1e-15,
	    "the first is late by 1");
	is_near(
	    index_of(109, (double[]){ 10, 10, 10 }, 3), 0.75, 1e-15, "by 9");
	/* By 25: 1 + 2 of 3 + 3. */
	is_near(
	    index_of(125, (double[]){ 10, 10, 10 }, 3), 0.5, 1e-15, "by 25");
	/* 20 saved by the first: a gap of 30 is in time, and all is spent. */
	is_near(index_of(80, (double[]){ 30, 10 }, 2), 1, 0,
	    "what was saved is spent");
	/* Then the next gap of 11 is late: one of three. */
	is_near(index_of(80, (double[]){ 30, 11 }, 2), 2.0 / 3, 1e-15,
	    "and then gone");
	/* 45 behind 5 saved: (45 - 5) / 10 = 4 are missed, of 1 + 4 + 1; what
	   came early before does not count any more. */
	is_near(index_of(95, (double[]){ 45, 10 }, 2), 2.0 / 6, 1e-15,
	    "a stall misses as many as fit");
	ok(isnan(index_of((double)NAN, NULL, 0)), "no ttft, no index");
}

static void
test_rate(void)
{
	double gaps[20];

	for (int i = 0; i < 20; i++)
		gaps[i] = 20e6;
	is_near(tape_fluidity_rate(gaps, 20, 20e6), 50, 1e-4,
	    "even gaps of 20 ms: 50 a second");
	/* A stall of 220 ms.  With a bound of g the 19 gaps before it save
	   19 (g - 20) ms, so that it misses floor((220 - 19 (g - 20)) / g) =
	   floor(600 / g) - 19 of 19 and as many deadlines: two of 21 are below
	   a tenth, three of 22 are not.  So 600 / g is just below 22. */
	gaps[19] = 220e6;
	is_near(tape_fluidity_rate(gaps, 20, 220e6), 1e9 / (600e6 / 22), 1e-4,
	    "as many as a tenth");
	gaps[0] = gaps[1] = 0;
	ok(isnan(tape_fluidity_rate(gaps, 2, 0)), "all at once: no rate");
}

int
main(void)
{
	test_index();
	test_rate();
	return done_testing();
}
