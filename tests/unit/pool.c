/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of pooled values, from memory and from files alike. */
#include "engine/pool.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "unit/tap.h"

#define N 20000

static const double quantiles[] = { 0, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999,
	1 };

#define Q (sizeof(quantiles) / sizeof(*quantiles))

/* What can be said of some values. */
struct said {
	double at[Q];
	struct tape_pool_asked ask;
	double all[N];
	bool files;
};

static double
value(int kind, int i)
{
	switch (kind) {
	case 0: /* all different, and out of order */
		return (double)(i * 7919 % N) * 1.25 - 1000;
	case 1: /* few different ones */
		return (double)(i * 7919 % 17);
	case 2: /* one */
		return 20000000;
	default: /* mostly the same, and some far off */
		return i % 100 == 0 ? 1e12 + i : 2e7 + i % 3;
	}
}

/* n values dealt to so many pools, in one direction or the other. */
static enum tape_status
say(int kind, int n, size_t pools, size_t bytes, bool backwards,
    struct said *out, struct tape_err *err)
{
	struct tape_pool pool[4], *p[4];
	enum tape_status st = TAPE_OK;

	for (size_t k = 0; k < pools; k++) {
		tape_pool_init(&pool[k], bytes, NULL);
		p[k] = &pool[k];
	}
	for (int i = 0; i < n && st == TAPE_OK; i++) {
		const double v = value(kind, backwards ? n - 1 - i : i);

		st = tape_pool_add(&pool[(size_t)i % pools], &v, 1, err);
	}
	out->ask =
	    (struct tape_pool_asked){ quantiles, Q, out->at, 0, 0, 0, 0 };
	if (st == TAPE_OK)
		st = tape_pool_read(p, pools, &out->ask, err);
	if (st == TAPE_OK)
		st = tape_pool_values(p, pools, out->all, err);
	out->files = false;
	for (size_t k = 0; k < pools; k++) {
		out->files = out->files || pool[k].end_n > 0;
		tape_pool_release(&pool[k]);
	}
	return st;
}

static bool
same(const struct said *a, const struct said *b, size_t n)
{
	return memcmp(a->at, b->at, sizeof(a->at)) == 0 &&
	       memcmp(&a->ask.min, &b->ask.min, 4 * sizeof(double)) == 0 &&
	       memcmp(a->all, b->all, n * sizeof(double)) == 0;
}

static struct said want, got;
static double sorted[N];

static void
test_right(int kind)
{
	struct tape_stat_desc d;
	struct tape_err err = { 0 };

	is_int(
	    say(kind, N, 1, 0, false, &want, &err), TAPE_OK, "kind %d", kind);
	for (int i = 0; i < N; i++)
		sorted[i] = value(kind, i);
	is_int(tape_stat_sort(sorted, N, &err), TAPE_OK, "sorted");
	is_int(tape_stat_describe(sorted, N, &d, &err), TAPE_OK, "described");
	ok(memcmp(sorted, want.all, sizeof(sorted)) == 0, "all values");
	for (size_t i = 0; i < Q; i++)
		is_near(want.at[i], tape_stat_quantile(sorted, N, quantiles[i]),
		    0, "p%g", 100 * quantiles[i]);
	is_near(want.ask.min, d.min, 0, "min");
	is_near(want.ask.max, d.max, 0, "max");
	is_near(want.ask.mean, d.mean, 1e-15 * fabs(d.mean), "mean");
	is_near(want.ask.sd, d.sd, 1e-12 * d.sd, "sd");
}

/* Whatever the memory, the order and the pools: the same, to the bit. */
static void
test_memory(int kind)
{
	static const size_t bytes[] = { 1, 5000, 40000, 300000, 0 };
	struct tape_err err = { 0 };
	bool files = false;

	for (size_t b = 0; b < sizeof(bytes) / sizeof(*bytes); b++) {
		for (size_t pools = 1; pools <= 4; pools++) {
			is_int(say(kind, N, pools, bytes[b], pools % 2 == 0,
				   &got, &err),
			    TAPE_OK, "%zu pools of %zu bytes", pools, bytes[b]);
			ok(same(&got, &want, N), "say the same");
			files = files || got.files;
		}
	}
	ok(files, "some from files");
}

static void
test_few(void)
{
	struct tape_err err = { 0 };

	is_int(say(0, 0, 2, 100, false, &got, &err), TAPE_OK, "none");
	ok(isnan(got.at[0]) && isnan(got.ask.mean) && isnan(got.ask.min),
	    "there is nothing to say");
	is_int(say(2, 1, 2, 100, false, &got, &err), TAPE_OK, "one");
	ok(!(got.at[4] < 2e7) && isnan(got.ask.sd) && !isnan(got.ask.mean),
	    "it is its median, and has no sd");
	is_int(say(0, 2, 1, 100, false, &got, &err), TAPE_OK, "two");
	is_near(got.at[4], (value(0, 0) + value(0, 1)) / 2, 1e-9,
	    "their median lies between");
}

static void
test_wrong(void)
{
	const double bad[] = { 1, (double)NAN };
	struct tape_pool p, *one = &p;
	struct tape_err err = { 0 };
	double out[2];
	enum tape_status st = TAPE_OK;

	tape_pool_init(&p, 0, NULL);
	is_int(
	    tape_pool_add(&p, bad, 2, &err), TAPE_OK, "a value that is none");
	is_int(tape_pool_values(&one, 1, out, &err), TAPE_E_DATA,
	    "is found when they are read");
	tape_pool_release(&p);
	tape_err_clear(&err);
	tape_pool_init(&p, 1, "/nowhere");
	for (int i = 0; i < 100000 && st == TAPE_OK; i++) {
		const double v = value(0, i % N);

		st = tape_pool_add(&p, &v, 1, &err);
	}
	is_int(st, TAPE_E_IO, "there is no such folder");
	tape_pool_release(&p);
}

static void
test_no_memory(void)
{
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_err err;

	for (uint64_t nth = 1; st == TAPE_E_NOMEM && nth < 10000; nth++) {
		memset(&err, 0, sizeof(err));
		(void)tape_mem_fail_at(nth);
		st = say(0, 300, 2, 3000, false, &got, &err);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "each allocation fails once, then none");
}

int
main(void)
{
	for (int kind = 0; kind < 4; kind++) {
		test_right(kind);
		test_memory(kind);
	}
	test_few();
	test_wrong();
	test_no_memory();
	return done_testing();
}
