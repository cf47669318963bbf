/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a series is worth; how often its intervals hold is tests/oracle's. */
#include "codec/stat_neff.h"

#include "codec/stat_quantile.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"
#include "unit/stat_oracle.h"

#define N_MOST 20000

static double x[N_MOST], sorted[N_MOST];

/* Gaussian autoregression of the first order. */
static void
fill(size_t n, double phi, uint32_t replicate)
{
	struct tape_rng rng;
	double z;

	tape_rng_init(&rng, 1, 97, 0, replicate);
	z = tape_rng_normal(&rng, 0, 1);
	for (size_t i = 0; i < n; i++) {
		x[i] = 10 + z;
		z = phi * z + tape_rng_normal(&rng, 0, sqrt(1 - phi * phi));
	}
	memcpy(sorted, x, n * sizeof(*x));
	if (tape_stat_sort(sorted, n, NULL) != TAPE_OK)
		ok(false, "sort");
}

static double
of_mean(size_t n)
{
	struct tape_stat_neff s;
	double out;

	if (tape_stat_neff_open(&s, x, n, NULL) != TAPE_OK)
		return (double)NAN;
	out = tape_stat_neff_mean(&s);
	tape_stat_neff_release(&s);
	return out;
}

static double
of_quantile(size_t n, double q)
{
	struct tape_stat_neff s;
	double out;

	if (tape_stat_neff_open(&s, x, n, NULL) != TAPE_OK)
		return (double)NAN;
	out = tape_stat_neff_quantile(&s, q, tape_stat_quantile(sorted, n, q));
	tape_stat_neff_release(&s);
	return out;
}

static void
between(double v, double lo, double hi, const char *what)
{
	ok(v >= lo && v <= hi, "%s: %.1f is within %.1f and %.1f", what, v, lo,
	    hi);
}

/*
 * phi = .8: the mean is worth n/9.  The median: 1 + 2 sum (2/pi) asin(.8^k) is
 * 6.77, so n/6.77; p99 4.06.  One standard error of phi is on the safe side.
 */
static void
test_dependent(void)
{
	fill(4000, 0.8, 1);
	between(of_mean(4000), 300, 445, "mean, 4,000 values, phi .8");
	between(of_quantile(4000, 0.5), 400, 591, "median");
	ok(of_quantile(4000, 0.9) > of_quantile(4000, 0.5),
	    "p90 depends less than the median");
	fill(4000, 0, 2);
	between(of_mean(4000), 3500, 4000, "mean, independent");
	between(of_quantile(4000, 0.5), 3500, 4000, "median, independent");
}

/* Above TAPE_STAT_NEFF_LONG values are taken in pieces. */
static void
test_long(void)
{
	double least = 1e9;

	fill(N_MOST, 0.8, 3);
	between(of_mean(N_MOST), 1400, 2400, "mean, 20,000 values, phi .8");
	between(of_quantile(N_MOST, 0.5), 1900, 3200, "median");
	fill(N_MOST, 0, 4);
	between(of_mean(N_MOST), 15000, N_MOST, "independent");
	/* A step anywhere: no estimate may go below a single value. */
	for (size_t at = 0; at < 8448; at += 66) {
		for (size_t i = 0; i < 8448; i++)
			x[i] = sorted[i] = i < at ? 1 : 2;
		least = fmin(least, of_mean(8448));
		for (double q = 0.1; q < 1; q += 0.2)
			least = fmin(least, of_quantile(8448, q));
	}
	between(least, 1, 2, "the least of a step");
}

/* Of 50 values the sequence alone breaks off too early; on average over 100
   series, phi .8: a mean is worth 5.6, a median 7.4. */
static void
test_short(void)
{
	double mean = 0, median = 0;

	for (uint32_t i = 0; i < 100; i++) {
		fill(50, 0.8, 100 + i);
		mean += of_mean(50) / 100;
		median += of_quantile(50, 0.5) / 100;
	}
	between(mean, 2, 5.6, "mean, 50 values");
	between(median, 4, 7.4, "median, 50 values");
}

/* Noise on a slow drift: the lag-1 value alone is .23 and says n/1.6. */
static void
test_drift(void)
{
	struct tape_rng rng;

	fill(1000, 0.95, 5);
	tape_rng_init(&rng, 1, 97, 1, 5);
	for (size_t i = 0; i < 1000; i++)
		x[i] += tape_rng_normal(&rng, 0, 1.8);
	memcpy(sorted, x, 1000 * sizeof(*x));
	is_int(tape_stat_sort(sorted, 1000, NULL), TAPE_OK, "sort");
	between(of_mean(1000), 30, 250, "noise hides no drift from the mean");
	between(of_quantile(1000, 0.5), 40, 350, "nor from the median");
}

static void
test_edges(void)
{
	struct tape_stat_neff s;
	struct tape_err err = { 0 };

	for (size_t i = 0; i < 100; i++)
		x[i] = sorted[i] = 7;
	is_near(of_mean(100), 100, 0, "nothing varies: all count");
	is_near(of_quantile(100, 0.5), 100, 0, "for a quantile too");
	is_near(of_mean(1), 1, 0, "one value");
	is_near(of_mean(2), 2, 0, "two");
	for (size_t i = 0; i < 100; i++)
		x[i] = i % 2 == 0 ? 1 : 2;
	is_near(of_mean(100), 100, 0, "alternating: not more than n");
	for (size_t i = 0; i < 100; i++)
		x[i] = sorted[i] = (double)i;
	between(of_mean(100), 1, 2, "a line is worth next to nothing");
	is_int(tape_stat_neff_open(&s, x, 0, &err), TAPE_E_DATA, "no values");
	x[5] = (double)NAN;
	is_int(tape_stat_neff_open(&s, x, 100, &err), TAPE_E_DATA, "NaN");
}

/* With n_eff = n the ranks are those of R's qbinom. */
static void
test_ranks(void)
{
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "quantile_ci_ranks.json"); c != NULL;
	     c = c->next) {
		const size_t n = (size_t)oracle_input(c, "n");
		struct tape_stat_order_interval r = { 0 };

		if (tape_stat_order_interval(n, (double)n, oracle_input(c, "p"),
			0.95, &r, NULL) != TAPE_OK)
			o.wrong++;
		oracle_near(&o, c, "l", (double)r.lo, 0);
		oracle_near(&o, c, "u", (double)r.hi, 0);
		oracle_near(&o, c, "coverage", r.coverage, 1e-12);
	}
	oracle_close(&o, 60);
}

static void
test_clusters(void)
{
	struct tape_stat_order_interval r = { 0 };
	struct tape_err err = { 0 };

	/* Of 50 independent values the ranks of p50 are 18 and 33.  200 that
	   are worth 50 come in fours: the 17th four ends at 68, the 18th from
	   above likewise. */
	is_int(tape_stat_order_interval(200, 50.7, 0.5, 0.95, &r, &err),
	    TAPE_OK, "200 values, 50.7 effective");
	is_int((long)r.lo, 69, "first of the 18th four");
	is_int((long)r.hi, 132, "last of the 33rd");
	is_int(tape_stat_order_interval(200, 20, 0.9, 0.95, &r, &err), TAPE_OK,
	    "p90 of 20 effective values");
	is_int((long)r.lo, 141, "has a lower end: rank 15 of 20");
	is_int((long)r.hi, 201, "and no upper one");
	is_int(tape_stat_order_interval(200, 0.5, 0.9, 0.95, &r, &err),
	    TAPE_E_USAGE, "n_eff below 1");
	is_int(tape_stat_order_interval(200, 201, 0.9, 0.95, &r, &err),
	    TAPE_E_USAGE, "above n");
	is_int(tape_stat_order_interval(200, 50, 1, 0.95, &r, &err),
	    TAPE_E_USAGE, "q of 1");
}

static void
test_interval(void)
{
	struct tape_stat_interval ci;

	/* t(.975, 15) = 2.131449545559323 */
	ci = tape_stat_neff_interval(10, 4, 16, 0.95);
	is_near(ci.lo, 10 - 2.131449545559323, 1e-9, "lower end");
	is_near(ci.hi, 10 + 2.131449545559323, 1e-9, "upper end");
	/* t(.975, 1) = 12.70620473617471, over sqrt 2 */
	ci = tape_stat_neff_interval(10, 4, 0.7, 0.95);
	is_near(ci.hi, 10 + 12.70620473617471 * 4 / sqrt(2), 1e-8,
	    "less than two count as two");
	ci = tape_stat_neff_interval(10, (double)NAN, 16, 0.95);
	ok(isinf(ci.lo) && isinf(ci.hi), "without an sd there is none");
}

int
main(void)
{
	test_dependent();
	test_long();
	test_short();
	test_drift();
	test_edges();
	test_ranks();
	test_clusters();
	test_interval();
	return done_testing();
}
