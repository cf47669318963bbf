/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * intervals: how far a summary of one run is to be trusted: intervals of its
 * mean and quantiles, what its values are worth, and its outliers.
 *
 * Requests of a run depend on each other: neighbours share a queue and a batch.
 * So intervals come from an effective number of values (codec/stat_neff), never
 * from sd / sqrt(n); their level is .95, their coverage is simulated in
 * tests/oracle/coverage.c.  They are of basis within-run: they cover what this
 * run would come to if it went on, and say nothing about the next run.
 *
 * An interval that would hold too seldom is absent: of quantiles below
 * TAPE_STAT_NEFF_ORDER_MIN values, and below TAPE_STAT_NEFF_MEAN_MIN nothing of
 * all this is said.  An upper end that does not exist (p99 of fewer than 368
 * independent values) is absent from its object.  Pooled values (gaps) have
 * none: they come in clusters, a request each.
 */
#ifndef TAPE_ENGINE_INTERVALS_H
#define TAPE_ENGINE_INTERVALS_H

#include "base/err.h"
#include "record/record.h"

#define TAPE_INTERVALS_LEVEL 0.95
/* What "n for -+2 %" is about. */
#define TAPE_INTERVALS_AIM 0.02
/* Beyond median + so many times 1.4826 MAD (hyperfine's rule) is an outlier. */
#define TAPE_INTERVALS_FAR 10
/* mean_without is given where it differs by more. */
#define TAPE_INTERVALS_MOVED 0.05

/* Room for quantile_ci, to which a summary points. */
struct tape_intervals_text {
	char v[1200];
};

/*
 * Fills n_eff, lag1, ci, quantile_ci, n_mean_2pct and n_p50_2pct of a summary
 * whose n, mean, sd and quantiles are there.  series: the n finite values in
 * the order of time; sorted: the same, sorted.  text outlives s.  TAPE_E_NOMEM.
 */
enum tape_status tape_intervals_fill(struct tape_summary *s,
    const double *series, const double *sorted, size_t n,
    struct tape_intervals_text *text, struct tape_err *err) TAPE_NODISCARD;

/* mad, outliers and mean_without; the mean may be absent. */
void tape_intervals_outliers(
    struct tape_summary *s, const double *sorted, size_t n);

/* ci of a proportion, good of all (Wilson); none of none. */
void tape_intervals_share(struct tape_summary *s, double good, double all);

/*
 * What stands in quantile_ci about q, as spans of no text: false when there is
 * nothing: *out is then NaN.  lo and hi are NaN where absent.
 */
struct tape_intervals_ends {
	double lo;
	double hi;
	double coverage;
	double n_eff;
};
bool tape_intervals_find(
    const struct tape_summary *s, double q, struct tape_intervals_ends *out);

#endif
