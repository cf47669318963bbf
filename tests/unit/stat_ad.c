/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_ad.h"

#include "codec/stat_rng.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 8192, TRIALS = 4000, GAPS = 60 };

static double x[ROOM];

static void
test_oracle(void)
{
	struct oracle o;
	const cJSON *c = oracle_open(&o, "anderson_darling.json");

	for (; c != NULL; c = c->next) {
		struct tape_stat_ad a = { 0 };
		const size_t n = oracle_inputs(c, "x", x, ROOM);

		if (tape_stat_ad_exponential(x, n, 0.5, &a, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "mean", a.mean, 1e-12);
		oracle_near(&o, c, "a2", a.a2, 1e-10);
		oracle_near(&o, c, "a_star", a.a_star, 1e-10);
	}
	oracle_close(&o, 27);
}

/* Stephens' table of upper tails, and simulated ones below it. */
static void
test_p(void)
{
	static const struct {
		double a, p, room;
	} rows[] = {
		{ 0.2, 0.962, 0.01 },
		{ 0.4, 0.654, 0.02 },
		{ 0.736, 0.25, 0.001 },
		{ 0.816, 0.20, 0.0015 },
		{ 0.916, 0.15, 0.001 },
		{ 1.062, 0.10, 0.001 },
		{ 1.321, 0.05, 0.001 },
		{ 1.591, 0.025, 0.001 },
		{ 1.959, 0.01, 0.0003 },
		{ 2.244, 0.005, 0.0003 },
		{ 2.534, 0.0025, 0.0003 },
	};
	double last = 1;
	bool falls = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_near(tape_stat_ad_p(rows[i].a), rows[i].p,
		    rows[i].room / rows[i].p, "p of %g", rows[i].a);
	for (int i = 0; i < 5000; i++) {
		double p = tape_stat_ad_p(i * 0.01);

		/* The four curves meet within 0.004. */
		falls = falls && p <= last + 0.004 && p > 0 && p <= 1;
		last = p;
	}
	ok(falls, "p falls, and stays in 0 .. 1");
	is_near(tape_stat_ad_p(1e6), 5.8e-7, 0.05, "the least p");
	ok(isnan(tape_stat_ad_p(-1)), "none of a negative value");
	ok(isnan(tape_stat_ad_p((double)NAN)), "none of NaN");
}

enum law { EXPONENTIAL, UNIFORM, SERIALISED };

static double
draw(struct tape_rng *r, enum law law)
{
	double v;

	if (law == UNIFORM)
		return tape_rng_double(r);
	v = tape_rng_exponential(r, 1);
	return law == SERIALISED ? fmax(v, 0.3) : v;
}

/* How many samples in a thousand the test refuses. */
static double
refused(enum law law, double level)
{
	int n = 0;

	for (uint32_t i = 0; i < TRIALS; i++) {
		struct tape_stat_ad a = { .p = 2 };
		struct tape_rng r;

		tape_rng_init(&r, 7, TAPE_RNG_GEN_ARRIVAL, 0, i);
		for (size_t k = 0; k < GAPS; k++)
			x[k] = draw(&r, law);
		if (tape_stat_ad_exponential(x, GAPS, 1e-9, &a, NULL) !=
		    TAPE_OK)
			return -1;
		n += a.p < level;
	}
	return 1000.0 * n / TRIALS;
}

/* Four standard errors: 0.0138 at 0.05, 0.0063 at 0.01. */
static void
test_level(void)
{
	double at5 = refused(EXPONENTIAL, 0.05);
	double at1 = refused(EXPONENTIAL, 0.01);

	ok(fabs(at5 - 50) < 14, "level 0.05: %.1f in 1000", at5);
	ok(fabs(at1 - 10) < 6.5, "level 0.01: %.1f in 1000", at1);
	ok(refused(UNIFORM, 0.01) > 900, "uniform gaps are refused");
	ok(refused(SERIALISED, 0.01) > 700, "so are gaps that have a floor");
}

static void
test_odd(void)
{
	struct tape_stat_ad a = { 0 }, b = { 0 };
	double none[2] = { 0, 0 }, bad[3] = { 1, -1, 2 };
	double one[4] = { 0, 3, 1, 2 }, other[4] = { 0.5, 1, 2, 3 };

	is_int(tape_stat_ad_exponential(x, 1, 1, &a, NULL), TAPE_E_DATA,
	    "one value is too few");
	is_int(tape_stat_ad_exponential(none, 2, 1, &a, NULL), TAPE_E_DATA,
	    "no gap at all");
	is_int(tape_stat_ad_exponential(bad, 3, 1, &a, NULL), TAPE_E_DATA,
	    "a negative value");
	bad[1] = (double)NAN;
	is_int(tape_stat_ad_exponential(bad, 3, 1, &a, NULL), TAPE_E_DATA,
	    "a value that is none");
	is_int((int64_t)a.n, 0, "and nothing was filled in");
	is_int(
	    tape_stat_ad_exponential(one, 4, 0.5, &a, NULL), TAPE_OK, "a zero");
	is_int(tape_stat_ad_exponential(other, 4, 1, &b, NULL), TAPE_OK,
	    "and what it stands for");
	is_near(a.a2, b.a2, 0, "are the same");
	ok(isfinite(a.a2), "and finite");
	for (size_t i = 0; i < ROOM; i++)
		x[i] = i % 2 == 0 ? 0 : 1;
	is_int(tape_stat_ad_exponential(x, ROOM, 0.5e-6, &a, NULL), TAPE_OK,
	    "many zeros");
	ok(a.p < 1e-6, "are refused");
}

int
main(void)
{
	test_oracle();
	test_p();
	test_level();
	test_odd();
	return done_testing();
}
