/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random inputs, and what our statistics make of them, for against.R to do again.
 *
 * usage: against_r [CASES [SEED]]
 *
 * One line a case: function|parameters|x|y|results, numbers separated by spaces,
 * with 17 digits.  What is NaN or infinite is written as R reads it.
 */
#include "base/num.h"
#include "codec/stat_ad.h"
#include "codec/stat_adjust.h"
#include "codec/stat_desc.h"
#include "codec/stat_eproc.h"
#include "codec/stat_fit.h"
#include "codec/stat_flip.h"
#include "codec/stat_flipci.h"
#include "codec/stat_hl.h"
#include "codec/stat_maxt.h"
#include "codec/stat_power.h"
#include "codec/stat_prop.h"
#include "codec/stat_quantile.h"
#include "codec/stat_rank.h"
#include "codec/stat_rng.h"
#include "codec/stat_series.h"
#include "codec/stat_sort.h"
#include "codec/stat_steady.h"
#include "codec/stat_trend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST    400
#define PURPOSE 97 /* of the random numbers here */
#define LEVEL   0.95

static struct tape_rng rng;
static double x[MOST], y[MOST], z[MOST];
static struct tape_err err;
static const struct tape_stat_flip_opt exact = { .seed = 1 };

static double
unit(void)
{
	return tape_rng_double(&rng);
}

static size_t
whole(size_t from, size_t to)
{
	return from + (size_t)(unit() * (double)(to - from + 1));
}

static void
number(double v)
{
	if (isnan(v))
		printf(" NaN");
	else if (isinf(v))
		printf(v > 0 ? " Inf" : " -Inf");
	else
		printf(" %.17g", v);
}

static void
numbers(const double *v, size_t n)
{
	printf("|");
	for (size_t i = 0; i < n; i++)
		number(v[i]);
}

/* A line: no more parameters than are not NaN. */
#define PARAMETERS(...)                                                        \
 do {                                                                          \
  const double parameters[] = { __VA_ARGS__ };                                 \
  numbers(parameters, sizeof(parameters) / sizeof(double));                    \
 } while (0)
#define RESULTS(...)                                                           \
 do {                                                                          \
  PARAMETERS(__VA_ARGS__);                                                     \
  printf("\n");                                                                \
 } while (0)

/* A sample of one of several shapes: of every fourth the values are rounded, so
   that some are equal, if they may be. */
static void
sample(double *v, size_t n, bool ties)
{
	const size_t shape = whole(0, 3);
	const double shift = tape_rng_normal(&rng, 0, 1);
	const double scale = exp(tape_rng_normal(&rng, 0, 2));

	ties = ties && whole(0, 3) == 0;
	for (size_t i = 0; i < n; i++) {
		double a = tape_rng_normal(&rng, 0, 1);

		if (shape == 1)
			a = exp(a);
		else if (shape == 2)
			a = a / (0.1 + unit());
		else if (shape == 3)
			a += shift * (double)i / (double)n;
		a += shift / 2;
		v[i] = scale * (ties ? rint(a * 2) / 2 : a);
	}
}

static void
need(enum tape_status st, const char *what)
{
	if (st == TAPE_OK)
		return;
	fprintf(stderr, "against_r: %s: %s\n", what, err.text);
	exit(1);
}

static size_t
sorted(void)
{
	const size_t n = whole(1, 60);

	sample(x, n, true);
	need(tape_stat_sort(x, n, &err), "sort");
	return n;
}

static void
descriptions(void)
{
	const size_t n = sorted();
	const double trim = unit() * 0.49, q = unit();
	const int type = (int)whole(1, 9);
	struct tape_stat_desc d;

	need(tape_stat_describe(x, n, &d, &err), "describe");
	printf("describe");
	PARAMETERS(trim);
	numbers(x, n);
	printf("|");
	RESULTS(d.mean, d.sd, tape_stat_trimmed(x, n, trim),
	    tape_stat_median(x, n), tape_stat_mad(x, n));
	printf("quantile");
	PARAMETERS(q, type);
	numbers(x, n);
	printf("|");
	RESULTS(tape_stat_quantile_type(x, n, q, type),
	    tape_stat_quantile(x, n, q));
}

static void
ranks_of_quantiles(void)
{
	const uint64_t n = whole(1, whole(0, 1) ? 50 : 5000);
	const double q = unit(), level = 0.5 + unit() * 0.49;
	struct tape_stat_rank_interval r;

	need(tape_stat_quantile_ranks(n, q, level, &r, &err), "ranks");
	printf("ranks");
	PARAMETERS((double)n, q, level);
	printf("||");
	RESULTS((double)r.lo, (double)r.hi, r.coverage);
}

static void
laws(void)
{
	const double p = unit(), df = exp(unit() * 6), t = 4 * (unit() - 0.5);
	const double a = exp(4 * (unit() - 0.5)), b = exp(4 * (unit() - 0.5));
	const uint64_t n = whole(1, 2000), k = whole(0, n);

	printf("laws");
	PARAMETERS(p, df, t, a, b, (double)n, (double)k);
	printf("||");
	RESULTS(tape_stat_normal_p(t), tape_stat_normal_pinv(p),
	    tape_stat_t_p(t, df), tape_stat_t_q(t, df), tape_stat_t_pinv(p, df),
	    tape_stat_chi2_p(df * a, df), tape_stat_chi2_q(df * a, df),
	    tape_stat_chi2_pinv(p, df), tape_stat_beta_p(p, a, b),
	    tape_stat_beta_pinv(p, a, b), tape_stat_binom_pmf(k, n, p),
	    tape_stat_binom_p(k, n, p),
	    (double)tape_stat_binom_quantile(p, n, 0.3));
}

static void
pairs(void)
{
	const size_t k = whole(2, 30);
	const double margin = exp(tape_rng_normal(&rng, 0, 2));
	struct tape_stat_ttest t;
	struct tape_stat_tost e;
	struct tape_stat_interval out;

	sample(x, k, false);
	need(tape_stat_paired_t(x, k, 0, LEVEL, &t, &err), "paired t");
	need(tape_stat_tost_t(x, k, margin, &e, &err), "tost");
	need(tape_stat_leave_one_out(x, k, &out, &err), "leave one out");
	printf("paired");
	PARAMETERS(margin);
	numbers(x, k);
	printf("|");
	RESULTS(t.estimate, t.t, t.df, t.p_two, t.p_less, t.p_greater, t.ci.lo,
	    t.ci.hi, e.p_lower, e.p_upper, e.p, out.lo, out.hi);
}

static void
flips(void)
{
	const size_t k = whole(2, 9);
	const double margin = exp(tape_rng_normal(&rng, 0, 2));
	struct tape_stat_flip f;
	struct tape_stat_tost e;
	struct tape_stat_flipci ci;

	sample(x, k, true);
	need(tape_stat_flip(x, k, &exact, &f, &err), "flip");
	need(tape_stat_tost_flip(x, k, margin, &exact, &e, &err), "tost flip");
	need(tape_stat_flipci(x, k, LEVEL, &exact, &ci, &err), "flip ci");
	printf("flip");
	PARAMETERS(margin);
	numbers(x, k);
	printf("|");
	RESULTS(f.p_two, f.p_greater, f.p_less, e.p_lower, e.p_upper, ci.ci.lo,
	    ci.ci.hi, ci.level);
}

static void
families(void)
{
	const size_t rows = whole(1, 5), k = whole(3, 8);
	double p[5];

	sample(x, rows * k, false);
	need(tape_stat_maxt(x, rows, k, &exact, p, &err), "max-T");
	printf("maxt");
	PARAMETERS((double)rows, (double)k);
	numbers(x, rows * k);
	printf("|");
	numbers(p, rows);
	printf("\n");
}

static void
adjusted(void)
{
	const size_t m = whole(1, 20);

	for (size_t i = 0; i < m; i++)
		z[i] = whole(0, 1) ? unit() : pow(unit(), 6);
	for (int how = TAPE_STAT_BONFERRONI; how <= TAPE_STAT_BY; how++) {
		need(
		    tape_stat_adjust((enum tape_stat_adjust)how, z, m, y, &err),
		    "adjust");
		printf("adjust");
		PARAMETERS(how);
		numbers(z, m);
		printf("|");
		numbers(y, m);
		printf("\n");
	}
}

static void
signed_ranks(void)
{
	const size_t n = whole(2, 25);
	struct tape_stat_rank r;
	struct tape_stat_hl h;

	sample(x, n, true);
	need(tape_stat_signed_rank(x, n, &r, &err), "signed rank");
	need(tape_stat_hodges_lehmann(x, n, LEVEL, &h, &err), "HL");
	printf("signedrank");
	PARAMETERS(r.ties);
	numbers(x, n);
	printf("|");
	RESULTS(r.statistic, r.p_two, r.p_less, r.p_greater, r.p_normal,
	    r.p_normal_nc, h.estimate, h.ci.lo, h.ci.hi);
}

static void
two_samples(void)
{
	const size_t m = whole(2, 20), n = whole(2, 20);
	const struct tape_stat_sample a = { x, m }, b = { y, n };
	struct tape_stat_rank r;
	struct tape_stat_hl h;
	struct tape_stat_ttest t;

	sample(x, m, true);
	sample(y, n, true);
	need(tape_stat_mann_whitney(a, b, &r, &err), "Mann-Whitney");
	need(tape_stat_shift(a, b, LEVEL, &h, &err), "shift");
	printf("twosample");
	PARAMETERS(r.ties);
	numbers(x, m);
	numbers(y, n);
	RESULTS(r.statistic, r.p_two, r.p_less, r.p_greater, r.p_normal,
	    r.p_normal_nc, h.estimate, h.ci.lo, h.ci.hi,
	    tape_stat_cliffs_delta(r.statistic, m, n));
	sample(x, m, false);
	sample(y, n, false);
	need(tape_stat_welch(a, b, LEVEL, &t, &err), "Welch");
	printf("welch|");
	numbers(x, m);
	numbers(y, n);
	RESULTS(t.estimate, t.t, t.df, t.p_two, t.p_less, t.p_greater, t.ci.lo,
	    t.ci.hi);
}

static void
proportions(void)
{
	const uint64_t n = whole(1, 3000), good = whole(0, n);
	struct tape_stat_interval w, c;

	need(tape_stat_wilson((double)good, (double)n, LEVEL, &w, &err),
	    "Wilson");
	need(tape_stat_clopper(good, n, LEVEL, &c, &err), "Clopper");
	printf("proportion");
	PARAMETERS((double)good, (double)n);
	printf("||");
	RESULTS(w.lo, w.hi, c.lo, c.hi);
}

static void
powers(void)
{
	const double k = (double)whole(2, 40), effect = unit() * 3;
	const double alpha = 0.001 + unit() * 0.2, power = 0.5 + unit() * 0.45;
	const double sd = 0.01 + unit(), df = 1 + unit() * 60;
	const double t = 6 * (unit() - 0.5), delta = 6 * (unit() - 0.5);
	const uint64_t needed = tape_stat_pairs_needed(effect, alpha, power);

	printf("power");
	PARAMETERS(k, effect, alpha, power, sd, t, df, delta);
	printf("||");
	RESULTS(tape_stat_power(k, effect, alpha),
	    tape_stat_detectable(k, alpha, power),
	    needed == UINT64_MAX ? (double)INFINITY : (double)needed,
	    tape_stat_sd_upper(sd, k, 0.8), tape_stat_nct_p(t, df, delta));
}

static void
fits(void)
{
	const size_t n = whole(4, 40);
	struct tape_stat_run run[40];
	struct tape_stat_line line;
	struct tape_stat_ancova a;

	sample(y, n, false);
	for (size_t i = 0; i < n; i++) {
		x[i] = (double)i + unit();
		run[i] = (struct tape_stat_run){ y[i], (double)(i % 2), x[i] };
	}
	need(tape_stat_fit_line(x, y, n, LEVEL, &line, &err), "line");
	need(tape_stat_fit_ancova(run, n, LEVEL, &a, &err), "ancova");
	printf("fit|");
	numbers(x, n);
	numbers(y, n);
	RESULTS(line.intercept, line.slope.value, line.slope.se, line.slope.p,
	    line.slope.ci.lo, line.slope.ci.hi, a.arm.value, a.arm.se, a.arm.p,
	    a.arm.ci.lo, a.arm.ci.hi, a.time.value, a.time.se, a.time.p);
}

static void
trends(void)
{
	const size_t n = whole(3, 60);
	struct tape_stat_kendall k;
	struct tape_stat_spearman s;
	double slope;

	do {
		sample(x, n, true);
		sample(y, n, true);
	} while (tape_stat_kendall_trend(x, n, &k, &err) != TAPE_OK ||
		 tape_stat_spearman(x, y, n, &s, &err) != TAPE_OK);
	need(tape_stat_theil_sen(x, n, &slope, &err), "Theil-Sen");
	printf("trend|");
	numbers(x, n);
	numbers(y, n);
	RESULTS(k.tau, k.p, k.p_exact, s.rho, s.p, slope);
}

static void
series(void)
{
	const size_t n = whole(50, 200), lag = whole(1, 10);
	const size_t batches = whole(2, 20);
	struct tape_stat_interval mean;
	struct tape_stat_portmanteau q;
	struct tape_stat_mser m;
	struct tape_stat_batch b;

	sample(x, n, false);
	for (size_t i = 1; i < n; i++)
		x[i] += 0.6 * x[i - 1];
	need(tape_stat_mean_ci(x, n, LEVEL, &mean, &err), "mean");
	need(tape_stat_ljung_box(x, n, lag, &q, &err), "Ljung-Box");
	need(tape_stat_mser5(x, n, &m, &err), "MSER-5");
	need(tape_stat_batch_means(x, n, batches, LEVEL, &b, &err), "batches");
	printf("series");
	PARAMETERS((double)lag, (double)batches);
	numbers(x, n);
	printf("|");
	RESULTS(tape_stat_acf(x, n, lag), tape_stat_n_eff(x, n), mean.lo,
	    mean.hi, q.q, q.p, (double)m.cut, m.value, m.steady, b.mean, b.se,
	    b.ci.lo, b.ci.hi);
}

static void
processes(void)
{
	const size_t k = whole(1, 40), n = whole(2, 60);
	const double scale = 0.005 + unit() * 0.1, g = 0.1 + unit() * 3;
	const double t = 8 * (unit() - 0.5);
	struct tape_stat_eproc e;
	struct tape_stat_ad ad;

	need(tape_stat_eproc_init(&e, scale, &err), "e-process");
	for (size_t i = 0; i < k; i++) {
		x[i] = tape_rng_normal(&rng, 0.01, 0.03);
		need(tape_stat_eproc_add(&e, x[i], &err), "e-process");
	}
	printf("eproc");
	PARAMETERS(scale, t, g);
	numbers(x, k);
	printf("|");
	RESULTS(tape_stat_eproc_log(&e), tape_stat_eproc_p(&e),
	    tape_stat_t_evalue_log(t, k, g));
	for (size_t i = 0; i < n; i++)
		x[i] = -log(1 - unit());
	need(tape_stat_sort(x, n, &err), "sort");
	need(tape_stat_ad_exponential(x, n, 1e-9, &ad, &err), "AD");
	printf("ad|");
	numbers(x, n);
	printf("|");
	RESULTS(ad.mean, ad.a2);
}

int
main(int argc, char **argv)
{
	static void (*const draw[])(void) = { descriptions, ranks_of_quantiles,
		laws, pairs, flips, families, adjusted, signed_ranks,
		two_samples, proportions, powers, fits, trends, series,
		processes };
	uint64_t cases = 10000, seed = 1;

	if ((argc > 1 && tape_num_u64(argv[1], 1, UINT32_MAX, &cases, NULL) !=
			     TAPE_OK) ||
	    (argc > 2 &&
		tape_num_u64(argv[2], 0, UINT32_MAX, &seed, NULL) != TAPE_OK)) {
		fprintf(stderr, "usage: against_r [CASES [SEED]]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(draw) / sizeof(*draw); i++) {
		for (uint64_t c = 0; c < cases; c++) {
			tape_rng_init(
			    &rng, seed, PURPOSE, (uint32_t)i, (uint32_t)c);
			draw[i]();
		}
	}
	return 0;
}
