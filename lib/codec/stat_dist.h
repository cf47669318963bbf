/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat_dist: distribution functions and their inverses.
 *
 * _p is the lower tail P(X <= x), _q the upper one P(X > x), _pinv the
 * quantile of a lower tail.  By GSL, checked against R to 1e-10 relative for
 * probabilities down to 1e-15: print smaller ones as "<1e-15".  An argument
 * that is NaN or outside its range gives NaN, never an abort.  Pure functions;
 * safe in any thread.
 */
#ifndef TAPE_CODEC_STAT_DIST_H
#define TAPE_CODEC_STAT_DIST_H

#include <stdint.h>

/* Ends of an interval; an end that does not exist is infinite. */
struct tape_stat_interval {
	double lo;
	double hi;
};

double tape_stat_normal_p(double z);
double tape_stat_normal_q(double z);
double tape_stat_normal_pinv(double p);

/* Student's t, df > 0, not necessarily whole. */
double tape_stat_t_p(double t, double df);
double tape_stat_t_q(double t, double df);
double tape_stat_t_pinv(double p, double df);

double tape_stat_chi2_p(double x, double df);
double tape_stat_chi2_q(double x, double df);
double tape_stat_chi2_pinv(double p, double df);

/* Beta with a, b > 0; up to about 1e5, beyond which GSL may give NaN. */
double tape_stat_beta_p(double x, double a, double b);
double tape_stat_beta_pinv(double p, double a, double b);

/*
 * Binomial: n trials of probability p.  The probability of one count is
 * Loader's saddle-point form (2000), tails are its sums, to about 1e-12
 * relative for n up to TAPE_STAT_BINOM_MAX.  The quantile is the smallest k
 * with P(X <= k) >= prob, as R's qbinom; UINT64_MAX for a bad argument.
 */
#define TAPE_STAT_BINOM_MAX 1000000000000

double tape_stat_binom_pmf(uint64_t k, uint64_t n, double p);
double tape_stat_binom_p(uint64_t k, uint64_t n, double p);
uint64_t tape_stat_binom_quantile(double prob, uint64_t n, double p);

#endif
