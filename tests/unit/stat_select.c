/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stat_select.h"

#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "unit/tap.h"

#include <stdlib.h>

#define N 3000

static double x[N], sorted[N];

/* Several orders of values, some of which are bad for a median of three. */
static void
fill(size_t n, int shape)
{
	uint64_t state = 7 + n;

	for (size_t i = 0; i < n; i++) {
		state = state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		switch (shape) {
		case 0:
			x[i] = (double)(state >> 40);
			break;
		case 1:
			x[i] = (double)i;
			break;
		case 2:
			x[i] = (double)(n - i);
			break;
		case 3:
			x[i] = (double)(state >> 62);
			break;
		case 4:
			x[i] = 5;
			break;
		case 5: /* an organ pipe */
			x[i] = (double)(i < n / 2 ? i : n - i);
			break;
		default: /* the median-of-three killer (Musser 1997) */
			x[i] = (double)(i < n / 2
					    ? (i % 2 == 0 ? i + 1 : n / 2 + i)
					    : 2 * (i - n / 2 + 1));
			break;
		}
	}
}

static void
agree(size_t n, int shape)
{
	static const double q[] = { 0.5, 0.99, 0, 0.01, 0.25, 1, 0.999 };
	struct tape_err err = { 0 };
	size_t wrong = 0;
	double got;

	fill(n, shape);
	memcpy(sorted, x, n * sizeof(*x));
	if (tape_stat_sort(sorted, n, &err) != TAPE_OK)
		wrong++;
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++)
		if (tape_stat_select(x, n, q[i], &got, &err) != TAPE_OK ||
		    memcmp(&got,
			&(double){ tape_stat_quantile(sorted, n, q[i]) },
			sizeof(got)) != 0)
			wrong++;
	is_int(wrong, 0, "shape %d, n %zu: as over sorted values", shape, n);
	if (tape_stat_sort(x, n, &err) != TAPE_OK ||
	    memcmp(x, sorted, n * sizeof(*x)) != 0)
		wrong++;
	is_int(wrong, 0, "shape %d, n %zu: the same values", shape, n);
}

int
main(void)
{
	static const size_t sizes[] = { 1, 2, 3, 15, 16, 17, 18, 64, 65, 500,
		1023, N };
	struct tape_err err = { 0 };
	double v = 1;

	for (int shape = 0; shape <= 6; shape++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			agree(sizes[i], shape);
	is_int(tape_stat_select(x, 0, 0.5, &v, &err), TAPE_OK, "none");
	ok(isnan(v), "of none: NaN");
	is_int(tape_stat_select(x, 5, 1.5, &v, &err), TAPE_OK, "q above 1");
	ok(isnan(v), "a quantile that is none: NaN");
	return done_testing();
}
