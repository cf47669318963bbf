/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inflight: how much was in flight at each moment of a run: curves over time
 * from the intervals of its requests, and exact statistics of them.
 *
 * A request is open from its start to its end; from its start to its first
 * token event it is in prefill, then in decode.  Its input tokens are spread
 * evenly over prefill, its output tokens but the first over decode: rates,
 * which add up to step functions.  tokens are those of the input while the
 * request is open, and of the output, all at once, from its first token on.
 * These are the sweep-line metrics of AIPerf.
 *
 * A curve is described over a window: each value by the time that it held.
 * mean is the integral / the time, sd that of the whole, a quantile the least
 * value at or below which the curve was for that part of the time.  The active
 * ones take only the time in which their phase had a request (total: in which
 * one was open).
 *
 * Rates are added as whole numbers of 2^-28 tokens a second, counts as such, so
 * that a curve does not depend on the order of the intervals.  A rate above
 * TAPE_INFLIGHT_RATE_MAX is taken for that; a phase without duration has none.
 *
 * Memory: 32 bytes an interval; while it is described, 144 more.
 */
#ifndef TAPE_ENGINE_INFLIGHT_H
#define TAPE_ENGINE_INFLIGHT_H

#include "base/err.h"
#include "base/span.h"

#define TAPE_INFLIGHT_QUANTILES 16
#define TAPE_INFLIGHT_RATE_MAX  1e9 /* tokens a second, of a request */

enum tape_inflight_curve {
	TAPE_INFLIGHT_OPEN,
	TAPE_INFLIGHT_PREFILL,
	TAPE_INFLIGHT_DECODE,
	TAPE_INFLIGHT_TOKENS,
	TAPE_INFLIGHT_PREFILL_RATE, /* tokens a second */
	TAPE_INFLIGHT_DECODE_RATE,
	TAPE_INFLIGHT_TOTAL_RATE,
	TAPE_INFLIGHT_PREFILL_EACH, /* by the requests in the phase, else 0 */
	TAPE_INFLIGHT_DECODE_EACH,
	TAPE_INFLIGHT_ACTIVE, /* those above, in the same order */
	TAPE_INFLIGHT_ACTIVE_PREFILL_RATE = TAPE_INFLIGHT_ACTIVE,
	TAPE_INFLIGHT_ACTIVE_DECODE_RATE,
	TAPE_INFLIGHT_ACTIVE_TOTAL_RATE,
	TAPE_INFLIGHT_ACTIVE_PREFILL_EACH,
	TAPE_INFLIGHT_ACTIVE_DECODE_EACH,
	TAPE_INFLIGHT_CURVES
};

/* start_ns <= first_ns <= end_ns.  first_ns is TAPE_ABSENT_I64 where the phases
   are not known; one that failed before its first token has it at its end. */
struct tape_inflight_interval {
	int64_t start_ns;
	int64_t first_ns;
	int64_t end_ns;
	int32_t input_tokens; /* -1 unknown */
	int32_t output_tokens;
};

/* Zero at first. */
struct tape_inflight {
	struct tape_inflight_interval *v;
	size_t n;
	size_t cap;
};

struct tape_inflight_window {
	int64_t from_ns;
	int64_t to_ns;
	const double *q; /* which quantiles, in rising order */
	size_t q_n;      /* at most TAPE_INFLIGHT_QUANTILES */
};

struct tape_inflight_stats {
	uint64_t n; /* requests that it is made from; 0: all else is NaN */
	double mean;
	double sd;
	double min;
	double max;
	double q[TAPE_INFLIGHT_QUANTILES];
};

void tape_inflight_release(struct tape_inflight *f);

/* One whose times are out of order is left out.  TAPE_E_NOMEM. */
enum tape_status tape_inflight_add(struct tape_inflight *f,
    const struct tape_inflight_interval *i,
    struct tape_err *err) TAPE_NODISCARD;

/* All of from into f.  TAPE_E_NOMEM. */
enum tape_status tape_inflight_append(struct tape_inflight *f,
    const struct tape_inflight *from, struct tape_err *err) TAPE_NODISCARD;

/* Describes every curve of the intervals, of which those outside of the window
   do not count.  TAPE_E_NOMEM. */
enum tape_status tape_inflight_describe(const struct tape_inflight *f,
    const struct tape_inflight_window *window,
    struct tape_inflight_stats out[TAPE_INFLIGHT_CURVES],
    struct tape_err *err) TAPE_NODISCARD;

#endif
