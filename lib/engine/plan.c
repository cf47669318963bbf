/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan.h"

#include "codec/stat_rng.h"

static void
swap(size_t *a, size_t *b)
{
	size_t t = *a;

	*a = *b;
	*b = t;
}

/* Fisher and Yates. */
static void
shuffle(const struct tape_plan *p, size_t row, size_t *arm)
{
	struct tape_rng rng;

	tape_rng_init(&rng, p->seed, TAPE_RNG_ORDER, (uint32_t)row, 0);
	for (size_t i = p->arms; i > 1; i--)
		swap(&arm[i - 1], &arm[tape_rng_below(&rng, (uint32_t)i)]);
}

void
tape_plan_round(
    const struct tape_plan *p, size_t round, size_t arm[TAPE_PLAN_ARMS])
{
	for (size_t i = 0; i < p->arms; i++)
		arm[i] = i;
	if (p->order == TAPE_PLAN_FIXED)
		return;
	if (p->order == TAPE_PLAN_BALANCED && p->arms == 2) {
		shuffle(p, round / 2, arm);
		if (round % 2 == 1)
			swap(&arm[0], &arm[1]);
		return;
	}
	shuffle(p, round, arm);
}
