/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vllm bench serve, chat.  An error inside the stream is an event without
 * choices, which it passes over, and the end of the stream is its end: with one
 * token event a request is a success.  Duration is the whole run, failed
 * requests included.
 */
#include "engine/definitions_rows.h"

#define SHOWN (TAPE_STAT_MEAN | TAPE_STAT_P50 | TAPE_STAT_P99 | TAPE_STAT_SD)

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TAPE_PEER_RUN("completed", "Successful requests", "requests",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	TAPE_PEER_RUN("failed", "Failed requests", "requests",
	    TAPE_WHAT_FAILED, tape_definitions_failed),
	TAPE_PEER_RUN("duration", "Benchmark duration (s)", "s",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
	TAPE_PEER_RUN("total_input_tokens", "Total input tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_inputs),
	TAPE_PEER_RUN("total_output_tokens", "Total generated tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_outputs),
	TAPE_PEER_RUN("request_throughput",
	    "Request throughput (req/s)", "req/s",
	    TAPE_WHAT_REQUEST_RATE, tape_definitions_ok_per_s),
	TAPE_PEER_RUN("output_throughput",
	    "Output token throughput (tok/s)", "tok/s",
	    TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	TAPE_PEER_RUN("max_output_tokens_per_s",
	    "Peak output token thr. (tok/s)",
	    "tok/s", TAPE_WHAT_NONE, tape_definitions_peak_tokens),
	TAPE_PEER_RUN("max_concurrent_requests",
	    "Peak concurrent requests", "requests",
	    TAPE_WHAT_NONE, tape_definitions_peak_open),
	TAPE_PEER_RUN("total_token_throughput",
	    "Total token throughput (tok/s)",
	    "tok/s", TAPE_WHAT_TOTAL_RATE, tape_definitions_total_per_s),
	TAPE_PEER_MS("ttft_ms",
	    "TTFT", TAPE_WHAT_TTFT, SHOWN, tape_definitions_ttft),
	TAPE_PEER_MS("tpot_ms",
	    "TPOT", TAPE_WHAT_TPOT, SHOWN, tape_definitions_tpot),
	{ .name = "itl_ms", .title = "ITL (ms)", .unit = "ms",
	    .kind = TAPE_KIND_OF_GAPS, .what = TAPE_WHAT_GAP,
	    .stats = SHOWN, .unit_size = TAPE_DEFINITIONS_MS },
	TAPE_PEER_MS("e2el_ms",
	    "E2EL", TAPE_WHAT_LATENCY, SHOWN, tape_definitions_latency),
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
