/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves over time, by hand and against a count at every moment. */
#include "engine/inflight.h"
#include "engine/inflight_levels.h"

#include "unit/tap.h"

#include <math.h>

#define NONE TAPE_ABSENT_I64
#define S    INT64_C(1000000000)

static const double levels[] = { 0.25, 0.5, 0.75, 0.9 };
static struct tape_inflight_stats out[TAPE_INFLIGHT_CURVES];
static struct tape_err err;

static void
put(struct tape_inflight *f, int64_t start, int64_t first, int64_t end,
    int32_t input, int32_t output)
{
	const struct tape_inflight_interval i = { start, first, end, input,
		output };

	is_int(tape_inflight_add(f, &i, &err), TAPE_OK, "add");
}

static void
describe(const struct tape_inflight *f, int64_t from, int64_t to)
{
	const struct tape_inflight_window w = { from, to, levels, 4 };

	is_int(tape_inflight_describe(f, &w, out, &err), TAPE_OK, "describe");
}

/*
 *      0    1    2    3    4    5    6    7    8    9   10 s
 * a    [prefill  |decode             ]
 * b                   [prefill  |decode   ]
 *
 * open      1 over 0-3, 2 over 3-6, 1 over 6-8, 0 over 8-10
 * prefill   1 over 0-2, 0 over 2-3, 1 over 3-5, 0 over 5-10
 * decode    0 over 0-2, 1 over 2-5, 2 over 5-6, 1 over 6-8, 0
 * a: 200 tokens in 2 s of prefill, 9 - 1 in 4 s: 100/s, 2/s
 * b: 100 tokens in 2 s, 10 - 1 in 3 s: 50/s, 3/s
 */
static void
test_by_hand(void)
{
	struct tape_inflight f = { 0 };
	const struct tape_inflight_stats *s = out;

	put(&f, 0, 2 * S, 6 * S, 200, 9);
	put(&f, 3 * S, 5 * S, 8 * S, 100, 10);
	describe(&f, 0, 10 * S);
	is_int((int64_t)s->n, 2, "two requests");
	is_near(s->mean, (3 * 1 + 3 * 2 + 2 * 1) / 10.0, 1e-15, "open, mean");
	/* E x^2 = (3 + 12 + 2) / 10. */
	is_near(s->sd, sqrt(1.7 - 1.21), 1e-12, "sd");
	is_near(s->min, 0, 0, "least");
	is_near(s->max, 2, 0, "most");
	/* 0 holds for 2 s, 1 for 5, 2 for 3: a quarter is at 1, as are half
	   and 70 %; three quarters are at 2. */
	is_near(s->q[0], 1, 0, "p25");
	is_near(s->q[1], 1, 0, "p50");
	is_near(s->q[2], 2, 0, "p75");
	is_near(out[TAPE_INFLIGHT_PREFILL].mean, 0.4, 1e-15, "prefill");
	is_near(out[TAPE_INFLIGHT_DECODE].mean, (3 + 2 + 2) / 10.0, 1e-15,
	    "decode");
	s = &out[TAPE_INFLIGHT_PREFILL_RATE];
	is_near(s->mean, (2 * 100 + 2 * 50) / 10.0, 1e-12, "prefill rate");
	is_near(s->max, 100, 0, "its largest");
	is_near(s->q[2], 50, 0, "p75: 0 holds for 6 s, 50 for 2");
	s = &out[TAPE_INFLIGHT_ACTIVE_PREFILL_RATE];
	is_near(s->mean, 75, 1e-12, "while there is prefill");
	is_near(s->min, 50, 0, "its least");
	is_near(s->q[1], 50, 0, "p50: half the time");
	is_near(s->q[2], 100, 0, "p75");
	is_near(s->sd, 25, 1e-12, "sd");
	/* 2/s over 2-5, 5/s over 5-6, 3/s over 6-8. */
	is_near(out[TAPE_INFLIGHT_DECODE_RATE].mean, 17 / 10.0, 1e-12,
	    "decode rate: 8 and 9 tokens in 10 s");
	is_near(out[TAPE_INFLIGHT_ACTIVE_DECODE_RATE].mean, 17 / 6.0, 1e-12,
	    "active: in 6 s");
	is_near(out[TAPE_INFLIGHT_DECODE_EACH].mean,
	    (3 * 2 + 2.5 + 2 * 3) / 10.0, 1e-12, "each, 0 where there is none");
	is_near(out[TAPE_INFLIGHT_ACTIVE_DECODE_EACH].mean,
	    (3 * 2 + 2.5 + 2 * 3) / 6.0, 1e-12, "each, active");
	is_near(out[TAPE_INFLIGHT_ACTIVE_PREFILL_EACH].mean, 75, 1e-12,
	    "each of prefill: there is one at a time");
	is_near(out[TAPE_INFLIGHT_TOTAL_RATE].mean, (300 + 17) / 10.0, 1e-12,
	    "both rates");
	is_near(out[TAPE_INFLIGHT_TOTAL_RATE].max, 100, 0,
	    "100 alone is more than 50 beside 2");
	is_near(out[TAPE_INFLIGHT_ACTIVE_TOTAL_RATE].mean, 317 / 8.0, 1e-12,
	    "while any is open");
	/* a: 200 over 0-6, and 9 over 2-6; b: 100 over 3-8, and 10 over 5-8. */
	is_near(out[TAPE_INFLIGHT_TOKENS].mean, (1200 + 36 + 500 + 30) / 10.0,
	    1e-12, "tokens in flight");
	is_near(out[TAPE_INFLIGHT_TOKENS].max, 319, 0, "at most");
	tape_inflight_release(&f);
}

/* What begins before the window or ends behind it counts inside of it, with the
   rate that it had; what is outside does not. */
static void
test_window(void)
{
	struct tape_inflight f = { 0 };

	put(&f, 0, 2 * S, 6 * S, 200, 9);
	put(&f, 7 * S, 8 * S, 9 * S, 5, 5);
	describe(&f, 1 * S, 5 * S);
	is_int((int64_t)out[TAPE_INFLIGHT_OPEN].n, 1, "one is in the window");
	is_near(out[TAPE_INFLIGHT_OPEN].mean, 1, 0, "all the time");
	is_near(out[TAPE_INFLIGHT_PREFILL].mean, 0.25, 0, "prefill 1 s of 4");
	is_near(out[TAPE_INFLIGHT_PREFILL_RATE].max, 100, 0, "at 200 in 2 s");
	describe(&f, 5 * S, 5 * S);
	is_int((int64_t)out[TAPE_INFLIGHT_OPEN].n, 0, "no window");
	ok(isnan(out[TAPE_INFLIGHT_OPEN].mean), "no value");
	tape_inflight_release(&f);
}

/* Not streamed: open, in no phase.  Unknown counts: in the phases, without a
   rate.  Out of order: left out. */
static void
test_unknown(void)
{
	struct tape_inflight f = { 0 };

	put(&f, 0, NONE, 10 * S, 50, 50);
	describe(&f, 0, 10 * S);
	is_near(out[TAPE_INFLIGHT_OPEN].mean, 1, 0, "open");
	is_int((int64_t)out[TAPE_INFLIGHT_PREFILL].n, 0, "no phase is known");
	ok(isnan(out[TAPE_INFLIGHT_TOKENS].mean), "nor are tokens counted");
	put(&f, 0, 5 * S, 10 * S, -1, -1);
	describe(&f, 0, 10 * S);
	is_near(out[TAPE_INFLIGHT_PREFILL].mean, 0.5, 0, "a phase");
	is_int((int64_t)out[TAPE_INFLIGHT_PREFILL_RATE].n, 0, "but no rate");
	put(&f, 5 * S, 4 * S, 10 * S, 1, 1);
	put(&f, 5 * S, 6 * S, 5 * S, 1, 1);
	put(&f, 5 * S, NONE, NONE, 1, 1);
	is_int((int64_t)f.n, 2, "times out of order are left out");
	tape_inflight_release(&f);
	describe(&f, 0, 10 * S);
	is_int((int64_t)out[TAPE_INFLIGHT_OPEN].n, 0, "none at all");
	/* 1000 tokens in a nanosecond. */
	put(&f, 0, 1, 10, 1000, 1);
	describe(&f, 0, 10);
	is_near(out[TAPE_INFLIGHT_PREFILL_RATE].max, 1e9, 0,
	    "a rate that nobody has is bounded");
	tape_inflight_release(&f);
}

static uint64_t seed;

static int64_t
draw(int64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (int64_t)(seed >> 33) % below;
}

/* Whole moments 0 .. 999 are counted one by one. */
#define MOMENTS 1000

static void
count_moments(const struct tape_inflight *f, double *mean, double *half)
{
	int times[4096] = { 0 };
	double sum = 0;
	int below = 0, v = 0;

	for (int64_t t = 0; t < MOMENTS; t++) {
		int open = 0;

		for (size_t i = 0; i < f->n; i++)
			open += f->v[i].start_ns <= t && t < f->v[i].end_ns;
		sum += open;
		times[open]++;
	}
	while (2 * (below += times[v]) < MOMENTS)
		v++;
	*mean = sum / MOMENTS;
	*half = v;
}

/* Of few intervals and of more, for either way to sort. */
static void
test_random(int n)
{
	struct tape_inflight f = { 0 }, back = { 0 };
	struct tape_inflight_stats was[TAPE_INFLIGHT_CURVES];
	double mean, half;
	bool added = true;

	seed = 7;
	for (int k = 0; k < n; k++) {
		struct tape_inflight_interval i;

		i.start_ns = draw(MOMENTS);
		i.first_ns = i.start_ns + draw(40);
		i.end_ns = i.first_ns + draw(60);
		i.input_tokens = (int32_t)draw(100);
		i.output_tokens = (int32_t)draw(100);
		added = added && tape_inflight_add(&f, &i, &err) == TAPE_OK;
	}
	ok(added, "%d intervals", n);
	count_moments(&f, &mean, &half);
	describe(&f, 0, MOMENTS);
	is_near(out[TAPE_INFLIGHT_OPEN].mean, mean, 1e-12, "mean as counted");
	is_near(out[TAPE_INFLIGHT_OPEN].q[1], half, 0, "median as counted");
	is_near(
	    out[TAPE_INFLIGHT_PREFILL].mean + out[TAPE_INFLIGHT_DECODE].mean,
	    mean, 1e-12, "each is in a phase");
	memcpy(was, out, sizeof(was));
	for (size_t i = f.n; i-- > 0;) {
		const struct tape_inflight one = { &f.v[i], 1, 1 };

		added =
		    added && tape_inflight_append(&back, &one, &err) == TAPE_OK;
	}
	describe(&back, 0, MOMENTS);
	ok(added && memcmp(was, out, sizeof(was)) == 0,
	    "the other way round to the last bit");
	tape_inflight_release(&f);
	tape_inflight_release(&back);
}

/* Against a walk over the sorted pairs: keys near each other and far apart,
   zeros, and one beyond all. */
static void
test_levels(size_t n, int64_t spread)
{
	static struct tape_inflight_pair v[5000], sorted[5000], scratch[5000];
	struct tape_inflight_level level[12];
	struct tape_inflight_pairs pairs;
	uint64_t all = 0;
	size_t first = 0;
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		v[i].key = draw(10) == 0 ? 0 : (uint64_t)(draw(spread) + 1);
		v[i].value = (uint64_t)draw(5) + 1;
		all += v[i].value;
	}
	v[n / 2].key = UINT64_MAX / 2;
	memcpy(sorted, v, n * sizeof(*v));
	tape_inflight_sort(sorted, scratch, n);
	for (size_t i = 1; i < n; i++)
		same = same && sorted[i - 1].key <= sorted[i].key;
	ok(same, "%zu pairs are sorted", n);
	for (int i = 0; i < 12; i++)
		level[i].weight = (double)all * i / 10;
	while (sorted[first].key == 0)
		first++;
	pairs = (struct tape_inflight_pairs){ v, scratch, n, sorted[first].key,
		sorted[n - 1].key };
	is_int(
	    tape_inflight_levels(&pairs, level, 12, &err), TAPE_OK, "levels");
	for (int i = 0; i < 12; i++) {
		uint64_t below = sorted[0].value;
		size_t k = 0;

		while (k + 1 < n && (double)below < level[i].weight)
			below += sorted[++k].value;
		same = same && level[i].key == sorted[k].key;
	}
	ok(same, "as by a walk over them");
}

int
main(void)
{
	test_levels(1, 10);
	test_levels(50, 10);
	test_levels(500, 3);
	test_levels(5000, 1000);
	test_levels(5000, INT64_C(1) << 30);
	test_by_hand();
	test_window();
	test_unknown();
	test_random(40);
	test_random(3000);
	return done_testing();
}
