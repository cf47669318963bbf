/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure_gaps: what a result says of the gaps between its token events: how
 * many, mean, median, 99th percentile, largest; stalls; fluidity.
 *
 * A stall is a gap of more than stall_ratio x the median of the request's gaps.
 * Where that median is 0 (most events shared a read with another) nothing is a
 * stall, and stalls are absent.
 */
#ifndef TAPE_ENGINE_MEASURE_GAPS_H
#define TAPE_ENGINE_MEASURE_GAPS_H

#include "base/err.h"
#include "record/record.h"

/* Over such a part of all gaps nobody reads on without noticing: ten tokens'
   time in one. */
#define TAPE_STALL_RATIO 10.0

struct tape_measure_gaps_opts {
	bool quantiles;     /* and stalls, which need the median */
	double stall_ratio; /* 0: TAPE_STALL_RATIO */
	/* The deadlines of fluidity, 0: there are none. */
	int64_t first_ns;
	int64_t gap_ns;
};

/* The gaps of a request, and memory that is kept from one to the next; zero at
   first. */
struct tape_measure_gaps {
	const double *v; /* ns, in order */
	size_t n;
	bool one_choice;    /* else there is no fluidity */
	uint64_t backwards; /* out: gaps below zero */
	double *scratch;
	size_t cap;
};

void tape_measure_gaps_release(struct tape_measure_gaps *g);

/* Fills r from the gaps.  TAPE_E_NOMEM. */
enum tape_status tape_measure_gaps_fill(struct tape_measure_gaps *g,
    const struct tape_measure_gaps_opts *opts, struct tape_result *r,
    struct tape_err *err) TAPE_NODISCARD;

#endif
