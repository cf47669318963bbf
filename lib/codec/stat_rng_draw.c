/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The samples of stat_rng, apart from it: a tool that only needs words does
 * not have to load GSL.
 */
#include "codec/stat_rng.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

static unsigned long
philox_get(void *state)
{
	return tape_rng_u32(state);
}

static double
philox_double(void *state)
{
	return tape_rng_double(state);
}

/* GSL seeds only through gsl_rng_alloc, which is not used here. */
static void
philox_set(void *state, unsigned long seed)
{
	tape_rng_init(state, seed, 0, 0, 0);
}

static const gsl_rng_type philox_type = {
	.name = "philox4x32-10",
	.max = 0xffffffffUL,
	.min = 0,
	.size = sizeof(struct tape_rng),
	.set = philox_set,
	.get = philox_get,
	.get_double = philox_double,
};

double
tape_rng_exponential(struct tape_rng *r, double mean)
{
	const gsl_rng g = { &philox_type, r };

	if (!(mean >= 0) || !isfinite(mean))
		return (double)NAN;
	return gsl_ran_exponential(&g, mean);
}

double
tape_rng_gamma(struct tape_rng *r, double shape, double scale)
{
	const gsl_rng g = { &philox_type, r };

	if (!(shape > 0) || !(scale > 0) || !isfinite(shape) ||
	    !isfinite(scale))
		return (double)NAN;
	return gsl_ran_gamma(&g, shape, scale);
}

double
tape_rng_normal(struct tape_rng *r, double mean, double sd)
{
	if (!(sd >= 0) || !isfinite(sd) || !isfinite(mean))
		return (double)NAN;
	return mean + sd * gsl_cdf_ugaussian_Pinv(tape_rng_double(r));
}
