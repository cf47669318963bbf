/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_fit.h"

#include "codec/stat_rng.h"
#include "unit/tap.h"

enum { MAX = 16 };

/*
 * Made-up runs and what the normal equations give for them, solved apart by
 * partial regression: theta = sum arm' y / sum arm'^2, arm' being arm less
 * its line in time.
 */
static double
by_partials(const struct tape_stat_run *run, size_t n, double *se)
{
	double t = 0, a = 0, y = 0, tt = 0, ta = 0, ty = 0, aa = 0, ay = 0;
	double theta, rss = 0;

	for (size_t i = 0; i < n; i++) {
		t += run[i].time / (double)n;
		a += run[i].arm / (double)n;
		y += run[i].y / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		tt += pow(run[i].time - t, 2);
		ta += (run[i].time - t) * (run[i].arm - a);
		ty += (run[i].time - t) * (run[i].y - y);
	}
	for (size_t i = 0; i < n; i++) {
		const double left =
		    run[i].arm - a - ta / tt * (run[i].time - t);

		aa += left * left;
		ay += left * (run[i].y - y);
	}
	theta = ay / aa;
	for (size_t i = 0; i < n; i++)
		rss += pow(
		    run[i].y - y - ty / tt * (run[i].time - t) -
			theta * (run[i].arm - a - ta / tt * (run[i].time - t)),
		    2);
	*se = sqrt(rss / (double)(n - 3) / aa);
	return theta;
}

static void
session(struct tape_stat_run *run, size_t n, double effect, double drift)
{
	struct tape_rng r;

	tape_rng_init(&r, 6, 0, 0, 0);
	for (size_t i = 0; i < n; i++) {
		run[i].arm = (double)(i % 2);
		run[i].time = 1e9 + 3600.0 * (double)i;
		run[i].y = 5 + effect * run[i].arm + drift * (double)i +
			   tape_rng_normal(&r, 0, 0.01);
	}
}

static void
test_ancova(void)
{
	struct tape_stat_run run[MAX];
	struct tape_stat_ancova a;
	double se = 0, t, theta;

	session(run, MAX, 0.05, 0.02);
	theta = by_partials(run, MAX, &se);
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_OK,
	    "A, B, A, B under drift");
	is_near(a.arm.value, theta, 1e-10, "theta");
	is_near(a.arm.se, se, 1e-10, "its standard error");
	is_near(a.arm.df, MAX - 3, 0, "df");
	is_near(a.arm.t, theta / se, 1e-10, "t");
	is_near(
	    a.arm.p, 2 * tape_stat_t_q(fabs(theta / se), MAX - 3), 1e-10, "p");
	ok(a.arm.ci.lo < 0.05 && a.arm.ci.hi > 0.05 && a.arm.ci.lo > 0.02,
	    "%.4f .. %.4f: the effect, without the drift", a.arm.ci.lo,
	    a.arm.ci.hi);
	ok(fabs(a.time.value * 3600 / 0.02 - 1) < 0.1, "and the drift an hour");
	t = a.time.t;
	for (size_t i = 0; i < MAX; i++) {
		run[i].arm = 1 - run[i].arm;
		run[i].time = run[i].time / 60 - 4;
	}
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_OK,
	    "arms swapped, minutes");
	is_near(a.arm.value, -theta, 1e-10, "theta is mirrored");
	is_near(a.arm.se, se, 1e-10, "the error is not");
	is_near(a.time.t, t, 1e-8, "the unit of time does not matter");
	ok(a.time.ci.lo * 60 < 0.02 && a.time.ci.hi * 60 > 0.02,
	    "drift within its interval");
}

static void
test_ancova_refusals(void)
{
	struct tape_stat_run run[MAX];
	struct tape_stat_ancova a;
	struct tape_err err = { 0 };

	session(run, MAX, 0, 0);
	is_int(tape_stat_fit_ancova(run, 3, 0.95, &a, &err), TAPE_E_DATA,
	    "three runs");
	is_str(err.text, "3 runs, 1 of them of B: 4 and both arms are needed",
	    "too few");
	is_int(tape_stat_fit_ancova(run, MAX, 2, &a, NULL), TAPE_E_USAGE,
	    "level 2");
	for (size_t i = 0; i < MAX; i++)
		run[i].time = run[i].arm;
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_E_DATA,
	    "arm and time alike");
	for (size_t i = 0; i < MAX; i++)
		run[i].time = 7;
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_E_DATA,
	    "one time");
	session(run, MAX, 0, 0);
	run[3].arm = 0.5;
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_E_DATA,
	    "half an arm");
	run[3].arm = 1;
	run[3].y = HUGE_VAL;
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_E_DATA,
	    "infinity");
	for (size_t i = 0; i < MAX; i++)
		run[i].arm = 0;
	run[3].y = 1;
	is_int(tape_stat_fit_ancova(run, MAX, 0.95, &a, NULL), TAPE_E_DATA,
	    "one arm only");
}

static void
test_line(void)
{
	const double x[] = { 1, 2, 3, 4 }, y[] = { 3, 5, 7, 9 };
	const double same[] = { 2, 2, 2, 2 }, bad[] = { 1, 2, nan(""), 4 };
	struct tape_stat_line l = { 0 };

	is_int(tape_stat_fit_line(x, y, 4, 0.95, &l, NULL), TAPE_OK, "line");
	is_near(l.slope.value, 2, 1e-14, "slope");
	is_near(l.intercept, 1, 1e-13, "intercept");
	ok(l.slope.p < 1e-15, "p of a perfect fit");
	is_int(tape_stat_fit_line(x, same, 4, 0.95, &l, NULL), TAPE_OK,
	    "a level line");
	ok(l.slope.value == 0 && l.slope.p == 1, "has p 1");
	is_int(tape_stat_fit_line(same, y, 4, 0.95, &l, NULL), TAPE_E_DATA,
	    "one x");
	is_int(tape_stat_fit_line(x, y, 2, 0.95, &l, NULL), TAPE_E_DATA,
	    "two points");
	is_int(
	    tape_stat_fit_line(x, bad, 4, 0.95, &l, NULL), TAPE_E_DATA, "NaN");
	is_int(
	    tape_stat_fit_line(x, y, 4, 0, &l, NULL), TAPE_E_USAGE, "level 0");
}

int
main(void)
{
	test_ancova();
	test_ancova_refusals();
	test_line();
	return done_testing();
}
