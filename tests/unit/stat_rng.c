/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_rng.h"

#include "codec/stat_dist.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

/* JSON holds the words as eight hexadecimal digits. */
static size_t
words(const cJSON *j, uint32_t *dst, size_t max)
{
	static const char digits[] = "0123456789abcdef";
	const cJSON *e;
	size_t n = 0;

	cJSON_ArrayForEach(e, j)
	{
		if (n == max || !cJSON_IsString(e))
			return 0;
		dst[n] = 0;
		for (const char *p = e->valuestring; *p != '\0'; p++)
			dst[n] = dst[n] << 4 |
				 (uint32_t)(strchr(digits, *p) - digits);
		n++;
	}
	return n;
}

static void
test_known_answers(void)
{
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "rng.json"); c != NULL; c = c->next) {
		const cJSON *in = oracle_get(c, "input");
		uint32_t counter[4], key[2], want[4], got[4];

		if (oracle_get(in, "counter") == NULL)
			continue;
		if (words(oracle_get(in, "counter"), counter, 4) != 4 ||
		    words(oracle_get(in, "key"), key, 2) != 2 ||
		    words(oracle_get(c, "expected"), want, 4) != 4)
			continue;
		tape_rng_philox(counter, key, got);
		for (int i = 0; i < 4; i++)
			oracle_value(&o, oracle_id(c), got[i], want[i], 0);
	}
	oracle_close(&o, 12);
}

static void
test_stream(void)
{
	const uint64_t seed = 0x299f31d0a4093822;
	const uint32_t key[2] = { 0xa4093822, 0x299f31d0 };
	uint32_t counter[4] = { 7, 0, 9, TAPE_RNG_FLIP }, block[4];
	struct tape_rng a, b;
	bool same = true;

	tape_rng_init(&a, seed, TAPE_RNG_FLIP, 9, 7);
	for (uint32_t i = 0; i < 3; i++) {
		counter[1] = i;
		tape_rng_philox(counter, key, block);
		for (int j = 0; j < 4; j++)
			same = same && tape_rng_u32(&a) == block[j];
	}
	ok(same, "a stream is the blocks (replicate, draw, row, purpose)");
	tape_rng_init(&a, seed, TAPE_RNG_FLIP, 9, 7);
	b = a;
	is_int(tape_rng_u64(&a),
	    tape_rng_u32(&b) | (uint64_t)tape_rng_u32(&b) << 32,
	    "64 bits are two words, low first");
	tape_rng_init(&a, 1, TAPE_RNG_FLIP, 0, 0);
	tape_rng_init(&b, 1, TAPE_RNG_MAXT, 0, 0);
	ok(tape_rng_u64(&a) != tape_rng_u64(&b), "purposes differ");
	memset(&a, 0, sizeof(a));
	is_int(tape_rng_u32(&a), 0x6627e8d5, "a zeroed stream is usable");
}

static void
test_uniform(void)
{
	enum { N = 60000, CELLS = 6 };
	size_t count[CELLS] = { 0 };
	const double each = (double)N / CELLS;
	double lo = 1, hi = 0, sum = 0, chi2 = 0;
	struct tape_rng r;

	tape_rng_init(&r, 5, 0, 0, 0);
	for (int i = 0; i < N; i++) {
		const double u = tape_rng_double(&r);

		lo = u < lo ? u : lo;
		hi = u > hi ? u : hi;
		sum += u;
		count[tape_rng_below(&r, CELLS)]++;
	}
	ok(lo > 0 && lo < 1e-3 && hi < 1 && hi > 0.999, "in (0, 1), all of it");
	ok(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N), "centred on a half");
	for (int i = 0; i < CELLS; i++)
		chi2 += pow((double)count[i] - each, 2) / each;
	ok(chi2 < 20.5, "six cells equally full (chi2 %.1f)", chi2);
	memset(r.block, 0, sizeof(r.block));
	r.left = 4;
	is_near(tape_rng_double(&r), 0x1p-53, 0, "words of zeros are not 0");
	memset(r.block, 0xff, sizeof(r.block));
	r.left = 4;
	is_near(tape_rng_double(&r), 1 - 0x1p-53, 0, "of ones are not 1");
	is_int(tape_rng_below(&r, 0), 0, "below 0 is 0");
	is_int(tape_rng_below(&r, 1), 0, "below 1 is 0");
	ok(tape_rng_below(&r, UINT32_MAX) < UINT32_MAX, "below the largest");
}

/* Words of which a plain multiplication would take too many are refused. */
static void
test_rejection(void)
{
	const uint32_t n = 0xc0000000; /* 3/4 of all: a quarter is refused */
	struct tape_rng r;
	size_t low = 0;
	enum { N = 30000 };

	tape_rng_init(&r, 11, 0, 0, 0);
	for (int i = 0; i < N; i++)
		low += tape_rng_below(&r, n) % 3 == 0;
	ok(fabs((double)low / N - 1.0 / 3) < 0.014,
	    "no bias at 3 * 2^30 (%.4f of residue 0)", (double)low / N);
	low = 0;
	for (int i = 0; i < N; i++)
		low += tape_rng_mulhi(tape_rng_u32(&r), n) % 3 == 0;
	ok(fabs((double)low / N - 1.0 / 2) < 0.015,
	    "which mulhi has: one residue of three is twice as common");
}

static void
test_mulhi(void)
{
	is_int(tape_rng_mulhi(0, 1000), 0, "the smallest word");
	is_int(tape_rng_mulhi(UINT32_MAX, 1000), 999, "the largest word");
	is_int(tape_rng_mulhi(0x80000000, 1000), 500, "the middle one");
	is_int(tape_rng_mulhi(12345, 0), 0, "of nothing");
}

static void
moments(const double *x, int n, double *mean, double *var)
{
	double m = 0, v = 0;

	for (int i = 0; i < n; i++)
		m += x[i] / n;
	for (int i = 0; i < n; i++)
		v += (x[i] - m) * (x[i] - m) / (n - 1);
	*mean = m;
	*var = v;
}

static void
check_moments(const double *x, int n, double mean, double var, const char *name)
{
	double m, v;

	moments(x, n, &m, &v);
	ok(fabs(m - mean) < 5 * sqrt(var / n), "%s: mean %.4f near %g", name, m,
	    mean);
	ok(fabs(v / var - 1) < 0.1, "%s: variance %.4f near %g", name, v, var);
}

static bool
equal(const double *x, const double *y, int n)
{
	for (int i = 0; i < n; i++)
		if (x[i] != y[i])
			return false;
	return true;
}

static void
test_samples(void)
{
	enum { N = 40000 };
	static double x[N], y[N];
	struct tape_rng r, again;

	tape_rng_init(&r, 3, TAPE_RNG_GEN_ARRIVAL, 0, 0);
	again = r;
	for (int i = 0; i < N; i++)
		x[i] = tape_rng_exponential(&r, 2);
	check_moments(x, N, 2, 4, "exponential");
	for (int i = 0; i < N; i++)
		y[i] = tape_rng_exponential(&again, 2);
	ok(equal(x, y, N), "the same stream, the same numbers");
	for (int i = 0; i < N; i++)
		x[i] = tape_rng_gamma(&r, 0.25, 8);
	check_moments(x, N, 2, 16, "gamma of shape 1/4");
	for (int i = 0; i < N; i++)
		x[i] = tape_rng_gamma(&r, 4, 0.5);
	check_moments(x, N, 2, 1, "gamma of shape 4");
	for (int i = 0; i < N; i++)
		x[i] = tape_rng_normal(&r, 100, 15);
	check_moments(x, N, 100, 225, "normal");
	again = r;
	is_near(tape_rng_normal(&r, 3, 2),
	    3 + 2 * tape_stat_normal_pinv(tape_rng_double(&again)), 1e-15,
	    "by inversion");
}

static void
test_bad_parameters(void)
{
	struct tape_rng r;

	tape_rng_init(&r, 3, 0, 0, 0);
	ok(isnan(tape_rng_gamma(&r, -1e18, 1)), "a negative shape is NaN");
	ok(isnan(tape_rng_gamma(&r, 0, 1)), "shape 0 is NaN");
	ok(isnan(tape_rng_gamma(&r, nan(""), 1)), "shape NaN is NaN");
	ok(isnan(tape_rng_gamma(&r, 1, HUGE_VAL)), "an infinite scale is NaN");
	ok(isnan(tape_rng_exponential(&r, -1)), "a negative mean is NaN");
	ok(isnan(tape_rng_exponential(&r, HUGE_VAL)), "so is an infinite one");
	ok(isnan(tape_rng_normal(&r, 0, -1)), "a negative sd is NaN");
	ok(isnan(tape_rng_normal(&r, nan(""), 1)), "so is a mean of NaN");
	is_near(tape_rng_exponential(&r, 0), 0, 0, "mean 0 is 0");
	is_near(tape_rng_normal(&r, 7, 0), 7, 0, "sd 0 is the mean");
}

/* Vectors of the FNV reference pages. */
static void
test_fnv(void)
{
	is_int(tape_rng_fnv32("", 0), 0x811c9dc5, "32 bits of nothing");
	is_int(tape_rng_fnv32("a", 1), 0xe40c292c, "32 bits of a");
	is_int(tape_rng_fnv32("foobar", 6), 0xbf9cf968, "32 bits of foobar");
	is_int(tape_rng_fnv64("", 0), 0xcbf29ce484222325, "64 bits of nothing");
	is_int(tape_rng_fnv64("a", 1), 0xaf63dc4c8601ec8c, "64 bits of a");
	is_int(tape_rng_fnv64("foobar", 6), 0x85944171f73967e8,
	    "64 bits of foobar");
}

int
main(void)
{
	test_known_answers();
	test_stream();
	test_uniform();
	test_rejection();
	test_mulhi();
	test_samples();
	test_bad_parameters();
	test_fnv();
	return done_testing();
}
