/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_series.h"

#include "base/mem.h"
#include "codec/stat_fit.h"
#include "codec/stat_rng.h"
#include "codec/stat_trend.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 5000 };

static void
check_series(struct oracle *o, const cJSON *c, const double *x, size_t n)
{
	double place[ROOM], acf[5];
	struct tape_stat_kendall k;
	struct tape_stat_spearman s;
	struct tape_stat_portmanteau q;
	struct tape_stat_line l;

	for (size_t i = 0; i < n; i++)
		place[i] = (double)(i + 1);
	if (tape_stat_kendall_trend(x, n, &k, NULL) != TAPE_OK ||
	    tape_stat_spearman(place, x, n, &s, NULL) != TAPE_OK ||
	    tape_stat_ljung_box(x, n, 5, &q, NULL) != TAPE_OK ||
	    tape_stat_fit_line(place, x, n, 0.95, &l, NULL) != TAPE_OK)
		return;
	for (size_t i = 0; i < 5; i++)
		acf[i] = tape_stat_acf(x, n, i + 1);
	oracle_near(o, c, "kendall_tau", k.tau, 1e-10);
	oracle_near(o, c, "kendall_z", k.z, 1e-10);
	oracle_near(o, c, "kendall_p", k.p, 1e-10);
	oracle_near(o, c, "spearman_rho", s.rho, 1e-10);
	oracle_near(o, c, "spearman_p", s.p, 1e-9);
	oracle_nears(o, c, "acf1to5", acf, 5, 1e-10);
	oracle_near(o, c, "ljung_box_Q", q.q, 1e-10);
	/* R 4.2 takes this tail as 1 - P, so only its absolute error is small. */
	oracle_value(o, "1 + ljung_box_p", 1 + q.p,
	    1 + oracle_number(
		    oracle_get(oracle_get(c, "expected"), "ljung_box_p")),
	    1e-15);
	oracle_near(o, c, "slope", l.slope.value, 1e-10);
	oracle_near(o, c, "slope_se", l.slope.se, 1e-10);
	oracle_near(o, c, "slope_p", l.slope.p, 1e-10);
}

static void
test_oracle(void)
{
	static double x[ROOM];
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "trend_acf.json"); c != NULL; c = c->next) {
		const size_t n = oracle_inputs(c, "x", x, ROOM);

		check_series(&o, c, x, n);
	}
	oracle_close(&o, 60);
}

static void
test_nist_lag(void)
{
	static double x[ROOM];
	struct oracle o;
	const cJSON *set;

	(void)oracle_open(&o, "nist/certified.json");
	cJSON_ArrayForEach(set, oracle_get(o.root, "datasets"))
	{
		const char *name =
		    cJSON_GetStringValue(oracle_get(set, "name"));
		const bool hard = name != NULL &&
				  strncmp(name, "NumAcc", 6) == 0 &&
				  name[6] > '2';
		size_t n;

		if (name == NULL)
			continue;
		n = oracle_csv(name, x, ROOM);
		oracle_value(&o, name, tape_stat_acf(x, n, 1),
		    oracle_number(oracle_get(set, "lag1")),
		    hard ? 1e-10 : 1e-13);
	}
	oracle_close(&o, 9);
}

/* AR(1) with coefficient phi has n_eff near n (1 - phi)/(1 + phi). */
static void
test_n_eff(void)
{
	enum { N = 4000 };
	static double x[N];
	const double same[] = { 2, 2, 2, 2 };
	const double wave[] = { -1, -1, 0, 2 };
	struct tape_stat_interval ci = { 0, 0 };
	struct tape_rng r;
	double state = 0;

	tape_rng_init(&r, 4, 0, 0, 0);
	for (int i = 0; i < N; i++) {
		state = 0.8 * state + tape_rng_normal(&r, 0, 1);
		x[i] = state;
	}
	ok(fabs(tape_stat_n_eff(x, N) / (N / 9.0) - 1) < 0.2,
	    "AR(1) of .8: %.0f of %d", tape_stat_n_eff(x, N), N);
	for (int i = 0; i < N; i++)
		x[i] = tape_rng_normal(&r, 0, 1);
	ok(tape_stat_n_eff(x, N) > 0.9 * N && tape_stat_n_eff(x, N) <= N,
	    "independent: %.0f of %d", tape_stat_n_eff(x, N), N);
	for (int i = 0; i < N; i++)
		x[i] = i;
	is_near(tape_stat_n_eff(x, N), N * 0.02 / 1.98, 1e-12,
	    "a ramp: the bound at .98");
	/* lag 1: 1/6; r = 1/6 + (1 + 1/2) / 4 */
	is_near(tape_stat_n_eff(wave, 4), 4 * (1 - 13.0 / 24) / (1 + 13.0 / 24),
	    1e-14, "the bias is taken out");
	is_near(tape_stat_n_eff(same, 4), 4, 0, "nothing varies: n");
	is_near(tape_stat_n_eff(same, 1), 1, 0, "one value");
	is_near(tape_stat_n_eff(same, 0), 0, 0, "none");
	is_int(tape_stat_mean_ci(x, N, 0.95, &ci, NULL), TAPE_OK, "mean");
	ok(ci.lo < 1999.5 - 300 && ci.hi > 1999.5 + 300,
	    "the interval of a ramp is wide (%.0f .. %.0f)", ci.lo, ci.hi);
	is_int(tape_stat_mean_ci(same, 1, 0.95, &ci, NULL), TAPE_OK, "of one");
	ok(isinf(ci.lo) && isinf(ci.hi), "it is infinite");
	is_int(tape_stat_mean_ci(same, 4, 0.95, &ci, NULL), TAPE_OK, "same");
	ok(ci.lo == 2 && ci.hi == 2, "of equal values it is a point");
}

/* All orders of five values: the share with as extreme a tau. */
static void
test_kendall_exact(void)
{
	double x[5];
	int s[120], perms = 0, wrong = 0;

	for (int code = 0; code < 3125; code++) {
		unsigned used = 0;

		for (int i = 0, c = code; i < 5; i++, c /= 5) {
			x[i] = c % 5;
			used |= 1U << c % 5;
		}
		if (used != 31)
			continue;
		s[perms] = 0;
		for (int i = 0; i < 5; i++)
			for (int j = i + 1; j < 5; j++)
				s[perms] += x[j] > x[i] ? 1 : -1;
		perms++;
	}
	for (int code = 0, at = 0; code < 3125; code++) {
		struct tape_stat_kendall k = { 0 };
		unsigned used = 0;
		int n = 0;

		for (int i = 0, c = code; i < 5; i++, c /= 5) {
			x[i] = c % 5;
			used |= 1U << c % 5;
		}
		if (used != 31)
			continue;
		for (int i = 0; i < perms; i++)
			n += abs(s[i]) >= abs(s[at]);
		wrong += tape_stat_kendall_trend(x, 5, &k, NULL) != TAPE_OK ||
			 fabs(k.p_exact - n / 120.0) > 1e-14 ||
			 fabs(k.tau - s[at] / 10.0) > 1e-14;
		at++;
	}
	is_int(perms, 120, "five values have 120 orders");
	is_int(wrong, 0, "tau and its exact p, in each of them");
}

static void
test_trend(void)
{
	const double up[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double tied[] = { 1, 1, 2, 2, 3, 3 };
	const double odd[] = { 0, 10, 2, 3, -100 };
	struct tape_stat_kendall k = { 0 };
	struct tape_stat_spearman s = { 0 };
	double slope = 0;

	is_int(tape_stat_kendall_trend(up, 7, &k, NULL), TAPE_OK, "rising");
	ok(k.tau == 1 && fabs(k.p_exact - 2.0 / 5040) < 1e-16, "tau 1, p 2/7!");
	is_int(tape_stat_kendall_trend(tied, 6, &k, NULL), TAPE_OK, "ties");
	is_near(k.tau, 12 / sqrt(15 * 12), 1e-14, "tau-b");
	ok(isnan(k.p_exact), "no exact p");
	is_int(tape_stat_spearman(up, up, 7, &s, NULL), TAPE_OK, "itself");
	ok(s.rho == 1 && s.p == 0, "rho 1");
	is_int(tape_stat_theil_sen(odd, 5, &slope, NULL), TAPE_OK, "slope");
	/* 10 1 1 -25 -8 -3.5 -110/3 1 -51 -103: the middle of ten */
	is_near(slope, -5.75, 1e-14, "median of the slopes");
}

/* Chi-square tails with 5 df have a closed form. */
static void
test_far_tail(void)
{
	const double q = 51.904572889260663;

	is_near(tape_stat_chi2_q(q, 5),
	    erfc(sqrt(q / 2)) + sqrt(2 * q / M_PI) * exp(-q / 2) * (1 + q / 3),
	    1e-13, "a tail of 5.6e-10 to 13 digits");
}

static void
test_refusals(void)
{
	const double x[] = { 1, 2, nan("") }, same[] = { 3, 3, 3 };
	static double many[TAPE_STAT_THEIL_MAX + 1];
	struct tape_stat_kendall k;
	struct tape_stat_spearman s;
	struct tape_stat_portmanteau q;
	struct tape_stat_interval ci;
	double slope;

	is_int(tape_stat_kendall_trend(x, 3, &k, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_kendall_trend(x, 1, &k, NULL), TAPE_E_DATA, "one");
	is_int(tape_stat_kendall_trend(same, 3, &k, NULL), TAPE_E_DATA, "same");
	is_int(tape_stat_spearman(x, x, 2, &s, NULL), TAPE_E_DATA, "two");
	is_int(tape_stat_spearman(x, same, 3, &s, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_ljung_box(same, 3, 1, &q, NULL), TAPE_E_DATA, "same");
	is_int(tape_stat_ljung_box(same, 3, 3, &q, NULL), TAPE_E_USAGE, "lags");
	is_int(tape_stat_ljung_box(x, 3, 1, &q, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_mean_ci(same, 0, 0.9, &ci, NULL), TAPE_E_DATA, "none");
	is_int(tape_stat_mean_ci(same, 3, 1, &ci, NULL), TAPE_E_USAGE, "level");
	is_int(tape_stat_theil_sen(x, 1, &slope, NULL), TAPE_E_DATA, "one");
	is_int(tape_stat_theil_sen(many, TAPE_STAT_THEIL_MAX + 1, &slope, NULL),
	    TAPE_E_LIMIT, "too many");
	ok(isnan(tape_stat_acf(same, 3, 1)) && isnan(tape_stat_acf(x, 2, 2)),
	    "no autocorrelation: NaN");
}

static void
test_no_memory(void)
{
	const double x[] = { 3, -1, 2, 4 };
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_stat_kendall k;
	struct tape_stat_spearman s;
	double slope;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 40) {
		(void)tape_mem_fail_at(++n);
		st = tape_stat_kendall_trend(x, 4, &k, NULL);
		if (st == TAPE_OK)
			st = tape_stat_spearman(x, x, 4, &s, NULL);
		if (st == TAPE_OK)
			st = tape_stat_theil_sen(x, 4, &slope, NULL);
	}
	(void)tape_mem_fail_at(0);
	ok(st == TAPE_OK && n > 4, "each of %d allocations may fail",
	    (int)n - 1);
}

int
main(void)
{
	test_oracle();
	test_nist_lag();
	test_n_eff();
	test_kendall_exact();
	test_trend();
	test_far_tail();
	test_refusals();
	test_no_memory();
	return done_testing();
}
