/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the intervals that metrics-reduce prints of one run hold the truth.
 *
 * usage: coverage [REPLICATES [SEED]]
 *
 * Latencies are exp(0.5 z), z a Gaussian autoregression of the first order of
 * unit variance with the given coefficient (phi).  Of each series the intervals of
 * mean, p50, p90 and p99 are made as a summary has them, at a level of .95.
 *
 * For each cell: the share of series with both ends, and of these the share
 * that holds the truth; then the same of the lower bound alone, where only that
 * exists.  A rate near .95 of n series has a standard error of sqrt(.0475/n).
 *
 * Below the table: every cell with phi up to 0.8 that is under .93, if it is
 * printed for at least one of twenty series (of fewer, those are chosen by how
 * little they look like what they are); there should be none: exit 1 else.
 * Then two kinds of series that are worse than what is promised.
 */
#include "base/mem.h"
#include "base/num.h"
#include "codec/stat_desc.h"
#include "codec/stat_neff.h"
#include "codec/stat_quantile.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL    0.95
#define LOG_SD   0.5
#define PROMISED 0.93
#define SELDOM   0.05
#define N_MOST   10000
#define PURPOSE  96 /* of the random numbers here */

enum { MEAN, P50, P90, P99, ROWS };

static const double q_of[ROWS] = { 0, 0.5, 0.9, 0.99 };
static const char *const name_of[ROWS] = { "mean", "p50", "p90", "p99" };

/* noise: its sd beside that of the autoregression, which is 1. */
struct process {
	double phi, noise;
};

struct cell {
	uint64_t both, held;        /* two-sided */
	uint64_t lower, held_above; /* lower bound only */
};

static double x[N_MOST], sorted[N_MOST];

static void
simulate(const struct process *p, size_t n, struct tape_rng *rng)
{
	double z = tape_rng_normal(rng, 0, 1);

	for (size_t i = 0; i < n; i++) {
		double v = z;

		if (p->noise > 0)
			v += tape_rng_normal(rng, 0, p->noise);
		x[i] = exp(LOG_SD * v);
		z = p->phi * z +
		    tape_rng_normal(rng, 0, sqrt(1 - p->phi * p->phi));
	}
}

static double
truth(const struct process *p, int row)
{
	const double sd = LOG_SD * sqrt(1 + p->noise * p->noise);

	if (row == MEAN)
		return exp(sd * sd / 2);
	return exp(sd * tape_stat_normal_pinv(q_of[row]));
}

static void
count(struct cell *c, struct tape_stat_interval ci, double want)
{
	if (isinf(ci.lo))
		return;
	if (isinf(ci.hi)) {
		c->lower++;
		c->held_above += ci.lo <= want;
		return;
	}
	c->both++;
	c->held += ci.lo <= want && want <= ci.hi;
}

static enum tape_status
interval_of(struct tape_stat_neff *s, size_t n, int row,
    struct tape_stat_interval *ci, struct tape_err *err)
{
	struct tape_stat_order_interval o;
	double n_eff;
	enum tape_status st;

	*ci = (struct tape_stat_interval){ -HUGE_VAL, HUGE_VAL };
	if (n <
	    (row == MEAN ? TAPE_STAT_NEFF_MEAN_MIN : TAPE_STAT_NEFF_ORDER_MIN))
		return TAPE_OK;
	if (row == MEAN) {
		*ci = tape_stat_neff_interval(tape_stat_mean(sorted, n),
		    tape_stat_sd(sorted, n), tape_stat_neff_mean(s), LEVEL);
		return TAPE_OK;
	}
	n_eff = tape_stat_neff_quantile(
	    s, q_of[row], tape_stat_quantile(sorted, n, q_of[row]));
	st = tape_stat_order_interval(n, n_eff, q_of[row], LEVEL, &o, err);
	if (st != TAPE_OK)
		return st;
	ci->lo = o.lo > 0 ? sorted[o.lo - 1] : -HUGE_VAL;
	ci->hi = o.hi <= n ? sorted[o.hi - 1] : HUGE_VAL;
	return TAPE_OK;
}

static enum tape_status
one(const struct process *p, size_t n, struct tape_rng *rng, struct cell *cells,
    struct tape_err *err)
{
	struct tape_stat_neff s;
	enum tape_status st;

	simulate(p, n, rng);
	memcpy(sorted, x, n * sizeof(*x));
	st = tape_stat_sort(sorted, n, err);
	if (st == TAPE_OK)
		st = tape_stat_neff_open(&s, x, n, err);
	if (st != TAPE_OK)
		return st;
	for (int row = 0; row < ROWS && st == TAPE_OK; row++) {
		struct tape_stat_interval ci = { 0 };

		st = interval_of(&s, n, row, &ci, err);
		count(&cells[row], ci, truth(p, row));
	}
	tape_stat_neff_release(&s);
	return st;
}

static double
share(uint64_t a, uint64_t b)
{
	return b == 0 ? 0 : (double)a / (double)b;
}

static void
print_cell(const struct cell *c, uint64_t replicates)
{
	if (share(c->both, replicates) >= SELDOM)
		printf(" %.3f (%.0f %%)", share(c->held, c->both),
		    100 * share(c->both, replicates));
	if (share(c->lower, replicates) >= SELDOM)
		printf(" >= %.3f (%.0f %%)", share(c->held_above, c->lower),
		    100 * share(c->lower, replicates));
	if (share(c->both + c->lower, replicates) < SELDOM)
		printf(" none");
	printf(" |");
}

/* The worse of the two, where it is printed often enough. */
static double
worst_of(const struct cell *c, uint64_t replicates)
{
	double worst = 1;

	if (share(c->both, replicates) >= SELDOM)
		worst = share(c->held, c->both);
	if (share(c->lower, replicates) >= SELDOM)
		worst = fmin(worst, share(c->held_above, c->lower));
	return worst;
}

struct study {
	uint64_t replicates, seed;
	uint32_t rows; /* printed so far: of the random numbers */
	int below;
	double lowest;
};

static enum tape_status
line(struct study *w, const struct process *p, size_t n, bool promised,
    struct tape_err *err)
{
	const uint64_t reps = n > 1000 ? w->replicates / 10 : w->replicates;
	struct cell cells[ROWS] = { 0 };
	enum tape_status st = TAPE_OK;

	for (uint64_t i = 0; i < reps && st == TAPE_OK; i++) {
		struct tape_rng rng;

		tape_rng_init(&rng, w->seed, PURPOSE, w->rows, (uint32_t)i);
		st = one(p, n, &rng, cells, err);
	}
	w->rows++;
	printf("| %zu | %.1f | %.1f |", n, p->phi, p->noise);
	for (int row = 0; row < ROWS; row++) {
		const double worst = worst_of(&cells[row], reps);

		print_cell(&cells[row], reps);
		if (!promised)
			continue;
		w->lowest = fmin(w->lowest, worst);
		if (worst < PROMISED)
			w->below++;
	}
	printf("\n");
	return st;
}

static void
heading(void)
{
	printf("| n | phi | noise |");
	for (int row = 0; row < ROWS; row++)
		printf(" %s |", name_of[row]);
	printf("\n| ---: | ---: | ---: | --- | --- | --- | --- |\n");
}

static enum tape_status
study(struct study *w, struct tape_err *err)
{
	static const struct process known[] = { { 0, 0 }, { .3, 0 }, { .5, 0 },
		{ .8, 0 } };
	static const struct process worse[] = { { .9, 0 }, { .8, 1 },
		{ .9, 1 } };
	static const size_t sizes[] = { 20, 50, 100, 200, 400, 1000, N_MOST };
	enum tape_status st = TAPE_OK;

	heading();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && st == TAPE_OK;
	     i++)
		for (size_t j = 0; j < 4 && st == TAPE_OK; j++)
			st = line(w, &known[j], sizes[i], true, err);
	printf("\nlowest of the cells: %.4f; below %.2f: %d\n\n", w->lowest,
	    PROMISED, w->below);
	if (st == TAPE_OK)
		heading();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && st == TAPE_OK;
	     i++)
		for (size_t j = 0; j < 3 && st == TAPE_OK; j++)
			st = line(w, &worse[j], sizes[i], false, err);
	return st;
}

int
main(int argc, char **argv)
{
	struct study w = { .replicates = 4000, .seed = 1, .lowest = 1 };
	struct tape_err err = { 0 };

	if (argc > 3 ||
	    (argc > 1 && tape_num_u64(argv[1], 10, 1000000, &w.replicates,
			     NULL) != TAPE_OK) ||
	    (argc > 2 && tape_num_u64(argv[2], 0, UINT64_MAX, &w.seed, NULL) !=
			     TAPE_OK)) {
		fprintf(stderr, "usage: coverage [REPLICATES [SEED]]\n");
		return 2;
	}
	printf("%zu series a cell (a tenth of them of %d values)\n\n",
	    (size_t)w.replicates, N_MOST);
	if (study(&w, &err) != TAPE_OK) {
		fprintf(stderr, "coverage: %s\n", err.text);
		return 5;
	}
	return w.below > 0 ? 1 : 0;
}
