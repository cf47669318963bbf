/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vllm bench serve, chat.  An error inside the stream is an event without
 * choices, which it passes over, and the end of the stream is its end: with one
 * token event a request is a success.  Duration is the whole run, failed
 * requests included.
 */
#include "engine/definitions_stat.h"

#define SHOWN (TAPE_STAT_MEAN | TAPE_STAT_P50 | TAPE_STAT_P99 | TAPE_STAT_SD)
#define TIME(n, t, w, f)                                                       \
 {                                                                             \
  .name = n "_ms", .title = t " (ms)", .unit = "ms", .what = w,                \
  .stats = SHOWN, .unit_size = TAPE_DEFINITIONS_MS, .of = f                    \
 }
#define RUN(n, t, u, w, f)                                                     \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .kind = TAPE_KIND_OF_RUN,       \
  .unit_size = 1, .over = f                                                    \
 }

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	RUN("completed", "Successful requests", "requests",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	RUN("failed", "Failed requests", "requests",
	    TAPE_WHAT_FAILED, tape_definitions_failed),
	RUN("duration", "Benchmark duration (s)", "s",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
	RUN("total_input_tokens", "Total input tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_inputs),
	RUN("total_output_tokens", "Total generated tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_outputs),
	RUN("request_throughput", "Request throughput (req/s)", "req/s",
	    TAPE_WHAT_REQUEST_RATE, tape_definitions_ok_per_s),
	RUN("output_throughput", "Output token throughput (tok/s)", "tok/s",
	    TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	RUN("max_output_tokens_per_s", "Peak output token thr. (tok/s)",
	    "tok/s", TAPE_WHAT_NONE, tape_definitions_peak_tokens),
	RUN("max_concurrent_requests", "Peak concurrent requests", "requests",
	    TAPE_WHAT_NONE, tape_definitions_peak_open),
	RUN("total_token_throughput", "Total token throughput (tok/s)",
	    "tok/s", TAPE_WHAT_TOTAL_RATE, tape_definitions_total_per_s),
	TIME("ttft", "TTFT", TAPE_WHAT_TTFT, tape_definitions_ttft),
	TIME("tpot", "TPOT", TAPE_WHAT_TPOT, tape_definitions_tpot),
	{ .name = "itl_ms", .title = "ITL (ms)", .unit = "ms",
	    .kind = TAPE_KIND_OF_GAPS, .what = TAPE_WHAT_GAP,
	    .stats = SHOWN, .unit_size = TAPE_DEFINITIONS_MS },
	TIME("e2el", "E2EL", TAPE_WHAT_LATENCY, tape_definitions_latency),
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_vllm = {
	.name = "vllm",
	.version = "0.33.0",
	.rules = {
		.tokens = "cgt",
		.empty = true,
		.from = TAPE_FROM_START,
		.end = TAPE_END_TOKEN,
		.window = TAPE_WINDOW_WHOLE,
		.streams_only = true,
		.needs_token = true,
		.no_malformed = true,
		.forgives = ",stream,unfinished,content-type,",
		.usage_input = true,
		.gaps = true,
	},
	.quantile = TAPE_QUANTILE_LINEAR,
	.columns = {
		{ TAPE_STAT_MEAN, "Mean", false },
		{ TAPE_STAT_P50, "Median", false },
		{ TAPE_STAT_P99, "P99", false },
		{ TAPE_STAT_SD, "std", false },
	},
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
