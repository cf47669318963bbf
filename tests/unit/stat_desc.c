/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_desc.h"

#include "base/mem.h"
#include "codec/stat_quantile.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 5000 };

/* How wrong GSL's own test lets these be: 13 digits else. */
static double
sd_room(const char *name)
{
	if (strcmp(name, "NumAcc3") == 0)
		return 1e-9;
	return strcmp(name, "NumAcc4") == 0 ? 1e-7 : 1e-13;
}

static void
test_nist(void)
{
	static double x[ROOM];
	struct oracle o;
	const cJSON *set, *sets;

	(void)oracle_open(&o, "nist/certified.json");
	sets = oracle_get(o.root, "datasets");
	cJSON_ArrayForEach(set, sets)
	{
		const char *name =
		    cJSON_GetStringValue(oracle_get(set, "name"));
		struct tape_stat_desc d;
		size_t n;

		if (name == NULL)
			continue;
		n = oracle_csv(name, x, ROOM);
		oracle_value(&o, name, (double)n,
		    oracle_number(oracle_get(set, "n")), 0);
		if (tape_stat_describe(x, n, &d, NULL) != TAPE_OK)
			continue;
		oracle_value(&o, name, d.mean,
		    oracle_number(oracle_get(set, "mean")), 1e-14);
		oracle_value(&o, name, d.sd,
		    oracle_number(oracle_get(set, "sd")), sd_room(name));
	}
	oracle_close(&o, 27);
}

static void
test_describe(void)
{
	const double x[] = { 3, -1, 7, 7 };
	const double bad[] = { 1, 2, nan("") };
	const double worse[] = { -HUGE_VAL };
	struct tape_stat_desc d = { 0 };
	struct tape_err err = { 0 };

	is_int(tape_stat_describe(x, 0, &d, &err), TAPE_E_DATA, "no values");
	tape_err_clear(&err);
	is_int(tape_stat_describe(bad, 3, &d, &err), TAPE_E_DATA, "NaN");
	is_str(err.text, "value 3 of 3 is not finite", "is named");
	is_int(tape_stat_describe(worse, 1, &d, NULL), TAPE_E_DATA, "infinity");
	is_int((int)d.n, 0, "a refusal leaves the result alone");
	is_int(tape_stat_describe(x, 4, &d, NULL), TAPE_OK, "four values");
	ok(d.n == 4 && d.mean == 4 && d.min == -1 && d.max == 7, "described");
	is_near(d.sd, sqrt(44.0 / 3), 1e-15, "with their sd");
	is_int(tape_stat_describe(x, 1, &d, NULL), TAPE_OK, "one value");
	ok(d.mean == 3 && isnan(d.sd), "has a mean and no sd");
	ok(isnan(tape_stat_mean(x, 0)) && isnan(tape_stat_sd(x, 1)),
	    "too few values are NaN");
	is_near(tape_stat_mean(x, 4), 4, 0, "mean");
	is_near(tape_stat_sd(x, 4), sqrt(44.0 / 3), 1e-15, "sd");
}

static void
test_quantile_types(void)
{
	double x[64], probs[64], got[64];
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "quantile_types.json"); c != NULL;
	     c = c->next) {
		const size_t n = oracle_inputs(c, "x", x, 64);
		const size_t m = oracle_inputs(c, "probs", probs, 64);
		const int type = (int)oracle_input(c, "type");

		if (tape_stat_sort(x, n, NULL) != TAPE_OK)
			continue;
		for (size_t i = 0; i < m; i++)
			got[i] = tape_stat_quantile_type(x, n, probs[i], type);
		oracle_nears(&o, c, "q", got, m, 1e-13);
		for (size_t i = 0; i < m; i++)
			got[i] = tape_stat_quantile(x, n, probs[i]);
		if (type == 7)
			oracle_nears(&o, c, "q", got, m, 1e-13);
	}
	oracle_close(&o, 600);
	ok(isnan(tape_stat_quantile(x, 0, 0.5)), "no values: NaN");
	ok(isnan(tape_stat_quantile(x, 2, 1.1)) &&
		isnan(tape_stat_quantile(x, 2, nan(""))),
	    "q outside [0, 1]: NaN");
	ok(isnan(tape_stat_quantile_type(x, 2, 0.5, 10)), "type 10: NaN");
}

static void
test_quantile_ranks(void)
{
	struct oracle o;
	const cJSON *c;
	struct tape_stat_rank_interval r = { 0 };

	for (c = oracle_open(&o, "quantile_ci_ranks.json"); c != NULL;
	     c = c->next) {
		const uint64_t n = (uint64_t)oracle_input(c, "n");
		const cJSON *e = oracle_get(c, "expected");

		if (tape_stat_quantile_ranks(
			n, oracle_input(c, "p"), 0.95, &r, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "l", (double)r.lo, 0);
		oracle_near(&o, c, "u", (double)r.hi, 0);
		oracle_near(&o, c, "coverage", r.coverage, 1e-12);
		oracle_value(&o, "lower exists", r.lo > 0,
		    cJSON_IsTrue(oracle_get(e, "lower_exists")), 0);
		oracle_value(&o, "upper exists", r.hi <= n,
		    cJSON_IsTrue(oracle_get(e, "upper_exists")), 0);
	}
	oracle_close(&o, 100);
	is_int(tape_stat_quantile_ranks(0, 0.5, 0.95, &r, NULL), TAPE_E_DATA,
	    "no values");
	is_int(tape_stat_quantile_ranks(9, 1, 0.95, &r, NULL), TAPE_E_USAGE,
	    "no interval for the largest value");
	is_int(tape_stat_quantile_ranks(UINT64_MAX, 0.5, 0.95, &r, NULL),
	    TAPE_E_LIMIT, "too many values");
}

/* The table of smallest n, and that the ranks agree with it. */
static void
test_min_n(void)
{
	static const struct {
		double q;
		uint64_t two, one, mlperf;
	} t[] = {
		{ 0.5, 6, 5, 7 },
		{ 0.9, 36, 29, 44 },
		{ 0.95, 72, 59, 90 },
		{ 0.99, 368, 299, 459 },
		{ 0.999, 3688, 2995, 4603 },
	};
	struct tape_stat_rank_interval at, before;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const double q = t[i].q;
		const uint64_t n = tape_stat_quantile_min_n(q, 0.95, true);

		ok(n == t[i].two &&
			tape_stat_quantile_min_n(q, 0.95, false) == t[i].one &&
			tape_stat_quantile_min_n(q, 0.99, false) == t[i].mlperf,
		    "smallest n for p%g", 100 * q);
		ok(tape_stat_quantile_ranks(n, q, 0.95, &at, NULL) == TAPE_OK &&
			tape_stat_quantile_ranks(
			    n - 1, q, 0.95, &before, NULL) == TAPE_OK &&
			at.lo > 0 && at.hi <= n &&
			(before.lo == 0 || before.hi == n),
		    "at %d both ends exist, below not", (int)n);
	}
	is_int((int64_t)tape_stat_quantile_min_n(1, 0.95, true), 0,
	    "none for the largest value");
}

static int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
check_sort(size_t n, int kind)
{
	double *x = calloc(n + 1, sizeof(*x)), *y = calloc(n + 1, sizeof(*y));
	struct tape_rng r;

	tape_rng_init(&r, 1, 0, (uint32_t)n, (uint32_t)kind);
	for (size_t i = 0; x != NULL && y != NULL && i < n; i++) {
		if (kind == 0) /* latencies */
			x[i] = 0.2 + tape_rng_exponential(&r, 0.01);
		else if (kind == 1) /* all magnitudes, both signs */
			x[i] = (tape_rng_double(&r) - 0.5) *
			       exp2(tape_rng_below(&r, 2000) - 1000.0);
		else /* few values */
			x[i] = tape_rng_below(&r, 3);
		y[i] = x[i];
	}
	if (x == NULL || y == NULL || tape_stat_sort(x, n, NULL) != TAPE_OK) {
		ok(false, "sorted");
	} else {
		qsort(y, n, sizeof(*y), ascending);
		ok(memcmp(x, y, n * sizeof(*x)) == 0, "%zu values of kind %d",
		    n, kind);
	}
	free(x);
	free(y);
}

static void
test_sort(void)
{
	static const size_t sizes[] = { 0, 1, 2, 1023, 1024, 1025, 30000 };
	enum { N = 2000 };
	static double x[N];
	struct tape_err err = { 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int kind = 0; kind < 3; kind++)
			check_sort(sizes[i], kind);
	for (int i = 0; i < N; i++)
		x[i] = N - i;
	(void)tape_mem_fail_at(1);
	is_int(tape_stat_sort(x, N, &err), TAPE_E_NOMEM, "no memory");
	(void)tape_mem_fail_at(0);
	is_near(x[0], N, 0, "leaves the data alone");
	x[N - 1] = HUGE_VAL;
	is_int(tape_stat_sort(x, N, NULL), TAPE_E_DATA, "so does infinity");
	is_near(x[0], N, 0, "which is refused");
	x[0] = 0;
	x[1] = -0.0;
	is_int(tape_stat_sort(x, 2, NULL), TAPE_OK, "both zeros");
	ok(signbit(x[0]) && !signbit(x[1]), "have an order");
}

static void
test_midranks(void)
{
	const double x[] = { 5, 1, 5, -2, 5, 1 };
	const double bad[] = { 1, nan("") };
	double rank[6], ties;

	is_int(tape_stat_midranks(x, 6, rank, &ties, NULL), TAPE_OK, "ranks");
	ok(rank[0] == 5 && rank[1] == 2.5 && rank[2] == 5 && rank[3] == 1 &&
		rank[4] == 5 && rank[5] == 2.5,
	    "equal values share the mean of their ranks");
	is_near(ties, (27 - 3) + (8 - 2), 0, "ties are counted");
	is_int(tape_stat_midranks(bad, 2, rank, NULL, NULL), TAPE_E_DATA,
	    "NaN has no rank");
	(void)tape_mem_fail_at(1);
	is_int(tape_stat_midranks(x, 6, rank, NULL, NULL), TAPE_E_NOMEM,
	    "no memory");
	(void)tape_mem_fail_at(0);
}

/* The merge against the definition. */
static void
test_mad(void)
{
	struct tape_rng r;
	double worst = 0, x[40], dev[40];

	tape_rng_init(&r, 2, 0, 0, 0);
	for (size_t n = 1; n <= 40; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = n % 3 == 0 ? tape_rng_below(&r, 4)
					  : tape_rng_normal(&r, 0, 1);
		qsort(x, n, sizeof(*x), ascending);
		for (size_t i = 0; i < n; i++)
			dev[i] = fabs(x[i] - tape_stat_median(x, n));
		qsort(dev, n, sizeof(*dev), ascending);
		worst = fmax(worst,
		    fabs(tape_stat_median(dev, n) - tape_stat_mad(x, n)));
	}
	ok(worst <= 1e-15, "MAD is the median deviation (off by %g)", worst);
	ok(isnan(tape_stat_mad(x, 0)), "of nothing NaN");
}

static void
test_trimmed(void)
{
	const double x[] = { -100, 1, 2, 3, 4, 5, 6, 7, 8, 1000 };
	const double y[] = { 0, 0, 0, 0, 1, 2, 9, 10, 10, 10, 10 };

	is_near(tape_stat_trimmed(x, 10, 0.1), 4.5, 1e-15, "10 %% of ten");
	is_near(tape_stat_trimmed(x, 9, 0.1), -64.0 / 9, 1e-15,
	    "10 %% of nine is none");
	is_near(tape_stat_trimmed(x, 10, 0.49), 4.5, 1e-15, "four each end");
	is_near(tape_stat_trimmed(y, 11, 0.45), 4, 1e-15, "three are left");
	is_near(tape_stat_trimmed(x, 9, 0.5), 4, 0, "half is the median");
	is_near(tape_stat_trimmed(x, 10, 7), 4.5, 0, "and so is more");
	is_near(tape_stat_trimmed(x, 1, 0.1), -100, 0, "of one value");
	ok(isnan(tape_stat_trimmed(x, 0, 0.1)), "of none");
	ok(isnan(tape_stat_trimmed(x, 9, nan(""))), "trim NaN");
	is_near(tape_stat_median(x, 10), 4.5, 0, "median of an even number");
}

int
main(void)
{
	test_nist();
	test_describe();
	test_quantile_types();
	test_quantile_ranks();
	test_min_n();
	test_sort();
	test_midranks();
	test_mad();
	test_trimmed();
	return done_testing();
}
