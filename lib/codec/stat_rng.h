/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_rng: random numbers that are addressed, not drawn from a shared state.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011): a block of four 32-bit
 * words is a function of a 64-bit key, the user's seed, and four counter
 * words.  A stream is the sequence of blocks with the counter
 *
 *	(replicate, draw, row, purpose),   draw = 0, 1, 2, ...
 *
 * so that what one request, row or replicate draws depends on no other one:
 * the same bytes for any number of threads and in any order.  Purposes keep
 * the streams of different uses apart; their numbers are part of what a seed
 * means, so they are never changed or used again.
 *
 * Nothing here allocates or fails; a zeroed stream is seed 0, purpose 0.
 */
#ifndef TAPE_CODEC_STAT_RNG_H
#define TAPE_CODEC_STAT_RNG_H

#include <stddef.h>
#include <stdint.h>

enum tape_rng_purpose {
	TAPE_RNG_FLIP = 1,        /* sign vectors of one row */
	TAPE_RNG_MAXT = 2,        /* sign vectors of a family of rows */
	TAPE_RNG_BOOTSTRAP = 3,   /* resamples */
	TAPE_RNG_CHANGE = 4,      /* shuffled blocks of a series */
	TAPE_RNG_GEN_INPUT = 16,  /* synthetic input lengths */
	TAPE_RNG_GEN_OUTPUT = 17, /* synthetic output lengths */
	TAPE_RNG_GEN_ARRIVAL = 18,
	TAPE_RNG_GEN_TEXT = 19,
	TAPE_RNG_GEN_PICK = 20, /* which rows of a file are taken */
	TAPE_RNG_ORDER = 32,    /* order of the arms in a round */
	TAPE_RNG_CANCEL = 33,   /* requests cancelled on purpose */
	TAPE_RNG_SERVE_TTFT = 48,
	TAPE_RNG_SERVE_ITL = 49,
	TAPE_RNG_SERVE_TEXT = 50,
	TAPE_RNG_SERVE_FAULT = 51,
	TAPE_RNG_SERVE_LENGTH = 52,
	TAPE_RNG_SERVE_SIZE = 53, /* tokens of an event */
	TAPE_RNG_SERVE_CUT = 54,  /* where an event is split */
	TAPE_RNG_SERVE_STEP = 55  /* times between steps of the batch */
};

/* One block: ten rounds over counter with key. */
void tape_rng_philox(
    const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A stream; copy it to draw the same numbers again. */
struct tape_rng {
	uint32_t key[2];     /* seed, low word first */
	uint32_t counter[4]; /* of the next block */
	uint32_t block[4];
	unsigned left; /* words of the block not yet given out */
};

/* Stream for one use.  Repeats itself after 2^34 words. */
void tape_rng_init(struct tape_rng *r, uint64_t seed, uint32_t purpose,
    uint32_t row, uint32_t replicate);

uint32_t tape_rng_u32(struct tape_rng *r);

/* Two words, the first one low. */
uint64_t tape_rng_u64(struct tape_rng *r);

/* Uniform in the open interval (0, 1), on a grid of 2^-52, offset 2^-53. */
double tape_rng_double(struct tape_rng *r);

/*
 * Uniform in 0 .. n - 1, without bias, by rejection (Lemire 2019); takes as
 * many words as it needs.  0 when n is 0.
 */
uint32_t tape_rng_below(struct tape_rng *r, uint32_t n);

/*
 * floor(u * n / 2^32): a word mapped onto 0 .. n - 1 with a bias of at most
 * n / 2^32.  One word in, one value out: where values have to be addressable.
 */
uint32_t tape_rng_mulhi(uint32_t u, uint32_t n);

/*
 * Samples, by GSL's methods over this stream.  NaN when a parameter is not
 * finite or out of range; 0 for an exponential of mean 0 and the mean for a
 * normal of sd 0.  They take as many words as they need.
 *
 *	exponential	mean >= 0, by inversion
 *	gamma		shape > 0, scale > 0 (Marsaglia and Tsang 2000)
 *	normal		sd >= 0, by inversion (Wichura 1988): two words
 */
double tape_rng_exponential(struct tape_rng *r, double mean);
double tape_rng_gamma(struct tape_rng *r, double shape, double scale);
double tape_rng_normal(struct tape_rng *r, double mean, double sd);

/*
 * FNV-1a (Fowler, Noll and Vo) of len bytes: the row word of a stream from a
 * name such as "decode/itl", and base/hash's 64 bits at once.  Not against an
 * adversary.
 */
uint32_t tape_rng_fnv32(const void *p, size_t len);
uint64_t tape_rng_fnv64(const void *p, size_t len);

#endif
