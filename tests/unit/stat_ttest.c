/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_ttest.h"

#include "unit/stat_oracle.h"
#include "unit/tap.h"

enum { ROOM = 64 };

static void
test_paired(void)
{
	double d[ROOM], got[2];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_ttest t;
	struct tape_stat_tost e;

	for (c = oracle_open(&o, "paired_t_tost.json"); c != NULL;
	     c = c->next) {
		const size_t k = oracle_inputs(c, "d", d, ROOM);

		if (tape_stat_paired_t(d, k, 0, 0.95, &t, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "mean", t.estimate, 1e-10);
		oracle_near(&o, c, "sd", t.sd, 1e-10);
		oracle_near(&o, c, "t", t.t, 1e-10);
		oracle_near(&o, c, "df", t.df, 0);
		oracle_near(&o, c, "p_two", t.p_two, 1e-10);
		oracle_near(&o, c, "p_less", t.p_less, 1e-10);
		oracle_near(&o, c, "p_greater", t.p_greater, 1e-10);
		got[0] = t.ci.lo;
		got[1] = t.ci.hi;
		oracle_nears(&o, c, "ci95", got, 2, 1e-10);
		if (tape_stat_paired_t(d, k, 0, 0.9, &t, NULL) != TAPE_OK ||
		    tape_stat_tost_t(
			d, k, oracle_input(c, "margin"), &e, NULL) != TAPE_OK)
			continue;
		got[0] = t.ci.lo;
		got[1] = t.ci.hi;
		oracle_nears(&o, c, "ci90", got, 2, 1e-10);
		oracle_near(&o, c, "tost_p_lower", e.p_lower, 1e-10);
		oracle_near(&o, c, "tost_p_upper", e.p_upper, 1e-10);
		oracle_near(&o, c, "tost_p", e.p, 1e-10);
	}
	oracle_close(&o, 196);
}

static void
test_welch(void)
{
	double x[ROOM], y[ROOM], got[2];
	struct oracle o;
	const cJSON *c;
	struct tape_stat_ttest t;

	for (c = oracle_open(&o, "two_sample.json"); c != NULL; c = c->next) {
		const struct tape_stat_sample a = { x,
			oracle_inputs(c, "x", x, ROOM) };
		const struct tape_stat_sample b = { y,
			oracle_inputs(c, "y", y, ROOM) };

		if (tape_stat_welch(a, b, 0.95, &t, NULL) != TAPE_OK)
			continue;
		oracle_near(&o, c, "welch_t", t.t, 1e-10);
		oracle_near(&o, c, "welch_df", t.df, 1e-10);
		oracle_near(&o, c, "welch_p", t.p_two, 1e-10);
		got[0] = t.ci.lo;
		got[1] = t.ci.hi;
		oracle_nears(&o, c, "welch_ci95", got, 2, 1e-10);
		if (tape_stat_welch(b, a, 0.95, &t, NULL) != TAPE_OK)
			continue;
		oracle_value(&o, "swapped", -t.ci.hi, got[0], 0);
		oracle_value(&o, "swapped", -t.ci.lo, got[1], 0);
	}
	oracle_close(&o, 28);
}

static void
test_properties(void)
{
	const double d[] = { 0.03, -0.01, 0.02, 0.05, 0.01 };
	double e[5];
	struct tape_stat_ttest t, u;

	is_int(tape_stat_paired_t(d, 5, 0, 0.95, &t, NULL), TAPE_OK, "d");
	for (int i = 0; i < 5; i++)
		e[i] = -d[i];
	is_int(tape_stat_paired_t(e, 5, 0, 0.95, &u, NULL), TAPE_OK, "-d");
	ok(t.p_two == u.p_two && t.p_less == u.p_greater &&
		t.ci.lo == -u.ci.hi && t.ci.hi == -u.ci.lo && t.t == -u.t,
	    "swapping the arms mirrors all");
	is_near(exp(t.estimate) * exp(u.estimate), 1, 1e-15,
	    "and inverts the ratio");
	for (int i = 0; i < 5; i++)
		e[i] = 1024 * d[i];
	is_int(tape_stat_paired_t(e, 5, 0, 0.95, &u, NULL), TAPE_OK, "c d");
	ok(t.t == u.t && t.p_two == u.p_two, "scaling leaves t");
}

static void
test_constant(void)
{
	const double zero[] = { 0, 0, 0 };
	const double same[] = { 0.1, 0.1, 0.1 };
	struct tape_stat_ttest t = { 0 };
	struct tape_stat_tost e = { 0, 0, 0 };

	is_int(tape_stat_paired_t(zero, 3, 0, 0.95, &t, NULL), TAPE_OK,
	    "a run against itself");
	ok(t.constant && t.p_two == 1 && t.ci.lo == 0 && t.ci.hi == 0,
	    "has no difference and p = 1");
	is_int(tape_stat_tost_t(zero, 3, 0.02, &e, NULL), TAPE_OK, "and is");
	ok(e.p == 0, "equivalent");
	is_int(tape_stat_paired_t(same, 3, 0, 0.95, &t, NULL), TAPE_OK,
	    "equal differences");
	ok(t.constant && t.p_two < 1e-15, "are marked: no noise was seen");
	is_int(tape_stat_welch((struct tape_stat_sample){ zero, 3 },
		   (struct tape_stat_sample){ same, 3 }, 0.95, &t, NULL),
	    TAPE_OK, "two constant samples");
	ok(t.constant && t.p_two < 1e-15 && t.t < 0, "likewise");
}

static void
test_leave_one_out(void)
{
	const double d[] = { 1, 5, 2, -7 };
	struct tape_stat_interval r = { 0, 0 };

	is_int(tape_stat_leave_one_out(d, 4, &r, NULL), TAPE_OK, "leave out");
	is_near(r.lo, -4.0 / 3, 1e-15, "without the 5");
	is_near(r.hi, 8.0 / 3, 1e-15, "without the -7");
	is_int(tape_stat_leave_one_out(d, 1, &r, NULL), TAPE_E_DATA,
	    "nothing would be left");
}

static void
test_refusals(void)
{
	const double d[] = { 1, 2, nan("") };
	const struct tape_stat_sample one = { d, 1 }, two = { d, 2 };
	const struct tape_stat_sample bad = { d, 3 };
	struct tape_stat_ttest t = { .estimate = 7 };
	struct tape_stat_tost e;
	struct tape_err err = { 0 };

	is_int(tape_stat_paired_t(d, 1, 0, 0.95, &t, &err), TAPE_E_DATA,
	    "one pair");
	is_str(err.text, "1 values: at least 2 are needed", "is too few");
	is_int(tape_stat_paired_t(d, 3, 0, 0.95, &t, NULL), TAPE_E_DATA, "NaN");
	is_int(tape_stat_paired_t(d, 2, 0, 95, &t, NULL), TAPE_E_USAGE,
	    "level 95");
	is_int(tape_stat_paired_t(d, 2, HUGE_VAL, 0.95, &t, NULL), TAPE_E_USAGE,
	    "mu infinite");
	is_int(tape_stat_welch(one, two, 0.95, &t, NULL), TAPE_E_DATA, "1 x");
	is_int(tape_stat_welch(two, one, 0.95, &t, NULL), TAPE_E_DATA, "1 y");
	is_int(tape_stat_welch(two, bad, 0.95, &t, NULL), TAPE_E_DATA, "NaN y");
	is_int(tape_stat_tost_t(d, 2, 0, &e, NULL), TAPE_E_USAGE, "margin 0");
	is_int(tape_stat_tost_t(d, 2, nan(""), &e, NULL), TAPE_E_USAGE,
	    "margin NaN");
	is_int(tape_stat_tost_t(d, 1, 1, &e, NULL), TAPE_E_DATA, "1 pair");
	is_near(t.estimate, 7, 0, "a refusal leaves the result alone");
}

int
main(void)
{
	test_paired();
	test_welch();
	test_properties();
	test_constant();
	test_leave_one_out();
	test_refusals();
	return done_testing();
}
