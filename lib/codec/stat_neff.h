/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_neff: how many independent values a series in the order of time is
 * worth, for its mean and for each of its quantiles, on the safe side.
 *
 * n_eff = n / tau, where tau = 1 + 2 sum of the autocorrelations.  Two estimates
 * of tau are made and the larger one counts:
 *
 * - of an autoregressive process of the first order, whose coefficient is the
 *   lag-1 autocorrelation of the normal scores (so that a heavy tail cannot
 *   hide it), its bias (1 + 3r)/n taken out and one standard error added.  For
 *   the indicator [x <= x_q], whose autocorrelation at lag k is not r^k, the
 *   probabilities of the bivariate normal distribution are integrated;
 * - Geyer's initial monotone positive sequence (1992) of the values, or of the
 *   indicators themselves, corrected for the mean that is estimated from the
 *   same values.  It takes in what no autoregression describes: noise on top
 *   of a slow drift.
 *
 * With the first alone 95 % intervals of a median held .88 at an autocorrelation
 * of 0.8; with both none that is printed is below .93: tests/oracle/coverage.c.
 *
 * Of more than TAPE_STAT_NEFF_LONG values the autocorrelation is that of the
 * means of so many equal pieces, and the first estimate is made of these: time
 * and memory stay linear in n.
 */
#ifndef TAPE_CODEC_STAT_NEFF_H
#define TAPE_CODEC_STAT_NEFF_H

#include "base/err.h"
#include "codec/stat_dist.h"

#define TAPE_STAT_NEFF_LONG 4096
#define TAPE_STAT_NEFF_LAGS 1000 /* the second estimate looks no further */

/* With fewer values an interval of the mean, or of a quantile, is not to be
   shown: it would hold too seldom. */
#define TAPE_STAT_NEFF_MEAN_MIN  20
#define TAPE_STAT_NEFF_ORDER_MIN 50

/* A series under examination.  Private; release it in every case. */
struct tape_stat_neff {
	const double *x; /* borrowed, in the order of time */
	size_t n;
	size_t piece;   /* values that are taken together */
	size_t m;       /* pieces; a rest at the end is left out */
	double r;       /* coefficient; one standard error up */
	double *series; /* m values: of pieces, or scores */
};

/* n >= 1 finite values; TAPE_E_DATA else, TAPE_E_NOMEM.  Nothing is held on
   failure. */
enum tape_status tape_stat_neff_open(struct tape_stat_neff *s, const double *x,
    size_t n, struct tape_err *err) TAPE_NODISCARD;
void tape_stat_neff_release(struct tape_stat_neff *s);

/* For the mean; from 1 to n. */
double tape_stat_neff_mean(struct tape_stat_neff *s);

/* For the quantile 0 < q < 1, whose estimate is at; from 1 to n. */
double tape_stat_neff_quantile(struct tape_stat_neff *s, double q, double at);

struct tape_stat_order_interval {
	size_t lo;       /* 1-based rank of the lower end; 0: there is none */
	size_t hi;       /* of the upper end; n + 1: there is none */
	double coverage; /* exact, of so many independent values as n_eff */
};

/*
 * Interval of a quantile by order statistics of n values that are worth n_eff
 * independent ones: the ranks l and u of tape_stat_quantile_ranks among
 * floor(n_eff) become, each of these standing for n/n_eff values that came
 * together, the outermost of them: [x_(lo), x_(hi)].  Of independent values
 * they are those ranks themselves.  TAPE_E_USAGE for q, level or n_eff < 1.
 */
enum tape_status tape_stat_order_interval(size_t n, double n_eff, double q,
    double level, struct tape_stat_order_interval *out,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * mean -+ t sd / sqrt(n_eff) with n_eff - 1 df; an n_eff below 2 counts as 2,
 * whose t is wide enough.  Infinite ends when sd is not known.
 */
struct tape_stat_interval tape_stat_neff_interval(
    double mean, double sd, double n_eff, double level);

#endif
