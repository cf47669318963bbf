/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool: very many values, of which quantiles are wanted, exactly, in bounded
 * memory.
 *
 * Values are held as they come, eight bytes each, up to TAPE_POOL_LOOSE of them;
 * these are then sorted and become a run of pairs, a value and how often it was
 * there.  Runs are merged with each other so that there are few: times are
 * whole nanoseconds, and what is counted in billions comes from a few millions
 * of different ones.  Where runs take more memory than is allowed they go to a
 * temporary file, and are read from there once, side by side.
 *
 * In which order values come, and how much memory is allowed, does not show in
 * what is made of them, to the last bit.
 */
#ifndef TAPE_ENGINE_POOL_H
#define TAPE_ENGINE_POOL_H

#include "engine/runfile.h"

#define TAPE_POOL_LOOSE ((size_t)4 << 20) /* 64 MiB while they are sorted */

struct tape_pool_pair {
	double v;
	uint64_t count;
};

struct tape_pool_run {
	struct tape_pool_pair *v;
	size_t n;
};

#define TAPE_POOL_RUNS 64

struct tape_pool {
	size_t loose_most;
	size_t pairs_most; /* of all runs in memory */
	double *loose;
	size_t loose_n, loose_cap;
	struct tape_pool_run runs[TAPE_POOL_RUNS]; /* the largest first */
	size_t run_n;
	size_t pairs;
	struct tape_runfile file;
	uint64_t *ends; /* of the runs in the file */
	size_t end_n, end_cap;
	uint64_t n; /* of all values */
};

/* bytes: of memory, about; 0: without bound.  dir is borrowed. */
void tape_pool_init(struct tape_pool *p, size_t bytes, const char *dir);
void tape_pool_release(struct tape_pool *p);

/* TAPE_E_DATA when a value is not finite; TAPE_E_NOMEM, TAPE_E_IO. */
enum tape_status tape_pool_add(struct tape_pool *p, const double *v, size_t n,
    struct tape_err *err) TAPE_NODISCARD;

#define TAPE_POOL_QUANTILES 32

/* What pools are asked for: quantiles of type 7, q rising. */
struct tape_pool_asked {
	const double *q;
	size_t q_n; /* at most TAPE_POOL_QUANTILES */
	/* Out; NaN where there is no value, and sd of one. */
	double *at;
	double min, max, mean, sd;
};

/* Reads several pools as one.  They take no more values then. */
enum tape_status tape_pool_read(struct tape_pool *const *pools, size_t n,
    struct tape_pool_asked *ask, struct tape_err *err) TAPE_NODISCARD;

/* All values, rising, into out, which has room for them. */
enum tape_status tape_pool_values(struct tape_pool *const *pools, size_t n,
    double *out, struct tape_err *err) TAPE_NODISCARD;

#endif
