/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a summary says of its own precision. */
#include "engine/intervals.h"

#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"
#include "record/schema.h"
#include "unit/tap.h"

#include <string.h>

#define N_MOST 20000

static double series[N_MOST], sorted[N_MOST];
static struct tape_summary s;
static struct tape_intervals_text text;

/* A summary of series as summarize makes it. */
static void
summarize(size_t n)
{
	struct tape_stat_desc d;

	memcpy(sorted, series, n * sizeof(*series));
	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	is_int(tape_stat_sort(sorted, n, NULL), TAPE_OK, "sort");
	is_int(tape_stat_describe(sorted, n, &d, NULL), TAPE_OK, "describe");
	s.n = (int64_t)n;
	s.mean = d.mean;
	s.sd = d.sd;
	s.max = d.max;
	s.quantiles.p50 = tape_stat_quantile(sorted, n, 0.5);
	s.quantiles.p90 = tape_stat_quantile(sorted, n, 0.9);
	if (n >= 100)
		s.quantiles.p99 = tape_stat_quantile(sorted, n, 0.99);
	if (n >= 10000)
		s.quantiles.p9999 = tape_stat_quantile(sorted, n, 0.9999);
	is_int(tape_intervals_fill(&s, series, sorted, n, &text, NULL), TAPE_OK,
	    "fill");
	tape_intervals_outliers(&s, sorted, n);
}

/* 1 .. n in an order in which neighbours have nothing to do with each other,
   if step has no divisor in common with n. */
static void
scatter(size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++)
		series[i] = (double)(i * step % n + 1);
}

static void
test_independent(void)
{
	struct tape_intervals_ends e;
	double half;

	scatter(1000, 619);
	summarize(1000);
	ok(s.n_eff > 850 && s.n_eff <= 1000, "nearly all count: %.1f", s.n_eff);
	ok(fabs(s.lag1) < 0.5, "lag1 %.3f", s.lag1);
	half = (s.ci.hi - s.ci.lo) / 2;
	/* sd 288.8, t 1.962: 17.9 were all of them independent */
	ok(half >= 17.9 && half < 20, "interval of the mean: -+ %.2f", half);
	is_near(s.ci.lo + half, 500.5, 1e-9, "around it");
	ok(tape_str_is(s.ci.basis, "within-run"), "of this run");
	is_near(s.ci.level_ratio, 0.95, 0, "level");
	is_int((long)s.n_mean_2pct, (long)ceil(1000 * half * half / 100.2001),
	    "requests for a fiftieth of 500.5");
	ok(tape_intervals_find(&s, 0.5, &e), "p50 has an interval");
	/* The ranks of 1,000 independent values: 469 and 532. */
	ok(e.lo <= 469 && e.lo > 460 && e.hi >= 532 && e.hi < 541,
	    "from %g to %g", e.lo, e.hi);
	ok(e.coverage >= 0.95 && e.coverage < 0.96, "coverage %g", e.coverage);
	ok(e.n_eff > 850 && e.n_eff <= 1000, "n_eff %g", e.n_eff);
	half = (e.hi - e.lo) / 2;
	is_int((long)s.n_p50_2pct, (long)ceil(1000 * half * half / 100.2001),
	    "requests for a fiftieth of p50");
	ok(tape_intervals_find(&s, 0.99, &e) && e.hi <= 1000, "p99: both ends");
	ok(!tape_intervals_find(&s, 0.999, &e), "none of what has no value");
	ok(isnan(e.lo) && isnan(e.hi) && isnan(e.n_eff),
	    "nor what another quantile has");
}

/* Each value twenty times over: 1,000 values that are worth 50 or fewer. */
static void
test_clusters(void)
{
	struct tape_intervals_ends e;

	for (size_t i = 0; i < 1000; i++)
		series[i] = (double)(i / 20 * 31 % 50 + 1);
	summarize(1000);
	ok(s.n_eff <= 50, "n_eff %.1f", s.n_eff);
	ok(s.lag1 > 0.9, "lag1 %.3f", s.lag1);
	ok((s.ci.hi - s.ci.lo) / 2 > 4, "the interval says so");
	ok(tape_intervals_find(&s, 0.99, &e) && isnan(e.hi) && !isnan(e.lo),
	    "p99 has no upper end");
}

static void
test_few(void)
{
	struct tape_intervals_ends e;

	scatter(19, 7);
	summarize(19);
	ok(isnan(s.ci.level_ratio) && s.n_mean_2pct == TAPE_ABSENT_I64,
	    "19 values: no interval of the mean");
	ok(isnan(s.n_eff) && isnan(s.lag1) && isnan(s.mad),
	    "nor anything else");
	scatter(49, 18);
	summarize(49);
	ok(!isnan(s.ci.lo), "49: of the mean");
	ok(s.quantile_ci.p == NULL, "but of no quantile");
	scatter(101, 37);
	summarize(101);
	ok(tape_intervals_find(&s, 0.9, &e) && !isnan(e.hi), "101: p90");
	ok(tape_intervals_find(&s, 0.99, &e) && isnan(e.hi),
	    "a lower bound of p99");
	is_near(e.lo, 97, 1.01, "which is near the end");
	scatter(20, 7);
	summarize(20);
	ok(!isnan(s.n_eff) && !isnan(s.ci.hi) && !isnan(s.mad), "20: some");
}

static void
test_long(void)
{
	struct tape_intervals_ends e;

	scatter(N_MOST, 12345 + 2);
	summarize(N_MOST);
	ok(tape_intervals_find(&s, 0.9999, &e) && !isnan(e.lo) && isnan(e.hi),
	    "20,000: a lower bound of p99.99");
	ok(s.quantile_ci.len < sizeof(text.v), "%zu bytes of text",
	    s.quantile_ci.len);
}

static void
test_same(void)
{
	struct tape_intervals_ends e;

	for (size_t i = 0; i < 400; i++)
		series[i] = 7;
	summarize(400);
	is_near(s.n_eff, 400, 0, "nothing varies: n_eff is n");
	ok(isnan(s.lag1), "lag1 is unknown");
	is_near(s.ci.lo, 7, 0, "the interval is the value");
	is_near(s.ci.hi, 7, 0, "from both sides");
	is_int((long)s.n_mean_2pct, 20, "20 would have done");
	ok(tape_intervals_find(&s, 0.99, &e) && e.lo == 7 && e.hi == 7, "p99");
	is_int((long)s.outliers, 0, "no outlier");
}

static void
test_outliers(void)
{
	/* 1 .. 101: median 51, MAD 25, limit 51 + 370.65 */
	scatter(101, 37);
	series[3] = 421;
	summarize(101);
	is_int((long)s.outliers, 0, "421 is within the limit");
	series[3] = 423;
	summarize(101);
	is_int((long)s.outliers, 1, "423 is beyond it");
	is_near(s.mad, 25, 1, "MAD");
	ok(!isnan(s.mean_without) && s.mean_without < s.mean,
	    "the mean moves: %g without", s.mean_without);
	is_near(s.max, 423, 0, "nothing is dropped");
	scatter(1001, 37);
	series[3] = 5000;
	summarize(1001);
	is_int((long)s.outliers, 1, "one of 1,001");
	ok(isnan(s.mean_without), "hardly moves the mean");
}

static void
test_share(void)
{
	/* p .75, z 1.95996: (.75 + .03201 -+ .11415) / 1.06402 */
	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	tape_intervals_share(&s, 45, 60);
	is_near(s.ci.lo, 0.627679299, 1e-7, "45 of 60: lower end");
	is_near(s.ci.hi, 0.842234775, 1e-7, "upper end");
	tape_schema_init(TAPE_KIND_SUMMARY, &s);
	tape_intervals_share(&s, 0, 0);
	ok(isnan(s.ci.level_ratio), "none of none");
}

int
main(void)
{
	test_independent();
	test_clusters();
	test_few();
	test_long();
	test_same();
	test_outliers();
	test_share();
	return done_testing();
}
