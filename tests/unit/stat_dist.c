/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_dist.h"

#include "codec/stat_prop.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

static void
test_t(void)
{
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "t_distribution.json"); c != NULL;
	     c = c->next) {
		const double t = oracle_input(c, "t");
		const double df = oracle_input(c, "df");

		oracle_near(&o, c, "upper", tape_stat_t_q(t, df), 1e-10);
		oracle_near(&o, c, "qt975", tape_stat_t_pinv(0.975, df), 1e-10);
	}
	oracle_close(&o, 20);
}

/* Values of printed tables and closed forms. */
static void
test_closed_forms(void)
{
	is_near(tape_stat_normal_q(1.959963984540054), 0.025, 1e-13, "z .975");
	is_near(tape_stat_normal_p(-6), 9.8658764503769814e-10, 1e-12, "z -6");
	is_near(tape_stat_normal_pinv(0.975), 1.959963984540054, 1e-14,
	    "z quantile");
	is_near(tape_stat_chi2_q(7, 2), exp(-3.5), 1e-13, "chi2, 2 df");
	is_near(tape_stat_chi2_p(7, 2), 1 - exp(-3.5), 1e-13, "its other tail");
	is_near(tape_stat_chi2_pinv(0.5, 2), 2 * log(2), 1e-12, "its median");
	is_near(tape_stat_t_p(1, 1), 0.75, 1e-13, "Cauchy quartile");
	is_near(tape_stat_t_q(2, 2), 0.5 - 1 / sqrt(6), 1e-12, "t, 2 df");
	is_near(tape_stat_t_q(37700, 1) / (atan(1 / 37700.) / M_PI), 1, 1e-13,
	    "a far Cauchy tail");
	/* R: pt(14.36, 31.14, lower.tail = FALSE) */
	is_near(tape_stat_t_q(14.36, 31.14) / 1.398034481640307e-15, 1, 1e-12,
	    "and one of 31 df");
	is_near(tape_stat_beta_p(0.3, 2, 1), 0.09, 1e-13, "beta(2, 1)");
	is_near(tape_stat_beta_pinv(0.09, 2, 1), 0.3, 1e-12, "its quantile");
}

static void
test_bad_arguments(void)
{
	const double bad = nan("");

	ok(isnan(tape_stat_normal_p(bad)) && isnan(tape_stat_normal_q(bad)) &&
		isnan(tape_stat_normal_pinv(1.5)),
	    "normal: NaN for NaN and for p outside [0, 1]");
	ok(isnan(tape_stat_t_p(bad, 3)) && isnan(tape_stat_t_q(1, 0)) &&
		isnan(tape_stat_t_p(1, bad)) && isnan(tape_stat_t_p(1, -2)) &&
		isnan(tape_stat_t_pinv(-0.1, 3)) &&
		isnan(tape_stat_t_pinv(0.1, HUGE_VAL)),
	    "t: NaN for bad arguments, and no abort");
	ok(isnan(tape_stat_chi2_p(bad, 3)) && isnan(tape_stat_chi2_q(1, -1)) &&
		isnan(tape_stat_chi2_pinv(bad, 3)),
	    "chi2: NaN for bad arguments");
	ok(isnan(tape_stat_beta_p(0.5, 0, 1)) &&
		isnan(tape_stat_beta_pinv(2, 1, 1)),
	    "beta: NaN for bad arguments");
	ok(isnan(tape_stat_binom_p(1, 2, bad)) &&
		isnan(tape_stat_binom_pmf(1, 2, -0.1)) &&
		tape_stat_binom_quantile(0.5, 2, 1.1) == UINT64_MAX &&
		isnan(tape_stat_binom_p(1, UINT64_MAX, 0.5)),
	    "binomial: NaN for bad arguments");
	is_near(tape_stat_t_q(-HUGE_VAL, 3), 1, 0, "t of minus infinity");
	ok(isinf(tape_stat_t_pinv(1, 3)), "t of p = 1");
	is_near(tape_stat_chi2_q(HUGE_VAL, 3), 0, 0, "chi2 of infinity");
}

static void
test_binomial(void)
{
	double sum = 0, worst = 0;

	for (uint64_t k = 0; k <= 30; k++) {
		sum += tape_stat_binom_pmf(k, 30, 0.3);
		worst = fmax(
		    worst, fabs(sum - tape_stat_binom_p(k, 30, 0.3)) / sum);
	}
	ok(worst < 1e-12, "tails are the sums of the counts (%.1e)", worst);
	is_near(tape_stat_binom_pmf(2, 5, 0.5), 0.3125, 1e-14, "2 of 5");
	is_near(tape_stat_binom_pmf(0, 5, 0.1), 0.59049, 1e-14, "0 of 5");
	is_near(tape_stat_binom_pmf(5, 5, 0.1), 1e-5, 1e-13, "5 of 5");
	is_near(tape_stat_binom_p(4, 10, 0.5), 0.376953125, 1e-13, "4 of 10");
	is_near(tape_stat_binom_p(4, 10, 0), 1, 0, "p = 0");
	is_near(tape_stat_binom_p(4, 10, 1), 0, 0, "p = 1");
	is_near(tape_stat_binom_p(10, 10, 0.5), 1, 0, "all of them");
	is_int(tape_stat_binom_quantile(0.376953125, 10, 0.5), 4,
	    "the quantile of a value of P is its count");
	is_int(
	    tape_stat_binom_quantile(0.377, 10, 0.5), 5, "and then the next");
	is_int(tape_stat_binom_quantile(0, 10, 0.5), 0, "quantile of 0");
	is_int(tape_stat_binom_quantile(1, 10, 0), 0, "of nothing");
}

/* Symmetry and the normal limit, where continued fractions give up. */
static void
test_binomial_large(void)
{
	const uint64_t n = 10000001;
	const uint64_t k = tape_stat_binom_quantile(0.025, n, 0.5);

	is_near(tape_stat_binom_p(n / 2, n, 0.5), 0.5, 1e-11,
	    "ten million tosses: half of them in half of the cases");
	is_near(
	    tape_stat_binom_p(k, n, 0.5) + tape_stat_binom_p(n - k - 1, n, 0.5),
	    1, 1e-12, "both tails");
	/* n/2 - 1/2 - 1.95996 sqrt(n)/2 = 4996901.025, rounded up */
	is_int(k, 4996902, "their .025 quantile is the normal one");
	is_near(tape_stat_binom_p(3, TAPE_STAT_BINOM_MAX, 3e-12), 13 * exp(-3),
	    1e-9, "a Poisson limit at the largest n");
}

static void
test_proportions(void)
{
	struct oracle o;
	const cJSON *c;
	struct tape_stat_interval ci;
	double got[2];

	for (c = oracle_open(&o, "proportion_ci.json"); c != NULL;
	     c = c->next) {
		const double k = oracle_input(c, "k");
		const double n = oracle_input(c, "n");

		if (tape_stat_wilson(k, n, 0.95, &ci, NULL) != TAPE_OK)
			continue;
		got[0] = ci.lo;
		got[1] = ci.hi;
		oracle_nears(&o, c, "wilson95", got, 2, 1e-10);
		if (tape_stat_clopper(
			(uint64_t)k, (uint64_t)n, 0.95, &ci, NULL) != TAPE_OK)
			continue;
		got[0] = ci.lo;
		got[1] = ci.hi;
		oracle_nears(&o, c, "clopper95", got, 2, 1e-10);
	}
	oracle_close(&o, 28);
}

static void
test_proportion_edges(void)
{
	struct tape_stat_interval ci = { -1, -1 };
	struct tape_err err = { 0 };

	is_int(tape_stat_wilson(0, 0, 0.95, &ci, &err), TAPE_E_DATA,
	    "no trial, no interval");
	is_str(err.text, "a proportion needs at least one trial", "in words");
	is_int(tape_stat_wilson(3, 2, 0.95, &ci, NULL), TAPE_E_USAGE,
	    "more good ones than trials");
	is_int(tape_stat_wilson(nan(""), 2, 0.95, &ci, NULL), TAPE_E_USAGE,
	    "not a number");
	is_int(tape_stat_clopper(1, 2, 1, &ci, NULL), TAPE_E_USAGE, "level 1");
	is_int(tape_stat_clopper(1, UINT64_MAX / 2, 0.9, &ci, NULL),
	    TAPE_E_LIMIT, "too many trials");
	is_near(ci.lo, -1, 0, "a refusal leaves the result alone");
	is_int(tape_stat_clopper(1, 1000000000, 0.95, &ci, NULL), TAPE_OK,
	    "one in a billion");
	is_near(ci.lo, 2.5317807984289897e-11, 1e-9, "lower end -log(.975)/n");
	is_int(tape_stat_wilson(7.5, 12.25, 0.95, &ci, NULL), TAPE_OK,
	    "parts of trials, after a design effect");
	ok(ci.lo > 0.33 && ci.hi < 0.84, "%.3f to %.3f", ci.lo, ci.hi);
}

int
main(void)
{
	test_t();
	test_closed_forms();
	test_bad_arguments();
	test_binomial();
	test_binomial_large();
	test_proportions();
	test_proportion_edges();
	return done_testing();
}
