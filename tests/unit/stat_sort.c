/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting of values, against the C library's, over sizes on both sides of every
   threshold and over distributions that fill its parts evenly and not. */
#include "codec/stat_sort.h"
#include "codec/stat_rng.h"

#include "unit/tap.h"

#include <math.h>
#include <stdlib.h>

#define MOST 300000

static double x[MOST], want[MOST];
static struct tape_rng rng;

static double
any_finite(void)
{
	double v;

	do {
		const uint64_t bits = tape_rng_u64(&rng);

		memcpy(&v, &bits, sizeof(v));
	} while (!isfinite(v));
	return v;
}

enum shape { NS, ALL, EQUAL, TWO, TAIL, SIGNS, RISING, FALLING, SHAPES };

static double
value(enum shape shape, size_t i)
{
	switch ((int)shape) {
	case NS:
		return (double)(200000000 + tape_rng_u64(&rng) % 40000000);
	case ALL:
		return any_finite();
	case EQUAL:
		return 7;
	case TWO:
		return tape_rng_u64(&rng) % 2 == 0 ? -0.0 : 0.0;
	case TAIL: /* nearly all in one part */
		return i == 0 ? 1e300
			      : (double)(tape_rng_u64(&rng) % 1000) / 1000;
	case SIGNS:
		return (double)(int64_t)(tape_rng_u64(&rng) % 2001) - 1000;
	case RISING:
		return (double)i;
	default:
		return -(double)i;
	}
}

/* As values, and -0 before 0. */
static int
by_value(const void *a, const void *b)
{
	const double p = *(const double *)a, q = *(const double *)b;

	if (p < q || p > q)
		return p < q ? -1 : 1;
	return (signbit(q) != 0) - (signbit(p) != 0);
}

static void
test_shape(enum shape shape, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = want[i] = value(shape, i);
	if (n > 0)
		qsort(want, n, sizeof(*want), by_value);
	is_int(
	    tape_stat_sort(x, n, NULL), TAPE_OK, "shape %d, n %zu", shape, n);
	ok(n == 0 || memcmp(x, want, n * sizeof(*x)) == 0, "in order");
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 2, 1023, 1024, 4095, 4096, 70000,
		MOST };

	tape_rng_init(&rng, 1, 0, 0, 0);
	for (int shape = 0; shape < SHAPES; shape++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			test_shape((enum shape)shape, sizes[i]);
	x[0] = 1;
	x[1] = (double)NAN;
	is_int(tape_stat_sort(x, 2, NULL), TAPE_E_DATA, "no NaN");
	return done_testing();
}
