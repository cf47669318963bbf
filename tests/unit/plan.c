/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan.h"

#include "unit/tap.h"

/* "AB BA " and so on. */
static const char *
text_of(const struct tape_plan *p)
{
	static char text[4096];
	size_t arm[TAPE_PLAN_ARMS];
	size_t n = 0;

	for (size_t r = 0; r < p->rounds; r++) {
		tape_plan_round(p, r, arm);
		for (size_t i = 0; i < p->arms; i++)
			text[n++] = (char)('A' + arm[i]);
		text[n++] = ' ';
	}
	text[n] = '\0';
	return text;
}

static void
test_balanced(void)
{
	struct tape_plan p = { TAPE_PLAN_BALANCED, 0, 2, 8 };
	int ab = 0;

	for (p.seed = 0; p.seed < 200; p.seed++) {
		const char *t = text_of(&p);

		for (size_t b = 0; b < 8; b += 2) {
			bool first = memcmp(t + b * 3, "AB BA ", 6) == 0;

			if (!first && memcmp(t + b * 3, "BA AB ", 6) != 0) {
				ok(false, "block %zu of %s", b, t);
				return;
			}
			ab += first;
		}
	}
	ok(true, "blocks are AB BA or BA AB");
	ok(ab > 340 && ab < 460, "either as often: %d of 800", ab);
	p.seed = 7;
	p.rounds = 1;
	is_int(strlen(text_of(&p)), 3, "an odd round has its half of a block");
}

static void
test_random(void)
{
	struct tape_plan p = { TAPE_PLAN_RANDOM, 3, 2, 1000 };
	struct tape_plan more = { TAPE_PLAN_BALANCED, 3, 3, 6 };
	char before[4096];
	int ab = 0, same = 0;
	int seen[6] = { 0 };
	const char *t = text_of(&p);

	for (size_t r = 0; r < p.rounds; r++) {
		ab += t[3 * r] == 'A';
		same += r > 0 && t[3 * r] == t[3 * r - 3];
	}
	ok(ab > 440 && ab < 560, "A first in %d of 1000", ab);
	ok(same > 440 && same < 560, "draws are independent: %d", same);
	for (more.seed = 0; more.seed < 600; more.seed++) {
		size_t arm[TAPE_PLAN_ARMS];

		tape_plan_round(&more, 1, arm);
		seen[arm[0] * 2 + (arm[1] > arm[2])]++;
	}
	for (int i = 0; i < 6; i++)
		ok(seen[i] > 60 && seen[i] < 140,
		    "permutation %d of three arms: %d of 600", i, seen[i]);
	more.seed = 5;
	(void)snprintf(before, sizeof(before), "%s", text_of(&more));
	is_str(text_of(&more), before, "the same seed, the same order");
	more.seed = 6;
	ok(strcmp(text_of(&more), before) != 0, "another seed, another");
}

int
main(void)
{
	struct tape_plan p = { TAPE_PLAN_FIXED, 1, 3, 2 };

	is_str(text_of(&p), "ABC ABC ", "fixed");
	test_balanced();
	test_random();
	return done_testing();
}
