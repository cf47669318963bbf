/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gen_synthetic: requests with lengths drawn from a law, and prompts that share
 * nothing.
 */
#ifndef TAPE_ENGINE_GEN_SYNTHETIC_H
#define TAPE_ENGINE_GEN_SYNTHETIC_H

#include "engine/gen.h"

/* Normal with this mean and sd, rounded, and drawn again below 1. */
struct tape_lengths {
	double mean;
	double sd;
};

/* "MEAN" or "MEAN,SD": mean 1 to 10^7, sd not negative.  TAPE_E_USAGE. */
enum tape_status tape_lengths_parse(const char *s, struct tape_lengths *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Puts count requests.  Each is one block of its own, whose id is its number
 * from 0; labels isl and osl are the means asked for.
 */
enum tape_status tape_gen_synthetic(struct tape_gen *g,
    const struct tape_lengths *isl, const struct tape_lengths *osl,
    uint64_t count, struct tape_err *err) TAPE_NODISCARD;

#endif
