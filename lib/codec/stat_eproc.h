/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_eproc: evidence that may be looked at after every pair.
 *
 * Stopping as soon as p < .05 turns 5 % into 23 % false alarms within 20
 * pairs.  An e-process does not: its chance of ever reaching 1/alpha is at
 * most alpha when there is no difference (Ville 1939).
 *
 * The symmetric one needs no more than the sign-flip test does:
 *
 *	E_k = mean over lambda of the grid, both signs, of
 *	      prod_{b <= k} 2 / (1 + exp(-2 lambda d_b))
 *
 * each factor of which has mean 1 given |d_b|.  Each is at most 2, so at
 * alpha = .05 no stop is possible before pair 6.  The grid is lambda_i =
 * 2^(0.75 i) / (4 s0), i = 0 .. 8, with s0 the scale of a difference that
 * matters, the margin; a scale wrong by 4 costs little.
 */
#ifndef TAPE_CODEC_STAT_EPROC_H
#define TAPE_CODEC_STAT_EPROC_H

#include "base/err.h"
#include "codec/stat_dist.h"

#define TAPE_STAT_EPROC_GRID 9

struct tape_stat_eproc {
	size_t k; /* pairs seen */
	double lambda[TAPE_STAT_EPROC_GRID];
	double log_up[TAPE_STAT_EPROC_GRID]; /* products for +lambda */
	double log_down[TAPE_STAT_EPROC_GRID];
	double log_max; /* of E so far, at least 0 */
};

/* TAPE_E_USAGE unless the scale is positive and finite. */
enum tape_status tape_stat_eproc_init(struct tape_stat_eproc *e, double scale,
    struct tape_err *err) TAPE_NODISCARD;

/* Takes the next pair in; TAPE_E_DATA when d is not finite: e is unchanged. */
enum tape_status tape_stat_eproc_add(
    struct tape_stat_eproc *e, double d, struct tape_err *err) TAPE_NODISCARD;

/* log E_k: 0 before the first pair.  Stop when it reaches log(1/alpha). */
double tape_stat_eproc_log(const struct tape_stat_eproc *e);

/* Anytime-valid p: min(1, 1 / the largest E so far). */
double tape_stat_eproc_p(const struct tape_stat_eproc *e);

/*
 * Confidence sequence: the theta with E_k(d - theta) < 1/alpha, as one
 * interval; valid at all k at once.  Infinite while 2^(k-1) < 1/alpha.
 * Whether 0 is outside agrees with E_k >= 1/alpha.  TAPE_E_USAGE for a bad
 * scale or alpha, TAPE_E_DATA for values that are not finite; *out is then
 * unchanged.
 */
enum tape_status tape_stat_eproc_interval(const double *d, size_t k,
    double scale, double alpha, struct tape_stat_interval *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * The t e-process, for normal d: log of the Bayes factor of a N(0, g) effect
 * in sd, right-Haar prior on the sd, against none, at t with k pairs:
 *
 *	(1 + k g)^(-1/2) [(1 + t^2/v) / (1 + t^2/(v (1 + k g)))]^(k/2),
 *	v = k - 1    (Wang and Ramdas 2023, arXiv 2310.03722)
 *
 * NaN unless k >= 2 and g > 0.
 */
double tape_stat_t_evalue_log(double t, size_t k, double g);

#endif
