/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_eproc.h"

#include "codec/stat_looks.h"
#include "codec/stat_rng.h"
#include "codec/stat_ttest.h"
#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 64 };

static void
test_symmetric(void)
{
	double d[ROOM], got[ROOM] = { 0 };
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "sym_eprocess.json"); c != NULL; c = c->next) {
		const size_t k = oracle_inputs(c, "d", d, ROOM);
		struct tape_stat_eproc e;

		if (tape_stat_eproc_init(&e, 0.02, NULL) != TAPE_OK)
			continue;
		for (size_t b = 0; b < k; b++) {
			if (tape_stat_eproc_add(&e, d[b], NULL) != TAPE_OK)
				break;
			got[b] = exp(tape_stat_eproc_log(&e));
		}
		oracle_nears(&o, c, "e_by_pair", got, k, 1e-12);
		oracle_value(&o, "pairs", (double)e.k, (double)k, 0);
	}
	oracle_close(&o, 16);
}

static void
test_t(void)
{
	double d[ROOM];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_ttest t;

	for (c = oracle_open(&o, "t_eprocess.json"); c != NULL; c = c->next) {
		const size_t k = oracle_inputs(c, "d", d, ROOM);
		const double g = oracle_input(c, "g");

		if (tape_stat_paired_t(d, k, 0, 0.95, &t, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "t", t.t, 1e-10);
		oracle_near(&o, c, "e_value",
		    exp(tape_stat_t_evalue_log(t.t, k, g)), 1e-5);
	}
	oracle_close(&o, 84);
}

/* Whether 0 is outside the sequence is whether E has reached 1/alpha. */
static void
test_interval(void)
{
	double d[ROOM];
	int wrong = 0, outside = 0;

	for (uint32_t rep = 0; rep < 60; rep++) {
		struct tape_stat_eproc e;
		struct tape_stat_interval ci = { 0, 0 };
		struct tape_rng r;
		const size_t k = 6 + rep % 10;

		tape_rng_init(&r, 8, 0, 0, rep);
		wrong += tape_stat_eproc_init(&e, 0.02, NULL) != TAPE_OK;
		for (size_t b = 0; b < k; b++) {
			d[b] = tape_rng_normal(&r, 0.002 * (double)rep, 0.03);
			wrong += tape_stat_eproc_add(&e, d[b], NULL) != TAPE_OK;
		}
		wrong += tape_stat_eproc_interval(
			     d, k, 0.02, 0.05, &ci, NULL) != TAPE_OK;
		wrong += (ci.lo >= 0 || ci.hi <= 0) !=
			 (tape_stat_eproc_log(&e) >= log(20));
		wrong += !(ci.lo < ci.hi);
		outside += ci.lo >= 0 || ci.hi <= 0;
	}
	is_int(wrong, 0, "interval and E agree about 0");
	ok(outside > 10 && outside < 50, "both answers occur (%d of 60)",
	    outside);
}

static void
test_interval_mirror(void)
{
	const double d[] = { 0.03, 0.024, 0.018, 0.045, 0.027, 0.033, 0.02 };
	double m[7];
	struct tape_stat_interval a = { 0, 0 }, b = { 0, 0 };

	for (int i = 0; i < 7; i++)
		m[i] = -d[i];
	is_int(tape_stat_eproc_interval(d, 7, 0.02, 0.05, &a, NULL), TAPE_OK,
	    "seven pairs");
	ok(a.lo > 0 && a.lo < 0.028 && a.hi > 0.028, "%.4f .. %.4f", a.lo,
	    a.hi);
	is_int(tape_stat_eproc_interval(m, 7, 0.02, 0.05, &b, NULL), TAPE_OK,
	    "arms swapped");
	ok(fabs(a.lo + b.hi) < 1e-12 && fabs(a.hi + b.lo) < 1e-12, "mirrored");
	is_int(tape_stat_eproc_interval(d, 5, 0.02, 0.05, &a, NULL), TAPE_OK,
	    "five pairs");
	ok(isinf(a.lo) && isinf(a.hi), "cannot tell yet");
	is_int(tape_stat_eproc_interval(d, 0, 0.02, 0.05, &a, NULL), TAPE_OK,
	    "none");
	ok(isinf(a.lo) && isinf(a.hi), "neither");
}

/* 400 null loops of 40 pairs: at most 5 % ever stop, and some margin. */
static void
test_never_cries_wolf(void)
{
	int stopped = 0, found = 0;

	for (uint32_t rep = 0; rep < 400; rep++) {
		struct tape_stat_eproc null, real;
		struct tape_rng r;

		tape_rng_init(&r, 9, 0, 0, rep);
		if (tape_stat_eproc_init(&null, 0.02, NULL) != TAPE_OK ||
		    tape_stat_eproc_init(&real, 0.02, NULL) != TAPE_OK)
			break;
		for (int b = 0; b < 40; b++) {
			const double noise = tape_rng_normal(&r, 0, 0.02);

			if (tape_stat_eproc_add(&null, noise, NULL) !=
				TAPE_OK ||
			    tape_stat_eproc_add(&real, noise + 0.02, NULL) !=
				TAPE_OK)
				break;
		}
		stopped += tape_stat_eproc_p(&null) <= 0.05;
		found += tape_stat_eproc_p(&real) <= 0.05;
	}
	ok(stopped <= 29, "%d of 400 null loops stopped", stopped);
	ok(found > 380, "%d of 400 loops with an effect of one sd", found);
}

static void
test_looks(void)
{
	double t[ROOM], got[ROOM] = { 0 };
	struct oracle o;
	const cJSON *c;

	for (c = oracle_open(&o, "group_sequential_bounds.json"); c != NULL;
	     c = c->next) {
		const size_t n = oracle_inputs(c, "t", t, ROOM);
		const enum tape_stat_spending kind =
		    oracle_id(c)[0] == 'P' ? TAPE_STAT_POCOCK
					   : TAPE_STAT_OBRIEN_FLEMING;

		if (tape_stat_look_bounds(kind, t, n, oracle_input(c, "alpha"),
			got, NULL) != TAPE_OK)
			continue;
		oracle_nears(&o, c, "z", got, n, 1e-6);
		if (oracle_has(c, "published"))
			oracle_nears(&o, c, "published", got, n, 2e-4);
	}
	oracle_close(&o, 23);
}

static void
test_looks_properties(void)
{
	double t[ROOM], z[ROOM] = { 7 };
	const double back[] = { 0.5, 0.4 };
	double sum = 0;

	is_near(tape_stat_spent(TAPE_STAT_OBRIEN_FLEMING, 1, 0.05), 0.05, 1e-12,
	    "at the end all is spent");
	is_near(
	    tape_stat_spent(TAPE_STAT_POCOCK, 1, 0.05), 0.05, 1e-12, "by both");
	ok(tape_stat_spent(TAPE_STAT_OBRIEN_FLEMING, 0, 0.05) == 0 &&
		tape_stat_spent(TAPE_STAT_POCOCK, 0, 0.05) == 0 &&
		isnan(tape_stat_spent(TAPE_STAT_POCOCK, 2, 0.05)),
	    "at the start none");
	t[0] = 1;
	is_int(tape_stat_look_bounds(TAPE_STAT_POCOCK, t, 1, 0.05, z, NULL),
	    TAPE_OK, "one look");
	is_near(z[0], 1.959963984540054, 1e-12, "is the plain test");
	for (int i = 0; i < 40; i++)
		t[i] = (i + 1) / 40.0;
	is_int(tape_stat_look_bounds(
		   TAPE_STAT_OBRIEN_FLEMING, t, 40, 0.05, z, NULL),
	    TAPE_OK, "forty looks");
	for (int i = 1; i < 40; i++)
		sum += z[i] < z[i - 1];
	ok(sum == 39 && z[0] > 10 && z[39] > 1.96 && z[39] < 2.2,
	    "fall from %.1f to %.3f", z[0], z[39]);
	is_int(tape_stat_look_bounds(TAPE_STAT_POCOCK, back, 2, 0.05, z, NULL),
	    TAPE_E_USAGE, "looks that go back");
	is_int(tape_stat_look_bounds(TAPE_STAT_POCOCK, t, 2, 1, z, NULL),
	    TAPE_E_USAGE, "alpha 1");
	is_int(tape_stat_look_bounds(
		   TAPE_STAT_POCOCK, t, TAPE_STAT_LOOKS_MAX + 1, 0.05, z, NULL),
	    TAPE_E_LIMIT, "too many looks");
}

static void
test_refusals(void)
{
	const double bad[] = { 0.1, nan("") };
	struct tape_stat_eproc e;
	struct tape_stat_interval ci;

	is_int(tape_stat_eproc_init(&e, 0, NULL), TAPE_E_USAGE, "scale 0");
	is_int(tape_stat_eproc_init(&e, 1e-320, NULL), TAPE_E_USAGE,
	    "a scale too small");
	is_int(tape_stat_eproc_init(&e, 1, NULL), TAPE_OK, "scale 1");
	is_int(
	    tape_stat_eproc_add(&e, HUGE_VAL, NULL), TAPE_E_DATA, "infinity");
	is_int((int)e.k, 0, "is not taken in");
	is_near(tape_stat_eproc_log(&e), 0, 1e-15, "E is 1 at the start");
	is_near(tape_stat_eproc_p(&e), 1, 0, "and p");
	is_int(tape_stat_eproc_interval(bad, 2, 1, 0.05, &ci, NULL),
	    TAPE_E_DATA, "NaN");
	is_int(tape_stat_eproc_interval(bad, 1, 1, 0, &ci, NULL), TAPE_E_USAGE,
	    "alpha 0");
	ok(isnan(tape_stat_t_evalue_log(1, 1, 1)) &&
		isnan(tape_stat_t_evalue_log(1, 3, 0)) &&
		isnan(tape_stat_t_evalue_log(nan(""), 3, 1)),
	    "t e-value of bad arguments: NaN");
}

int
main(void)
{
	test_symmetric();
	test_t();
	test_interval();
	test_interval_mirror();
	test_never_cries_wolf();
	test_looks();
	test_looks_properties();
	test_refusals();
	return done_testing();
}
