/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_rank.h"

#include "base/mem.h"
#include "codec/stat_hl.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 64 };

static void
test_signed_rank(void)
{
	double d[ROOM], got[2];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_rank r = { 0 };
	struct tape_stat_hl h = { 0 };

	for (c = oracle_open(&o, "signed_rank.json"); c != NULL; c = c->next) {
		const size_t n = oracle_inputs(c, "d", d, ROOM);
		const bool ties = cJSON_IsTrue(
		    oracle_get(oracle_get(c, "expected"), "ties_or_zeros"));

		if (tape_stat_signed_rank(d, n, &r, NULL) != TAPE_OK ||
		    tape_stat_hodges_lehmann(d, n, 0.95, &h, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "V", r.statistic, 0);
		oracle_near(&o, c, "n_nonzero", (double)r.n, 0);
		oracle_value(&o, "ties", r.ties, ties, 0);
		oracle_near(&o, c, "p_normal_cc", r.p_normal, 1e-10);
		oracle_near(&o, c, "p_normal_nocc", r.p_normal_nc, 1e-10);
		oracle_near(&o, c, "p_exact_conditional_exactRankTests",
		    r.p_two, 1e-10);
		if (ties)
			continue;
		oracle_near(&o, c, "p_exact_two", r.p_two, 1e-10);
		oracle_near(&o, c, "p_exact_less", r.p_less, 1e-10);
		oracle_near(&o, c, "p_exact_greater", r.p_greater, 1e-10);
		got[0] = h.ci.lo;
		got[1] = h.ci.hi;
		oracle_near(&o, c, "pseudomedian", h.estimate, 1e-10);
		oracle_nears(&o, c, "hl_ci95", got, 2, 1e-10);
	}
	oracle_close(&o, 150);
}

static void
test_distribution(void)
{
	double q[ROOM], got[ROOM] = { 0 };
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "signed_rank_distribution.json"); c != NULL;
	     c = c->next) {
		const size_t n = (size_t)oracle_input(c, "n");
		const size_t m = oracle_inputs(c, "q", q, ROOM);
		uint64_t v = 0;

		for (size_t i = 0; i < m; i++)
			if (tape_stat_signed_rank_p(
				(uint64_t)q[i], n, &got[i], NULL) != TAPE_OK)
				got[i] = -1;
		oracle_nears(&o, c, "cdf", got, m, 1e-12);
		if (tape_stat_signed_rank_quantile(0.025, n, &v, NULL) ==
		    TAPE_OK)
			oracle_near(&o, c, "q025", (double)v, 0);
		oracle_near(&o, c, "min_two_sided_p", 2 * got[0], 1e-12);
	}
	oracle_close(&o, 274);
}

static void
test_two_samples(void)
{
	double x[ROOM], y[ROOM], got[2];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_rank r = { 0 };
	struct tape_stat_hl h = { 0 };

	for (c = oracle_open(&o, "two_sample.json"); c != NULL; c = c->next) {
		const struct tape_stat_sample a = { x,
			oracle_inputs(c, "x", x, ROOM) };
		const struct tape_stat_sample b = { y,
			oracle_inputs(c, "y", y, ROOM) };

		if (tape_stat_mann_whitney(a, b, &r, NULL) != TAPE_OK ||
		    tape_stat_shift(a, b, 0.95, &h, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "W", r.statistic, 0);
		oracle_near(&o, c, "cliffs_delta_x_over_y",
		    tape_stat_cliffs_delta(r.statistic, a.n, b.n), 1e-10);
		oracle_near(&o, c, "mwu_p_normal_cc", r.p_normal, 1e-10);
		oracle_near(&o, c, "mwu_p_normal_nocc", r.p_normal_nc, 1e-10);
		oracle_near(&o, c, "mwu_p_exact_conditional_exactRankTests",
		    r.p_two, 1e-10);
		oracle_near(&o, c, "hl_shift", h.estimate, 1e-10);
		if (!oracle_has(c, "mwu_p_exact"))
			continue;
		oracle_near(&o, c, "mwu_p_exact", r.p_two, 1e-10);
		got[0] = h.ci.lo;
		got[1] = h.ci.hi;
		oracle_nears(&o, c, "hl_ci95", got, 2, 1e-10);
	}
	oracle_close(&o, 30);
}

static void
test_properties(void)
{
	const double d[] = { 3, -1, 2, 2, 0, -5, 8, 1.5 };
	const double y[] = { 1, 2, 2, 7 };
	double e[8];
	struct tape_stat_rank a = { 0 }, b = { 0 };
	struct tape_stat_hl h = { 0 }, g = { 0 };

	for (int i = 0; i < 8; i++)
		e[i] = -7 * d[i];
	is_int(tape_stat_signed_rank(d, 8, &a, NULL), TAPE_OK, "d");
	is_int(tape_stat_signed_rank(e, 8, &b, NULL), TAPE_OK, "-7 d");
	ok(a.p_two == b.p_two && a.p_less == b.p_greater &&
		a.statistic + b.statistic == 28 && a.n == 7,
	    "mirrored");
	is_int(tape_stat_hodges_lehmann(d, 8, 0.9, &h, NULL), TAPE_OK, "d");
	is_int(tape_stat_hodges_lehmann(e, 8, 0.9, &g, NULL), TAPE_OK, "-7 d");
	ok(g.estimate == -7 * h.estimate && g.ci.lo == -7 * h.ci.hi &&
		g.ci.hi == -7 * h.ci.lo && g.level >= 0.9,
	    "so is the estimate");
	is_int(tape_stat_mann_whitney((struct tape_stat_sample){ d, 8 },
		   (struct tape_stat_sample){ y, 4 }, &a, NULL),
	    TAPE_OK, "x, y");
	is_int(tape_stat_mann_whitney((struct tape_stat_sample){ y, 4 },
		   (struct tape_stat_sample){ d, 8 }, &b, NULL),
	    TAPE_OK, "y, x");
	ok(fabs(a.p_two - b.p_two) < 1e-14 &&
		fabs(a.p_less - b.p_greater) < 1e-14 &&
		a.statistic + b.statistic == 32,
	    "swapped");
	is_near(tape_stat_cliffs_delta(a.statistic, 8, 4),
	    -tape_stat_cliffs_delta(b.statistic, 8, 4), 1e-15, "and delta");
}

static void
test_many(void)
{
	enum { N = 120 };
	double d[N];
	struct tape_stat_rank r = { 0 };
	struct tape_stat_hl h = { 0 };

	for (int i = 0; i < N; i++)
		d[i] = sin(i * 12.9898) + 0.2;
	is_int(tape_stat_signed_rank(d, N, &r, NULL), TAPE_OK, "many");
	ok(!r.exact && isnan(r.p_two) && r.p_normal > 0 && r.p_normal < 0.05,
	    "no exact p, a normal one (%.4f)", r.p_normal);
	is_int(tape_stat_signed_rank(d, 100, &r, NULL), TAPE_OK, "a hundred");
	ok(r.exact && fabs(r.p_two - r.p_normal) < 0.01,
	    "have both, and near each other (%.4f, %.4f)", r.p_two, r.p_normal);
	is_int(tape_stat_hodges_lehmann(d, N, 0.95, &h, NULL), TAPE_OK, "HL");
	ok(h.ci.lo < h.estimate && h.estimate < h.ci.hi &&
		fabs(h.level - 0.95) < 0.001,
	    "with a normal interval, level %.4f", h.level);
	is_int(tape_stat_mann_whitney((struct tape_stat_sample){ d, 60 },
		   (struct tape_stat_sample){ d + 60, 60 }, &r, NULL),
	    TAPE_OK, "60 and 60");
	ok(!r.exact && r.p_normal > 0.05, "normal p %.3f", r.p_normal);
	is_int(tape_stat_shift((struct tape_stat_sample){ d, 60 },
		   (struct tape_stat_sample){ d + 60, 60 }, 0.95, &h, NULL),
	    TAPE_OK, "their shift");
	ok(h.ci.lo < 0 && h.ci.hi > 0, "has a normal interval");
}

static void
test_edges(void)
{
	const double zero[] = { 0, 0, 0 }, bad[] = { 1, nan("") };
	const struct tape_stat_sample z = { zero, 3 }, b = { bad, 2 };
	const struct tape_stat_sample none = { zero, 0 };
	struct tape_stat_rank r = { 0 };
	struct tape_stat_hl h = { 0 };
	uint64_t v;
	double p;

	is_int(tape_stat_signed_rank(zero, 3, &r, NULL), TAPE_OK, "all zero");
	ok(r.p_two == 1 && r.p_less == 1 && r.p_normal == 1 && r.n == 0,
	    "p is 1");
	is_int(tape_stat_mann_whitney(z, z, &r, NULL), TAPE_OK, "all equal");
	ok(fabs(r.p_two - 1) < 1e-14 && r.p_normal == 1 && r.statistic == 4.5,
	    "p is 1");
	is_int(tape_stat_signed_rank(bad, 2, &r, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_signed_rank(bad, 0, &r, NULL), TAPE_E_DATA, "none");
	is_int(tape_stat_mann_whitney(z, b, &r, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_mann_whitney(z, none, &r, NULL), TAPE_E_DATA, "no y");
	is_int(tape_stat_hodges_lehmann(bad, 2, 0.95, &h, NULL), TAPE_E_DATA,
	    "NaN");
	is_int(tape_stat_hodges_lehmann(zero, 3, 0, &h, NULL), TAPE_E_USAGE,
	    "level 0");
	is_int(tape_stat_hodges_lehmann(bad, 1, 0.95, &h, NULL), TAPE_OK,
	    "one value");
	ok(h.estimate == 1 && h.ci.lo == 1 && h.level == 0, "at level 0");
	is_int(tape_stat_shift(none, z, 0.95, &h, NULL), TAPE_E_DATA, "no x");
	is_int(tape_stat_signed_rank_p(3, 101, &p, NULL), TAPE_E_LIMIT,
	    "101 ranks");
	is_int(tape_stat_signed_rank_quantile(2, 9, &v, NULL), TAPE_E_USAGE,
	    "prob 2");
	is_int(tape_stat_mann_whitney_quantile(0.025, 4, 6, &v, NULL), TAPE_OK,
	    "4 and 6");
	is_int((int64_t)v, 3, "qwilcox(.025, 4, 6) is 3");
}

static void
test_no_memory(void)
{
	const double d[] = { 3, -1, 2, 4 };
	const struct tape_stat_sample x = { d, 4 }, y = { d, 3 };
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_stat_rank r;
	struct tape_stat_hl h;
	uint64_t n = 0;

	while (st == TAPE_E_NOMEM && n < 40) {
		(void)tape_mem_fail_at(++n);
		st = tape_stat_signed_rank(d, 4, &r, NULL);
		if (st == TAPE_OK)
			st = tape_stat_mann_whitney(x, y, &r, NULL);
		if (st == TAPE_OK)
			st = tape_stat_hodges_lehmann(d, 4, 0.9, &h, NULL);
		if (st == TAPE_OK)
			st = tape_stat_shift(x, y, 0.9, &h, NULL);
	}
	(void)tape_mem_fail_at(0);
	ok(st == TAPE_OK && n > 12, "each of %d allocations may fail",
	    (int)n - 1);
}

int
main(void)
{
	test_signed_rank();
	test_distribution();
	test_two_samples();
	test_properties();
	test_many();
	test_edges();
	test_no_memory();
	return done_testing();
}
