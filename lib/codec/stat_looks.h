/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_looks: bounds for a fixed number of planned looks at growing data.
 *
 * Alpha spending (Lan and DeMets 1983): by the share t of the data at hand,
 * so much of the two-sided alpha may have been used,
 *
 *	O'Brien-Fleming	4 (1 - Phi(z_{1 - alpha/4} / sqrt t))
 *	Pocock		alpha log(1 + (e - 1) t)
 */
#ifndef TAPE_CODEC_STAT_LOOKS_H
#define TAPE_CODEC_STAT_LOOKS_H

#include "base/err.h"

#define TAPE_STAT_LOOKS_MAX 100

enum tape_stat_spending { TAPE_STAT_OBRIEN_FLEMING, TAPE_STAT_POCOCK };

/* NaN unless 0 <= t <= 1 and 0 < alpha < 1. */
double tape_stat_spent(enum tape_stat_spending kind, double t, double alpha);

/*
 * |z| that must be reached at each of the looks, t[0] < t[1] < ... <= 1, into
 * z[0 .. looks): by the recursion of Armitage, McPherson and Rowe (1969) over
 * the density of the paths that have not crossed, Gauss-Legendre, to about
 * 1e-8.  The nominal two-sided p of a look is 2 Phi(-z), with which that of a
 * t or sign-flip test is compared.  TAPE_E_USAGE for t that do not rise
 * within (0, 1] or a bad alpha, TAPE_E_LIMIT beyond TAPE_STAT_LOOKS_MAX,
 * TAPE_E_NOMEM; z is then unchanged.
 */
enum tape_status tape_stat_look_bounds(enum tape_stat_spending kind,
    const double *t, size_t looks, double alpha, double *z,
    struct tape_err *err) TAPE_NODISCARD;

#endif
