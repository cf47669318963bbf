/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_boot.h"

#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_sort.h"
#include "codec/stat_ttest.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 8, PAIRS = 8, ALL = 46656 /* 6^6 */, DRAWN = 20000 };

static const struct tape_stat_boot_statistic mean = { TAPE_STAT_BOOT_MEAN, 0,
	false };
static const struct tape_stat_boot_statistic median = { TAPE_STAT_BOOT_QUANTILE,
	0.5, false };

/* What the values of all resamples come to: they end up sorted. */
struct spread {
	double mean, sd, lo, hi;
};

static struct spread
spread_of(double *v, size_t n)
{
	struct spread s = { tape_stat_mean(v, n), 0, 0, 0 };

	for (size_t i = 0; i < n; i++)
		s.sd += (v[i] - s.mean) * (v[i] - s.mean) / (double)n;
	s.sd = sqrt(s.sd);
	if (tape_stat_sort(v, n, NULL) != TAPE_OK)
		return s;
	s.lo = v[(size_t)ceil(0.025 * (double)n) - 1];
	s.hi = v[(size_t)ceil(0.975 * (double)n) - 1];
	return s;
}

/* All n^n resamples, counted through like the digits of a number. */
static size_t
enumerate(const struct tape_stat_boot_sample *s,
    const struct tape_stat_boot_statistic *what, double *v)
{
	size_t all = 1;

	for (size_t i = 0; i < s->n; i++)
		all *= s->n;
	for (size_t c = 0; c < all; c++) {
		uint32_t count[ROOM] = { 0 };
		size_t rest = c;

		for (size_t i = 0; i < s->n; i++, rest /= s->n)
			count[rest % s->n]++;
		v[c] = tape_stat_boot_value(what, s, count);
	}
	return all;
}

static struct spread
draw(const struct tape_stat_boot_sample *s,
    const struct tape_stat_boot_statistic *what, double *v)
{
	for (uint32_t b = 0; b < DRAWN; b++) {
		uint32_t count[ROOM];
		struct tape_rng r;

		tape_rng_init(&r, 1, TAPE_RNG_BOOTSTRAP, 7, b);
		tape_stat_boot_draw(&r, count, s->n);
		v[b] = tape_stat_boot_value(what, s, count);
	}
	return spread_of(v, DRAWN);
}

/* The pairs alone: their requests are fixed. */
static double
sd_of_pairs(const double *x, size_t n)
{
	struct tape_stat_boot_pair pairs[ROOM] = { 0 };
	const struct tape_stat_boot_pairs in = { pairs, x, n, mean };
	const struct tape_stat_boot_opt opt = { 1, 3, DRAWN };
	struct tape_stat_boot b = { .sd = -1 };

	for (size_t i = 0; i < n; i++)
		pairs[i].fixed = x[i];
	if (tape_stat_boot_t(&in, 0.95, &opt, &b, NULL) != TAPE_OK)
		return -1;
	/* Of all replicates, not of one less. */
	return b.sd * sqrt((DRAWN - 1.0) / DRAWN);
}

static void
test_exact(void)
{
	const double room = 3 / sqrt(2.0 * DRAWN);
	double x[ROOM], ends[2], *v = calloc(ALL, sizeof(*v));
	struct tape_stat_boot_item items[ROOM];
	struct tape_stat_boot_sample s = { items, 0 };
	struct spread got;
	struct oracle o;
	const cJSON *c;

	if (v == NULL)
		return;
	for (c = oracle_open(&o, "exact_bootstrap.json"); c != NULL;
	     c = c->next) {
		s.n = oracle_inputs(c, "x", x, 6);
		for (size_t i = 0; i < s.n; i++) {
			items[i].v = x[i];
			items[i].at = (uint32_t)i;
		}
		tape_stat_boot_sort(items, s.n);
		got = spread_of(v, enumerate(&s, &mean, v));
		oracle_near(&o, c, "mean_boot_mean", got.mean, 1e-12);
		oracle_near(&o, c, "mean_boot_se", got.sd, 1e-12);
		ends[0] = got.lo;
		ends[1] = got.hi;
		oracle_nears(&o, c, "mean_pct", ends, 2, 1e-12);
		got = spread_of(v, enumerate(&s, &median, v));
		oracle_near(&o, c, "median_boot_mean", got.mean, 1e-12);
		oracle_near(&o, c, "median_boot_se", got.sd, 1e-12);
		ends[0] = got.lo;
		ends[1] = got.hi;
		oracle_nears(&o, c, "median_pct", ends, 2, 1e-12);
		oracle_near(&o, c, "mean_boot_se", draw(&s, &mean, v).sd, room);
		oracle_near(
		    &o, c, "median_boot_se", draw(&s, &median, v).sd, room);
		oracle_near(&o, c, "mean_boot_se", sd_of_pairs(x, s.n), room);
	}
	oracle_close(&o, 33);
	free(v);
}

static void
test_statistics(void)
{
	struct tape_stat_boot_item items[] = { { 4, 0 }, { 1, 1 }, { 2, 2 },
		{ 8, 3 }, { 3, 4 } };
	const struct tape_stat_boot_sample s = { items, 5 },
					   none = { items, 0 };
	const uint32_t twice[5] = { 2, 0, 2, 0, 1 }; /* 2 2 3 4 4 */
	const struct tape_stat_boot_statistic trimmed = {
		TAPE_STAT_BOOT_TRIMMED, 0.2, false
	};
	const struct tape_stat_boot_statistic p90 = { TAPE_STAT_BOOT_QUANTILE,
		0.9, true };
	const struct tape_stat_boot_statistic most = { TAPE_STAT_BOOT_TRIMMED,
		0.5, false };

	tape_stat_boot_sort(items, 5);
	is_near(tape_stat_boot_value(&trimmed, &s, NULL), 3, 1e-15, "trimmed");
	is_near(tape_stat_boot_value(&p90, &s, NULL), log(6.4), 1e-15, "p90");
	is_near(tape_stat_boot_value(&trimmed, &s, twice), 3, 1e-15, "drawn");
	is_near(tape_stat_boot_value(&p90, &s, twice), log(4), 1e-15, "p90");
	is_near(tape_stat_boot_value(&mean, &s, twice), 3, 1e-15, "mean");
	is_near(tape_stat_boot_value(&most, &s, twice), 3, 1e-15, "median");
	ok(isnan(tape_stat_boot_value(&mean, &none, NULL)), "of none: none");
}

/* Pairs of requests, each with its noise. */
struct session {
	struct tape_stat_boot_item items[PAIRS][2][ROOM];
	struct tape_stat_boot_pair pairs[PAIRS];
	double d[PAIRS];
};

/* Both arms have the prompts' own levels, so they cancel when drawn at once. */
static void
make(struct session *s, uint32_t which, double between, double within,
    bool together)
{
	struct tape_rng r;

	tape_rng_init(&r, 5, TAPE_RNG_GEN_TEXT, which, 0);
	for (size_t i = 0; i < PAIRS; i++) {
		double run = tape_rng_normal(&r, 0, between), sum = 0;

		for (uint32_t j = 0; j < ROOM; j++) {
			double e = run + tape_rng_normal(&r, 0, within);

			s->items[i][0][j].v = j;
			s->items[i][1][j].v = j + e;
			s->items[i][0][j].at = s->items[i][1][j].at = j;
			sum += e / ROOM;
		}
		s->d[i] = sum;
		s->pairs[i].together = together;
		for (size_t a = 0; a < 2; a++) {
			tape_stat_boot_sort(s->items[i][a], ROOM);
			s->pairs[i].sample[a].v = s->items[i][a];
			s->pairs[i].sample[a].n = ROOM;
		}
	}
}

static struct tape_stat_boot
boot(const struct session *s, uint64_t seed, uint32_t replicates)
{
	const struct tape_stat_boot_pairs in = { s->pairs, s->d, PAIRS, mean };
	const struct tape_stat_boot_opt opt = { seed, 1, replicates };
	struct tape_stat_boot b = { .sd = -1 };

	if (tape_stat_boot_t(&in, 0.95, &opt, &b, NULL) != TAPE_OK)
		b.sd = -1;
	return b;
}

static void
test_levels(void)
{
	struct session s;
	struct tape_stat_boot a, b;
	double noise;

	make(&s, 1, 0.1, 0, true);
	a = boot(&s, 1, 1999);
	noise = tape_stat_sd(s.d, PAIRS) / sqrt(PAIRS);
	ok(a.sd > 0.8 * noise && a.sd < 1.1 * noise,
	    "runs that differ, requests that do not: %.4f of %.4f", a.sd,
	    noise);
	make(&s, 1, 0, 0.1, true);
	a = boot(&s, 1, 1999);
	noise = tape_stat_sd(s.d, PAIRS) / sqrt(PAIRS);
	ok(a.sd > 1.15 * noise && a.sd < 2 * noise,
	    "runs that are alike: requests are drawn, too: %.4f of %.4f", a.sd,
	    noise);
	make(&s, 1, 0, 0.1, false);
	b = boot(&s, 1, 1999);
	ok(b.sd > 5 * a.sd, "what is one request is drawn at once");
	b = boot(&s, 1, 1999);
	a = boot(&s, 1, 1999);
	ok(a.ci.lo == b.ci.lo && a.ci.hi == b.ci.hi, "the same again");
	a = boot(&s, 2, 1999);
	ok(a.ci.lo != b.ci.lo && a.ci.hi != b.ci.hi, "another seed");
}

static void
test_coverage(void)
{
	enum { SESSIONS = 400 };
	size_t covered = 0, by_t = 0;
	double width = 0, width_t = 0;

	for (uint32_t i = 0; i < SESSIONS; i++) {
		struct session s;
		struct tape_stat_boot b;
		struct tape_stat_ttest t = { .estimate = 0 };

		make(&s, 100 + i, 0.02, 0.05, true);
		b = boot(&s, i, 399);
		if (tape_stat_paired_t(s.d, PAIRS, 0, 0.95, &t, NULL) !=
		    TAPE_OK)
			continue;
		covered += b.ci.lo <= 0 && b.ci.hi >= 0;
		by_t += t.ci.lo <= 0 && t.ci.hi >= 0;
		width += b.ci.hi - b.ci.lo;
		width_t += t.ci.hi - t.ci.lo;
	}
	/* 0.917 to 0.983: 0.95 less and more three standard errors. */
	ok(covered >= 367 && covered <= 393,
	    "covers the truth in %zu of %d (t: %zu), %.2f as wide as t",
	    covered, SESSIONS, by_t, width / width_t);
}

static void
test_edges(void)
{
	struct tape_stat_boot_pair pairs[6] = { { .fixed = 1 } };
	const double d[6] = { 1, 0, 0, 0, 0, 0 }, bad[2] = { 0, (double)NAN };
	const struct tape_stat_boot_pairs one = { pairs, d, 1, mean };
	const struct tape_stat_boot_pairs nan = { pairs, bad, 2, mean };
	const struct tape_stat_boot_pairs six = { pairs, d, 6, mean };
	struct tape_stat_boot_opt opt = { 1, 1, 0 };
	struct tape_stat_boot b = { .sd = -1 };

	ok(tape_stat_boot_t(&one, 0.95, &opt, &b, NULL) == TAPE_E_DATA &&
		tape_stat_boot_t(&nan, 0.95, &opt, &b, NULL) == TAPE_E_DATA &&
		tape_stat_boot_t(&six, 1, &opt, &b, NULL) == TAPE_E_USAGE &&
		b.sd == -1,
	    "one pair, no number, no level");
	ok(tape_stat_boot_t(&six, 0.95, &opt, &b, NULL) == TAPE_OK &&
		b.replicates == TAPE_STAT_BOOT_REPLICATES && isinf(b.ci.hi) &&
		isfinite(b.ci.lo),
	    "a third of the replicates lacks the pair that differs: no end");
	opt.replicates = 38;
	ok(tape_stat_boot_t(&six, 0.95, &opt, &b, NULL) == TAPE_E_USAGE,
	    "38 replicates have no 2.5 %%");
	opt.replicates = 39;
	ok(tape_stat_boot_t(&six, 0.95, &opt, &b, NULL) == TAPE_OK, "39 do");
}

int
main(void)
{
	test_exact();
	test_statistics();
	test_levels();
	test_coverage();
	test_edges();
	return done_testing();
}
