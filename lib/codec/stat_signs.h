/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_signs: the sign vectors that permutation tests draw when there are too
 * many to list.
 *
 * Vector b (1 .. B) of a row is the first k bits of the Philox blocks
 * (b, draw, row, purpose), low bit of the first word first; a set bit is a
 * minus.  b = 0 is the identity, the observed signs.  So every vector can be
 * had alone: no order, thread or other row changes it.
 */
#ifndef TAPE_CODEC_STAT_SIGNS_H
#define TAPE_CODEC_STAT_SIGNS_H

#include "base/err.h"
#include "codec/stat_rng.h"

#define TAPE_STAT_SIGNS_MAX      10000 /* signs of a vector */
#define TAPE_STAT_SIGNS_WORDS    (TAPE_STAT_SIGNS_MAX / 32 + 1)
#define TAPE_STAT_REPLICATES     99999
#define TAPE_STAT_REPLICATES_MAX 10000000
#define TAPE_STAT_SEED           1

/* How a Monte Carlo draws.  NULL stands for { 1, 0, 99999 }. */
struct tape_stat_flip_opt {
	uint64_t seed;
	uint32_t row;        /* tape_rng_fnv32 of the row's name */
	uint32_t replicates; /* B; 0 stands for 99999 */
};

/*
 * opt with its defaults filled in.  TAPE_E_LIMIT when k or the replicates
 * exceed the limits above.
 */
enum tape_status tape_stat_signs_opt(const struct tape_stat_flip_opt *opt,
    size_t k, struct tape_stat_flip_opt *out,
    struct tape_err *err) TAPE_NODISCARD;

/* Vector b of k signs into words; unused bits of the last word are noise. */
void tape_stat_signs_draw(const struct tape_stat_flip_opt *opt,
    enum tape_rng_purpose purpose, uint32_t b, size_t k,
    uint32_t words[TAPE_STAT_SIGNS_WORDS]);

#endif
