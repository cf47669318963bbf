/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/fluidity.h"

#include "base/clock.h"

#include <math.h>

#define STEPS 24 /* halvings: beyond one part in a million */

struct deadlines {
	double missed;
	double all;
	double saved; /* by what came early */
};

/* An event comes so long after the one before, and was due after bound. */
static void
meet(struct deadlines *d, double after, double bound, double gap_bound)
{
	double missed;

	if (after <= bound + d->saved) {
		d->saved += bound - after;
		d->all++;
		return;
	}
	missed = 1 + floor((after - d->saved - bound) / gap_bound);
	d->missed += missed;
	d->all += missed;
	d->saved = 0;
}

double
tape_fluidity_index(double ttft, const double *gaps, size_t n,
    double ttft_bound, double gap_bound)
{
	struct deadlines d = { 0 };

	if (isnan(ttft))
		return (double)NAN;
	meet(&d, ttft, ttft_bound, gap_bound);
	for (size_t i = 0; i < n; i++)
		meet(&d, gaps[i], gap_bound, gap_bound);
	return 1 - d.missed / d.all;
}

static bool
is_fluid(const double *gaps, size_t n, double bound)
{
	struct deadlines d = { 0 };

	for (size_t i = 0; i < n; i++)
		meet(&d, gaps[i], bound, bound);
	return d.missed <= TAPE_FLUIDITY_MISSED * d.all;
}

double
tape_fluidity_rate(const double *gaps, size_t n, double largest)
{
	double lo = 0, hi = largest;

	if (!(largest > 0))
		return (double)NAN;
	for (int i = 0; i < STEPS; i++) {
		const double middle = lo + (hi - lo) / 2;

		if (is_fluid(gaps, n, middle))
			hi = middle;
		else
			lo = middle;
	}
	return (double)TAPE_NS_PER_S / hi;
}
