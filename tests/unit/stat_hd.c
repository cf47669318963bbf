/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deciles, Cliff's delta and bands, against R (pbeta, all flips, qt). */
#include "codec/stat_hd.h"

#include "unit/tap.h"

#include <math.h>

static enum tape_status
band(const double *d, size_t rows, size_t k, double *half)
{
	const struct tape_stat_rows in = { d, rows, k };

	return tape_stat_band(&in, .95, NULL, half, NULL);
}

static void
test_quantile(void)
{
	static const double x[] = { 1.2, 2.3, 3.1, 4.4, 4.7, 5.0, 5.5, 6.1, 7.8,
		9.9 };
	static double many[20000];

	is_near(tape_stat_hd(x, 10, .2), 2.69110896575177, 1e-12, ".2");
	is_near(tape_stat_hd(x, 10, .5), 4.85385020101063, 1e-12, ".5");
	is_near(tape_stat_hd(x, 10, .9), 8.83272988873808, 1e-12, ".9");
	is_near(tape_stat_hd(x, 1, .9), 1.2, 1e-12, "one value");
	ok(isnan(tape_stat_hd(x, 0, .5)) && isnan(tape_stat_hd(x, 3, 1)),
	    "nothing, or no quantile");
	for (int i = 0; i < 20000; i++)
		many[i] = i;
	is_near(tape_stat_hd(many, 20000, .3), 0.3 * 20000 - 0.5, 1e-9,
	    "of many equally spaced values");
}

static void
test_cliff(void)
{
	static const double x[] = { 1, 2, 2, 5 }, y[] = { 0, 2, 3 };

	is_near(tape_stat_cliff(x, 4, y, 3), 2.0 / 12, 1e-12,
	    "ties count for neither");
	is_near(tape_stat_cliff(y, 3, x, 4), -2.0 / 12, 1e-12, "and turned");
	is_near(tape_stat_cliff(x, 4, x, 4), 0, 0, "against itself");
	ok(isnan(tape_stat_cliff(x, 0, y, 3)), "against nothing");
}

static void
test_band(void)
{
	static const double d[] = { .01, .03, -.02, .05, .02, .04, .00 };
	static double two[2 * 20];
	double half[9], alone, nine[9 * 5];

	is_int(band(d, 1, 7, half), TAPE_OK, "7");
	is_near(half[0], 0.0227142526641798, 1e-12, "one row, all flips");
	for (int j = 0; j < 9; j++)
		for (int i = 0; i < 5; i++)
			nine[j * 5 + i] = d[i];
	is_int(band(nine, 9, 5, half), TAPE_OK, "5");
	is_near(half[8], 0.0629330971593908, 1e-10, "below 6: Bonferroni's t");
	for (int i = 0; i < 20; i++) {
		two[i] = sin(i);
		two[20 + i] = 7;
	}
	is_int(band(two, 1, 20, &alone), TAPE_OK, "20 pairs, drawn");
	is_int(band(two, 2, 20, half), TAPE_OK,
	    "and with a row that does not vary");
	is_near(half[0], alone, 1e-12, "which costs nothing");
	is_near(half[1], 0, 0, "and has no width");
	is_int(band(two, 0, 20, half), TAPE_E_DATA, "no row");
}

int
main(void)
{
	test_quantile();
	test_cliff();
	test_band();
	return done_testing();
}
