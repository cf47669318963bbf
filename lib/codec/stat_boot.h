/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_boot: hierarchical bootstrap of pairs, then of their requests.
 *
 * A replicate draws k pairs with replacement, then within each drawn pair as
 * many requests as it has, with replacement, and works the pair's number out
 * again.  Pairs are always drawn: requests alone know nothing of the noise
 * between runs, and there is no way to draw them alone.
 *
 * The interval is the studentised one (bootstrap-t: Efron and Tibshirani 1993,
 * 12.5): with t* = (mean d* - mean d) / (sd d* / sqrt k) of each replicate,
 * mean d less the upper and the lower quantile of t*, times sd d / sqrt k.
 *
 * Replicate b of a row draws from the Philox stream (seed, bootstrap, row, b),
 * so that each can be had alone.
 */
#ifndef TAPE_CODEC_STAT_BOOT_H
#define TAPE_CODEC_STAT_BOOT_H

#include "base/err.h"
#include "codec/stat_dist.h"
#include "codec/stat_rng.h"

#include <stdbool.h>

#define TAPE_STAT_BOOT_REPLICATES 4999

/* A value, and which request of its pair it belongs to, from 0. */
struct tape_stat_boot_item {
	double v;
	uint32_t at;
};

/* Requests of a pair, by value; each number from 0 to n - 1 occurs once. */
struct tape_stat_boot_sample {
	const struct tape_stat_boot_item *v;
	size_t n;
};

/* By value, then by number. */
void tape_stat_boot_sort(struct tape_stat_boot_item *v, size_t n);

enum tape_stat_boot_kind {
	TAPE_STAT_BOOT_TRIMMED, /* without floor(at n) values at each end */
	TAPE_STAT_BOOT_MEAN,
	TAPE_STAT_BOOT_QUANTILE /* type 7, at */
};

/* What is made of the requests of a sample. */
struct tape_stat_boot_statistic {
	enum tape_stat_boot_kind kind;
	double at;
	bool log; /* the logarithm of it */
};

/* The statistic of a sample in which request i stands count[i] times, n
   together; count NULL: each once.  NaN when n is 0. */
double tape_stat_boot_value(const struct tape_stat_boot_statistic *what,
    const struct tape_stat_boot_sample *s, const uint32_t *count);

/* Draws n of 0 .. n - 1 with replacement; count[i] is how often i came. */
void tape_stat_boot_draw(struct tape_rng *r, uint32_t *count, size_t n);

/*
 * A pair: its number is the statistic of sample[1] less that of sample[0]; of
 * sample[1] alone where sample[0] is empty, and fixed where both are.
 */
struct tape_stat_boot_pair {
	struct tape_stat_boot_sample sample[2];
	bool together; /* request i of both is one: drawn at once */
	double fixed;
};

/* All pairs; d[0 .. k) are their own numbers.  They may differ from those that
   come of the samples as they are: t* is taken from the latter. */
struct tape_stat_boot_pairs {
	const struct tape_stat_boot_pair *v;
	const double *d;
	size_t k;
	struct tape_stat_boot_statistic what;
};

struct tape_stat_boot_opt {
	uint64_t seed;
	uint32_t row;        /* tape_rng_fnv32 of the row's name */
	uint32_t replicates; /* 0 stands for 4999 */
};

struct tape_stat_boot {
	/* Around mean d; an end is infinite where replicates without any spread
	   between their pairs reach the quantile. */
	struct tape_stat_interval ci;
	double mean; /* of the replicates' means */
	double sd;   /* and their standard deviation */
	uint32_t replicates;
};

/*
 * The interval at level.  TAPE_E_DATA when k is below 2 or a value is not
 * finite, TAPE_E_USAGE when level is not within (0, 1) or the replicates are
 * too few for it, TAPE_E_LIMIT with 2^32 requests of a pair, TAPE_E_NOMEM; *out
 * is then unchanged.  Time: replicates times all requests.
 */
enum tape_status tape_stat_boot_t(const struct tape_stat_boot_pairs *pairs,
    double level, const struct tape_stat_boot_opt *opt,
    struct tape_stat_boot *out, struct tape_err *err) TAPE_NODISCARD;

#endif
