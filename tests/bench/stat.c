/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat: time of the statistics that can be slow: sorting and describing ten
 * million latencies, the exact sign flip and its interval, max-T.
 *
 *	stat [VALUES]
 *
 * One line each: what, and the median of five runs (three for those of the
 * sort) in milliseconds of the wall clock.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "codec/stat_desc.h"
#include "codec/stat_flip.h"
#include "codec/stat_flipci.h"
#include "codec/stat_maxt.h"
#include "codec/stat_quantile.h"
#include "codec/stat_rng.h"
#include "codec/stat_sort.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	RUNS = 5,
	ROWS = 50,
	PAIRS = 64,
};

struct job {
	double *x;
	size_t n; /* values, or pairs */
	double result;
};

static void
fill(struct job *j)
{
	struct tape_rng r;

	tape_rng_init(&r, 1, 0, 0, 0);
	for (size_t i = 0; i < j->n; i++)
		j->x[i] = 0.2 + tape_rng_exponential(&r, 0.01);
}

static enum tape_status
sort(struct job *j)
{
	return tape_stat_sort(j->x, j->n, NULL);
}

static enum tape_status
describe(struct job *j)
{
	struct tape_stat_desc d = { 0 };
	enum tape_status st = tape_stat_describe(j->x, j->n, &d, NULL);

	j->result = d.sd + tape_stat_quantile(j->x, j->n, 0.99);
	return st;
}

static enum tape_status
flip(struct job *j)
{
	struct tape_stat_flip f = { 0 };
	enum tape_status st = tape_stat_flip(j->x, j->n, NULL, &f, NULL);

	j->result = f.p_two;
	return st;
}

static enum tape_status
interval(struct job *j)
{
	struct tape_stat_flipci f = { { 0, 0 }, 0 };
	enum tape_status st =
	    tape_stat_flipci(j->x, j->n, 0.95, NULL, &f, NULL);

	j->result = f.ci.lo;
	return st;
}

static enum tape_status
maxt(struct job *j)
{
	double p[ROWS] = { 0 };
	enum tape_status st = tape_stat_maxt(j->x, ROWS, j->n, NULL, p, NULL);

	j->result = p[0];
	return st;
}

static int
measure(const char *what, struct job *j, int runs,
    enum tape_status (*run)(struct job *), void (*before)(struct job *))
{
	double ms[RUNS];

	for (int i = 0; i < runs; i++) {
		int64_t start;

		if (before != NULL)
			before(j);
		start = tape_clock_now_ns(&tape_clock_system);
		if (run(j) != TAPE_OK) {
			(void)fprintf(stderr, "stat: %s failed\n", what);
			return 1;
		}
		ms[i] =
		    (double)(tape_clock_now_ns(&tape_clock_system) - start) /
		    1e6;
	}
	if (tape_stat_sort(ms, (size_t)runs, NULL) != TAPE_OK)
		return 1;
	printf("%-32s %10.2f ms  (%g)\n", what,
	    tape_stat_median(ms, (size_t)runs), j->result);
	return 0;
}

static int
large(size_t n)
{
	struct job j = { tape_mem_calloc(n, sizeof(double)), n, 0 };
	char what[64];
	int bad;

	if (j.x == NULL)
		return 1;
	(void)snprintf(what, sizeof(what), "sort %zu", n);
	bad = measure(what, &j, 3, sort, fill);
	(void)snprintf(what, sizeof(what), "describe %zu", n);
	bad = bad || measure(what, &j, 3, describe, NULL);
	tape_mem_free(j.x);
	return bad;
}

static int
small(void)
{
	static double d[ROWS * PAIRS];
	struct job j = { d, 0, 0 };
	struct tape_rng r;

	tape_rng_init(&r, 1, 0, 0, 0);
	for (size_t i = 0; i < ROWS * PAIRS; i++)
		d[i] = tape_rng_normal(&r, 0.3, 1);
	j.n = 20;
	if (measure("sign flip, k = 20", &j, RUNS, flip, NULL) != 0 ||
	    measure("its interval", &j, RUNS, interval, NULL) != 0 ||
	    measure("max-T, 50 rows, k = 20", &j, RUNS, maxt, NULL) != 0)
		return 1;
	j.n = 40;
	if (measure("sign flip, k = 40", &j, RUNS, flip, NULL) != 0 ||
	    measure("its interval", &j, RUNS, interval, NULL) != 0)
		return 1;
	j.n = 60;
	return measure("sign flip, k = 60, drawn", &j, RUNS, flip, NULL) != 0 ||
	       measure("its interval", &j, RUNS, interval, NULL) != 0 ||
	       measure("max-T, 50 rows, k = 60, drawn", &j, RUNS, maxt, NULL) !=
		   0;
}

int
main(int argc, char **argv)
{
	uint64_t n = 10000000;

	if (argc > 1 &&
	    tape_num_u64(argv[1], 1, 1000000000, &n, NULL) != TAPE_OK) {
		(void)fprintf(stderr, "usage: stat [VALUES]\n");
		return 2;
	}
	return large((size_t)n) != 0 || small() != 0;
}
