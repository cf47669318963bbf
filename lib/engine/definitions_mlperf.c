/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MLPerf's LoadGen, scenario Server with token latencies: a sample is issued at
 * its planned time, from which all latencies are; the system under test says
 * when the first token and the last one were there.  A run with a failed sample
 * is invalid; here the others are measured.  All times are whole nanoseconds.
 */
#include "engine/definitions_rows.h"

static double
tpot(const struct tape_definitions_view *v)
{
	return trunc(tape_definitions_tpot(v));
}

/* The first sample opens the time, the last one is its end. */
static double
samples_per_s(const struct tape_definitions_totals *t)
{
	return ((double)t->ok - 1) / t->duration_s;
}

static double
planned_per_s(const struct tape_definitions_totals *t)
{
	const struct tape_definitions_seen *s = t->seen;
	int64_t last = s->n == 0 ? 0 : s->v[0].start_ns;

	for (size_t i = 0; i < s->n; i++)
		last = s->v[i].start_ns > last ? s->v[i].start_ns : last;
	if (s->n < 2 || last <= s->first_start_ns)
		return TAPE_ABSENT_F64;
	return ((double)s->n - 1) /
	       ((double)(last - s->first_start_ns) / TAPE_DEFINITIONS_S);
}

#define SHOWN                                                                  \
 (TAPE_STAT_MEAN | TAPE_STAT_MIN | TAPE_STAT_MAX | TAPE_STAT_P50 |             \
     TAPE_STAT_P90 | TAPE_STAT_P99 | TAPE_STAT_P999)
#define TIME(n, t, w, f)                                                       \
 {                                                                             \
  .name = n "_ns", .title = t " (ns)", .unit = "ns", .what = w,                \
  .stats = SHOWN, .unit_size = TAPE_DEFINITIONS_NS, .of = f                    \
 }

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TAPE_PEER_RUN("completed_samples_per_second",
	    "Completed samples per second",
	    "/s", TAPE_WHAT_REQUEST_RATE, samples_per_s),
	TAPE_PEER_RUN("scheduled_samples_per_second",
	    "Scheduled samples per second",
	    "/s", TAPE_WHAT_NONE, planned_per_s),
	TAPE_PEER_RUN("completed_tokens_per_second",
	    "Completed tokens per second",
	    "/s", TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	TAPE_PEER_RUN("sample_count", "Samples", "samples",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	TAPE_PEER_RUN("failed_count", "Failed (invalid run)", "samples",
	    TAPE_WHAT_FAILED, tape_definitions_failed),
	TAPE_PEER_RUN("final_query_all_samples_done_time",
	    "Last sample done (s)", "s",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
	TIME("latency", "Latency", TAPE_WHAT_LATENCY,
	    tape_definitions_latency),
	TIME("first_token_latency", "First Token latency",
	    TAPE_WHAT_TTFT, tape_definitions_ttft),
	TIME("time_to_output_token", "Time to Output Token",
	    TAPE_WHAT_TPOT, tpot),
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_mlperf = {
	.name = "mlperf",
	.version = "loadgen 6.0",
	.rules = {
		.tokens = "cgt",
		.from = TAPE_FROM_DUE,
		.end = TAPE_END_TOKEN,
		.window = TAPE_WINDOW_LAST,
		.needs_token = true,
		.no_malformed = true,
		.usage_input = true,
	},
	.quantile = TAPE_QUANTILE_RANK,
	.whole = true,
	.counting = "takes the count that the system under test reports",
	.columns = {
		{ TAPE_STAT_MEAN, "Mean", false },
		{ TAPE_STAT_MIN, "Min", true },
		{ TAPE_STAT_MAX, "Max", true },
		{ TAPE_STAT_P50, "50.00", false },
		{ TAPE_STAT_P90, "90.00", false },
		{ TAPE_STAT_P99, "99.00", false },
		{ TAPE_STAT_P999, "99.90", true },
	},
	.cell = 12,
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
