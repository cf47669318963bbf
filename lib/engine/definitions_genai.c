/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GenAI-Perf on Perf Analyzer's export, OpenAI chat.  A response counts that has
 * content: reasoning and tool calls have none.  A request without one is in no
 * metric, but in the requests per second, as failed ones are.
 */
#include "engine/definitions_rows.h"

static double
itl(const struct tape_definitions_view *v)
{
	return v->events < 2 ? TAPE_ABSENT_F64 : rint(tape_definitions_tpot(v));
}

static double
per_user(const struct tape_definitions_view *v)
{
	const double value = itl(v);

	return value > 0 ? TAPE_DEFINITIONS_S / value : TAPE_ABSENT_F64;
}

static double
all_per_s(const struct tape_definitions_totals *t)
{
	return (double)(t->ok + t->failed) / t->duration_s;
}

#define SHOWN                                                                  \
 (TAPE_STAT_MEAN | TAPE_STAT_MIN | TAPE_STAT_MAX | TAPE_STAT_P99 |             \
     TAPE_STAT_P90 | TAPE_STAT_P75)

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TAPE_PEER_MS("time_to_first_token", "Time To First Token",
	    TAPE_WHAT_TTFT, SHOWN, tape_definitions_ttft),
	TAPE_PEER_MS("time_to_second_token", "Time To Second Token",
	    TAPE_WHAT_NONE, SHOWN, tape_definitions_second),
	TAPE_PEER_MS("request_latency", "Request Latency",
	    TAPE_WHAT_LATENCY, SHOWN, tape_definitions_latency),
	TAPE_PEER_MS("inter_token_latency", "Inter Token Latency",
	    TAPE_WHAT_TPOT, SHOWN, itl),
	TAPE_PEER_PLAIN("output_token_throughput_per_user",
	    "Output Token Thr. Per User (/s)",
	    "tokens/sec/user", TAPE_WHAT_NONE, SHOWN, per_user),
	TAPE_PEER_PLAIN("output_sequence_length",
	    "Output Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_OUTPUT, SHOWN, tape_definitions_output),
	TAPE_PEER_PLAIN("input_sequence_length",
	    "Input Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_INPUT, SHOWN, tape_definitions_input),
	TAPE_PEER_RUN("output_token_throughput", "Output Token Throughput (/s)",
	    "tokens/sec", TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	TAPE_PEER_RUN("request_throughput", "Request Throughput (/s)",
	    "requests/sec", TAPE_WHAT_REQUEST_RATE, all_per_s),
	TAPE_PEER_RUN("request_count", "Request Count", "count",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_genai = {
	.name = "genai-perf",
	.version = "0.0.16",
	.rules = {
		.tokens = "c",
		.from = TAPE_FROM_START,
		.end = TAPE_END_TOKEN,
		.window = TAPE_WINDOW_OK,
		.needs_token = true,
		.no_malformed = true,
		.forgives = ",unfinished,",
	},
	.quantile = TAPE_QUANTILE_LINEAR,
	.counting = "tokenizes output and prompt, without the template",
	.columns = {
		{ TAPE_STAT_MEAN, "avg", false },
		{ TAPE_STAT_MIN, "min", true },
		{ TAPE_STAT_MAX, "max", false },
		{ TAPE_STAT_P99, "p99", false },
		{ TAPE_STAT_P90, "p90", false },
		{ TAPE_STAT_P75, "p75", false },
	},
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
