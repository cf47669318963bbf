/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_fit: least-squares lines, with the t test of one coefficient.
 *
 * By GSL (singular value decomposition where there are several regressors).
 * Values must be finite (TAPE_E_DATA); TAPE_E_DATA too when there are too few
 * or a regressor does not vary; TAPE_E_NOMEM.  *out is unchanged on failure.
 */
#ifndef TAPE_CODEC_STAT_FIT_H
#define TAPE_CODEC_STAT_FIT_H

#include "base/err.h"
#include "codec/stat_dist.h"

struct tape_stat_coef {
	double value;
	double se;
	double t; /* value / se; +-infinity for a perfect fit */
	double df;
	double p; /* two-sided; 0 for a perfect fit that is not 0, 1 if 0 */
	struct tape_stat_interval ci;
};

struct tape_stat_line {
	double intercept;
	struct tape_stat_coef slope;
};

/* y = intercept + slope x, n - 2 df; n >= 3.  R's lm(y ~ x). */
enum tape_status tape_stat_fit_line(const double *x, const double *y, size_t n,
    double level, struct tape_stat_line *out,
    struct tape_err *err) TAPE_NODISCARD;

/* One run of an A/B session. */
struct tape_stat_run {
	double y;    /* log of the run's statistic */
	double arm;  /* 0 for A, 1 for B */
	double time; /* any unit, any origin: when the run was */
};

struct tape_stat_ancova {
	struct tape_stat_coef arm;  /* theta: log ratio free of linear drift */
	struct tape_stat_coef time; /* beta: drift in y a unit of time */
};

/*
 * log S = a + theta arm + beta time over the n runs of both arms, n - 3 df;
 * n >= 4.  It takes out a linear drift that a strict order A, B, A, B ...
 * would turn into an effect.  Runs all of A and then all of B leave arm and
 * time alike: theta's interval then says so by its width.  TAPE_E_DATA also
 * when arm and time determine each other.
 */
enum tape_status tape_stat_fit_ancova(const struct tape_stat_run *run, size_t n,
    double level, struct tape_stat_ancova *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
