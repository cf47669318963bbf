/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AIPerf.  A content response brings content, reasoning or a tool call; what is
 * not JSON is dropped, an error object is no content, and a stream that just
 * ends is complete (an event named error would fail it; none is told apart).
 * Failed requests are in no metric, nor in the duration; but what is divided by
 * time is so by that of the whole phase.
 */
#include "engine/definitions_rows.h"

static double
decode_duration(const struct tape_definitions_view *v)
{
	return v->streamed
		   ? tape_definitions_latency(v) - tape_definitions_ttft(v)
		   : TAPE_ABSENT_F64;
}

static double
per_user(const struct tape_definitions_view *v)
{
	const double itl = tape_definitions_tpot(v);

	return itl > 0 ? TAPE_DEFINITIONS_S / itl : TAPE_ABSENT_F64;
}

static double
whole_per_user(const struct tape_definitions_view *v)
{
	const double latency = tape_definitions_latency(v);

	return latency > 0
		   ? tape_definitions_output(v) / (latency / TAPE_DEFINITIONS_S)
		   : TAPE_ABSENT_F64;
}

static double
prefill_per_user(const struct tape_definitions_view *v)
{
	const double ttft = tape_definitions_ttft(v);

	return ttft > 0
		   ? tape_definitions_input(v) / (ttft / TAPE_DEFINITIONS_S)
		   : TAPE_ABSENT_F64;
}

static double
output_per_s(const struct tape_definitions_totals *t)
{
	return t->output / t->whole_s;
}

static double
total_per_s(const struct tape_definitions_totals *t)
{
	return (t->input + t->output) / t->whole_s;
}

static double
requests_per_s(const struct tape_definitions_totals *t)
{
	return (double)t->ok / t->whole_s;
}

static double
error_rate(const struct tape_definitions_totals *t)
{
	return 100 * (double)t->failed / (double)(t->ok + t->failed);
}

#define SHOWN                                                                  \
 (TAPE_STAT_MEAN | TAPE_STAT_MIN | TAPE_STAT_MAX | TAPE_STAT_P99 |             \
     TAPE_STAT_P90 | TAPE_STAT_P50 | TAPE_STAT_SD)

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TAPE_PEER_MS("time_to_first_token", "Time to First Token",
	    TAPE_WHAT_TTFT, SHOWN, tape_definitions_ttft),
	TAPE_PEER_MS("time_to_second_token", "Time to Second Token",
	    TAPE_WHAT_NONE, SHOWN, tape_definitions_second),
	TAPE_PEER_MS("time_to_first_output_token", "Time to First Output Token",
	    TAPE_WHAT_TTFO, SHOWN, tape_definitions_ttfo),
	TAPE_PEER_MS("request_latency", "Request Latency",
	    TAPE_WHAT_LATENCY, SHOWN, tape_definitions_latency),
	TAPE_PEER_MS("decode_duration", "Decode Duration",
	    TAPE_WHAT_NONE, SHOWN, decode_duration),
	TAPE_PEER_MS("inter_token_latency", "Inter Token Latency",
	    TAPE_WHAT_TPOT, SHOWN, tape_definitions_tpot),
	{ .name = "inter_chunk_latency", .title = "Inter Chunk Latency (ms)",
	    .unit = "ms", .kind = TAPE_KIND_OF_GAPS, .what = TAPE_WHAT_GAP,
	    .stats = SHOWN, .unit_size = TAPE_DEFINITIONS_MS },
	TAPE_PEER_PLAIN("output_token_throughput_per_user",
	    "Output Token Thr. Per User (/s)",
	    "tokens/sec/user", TAPE_WHAT_NONE, SHOWN, per_user),
	TAPE_PEER_PLAIN("e2e_output_token_throughput",
	    "E2E Output Token Thr. (/s)",
	    "tokens/sec/user", TAPE_WHAT_NONE, SHOWN, whole_per_user),
	TAPE_PEER_PLAIN("prefill_throughput_per_user",
	    "Prefill Thr. Per User (/s)",
	    "tokens/sec/user", TAPE_WHAT_NONE, SHOWN, prefill_per_user),
	TAPE_PEER_PLAIN("output_sequence_length",
	    "Output Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_OUTPUT, SHOWN, tape_definitions_output),
	TAPE_PEER_PLAIN("input_sequence_length",
	    "Input Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_INPUT, SHOWN, tape_definitions_input),
	TAPE_PEER_RUN("output_token_throughput", "Output Token Throughput (/s)",
	    "tokens/sec", TAPE_WHAT_OUTPUT_RATE, output_per_s),
	TAPE_PEER_RUN("total_token_throughput", "Total Token Throughput (/s)",
	    "tokens/sec", TAPE_WHAT_TOTAL_RATE, total_per_s),
	TAPE_PEER_RUN("request_throughput", "Request Throughput (/s)",
	    "requests/sec", TAPE_WHAT_REQUEST_RATE, requests_per_s),
	TAPE_PEER_RUN("request_count", "Request Count", "requests",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	TAPE_PEER_RUN("error_request_count", "Error Request Count", "requests",
	    TAPE_WHAT_FAILED, tape_definitions_failed),
	TAPE_PEER_RUN("request_error_rate", "Request Error Rate (%)", "%",
	    TAPE_WHAT_NONE, error_rate),
	TAPE_PEER_RUN("total_osl", "Total Output Seq. Len. (tokens)", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_outputs),
	TAPE_PEER_RUN("total_isl", "Total Input Seq. Length (tokens)", "tokens",
	    TAPE_WHAT_NONE, tape_definitions_inputs),
	TAPE_PEER_RUN("benchmark_duration", "Benchmark Duration (sec)", "sec",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_aiperf = {
	.name = "aiperf",
	.version = "0.13.0",
	.rules = {
		.tokens = "cgt",
		.from = TAPE_FROM_START,
		.end = TAPE_END_TOKEN,
		.window = TAPE_WINDOW_OK,
		.needs_token = true,
		.forgives = ",stream,unfinished,malformed,",
		.gaps = true,
	},
	.quantile = TAPE_QUANTILE_LINEAR,
	.counting = "tokenizes output and prompt, without the template, unless "
		    "told to take the server's counts",
	.columns = {
		{ TAPE_STAT_MEAN, "avg", false },
		{ TAPE_STAT_MIN, "min", true },
		{ TAPE_STAT_MAX, "max", false },
		{ TAPE_STAT_P99, "p99", false },
		{ TAPE_STAT_P90, "p90", false },
		{ TAPE_STAT_P50, "p50", false },
		{ TAPE_STAT_SD, "std", true },
	},
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
