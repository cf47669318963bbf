/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SGLang's serving benchmark, OpenAI chat.  Tool calls are no tokens; the end
 * is the last line, [DONE] included; a request that ends without an error of
 * the connection is a success even if nothing came, its ttft is then 0.  It asks
 * for no usage: without one the output is what was asked for.  A comment breaks
 * it.
 */
#include "engine/definitions_rows.h"

static double
ttft(const struct tape_definitions_view *v)
{
	if (!v->streamed)
		return tape_definitions_latency(v);
	return v->first_ns == TAPE_ABSENT_I64 ? 0 : tape_definitions_ttft(v);
}

static double
tpot(const struct tape_definitions_view *v)
{
	if (v->output < 2)
		return TAPE_ABSENT_F64;
	return (tape_definitions_latency(v) - ttft(v)) /
	       (double)(v->output - 1);
}

static double
concurrency(const struct tape_definitions_totals *t)
{
	return t->latency_s / t->duration_s;
}

#define SHOWN                                                                  \
 (TAPE_STAT_MEAN | TAPE_STAT_P50 | TAPE_STAT_P90 | TAPE_STAT_P95 |             \
     TAPE_STAT_P99 | TAPE_STAT_SD)

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TAPE_PEER_RUN("completed", "Successful requests", "requests",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	TAPE_PEER_RUN("duration", "Benchmark duration (s)", "s",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
	TAPE_PEER_RUN("total_input_tokens", "Total input tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_inputs),
	TAPE_PEER_RUN("total_output_tokens", "Total generated tokens", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_outputs),
	TAPE_PEER_RUN("request_throughput",
	    "Request throughput (req/s)", "req/s",
	    TAPE_WHAT_REQUEST_RATE, tape_definitions_ok_per_s),
	TAPE_PEER_RUN("input_throughput",
	    "Input token throughput (tok/s)", "tok/s",
	    TAPE_WHAT_NONE, tape_definitions_input_per_s),
	TAPE_PEER_RUN("output_throughput",
	    "Output token throughput (tok/s)", "tok/s",
	    TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	TAPE_PEER_RUN("max_output_tokens_per_s",
	    "Peak output token thr. (tok/s)",
	    "tok/s", TAPE_WHAT_NONE, tape_definitions_peak_tokens),
	TAPE_PEER_RUN("max_concurrent_requests",
	    "Peak concurrent requests", "requests",
	    TAPE_WHAT_NONE, tape_definitions_peak_open),
	TAPE_PEER_RUN("total_throughput",
	    "Total token throughput (tok/s)", "tok/s",
	    TAPE_WHAT_TOTAL_RATE, tape_definitions_total_per_s),
	TAPE_PEER_RUN("concurrency", "Concurrency", "requests",
	    TAPE_WHAT_NONE, concurrency),
	TAPE_PEER_MS("e2e_latency_ms", "E2E Latency", TAPE_WHAT_LATENCY, SHOWN,
	    tape_definitions_latency),
	TAPE_PEER_MS("ttft_ms", "TTFT", TAPE_WHAT_TTFT, SHOWN, ttft),
	TAPE_PEER_MS("tpot_ms", "TPOT", TAPE_WHAT_TPOT, SHOWN, tpot),
	{ .name = "itl_ms", .title = "ITL (ms)", .unit = "ms",
	    .kind = TAPE_KIND_OF_GAPS, .what = TAPE_WHAT_GAP,
	    .stats = SHOWN | TAPE_STAT_MAX,
	    .unit_size = TAPE_DEFINITIONS_MS },
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_sglang = {
	.name = "sglang",
	.version = "0.5.23",
	.rules = {
		.tokens = "cg",
		.from = TAPE_FROM_START,
		.end = TAPE_END_EVENT,
		.window = TAPE_WINDOW_WHOLE,
		.zero_ttft = true,
		.no_comments = true,
		.no_malformed = true,
		.forgives = ",stream,unfinished,",
		.asked_output = true,
		.gaps = true,
	},
	.quantile = TAPE_QUANTILE_LINEAR,
	.counting = "counts the prompt by its tokenizer, without the template, "
		    "and does not ask for usage",
	.columns = {
		{ TAPE_STAT_MEAN, "Mean", false },
		{ TAPE_STAT_P50, "Median", false },
		{ TAPE_STAT_P90, "P90", false },
		{ TAPE_STAT_P95, "P95", true },
		{ TAPE_STAT_P99, "P99", false },
		{ TAPE_STAT_MAX, "Max", false },
		{ TAPE_STAT_SD, "std", true },
	},
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
