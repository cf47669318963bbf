/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_flip.h"

#include "base/mem.h"
#include "codec/stat_flipci.h"
#include "codec/stat_halves.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 64 };

static void
test_oracle(void)
{
	double d[ROOM];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_flip f;

	for (c = oracle_open(&o, "sign_flip_exact.json"); c != NULL;
	     c = c->next) {
		const size_t k = oracle_inputs(c, "d", d, ROOM);

		if (tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK || !f.exact)
			continue;
		oracle_near(&o, c, "count_ge", (double)f.count_greater, 0);
		oracle_near(&o, c, "count_le", (double)f.count_less, 0);
		oracle_near(&o, c, "count_abs_ge", (double)f.count_two, 0);
		oracle_near(&o, c, "total", (double)f.total, 0);
		oracle_near(&o, c, "p_two", f.p_two, 1e-15);
		oracle_near(&o, c, "p_greater", f.p_greater, 1e-15);
		oracle_near(&o, c, "p_less", f.p_less, 1e-15);
	}
	oracle_close(&o, 98);
}

/* Random differences on a coarse grid, so that sums tie and zeros occur. */
static void
grid(double *d, size_t k, uint32_t replicate)
{
	struct tape_rng r;

	tape_rng_init(&r, 17, 0, (uint32_t)k, replicate);
	for (size_t i = 0; i < k; i++)
		d[i] = ((double)tape_rng_below(&r, 13) - 5) / 10;
}

static void
normals(double *d, size_t k, double mean, uint32_t replicate)
{
	struct tape_rng r;

	tape_rng_init(&r, 18, 0, (uint32_t)k, replicate);
	for (size_t i = 0; i < k; i++)
		d[i] = tape_rng_normal(&r, mean, 1);
}

/* All sign vectors, in tenths, which are exact. */
static struct tape_stat_flip
brute(const double *d, size_t k)
{
	struct tape_stat_flip f = { .exact = true, .total = 1U << k };
	long observed = 0;

	for (size_t i = 0; i < k; i++)
		observed += lround(d[i] * 10);
	for (unsigned set = 0; set < 1U << k; set++) {
		long sum = 0;

		for (size_t i = 0; i < k; i++)
			sum += (set >> i & 1 ? -1 : 1) * lround(d[i] * 10);
		f.count_greater += sum >= observed;
		f.count_less += sum <= observed;
		f.count_two += labs(sum) >= labs(observed);
	}
	return f;
}

static void
test_brute(void)
{
	double d[ROOM];
	int wrong = 0, tried = 0;

	for (size_t k = 1; k <= 12; k++)
		for (uint32_t rep = 0; rep < 20; rep++) {
			struct tape_stat_flip f = { 0 }, g;

			grid(d, k, rep);
			g = brute(d, k);
			tried++;
			wrong +=
			    tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK ||
			    f.count_two != g.count_two ||
			    f.count_greater != g.count_greater ||
			    f.count_less != g.count_less || f.total != g.total;
		}
	is_int(
	    wrong, 0, "counts as listing all signs does, in %d cases", tried);
}

static void
test_properties(void)
{
	double d[ROOM], e[ROOM];
	int wrong = 0;

	for (size_t k = 2; k <= 44; k += 7) {
		struct tape_stat_flip f = { 0 }, g = { 0 };

		normals(d, k, 0.2, 1);
		for (size_t i = 0; i < k; i++)
			e[i] = -d[i];
		wrong += tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK;
		wrong += tape_stat_flip(e, k, NULL, &g, NULL) != TAPE_OK;
		wrong += f.count_two != g.count_two ||
			 f.count_greater != g.count_less ||
			 f.count_less != g.count_greater;
		for (size_t i = 0; i < k; i++)
			e[i] = 1e-6 * d[i];
		wrong += tape_stat_flip(e, k, NULL, &g, NULL) != TAPE_OK;
		wrong += f.count_two != g.count_two ||
			 f.count_greater != g.count_greater;
		if (!f.exact)
			continue;
		for (size_t i = 0; i < k; i++)
			e[i] = d[k - 1 - i];
		wrong += tape_stat_flip(e, k, NULL, &g, NULL) != TAPE_OK;
		wrong += f.count_two != g.count_two;
	}
	is_int(wrong, 0, "p(d) = p(-d) = p(c d) = p(d in any order)");
}

static void
test_edges(void)
{
	double d[ROOM] = { 0 };
	struct tape_stat_flip f = { 0 };
	struct tape_err err = { 0 };
	static double many[TAPE_STAT_SIGNS_MAX + 1];
	const struct tape_stat_flip_opt greedy = { 1, 0, UINT32_MAX };

	is_int(tape_stat_flip(d, 10, NULL, &f, NULL), TAPE_OK, "all zero");
	ok(f.p_two == 1 && f.p_less == 1 && f.p_greater == 1, "p is 1");
	is_int(tape_stat_flip(d, 0, NULL, &f, &err), TAPE_E_DATA, "no pair");
	is_str(err.text, "no pair to flip", "is said");
	d[3] = nan("");
	is_int(tape_stat_flip(d, 10, NULL, &f, NULL), TAPE_E_DATA, "NaN");
	d[3] = 1e308;
	d[4] = 1e308;
	is_int(tape_stat_flip(d, 10, NULL, &f, NULL), TAPE_E_DATA,
	    "a sum that overflows");
	is_int(tape_stat_flip(many, TAPE_STAT_SIGNS_MAX + 1, NULL, &f, NULL),
	    TAPE_E_LIMIT, "too many pairs");
	is_int(tape_stat_flip(d, 3, &greedy, &f, NULL), TAPE_E_LIMIT,
	    "too many replicates");
	for (size_t k = 1; k <= 12; k++) {
		for (size_t i = 0; i < k; i++)
			d[i] = 1 + (double)i;
		if (tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK ||
		    f.p_two != ldexp(1, 1 - (int)k))
			ok(false, "smallest p of %zu pairs", k);
	}
	is_near(f.p_two, 1.0 / 2048, 0, "the smallest p is 2^-(k-1)");
}

/* 40 pairs: the law of a sum of ten of each is known, by recursion. */
static void
test_forty(void)
{
	double d[ROOM];
	struct tape_stat_flip f = { 0 };
	uint64_t count[821] = { [410] = 1 }, next[821], two = 0;
	int sum = 0;

	for (int i = 0; i < 40; i++) {
		const int v = i % 20 + 1;

		d[i] = i % 3 == 0 ? -v : v;
		sum += (int)d[i];
		memset(next, 0, sizeof(next));
		for (int s = 0; s <= 820; s++) {
			next[s] += s >= v ? count[s - v] : 0;
			next[s] += s + v <= 820 ? count[s + v] : 0;
		}
		memcpy(count, next, sizeof(count));
	}
	/* Sums beyond +-410 fell off the table; none was within it again. */
	for (int s = -410; s <= 410; s++)
		two += abs(s) < abs(sum) ? count[s + 410] : 0;
	is_int(tape_stat_flip(d, 40, NULL, &f, NULL), TAPE_OK, "forty pairs");
	ok(f.exact && f.total == (uint64_t)1 << 40, "all 2^40 sums");
	is_int((int64_t)(f.total - f.count_two), (int64_t)two,
	    "counted to the last one");
}

static void
test_monte_carlo(void)
{
	double d[ROOM];
	const struct tape_stat_flip_opt few = { 1, 7, 999 };
	const struct tape_stat_flip_opt other = { 2, 7, 999 };
	struct tape_stat_flip f = { 0 }, g = { 0 };
	double z = 0, ss = 0;

	normals(d, 41, 0.3, 0);
	for (size_t i = 0; i < 41; i++) {
		z += d[i];
		ss += d[i] * d[i];
	}
	is_int(tape_stat_flip(d, 41, NULL, &f, NULL), TAPE_OK, "41 pairs");
	ok(!f.exact && f.total == 100000, "are drawn, with the identity");
	ok(fabs(f.p_two - 2 * tape_stat_normal_q(fabs(z) / sqrt(ss))) < 0.01,
	    "p %.4f is near the normal one", f.p_two);
	is_int(tape_stat_flip(d, 41, &few, &f, NULL), TAPE_OK, "another row");
	is_int(tape_stat_flip(d, 41, &few, &g, NULL), TAPE_OK, "and again");
	ok(f.total == 1000 && f.count_two == g.count_two, "the same counts");
	is_int(tape_stat_flip(d, 41, &other, &g, NULL), TAPE_OK, "seed 2");
	ok(f.count_two != g.count_two || f.count_less != g.count_less,
	    "other counts");
	for (size_t i = 0; i < 41; i++)
		d[i] = 1;
	is_int(tape_stat_flip(d, 41, &few, &f, NULL), TAPE_OK, "one-sided");
	ok(f.count_greater == 1 && f.count_two == 1 && f.count_less == 1000,
	    "p is never 0: the identity counts");
}

static double
p_at(const double *d, size_t k, double theta)
{
	double e[ROOM];
	struct tape_stat_flip f = { .p_two = -1 };

	for (size_t i = 0; i < k; i++)
		e[i] = d[i] - theta;
	if (tape_stat_flip(e, k, NULL, &f, NULL) != TAPE_OK)
		return -1;
	return f.p_two;
}

/* Just outside the interval the test rejects, just inside it does not. */
static void
check_inverse(size_t k, double level, uint32_t replicate)
{
	double d[ROOM];
	const double alpha = 1 - level + 1e-12;
	struct tape_stat_flipci i = { { 0, 0 }, 0 };
	const double step = 1e-9;

	normals(d, k, 0.4, replicate);
	if (tape_stat_flipci(d, k, level, NULL, &i, NULL) != TAPE_OK) {
		ok(false, "interval of %zu pairs", k);
		return;
	}
	ok(p_at(d, k, i.ci.lo - step) <= alpha &&
		p_at(d, k, i.ci.lo + step) > alpha &&
		p_at(d, k, i.ci.hi + step) <= alpha &&
		p_at(d, k, i.ci.hi - step) > alpha && i.level >= level,
	    "%zu pairs: %.4f .. %.4f at %.5f inverts the test", k, i.ci.lo,
	    i.ci.hi, i.level);
}

static void
test_interval(void)
{
	double d[ROOM] = { 3, -1, 4, 1, 5, 9 };
	struct tape_stat_flipci i = { { 0, 0 }, 0 };

	is_int(tape_stat_flipci(d, 5, 0.95, NULL, &i, NULL), TAPE_OK,
	    "five pairs");
	ok(isinf(i.ci.lo) && isinf(i.ci.hi) && i.level == 1,
	    "have no 95 %% interval");
	is_int(
	    tape_stat_flipci(d, 6, 0.95, NULL, &i, NULL), TAPE_OK, "six pairs");
	ok(i.ci.lo == -1 && i.ci.hi == 9, "have the range");
	is_near(i.level, 1 - 1.0 / 32, 1e-15, "at 96.9 %%");
	for (size_t k = 6; k <= 20; k += 7)
		check_inverse(k, 0.95, (uint32_t)k);
	check_inverse(9, 0.8, 3);
	check_inverse(21, 0.95, 3);
	check_inverse(24, 0.99, 4);
	check_inverse(30, 0.9, 5);
	check_inverse(45, 0.95, 6);
	check_inverse(50, 0.8, 7);
}

static void
test_interval_edges(void)
{
	double d[ROOM];
	struct tape_stat_flipci i = { { 0, 0 }, 0 };
	const struct tape_stat_flip_opt few = { 1, 0, 10 };

	for (size_t k = 0; k < ROOM; k++)
		d[k] = 2.5;
	for (size_t k = 10; k <= 50; k += 20) {
		is_int(tape_stat_flipci(d, k, 0.95, NULL, &i, NULL), TAPE_OK,
		    "%zu equal pairs", k);
		ok(i.ci.lo == 2.5 && i.ci.hi == 2.5, "one point");
	}
	is_int(tape_stat_flipci(d, 50, 0.95, &few, &i, NULL), TAPE_OK,
	    "too few replicates");
	ok(isinf(i.ci.lo) && isinf(i.ci.hi), "no interval");
	is_int(tape_stat_flipci(d, 0, 0.95, NULL, &i, NULL), TAPE_E_DATA,
	    "no pair");
	is_int(
	    tape_stat_flipci(d, 9, 1, NULL, &i, NULL), TAPE_E_USAGE, "level 1");
	d[2] = HUGE_VAL;
	is_int(tape_stat_flipci(d, 9, 0.95, NULL, &i, NULL), TAPE_E_DATA,
	    "infinity");
}

static void
test_tost(void)
{
	double d[] = { 0.01, -0.012, 0.004, 0.003, -0.006, 0.002, 0.001 };
	struct tape_stat_tost t = { 0, 0, 0 };

	is_int(tape_stat_tost_flip(d, 7, 0.05, NULL, &t, NULL), TAPE_OK,
	    "equivalence");
	is_near(t.p, 1.0 / 128, 0, "all beyond both margins: the smallest p");
	is_int(tape_stat_tost_flip(d, 7, 1e-6, NULL, &t, NULL), TAPE_OK,
	    "with a tiny margin");
	ok(t.p > 0.4 && t.p == fmax(t.p_lower, t.p_upper), "is not shown");
	is_int(tape_stat_tost_flip(d, 7, 0, NULL, &t, NULL), TAPE_E_USAGE,
	    "no margin");
	d[0] = nan("");
	is_int(
	    tape_stat_tost_flip(d, 7, 1, NULL, &t, NULL), TAPE_E_DATA, "NaN");
}

/* Fails the 1st, 2nd, ... allocation until all succeed. */
static void
test_no_memory(void)
{
	static const size_t ks[] = { 8, 22, 41 };
	double d[ROOM];
	struct tape_stat_flip f;
	struct tape_stat_tost t;
	struct tape_stat_flipci i;
	int failed = 0;

	for (size_t j = 0; j < sizeof(ks) / sizeof(ks[0]); j++) {
		enum tape_status st = TAPE_E_NOMEM;

		normals(d, ks[j], 0, 0);
		for (uint64_t n = 1; n < 20 && st == TAPE_E_NOMEM; n++) {
			(void)tape_mem_fail_at(n);
			st = tape_stat_tost_flip(d, ks[j], 1, NULL, &t, NULL);
			if (st == TAPE_OK)
				st = tape_stat_flip(d, ks[j], NULL, &f, NULL);
			if (st == TAPE_OK)
				st = tape_stat_flipci(
				    d, ks[j], 0.95, NULL, &i, NULL);
			failed += st == TAPE_E_NOMEM;
		}
		(void)tape_mem_fail_at(0);
		is_int(
		    st, TAPE_OK, "%zu pairs after %d failures", ks[j], failed);
	}
	ok(failed > 10, "each allocation has failed once");
}

static void
test_halves(void)
{
	const double d[] = { 1, 2, -4, 8, 16 };
	struct tape_stat_halves h = { 0 };

	is_int(tape_stat_halves_open(&h, 41, NULL), TAPE_E_LIMIT, "41 numbers");
	is_int(tape_stat_halves_open(&h, 5, NULL), TAPE_OK, "5 numbers");
	tape_stat_halves_fill(&h, d);
	is_int((int64_t)tape_stat_halves_count(&h, -5), 0, "none below");
	is_int((int64_t)tape_stat_halves_count(&h, 27), 32, "all");
	/* 0 .. 3 and 8 .. 11 and 16 .. 19, 24 .. 27, each once less 4 */
	is_int((int64_t)tape_stat_halves_count(&h, 3), 8, "-4 .. 3");
	tape_stat_halves_release(&h);
	is_int(tape_stat_halves_open(&h, 0, NULL), TAPE_OK, "no number");
	tape_stat_halves_fill(&h, d);
	is_int((int64_t)tape_stat_halves_count(&h, 0), 1, "the empty set");
	tape_stat_halves_release(&h);
	tape_stat_halves_release(&h);
}

int
main(void)
{
	test_oracle();
	test_brute();
	test_properties();
	test_edges();
	test_forty();
	test_monte_carlo();
	test_interval();
	test_interval_edges();
	test_tost();
	test_no_memory();
	test_halves();
	return done_testing();
}
