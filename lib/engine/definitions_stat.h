/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions_stat: values with weights, summarized by a peer's rules: its
 * percentiles, of any number of values, and a deviation divided by n, as numpy
 * makes it unless told otherwise.
 */
#ifndef TAPE_ENGINE_DEFINITIONS_STAT_H
#define TAPE_ENGINE_DEFINITIONS_STAT_H

#include "engine/definitions.h"

struct tape_definitions_values {
	double *v;
	double *w; /* weights; NULL: all 1 */
	size_t n, cap, w_cap;
};

void tape_definitions_values_release(struct tape_definitions_values *x);

/* Adds one; weights are given to all values or to none. */
enum tape_status tape_definitions_values_add(struct tape_definitions_values *x,
    double v, double w, bool weighted, struct tape_err *err) TAPE_NODISCARD;

/*
 * Mean, sd, min, max and quantiles into s, and n unless the caller knows
 * better; x is put in order.  Without values s stays as it is, but n.
 */
enum tape_status tape_definitions_describe(struct tape_definitions_values *x,
    enum tape_definitions_quantile rule, bool whole, struct tape_summary *s,
    struct tape_err *err) TAPE_NODISCARD;

/* guidellm's rates over time: definitions_rate.c. */
enum tape_status tape_definitions_rate(
    const struct tape_definitions_metric *metric,
    const struct tape_definitions_seen *seen, struct tape_definitions_values *x,
    uint64_t *n, struct tape_err *err) TAPE_NODISCARD;

/* vLLM's and SGLang's peaks: the most token events, and requests that were open
   at all, in one of the seconds since the first start. */
double tape_definitions_peak_tokens(const struct tape_definitions_totals *t);
double tape_definitions_peak_open(const struct tape_definitions_totals *t);

/* What is asked of a view by several peers: nanoseconds, or tokens; NaN none. */
double tape_definitions_ttft(const struct tape_definitions_view *v);
double tape_definitions_second(const struct tape_definitions_view *v);
double tape_definitions_ttfo(const struct tape_definitions_view *v);
double tape_definitions_latency(const struct tape_definitions_view *v);
double tape_definitions_input(const struct tape_definitions_view *v);
double tape_definitions_output(const struct tape_definitions_view *v);
/* (end - first token event) / (output - 1) */
double tape_definitions_tpot(const struct tape_definitions_view *v);

/* Seconds from the first start to the last end of all requests; NaN none. */
double tape_definitions_whole(const struct tape_definitions_seen *s);

/* Of a run. */
double tape_definitions_ok(const struct tape_definitions_totals *t);
double tape_definitions_failed(const struct tape_definitions_totals *t);
double tape_definitions_duration(const struct tape_definitions_totals *t);
double tape_definitions_inputs(const struct tape_definitions_totals *t);
double tape_definitions_outputs(const struct tape_definitions_totals *t);
double tape_definitions_ok_per_s(const struct tape_definitions_totals *t);
double tape_definitions_input_per_s(const struct tape_definitions_totals *t);
double tape_definitions_output_per_s(const struct tape_definitions_totals *t);
double tape_definitions_total_per_s(const struct tape_definitions_totals *t);

#define TAPE_DEFINITIONS_NS 1.0
#define TAPE_DEFINITIONS_MS 1e6
#define TAPE_DEFINITIONS_S  1e9

#endif
