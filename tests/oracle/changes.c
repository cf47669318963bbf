/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the tests of a steady state find a change, where there is none, and
 * where there is one.
 *
 * usage: changes [REPLICATES [SEED]]
 *
 * Latencies as coverage.c has them, exp(sd z), z a Gaussian autoregression of
 * coefficient phi and unit variance: as they are; with a slope, by which the
 * last is so much longer than the first; with a step half-way.  Of each kind of
 * series the shares in which trend, halves and step are found as --steady flags
 * them (engine/trends.h), and any of these.
 */
#include "base/num.h"
#include "codec/stat_rng.h"
#include "engine/trends.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_MOST  2000
#define PURPOSE 95 /* of the random numbers here */

struct kind {
	const char *name;
	double slope, step; /* relative */
};

static const struct kind kinds[] = { { "level", 0, 0 },
	{ "slope 30 %", 0.3, 0 }, { "step 20 %", 0, 0.2 } };
static const double phis[] = { 0, 0.5, 0.8 };
static const double sds[] = { 0.1, 0.5 };
static const size_t lengths[] = { 50, 100, 200, 1000, 2000 };

static double x[N_MOST];

static void
simulate(
    const struct kind *k, double phi, double sd, size_t n, struct tape_rng *rng)
{
	double z = tape_rng_normal(rng, 0, 1);

	for (size_t i = 0; i < n; i++) {
		x[i] = exp(sd * z) *
		       (1 + k->slope * (double)i / (double)(n - 1)) *
		       (1 + (i >= n / 2 ? k->step : 0));
		z = phi * z + tape_rng_normal(rng, 0, sqrt(1 - phi * phi));
	}
}

static int
row(const struct kind *k, double phi, double sd, size_t n, uint64_t replicates,
    uint64_t seed)
{
	unsigned found[4] = { 0 };

	for (uint64_t i = 0; i < replicates; i++) {
		struct tape_trend t;
		struct tape_rng rng;

		tape_rng_init(&rng, seed, PURPOSE, (uint32_t)n, (uint32_t)i);
		simulate(k, phi, sd, n, &rng);
		if (tape_trend_find(x, n, "simulated", &t, NULL) != TAPE_OK)
			return 1;
		found[0] += t.rises || t.falls;
		found[1] += t.halves;
		found[2] += t.steps;
		found[3] += t.rises || t.falls || t.halves || t.steps;
	}
	printf("| %s | %zu | %.1f | %.1f |", k->name, n, phi, sd);
	for (int i = 0; i < 4; i++)
		printf(" %.4f |", found[i] / (double)replicates);
	puts("");
	return 0;
}

int
main(int argc, char **argv)
{
	uint64_t replicates = 1000, seed = 1;
	int bad = 0;

	if ((argc > 1 && tape_num_u64(argv[1], 10, 1000000, &replicates,
			     NULL) != TAPE_OK) ||
	    (argc > 2 &&
		tape_num_u64(argv[2], 0, UINT64_MAX, &seed, NULL) != TAPE_OK)) {
		fputs("usage: changes [REPLICATES [SEED]]\n", stderr);
		return 2;
	}
	puts("| series | n | phi | sd | trend | halves | step | any |");
	puts("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t n = 0; n < sizeof(lengths) / sizeof(*lengths); n++)
			for (size_t p = 0; p < sizeof(phis) / sizeof(*phis);
			     p++)
				for (size_t s = 0; s < 2; s++)
					bad |= row(&kinds[k], phis[p], sds[s],
					    lengths[n], replicates, seed);
	return bad;
}
