/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_ad: the Anderson-Darling test that values are exponential, their mean
 * being unknown: gaps of a Poisson process.
 *
 * Of sorted values, with z_i = 1 - exp(-x_i / mean):
 *
 *	A2 = -n - (1/n) sum (2i - 1) (ln z_i + ln(1 - z_(n+1-i)))
 *	A* = A2 (1 + 0.6/n)
 *
 * p is the share of samples of an exponential law with a larger A*, by the
 * four curves that M. A. Stephens fitted: D'Agostino and Stephens, Goodness-of-
 * Fit Techniques (1986), chapter 4, case of the exponential with known origin;
 * within 0.0015 of its table from p = 0.25 down to 0.0025.  The last curve
 * turns at A* = 10.03: p is never below 5.8e-7, which reads as "at most".
 */
#ifndef TAPE_CODEC_STAT_AD_H
#define TAPE_CODEC_STAT_AD_H

#include "base/err.h"

struct tape_stat_ad {
	size_t n;
	double mean;
	double a2;
	double a_star;
	double p;
};

/*
 * Sorts x in place.  A value of 0 counts as `least`, which is above 0: half of
 * the unit the values were rounded to, as no exponential value is 0.  Equal
 * values are taken as they are.
 *
 * TAPE_E_DATA: fewer than 2 values, one is negative or not finite, or all are
 * 0; TAPE_E_NOMEM.  *out is unchanged then.
 */
enum tape_status tape_stat_ad_exponential(double *x, size_t n, double least,
    struct tape_stat_ad *out, struct tape_err *err) TAPE_NODISCARD;

/* p of a = A*, in 0 .. 1; NaN of a negative one or NaN. */
double tape_stat_ad_p(double a);

#endif
