/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/arrivals.h"

#include "codec/stat_rng.h"
#include "unit/tap.h"

#define MEAN_NS 1e6

static struct tape_arrivals loops[3];
static const struct tape_arrivals *const parts[3] = { &loops[0], &loops[1],
	&loops[2] };
static struct tape_arrivals_test got;

/* What a sender does to a plan: each start is at least floor_ns after the one
   before it in its loop. */
struct way {
	uint64_t requests;
	size_t loops;
	double (*gap)(struct tape_rng *r);
	int64_t floor_ns;
};

static double
exponential(struct tape_rng *r)
{
	return tape_rng_exponential(r, MEAN_NS);
}

static double
even(struct tape_rng *r)
{
	(void)r;
	return MEAN_NS;
}

static double
none(struct tape_rng *r)
{
	(void)r;
	return 0;
}

static void
play(struct way w)
{
	struct tape_rng r;
	int64_t last[3] = { 0, 0, 0 };
	double due = 0;

	tape_rng_init(&r, 11, TAPE_RNG_GEN_ARRIVAL, 0, 0);
	for (size_t i = 0; i < 3; i++)
		tape_arrivals_clear(&loops[i]);
	for (uint64_t seq = 0; seq < w.requests; seq++) {
		size_t l = seq % w.loops;
		int64_t start;

		due += w.gap(&r);
		start = (int64_t)due;
		if (start < last[l] + w.floor_ns)
			start = last[l] + w.floor_ns;
		last[l] = start;
		tape_arrivals_add(&loops[l], seq, (int64_t)due, start);
	}
	is_int(tape_arrivals_judge(parts, 3, &got, NULL), TAPE_OK,
	    "judge %llu requests of %zu loops", (unsigned long long)w.requests,
	    w.loops);
}

static void
test_law(void)
{
	play((struct way){ 2000, 1, exponential, 10 });
	is_int(got.n, 1999, "all gaps");
	is_int((int64_t)got.stride, 1, "of all");
	ok(got.planned_p > 0.01, "an exponential plan: %g", got.planned_p);
	ok(got.achieved_p > 0.01, "kept: %g", got.achieved_p);
	play((struct way){ 2000, 1, exponential, 300000 });
	ok(got.planned_p > 0.01, "the same: %g", got.planned_p);
	ok(got.achieved_p < 0.01, "not kept: %g", got.achieved_p);
	play((struct way){ 2000, 1, even, 10 });
	ok(got.planned_p < 0.01, "an even plan is none: %g", got.planned_p);
	play((struct way){ 100, 1, none, 10 });
	ok(got.planned_p <= 0, "nor is one without gaps");
	ok(got.achieved_p < 0.01, "however it is sent");
}

static void
test_loops(void)
{
	play((struct way){ 2000, 3, exponential, 10 });
	is_int(got.n, 1999, "all gaps");
	ok(got.planned_p > 0.01, "the plan of three loops: %g", got.planned_p);
	ok(got.achieved_p > 0.01, "is kept: %g", got.achieved_p);
	play((struct way){ 2000, 3, exponential, 3000000 });
	ok(got.achieved_p < 0.01, "or not: %g", got.achieved_p);
}

static void
test_sample(void)
{
	play((struct way){ TAPE_ARRIVALS_GAPS + 1, 1, exponential, 10 });
	is_int(got.n, TAPE_ARRIVALS_GAPS, "as many as fit");
	is_int((int64_t)got.stride, 1, "all of them");
	play((struct way){ TAPE_ARRIVALS_GAPS + 2, 1, exponential, 10 });
	is_int(got.n, TAPE_ARRIVALS_GAPS / 2 + 1, "one more: half");
	is_int((int64_t)got.stride, 2, "every second");
	play((struct way){ TAPE_ARRIVALS_ROOM + 1, 1, exponential, 10 });
	is_int((int64_t)loops[0].stride, 4, "more than there is room for");
	is_int((int64_t)loops[0].n, TAPE_ARRIVALS_ROOM / 2 + 1, "half is left");
	is_int(got.n, TAPE_ARRIVALS_ROOM / 4, "every fourth gap");
	play((struct way){ 1000000, 1, exponential, 10 });
	ok(got.n > TAPE_ARRIVALS_GAPS / 2 && got.n <= TAPE_ARRIVALS_GAPS,
	    "a million: %lld gaps of every %llu", (long long)got.n,
	    (unsigned long long)got.stride);
	ok(got.planned_p > 0.01, "a gap stays a gap: %g", got.planned_p);
	ok(got.achieved_p > 0.01, "also as sent: %g", got.achieved_p);
	play((struct way){ 100000, 3, exponential, 10 });
	ok(got.n > TAPE_ARRIVALS_GAPS / 2 && got.n <= TAPE_ARRIVALS_GAPS,
	    "three loops: %lld gaps of every %llu", (long long)got.n,
	    (unsigned long long)got.stride);
	ok(got.planned_p > 0.01, "of the plan: %g", got.planned_p);
}

/* Two loops, the first of which is late by a fifth of the mean gap: neighbours
   change places. */
static void
test_swapped(void)
{
	struct tape_rng r;
	double due = 0;

	tape_rng_init(&r, 11, TAPE_RNG_GEN_ARRIVAL, 0, 0);
	for (size_t i = 0; i < 3; i++)
		tape_arrivals_clear(&loops[i]);
	for (uint64_t seq = 0; seq < 60; seq++) {
		due += exponential(&r);
		tape_arrivals_add(&loops[seq % 2], seq, (int64_t)due,
		    (int64_t)due + (seq % 2 == 0 ? 200000 : 0));
	}
	is_int(tape_arrivals_judge(parts, 3, &got, NULL), TAPE_OK, "swapped");
	is_int(got.n, 59, "all gaps");
	ok(got.achieved_p > 0.001, "count by their size: %g", got.achieved_p);
}

static void
test_none(void)
{
	struct tape_arrivals empty = { 0 };

	play((struct way){ TAPE_ARRIVALS_LEAST, 1, exponential, 10 });
	is_int(got.n, 0, "too few");
	play((struct way){ TAPE_ARRIVALS_LEAST + 1, 1, exponential, 10 });
	is_int(got.n, TAPE_ARRIVALS_LEAST, "enough");
	tape_arrivals_add(&loops[0], TAPE_ARRIVALS_LEAST + 1, 0, 0);
	is_int(tape_arrivals_judge(parts, 3, &got, NULL), TAPE_OK, "judge");
	is_int(got.n, 0, "not due in their order");
	tape_arrivals_add(&empty, 0, 0, 0);
	is_int((int64_t)empty.n, 0, "without room nothing is noted");
	is_int(tape_arrivals_judge(NULL, 0, &got, NULL), TAPE_OK, "no loop");
	is_int(got.n, 0, "no test");
}

int
main(void)
{
	for (size_t i = 0; i < 3; i++)
		if (tape_arrivals_open(&loops[i], NULL) != TAPE_OK)
			return 1;
	test_law();
	test_loops();
	test_sample();
	test_swapped();
	test_none();
	for (size_t i = 0; i < 3; i++)
		tape_arrivals_release(&loops[i]);
	return done_testing();
}
