/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_power.h"

#include "codec/stat_dist.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

static void
test_power(void)
{
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "power_paired_t.json"); c != NULL;
	     c = c->next) {
		const double k = oracle_input(c, "k");
		const double effect = oracle_input(c, "delta_over_sd");
		const double n = oracle_number(
		    oracle_get(oracle_get(c, "expected"), "n_for_80"));

		oracle_near(
		    &o, c, "power", tape_stat_power(k, effect, 0.05), 1e-7);
		oracle_near(&o, c, "mde80_over_sd",
		    tape_stat_detectable(k, 0.05, 0.8), 1e-7);
		oracle_value(&o, "power at n_for_80",
		    tape_stat_power(n, effect, 0.05), 0.8, 1e-7);
		oracle_value(&o, "pairs",
		    (double)tape_stat_pairs_needed(effect, 0.05, 0.8), ceil(n),
		    0);
	}
	oracle_close(&o, 32);
}

/* P(T <= t) = integral of Phi(t s - delta) over s = sqrt(V / df). */
static double
by_quadrature(double t, double df, double delta)
{
	const int steps = 20000;
	const double top = 1 + 12 / sqrt(df);
	double sum = 0;

	for (int i = 1; i < steps; i++) {
		const double s = top * i / steps;
		const double log_f = log(2) + df / 2 * log(df / 2) -
				     lgamma(df / 2) + (df - 1) * log(s) -
				     df * s * s / 2;

		sum += tape_stat_normal_p(t * s - delta) * exp(log_f);
	}
	return sum * top / steps;
}

static void
test_nct(void)
{
	static const double df[] = { 3, 8, 40 };
	static const double delta[] = { -3, -0.5, 1, 6, 20, 36.9, 37.1, 60 };
	double near = 0, far = 0;

	for (size_t i = 0; i < sizeof(df) / sizeof(df[0]); i++)
		for (size_t j = 0; j < sizeof(delta) / sizeof(delta[0]); j++)
			for (int step = 0; step < 5; step++) {
				const double t = 3 * exp2(step) - 5;
				const double d =
				    fabs(tape_stat_nct_p(t, df[i], delta[j]) -
					 by_quadrature(t, df[i], delta[j]));

				if (delta[j] <= 37)
					near = fmax(near, d);
				else
					far = fmax(far, d);
			}
	ok(near < 1e-9, "the series is the integral (off by %.1e)", near);
	ok(far < 1e-6, "nearly so far out (off by %.1e)", far);
	is_near(tape_stat_nct_p(1.5, 7, 0), tape_stat_t_p(1.5, 7), 1e-14,
	    "central for delta 0");
	is_near(tape_stat_nct_p(-1.5, 7, 2), 1 - tape_stat_nct_p(1.5, 7, -2),
	    1e-14, "mirrored");
	is_near(tape_stat_nct_p(0, 7, 2), tape_stat_normal_p(-2), 1e-13,
	    "at 0 it is the normal");
}

/* The table of the smallest detectable effects in the design notes. */
static void
test_table(void)
{
	static const struct {
		double k, sd;
	} t[] = { { 3, 3.26 }, { 5, 1.68 }, { 6, 1.43 }, { 8, 1.16 },
		{ 10, 1.00 }, { 20, 0.66 }, { 30, 0.53 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		ok(fabs(tape_stat_detectable(t[i].k, 0.05, 0.8) - t[i].sd) <
			0.0051,
		    "%g pairs see %g sd", t[i].k, t[i].sd);
	is_near(tape_stat_sd_upper(1, 10, 0.8), sqrt(9 / 5.380053), 1e-6,
	    "upper bound of an sd, chi2(.2, 9) = 5.380053");
}

static void
test_edges(void)
{
	/* ((z.975 + z.8) / effect)^2 + z.975^2 / 2 */
	is_int((int64_t)tape_stat_pairs_needed(0.01, 0.05, 0.8), 78491,
	    "many pairs for a small effect");
	ok(tape_stat_pairs_needed(0.001, 0.05, 0.8) == UINT64_MAX &&
		tape_stat_pairs_needed(0, 0.05, 0.8) == UINT64_MAX,
	    "more than the limit for a smaller one");
	is_int((int64_t)tape_stat_pairs_needed(-1, 0.05, 0.8), 10,
	    "the direction does not matter");
	is_int((int64_t)tape_stat_pairs_needed(1e6, 0.05, 0.8), 2,
	    "two pairs for a huge one");
	is_near(
	    tape_stat_power(3, 0, 0.05), 0.05, 1e-12, "no effect: the level");
	is_near(tape_stat_power(3, 1e3, 0.05), 1, 1e-5, "huge: certain");
	ok(isnan(tape_stat_power(1, 1, 0.05)) &&
		isnan(tape_stat_power(5, nan(""), 0.05)) &&
		isnan(tape_stat_power(5, 1, 0)) &&
		isnan(tape_stat_detectable(5, 0.05, 0.01)) &&
		isnan(tape_stat_detectable(1, 0.05, 0.8)) &&
		isnan(tape_stat_nct_p(1, 0, 1)) &&
		isnan(tape_stat_sd_upper(1, 1, 0.8)) &&
		isnan(tape_stat_sd_upper(-1, 3, 0.8)) &&
		tape_stat_pairs_needed(HUGE_VAL, 0.05, 0.8) == 0,
	    "bad arguments are NaN or 0");
}

int
main(void)
{
	test_power();
	test_nct();
	test_table();
	test_edges();
	return done_testing();
}
