/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hist: a histogram of durations with constant memory and a relative error of
 * less than 1 % (log-linear buckets, 64 an octave; below 128 exact).
 *
 * For what a client says about itself while it runs.  Final figures of the
 * measured system are never taken from one.  A zeroed struct is empty.
 */
#ifndef TAPE_ENGINE_HIST_H
#define TAPE_ENGINE_HIST_H

#include <stdint.h>

#define TAPE_HIST_BUCKETS (128 + 56 * 64)

struct tape_hist {
	int64_t n;
	int64_t max; /* exact */
	uint32_t counts[TAPE_HIST_BUCKETS];
};

/* Negative values count as 0. */
void tape_hist_add(struct tape_hist *h, int64_t value);

/* Adds all that is in b. */
void tape_hist_merge(struct tape_hist *h, const struct tape_hist *b);

/* The least bucket with at least the share q of all values at or below it: its
   middle, and never above max; max for q = 1, 0 when empty. */
int64_t tape_hist_quantile(const struct tape_hist *h, double q);

#endif
