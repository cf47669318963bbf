/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan: which arm is run when: rounds of whole runs, one of each arm a round,
 * in an order drawn from the seed.
 *
 * A fixed order biases the estimate when the machine drifts, so the default is
 * balanced: of two arms, pairs of rounds are AB BA or BA AB, which of the two
 * a coin says for each pair; a linear drift then cancels.  Of more arms each
 * round is a random permutation.  Purpose TAPE_RNG_ORDER of stat_rng.h; the
 * row is the round.
 */
#ifndef TAPE_ENGINE_PLAN_H
#define TAPE_ENGINE_PLAN_H

#include "base/err.h"

#include <stddef.h>

enum tape_plan_order {
	TAPE_PLAN_BALANCED,
	TAPE_PLAN_RANDOM, /* an independent draw for each round */
	TAPE_PLAN_FIXED   /* as given */
};

struct tape_plan {
	enum tape_plan_order order;
	uint64_t seed;
	size_t arms;   /* 1 to TAPE_PLAN_ARMS */
	size_t rounds; /* 1 or more */
};

#define TAPE_PLAN_ARMS 64 /* as TAPE_TARGET_MAX */

/* The arms of a round (from 0) in the order in which they are run. */
void tape_plan_round(
    const struct tape_plan *p, size_t round, size_t arm[TAPE_PLAN_ARMS]);

#endif
