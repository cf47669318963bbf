/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_change.h"

#include "base/mem.h"
#include "codec/stat_rng.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <string.h>

enum { N = 100, MANY = 2500 };

static double x[MANY];

static void
noise(size_t n, uint32_t replicate)
{
	struct tape_rng rng;

	tape_rng_init(&rng, 1, 90, 0, replicate);
	for (size_t i = 0; i < n; i++)
		x[i] = tape_rng_normal(&rng, 50, 1);
}

static struct tape_stat_change
change(size_t n)
{
	struct tape_stat_change c;
	struct tape_err err = { 0 };

	memset(&c, 0, sizeof(c));
	if (tape_stat_change(x, n, 1, &c, &err) != TAPE_OK)
		ok(false, "a change: %s", err.text);
	return c;
}

static void
test_level(void)
{
	struct tape_stat_change c;

	for (int i = 0; i < N; i++)
		x[i] = 3;
	c = change(N);
	ok(c.rise == 0 && c.median == 3 && c.first == 3 && c.second == 3 &&
		c.before == 3 && c.after == 3,
	    "what is level stays");
	ok(c.trend_p == 1 && c.halves_p == 1 && c.step_p == 1 && !c.step_fits,
	    "and has no p");
	ok(c.piece == 1 && c.n_eff == N, "each value counts");
}

/* 0 .. 99: by hand. */
static void
test_slope(void)
{
	struct tape_stat_change c;

	for (int i = 0; i < N; i++)
		x[i] = i;
	c = change(N);
	is_near(c.rise, 99, 1e-15, "0 to 99 rises by 99");
	is_near(c.median, 49.5, 1e-15, "about 49.5");
	/* S = 4950, variance 100 * 99 * 205 / 18: z = 14.74 */
	ok(c.trend_p < 1e-40, "which is no chance: %g", c.trend_p);
	is_near(c.first, 24.5, 1e-15, "first half");
	is_near(c.second, 74.5, 1e-15, "second half");
	/* Batches 4.5 to 44.5 by 10, sd sqrt(250), and 50 on: t = 5, 8 df. */
	is_near(c.halves_p, 0.00105282579336654, 1e-9, "t = 5 on 8 df");
	is_int(c.step_at, 50, "ranks sum up to the middle");
	ok(c.before == 24.5 && c.after == 74.5, "medians beside it");
	ok(!c.step_fits, "but a slope it is");
	for (int i = 0; i < N; i++)
		x[i] = -i;
	c = change(N);
	is_near(c.rise, -99, 1e-15, "the other way it falls by 99");
	ok(c.trend_p < 1e-40 && c.step_at == 50, "likewise");
}

static void
test_step(void)
{
	struct tape_stat_change c, again;

	noise(N, 0);
	c = change(N);
	ok(c.trend_p > 0.01 && c.halves_p > 0.01 && c.step_p > 0.01,
	    "noise: p %g, %g, %g", c.trend_p, c.halves_p, c.step_p);
	for (int i = 70; i < N; i++)
		x[i] += 4;
	c = change(N);
	is_int(c.step_at, 70, "a step of 4 sd is seen where it is");
	is_near(c.after - c.before, 4, 0.1, "and how large");
	ok(c.step_p == 0.001 && c.step_fits, "p is the least of 999");
	again = change(N);
	ok(memcmp(&again, &c, sizeof(c)) == 0, "twice the same");
	x[3] = 1e9;
	again = change(N);
	ok(again.step_at == 70 && again.step_p <= 0.002,
	    "one far value hides nothing: p %g", again.step_p);
}

/* An autoregression of .9 has long waves; of 100 such series, independent
   values assumed, most would be found to have a step. */
static void
test_waves(void)
{
	unsigned found = 0;

	for (uint32_t k = 0; k < 50; k++) {
		struct tape_stat_change c;

		noise(200, k);
		for (size_t i = 1; i < 200; i++)
			x[i] = 50 + 0.9 * (x[i - 1] - 50) + (x[i] - 50);
		c = change(200);
		found += c.step_p <= 0.01;
		found += c.trend_p <= 0.01;
	}
	ok(found <= 5, "waves are seldom taken for changes: %u of 100", found);
}

static void
test_long(void)
{
	struct tape_stat_change c;

	for (int i = 0; i < MANY; i++)
		x[i] = i < 1500 ? 10 + i % 3 : 20 + i % 3;
	c = change(MANY);
	is_int(c.piece, 3, "of 2500 values three are one");
	is_int(c.step_at, 1500, "places are those of values");
	ok(c.before == 11 && c.after == 21 && c.step_p == 0.001,
	    "medians are of pieces");
}

static void
test_edges(void)
{
	struct tape_stat_change c;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	noise(N, 0);
	memset(&c, 1, sizeof(c));
	is_int(tape_stat_change(x, TAPE_STAT_CHANGE_MIN - 1, 1, &c, NULL),
	    TAPE_E_DATA, "49 values are too few");
	is_int(tape_stat_change(x, TAPE_STAT_CHANGE_MIN, 1, &c, NULL), TAPE_OK,
	    "50 are enough");
	while (st == TAPE_E_NOMEM && n < 100) {
		(void)tape_mem_fail_at(++n);
		st = tape_stat_change(x, N, 1, &c, NULL);
		(void)tape_mem_fail_at(0);
	}
	ok(st == TAPE_OK && n > 5, "each of %d allocations may fail",
	    (int)n - 1);
	x[7] = nan("");
	is_int(tape_stat_change(x, N, 1, &c, NULL), TAPE_E_DATA, "NaN");
}

int
main(void)
{
	test_level();
	test_slope();
	test_step();
	test_waves();
	test_long();
	test_edges();
	return done_testing();
}
