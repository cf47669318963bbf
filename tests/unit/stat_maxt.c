/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_maxt.h"

#include "base/mem.h"
#include "codec/stat_flip.h"
#include "unit/tap.h"

enum { ROWS = 8, PAIRS = 64 };

static double p[ROWS];

/* Correlated rows, shifted a little more each. */
static void
rows_of(double *d, size_t rows, size_t k, uint32_t replicate)
{
	struct tape_rng r;

	tape_rng_init(&r, 23, 0, (uint32_t)k, replicate);
	for (size_t i = 0; i < k; i++) {
		const double shared = tape_rng_normal(&r, 0, 0.7);

		for (size_t j = 0; j < rows; j++)
			d[j * k + i] = shared + 0.3 * (double)j +
				       tape_rng_normal(&r, 0, 0.7);
	}
}

static double
student(const double *d, size_t k, unsigned signs)
{
	double mean = 0, ss = 0;

	for (size_t i = 0; i < k; i++)
		mean += (signs >> i & 1 ? -d[i] : d[i]) / (double)k;
	for (size_t i = 0; i < k; i++)
		ss += pow((signs >> i & 1 ? -d[i] : d[i]) - mean, 2);
	return fabs(mean) / sqrt(ss / (double)(k - 1) / (double)k);
}

/* The definition, with T itself, over all 2^k vectors. */
static void
by_definition(const double *d, size_t rows, size_t k, double *out)
{
	size_t order[ROWS];
	double t[ROWS], run = 0;

	for (size_t j = 0; j < rows; j++) {
		size_t at = j;

		t[j] = student(d + j * k, k, 0);
		for (; at > 0 && t[order[at - 1]] < t[j]; at--)
			order[at] = order[at - 1];
		order[at] = j;
	}
	for (size_t i = 0; i < rows; i++) {
		unsigned n = 0;

		for (unsigned s = 0; s < 1U << k; s++) {
			double top = 0;

			for (size_t j = i; j < rows; j++)
				top =
				    fmax(top, student(d + order[j] * k, k, s));
			n += top >= t[order[i]] * (1 - 1e-9);
		}
		run = fmax(run, n / ldexp(1, (int)k));
		out[order[i]] = run;
	}
}

static void
test_definition(void)
{
	double d[ROWS * PAIRS], want[ROWS];
	int wrong = 0;

	for (size_t k = 2; k <= 12; k++) {
		rows_of(d, ROWS, k, 0);
		by_definition(d, ROWS, k, want);
		wrong += tape_stat_maxt(d, ROWS, k, NULL, p, NULL) != TAPE_OK;
		for (int j = 0; j < ROWS; j++)
			wrong += fabs(p[j] - want[j]) > 1e-12;
	}
	is_int(wrong, 0, "as defined, 2 to 12 pairs");
}

static void
test_one_row(void)
{
	double d[PAIRS];
	struct tape_stat_flip f = { 0 };
	int wrong = 0;

	for (size_t k = 1; k <= TAPE_STAT_MAXT_EXACT; k++) {
		rows_of(d, 1, k, 1);
		wrong += tape_stat_maxt(d, 1, k, NULL, p, NULL) != TAPE_OK;
		wrong += tape_stat_flip(d, k, NULL, &f, NULL) != TAPE_OK;
		wrong += fabs(p[0] - f.p_two) > 1e-15;
	}
	is_int(wrong, 0, "of one row it is the sign-flip p");
}

/* Relabelling, scaling a row, reordering the rows. */
static void
test_properties(void)
{
	double d[ROWS * PAIRS], e[ROWS * PAIRS], q[ROWS];
	int wrong = 0;

	for (size_t k = 8; k <= 22; k += 7) {
		rows_of(d, ROWS, k, 2);
		for (size_t j = 0; j < ROWS; j++)
			for (size_t i = 0; i < k; i++)
				e[(ROWS - 1 - j) * k + i] =
				    -exp10((double)j) * d[j * k + i];
		wrong += tape_stat_maxt(d, ROWS, k, NULL, p, NULL) != TAPE_OK;
		wrong += tape_stat_maxt(e, ROWS, k, NULL, q, NULL) != TAPE_OK;
		for (size_t j = 0; j < ROWS; j++) {
			struct tape_stat_flip f = { 0 };

			wrong += p[j] != q[ROWS - 1 - j];
			wrong += tape_stat_flip(d + j * k, k, NULL, &f, NULL) !=
				 TAPE_OK;
			wrong +=
			    k <= TAPE_STAT_MAXT_EXACT && p[j] < f.p_two - 1e-15;
		}
	}
	is_int(wrong, 0,
	    "arms swapped, rows scaled and reordered: the same; never below "
	    "the row's own p");
}

static void
test_degenerate(void)
{
	double d[3 * PAIRS] = { 0 };

	for (int i = 0; i < 8; i++) {
		d[i] = 0;
		d[8 + i] = 0.1;
		d[16 + i] = 1e-300 * (i % 3 - 0.5);
	}
	is_int(tape_stat_maxt(d, 3, 8, NULL, p, NULL), TAPE_OK,
	    "zeros, equal differences, tiny ones");
	is_near(p[0], 1, 0, "zeros: p is 1");
	is_near(p[1], 1.0 / 128, 0, "equal differences: the smallest p");
	ok(p[2] > 0.1 && p[2] <= 1, "tiny ones: as any other (%.3f)", p[2]);
	is_int(tape_stat_maxt(d, 1, 8, NULL, p, NULL), TAPE_OK, "zeros alone");
	is_near(p[0], 1, 0, "p is 1");
	is_int(tape_stat_maxt(d, 1, 30, NULL, p, NULL), TAPE_OK, "30 pairs");
	d[0] = 1e308;
	d[1] = 1e308;
	is_int(tape_stat_maxt(d, 1, 8, NULL, p, NULL), TAPE_OK, "huge ones");
	is_near(p[0], 0.5, 0, "two pairs of eight: p is 1/2");
}

static void
test_monte_carlo(void)
{
	double d[ROWS * PAIRS], exact[ROWS], few[ROWS];
	const struct tape_stat_flip_opt opt = { 1, 0, 999 };
	const struct tape_stat_flip_opt other = { 2, 0, 999 };
	double worst = 0;
	bool same = true;

	rows_of(d, ROWS, 20, 3);
	for (size_t j = 0; j < ROWS; j++) {
		/* The same 20 pairs and one that adds nothing. */
		memmove(d + (ROWS - 1 - j) * 21, d + (ROWS - 1 - j) * 20,
		    20 * sizeof(*d));
		d[(ROWS - 1 - j) * 21 + 20] = 0;
	}
	is_int(tape_stat_maxt(d, ROWS, 21, NULL, p, NULL), TAPE_OK,
	    "21 pairs are drawn");
	rows_of(d, ROWS, 20, 3);
	is_int(tape_stat_maxt(d, ROWS, 20, NULL, exact, NULL), TAPE_OK,
	    "20 are listed");
	for (int j = 0; j < ROWS; j++)
		worst = fmax(worst, fabs(p[j] - exact[j]));
	ok(worst < 0.008 && exact[1] > 0.01, "near each other (%.4f)", worst);
	rows_of(d, ROWS, 50, 4);
	is_int(tape_stat_maxt(d, ROWS, 50, &opt, p, NULL), TAPE_OK, "seed 1");
	is_int(tape_stat_maxt(d, ROWS, 50, &opt, few, NULL), TAPE_OK, "again");
	for (int j = 0; j < ROWS; j++)
		same = same && p[j] == few[j];
	ok(same, "the same p");
	same = true;
	is_int(
	    tape_stat_maxt(d, ROWS, 50, &other, few, NULL), TAPE_OK, "seed 2");
	for (int j = 0; j < ROWS; j++) {
		same = same && p[j] == few[j];
		worst = p[j] < 0.001 ? 1 : worst;
	}
	ok(!same && worst < 1, "other p, none below 1/1000");
}

static void
test_refusals(void)
{
	double d[ROWS * PAIRS] = { 0 };
	static double big[TAPE_STAT_MAXT_ROWS + 1];
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	is_int(tape_stat_maxt(d, 0, 9, NULL, p, NULL), TAPE_E_DATA, "no row");
	is_int(tape_stat_maxt(d, 3, 0, NULL, p, NULL), TAPE_E_DATA, "no pair");
	is_int(tape_stat_maxt(big, TAPE_STAT_MAXT_ROWS + 1, 1, NULL, big, NULL),
	    TAPE_E_LIMIT, "too many rows");
	d[17] = nan("");
	is_int(tape_stat_maxt(d, 2, 9, NULL, p, NULL), TAPE_E_DATA, "NaN");
	d[17] = 0;
	while (st == TAPE_E_NOMEM && n < 20) {
		(void)tape_mem_fail_at(++n);
		st = tape_stat_maxt(d, 2, 9, NULL, p, NULL);
	}
	(void)tape_mem_fail_at(0);
	ok(st == TAPE_OK && n > 4, "each of %d allocations may fail", (int)n);
}

int
main(void)
{
	test_definition();
	test_one_row();
	test_properties();
	test_degenerate();
	test_monte_carlo();
	test_refusals();
	return done_testing();
}
