/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GenAI-Perf on Perf Analyzer's export, OpenAI chat.  A response counts that has
 * content: reasoning and tool calls have none.  A request without one is in no
 * metric, but in the requests per second, as failed ones are.
 */
#include "engine/definitions_stat.h"

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
#define TIME(n, t, w, f)                                                       \
 {                                                                             \
  .name = n, .title = t " (ms)", .unit = "ms", .what = w, .stats = SHOWN,      \
  .unit_size = TAPE_DEFINITIONS_MS, .of = f                                    \
 }
#define PLAIN(n, t, u, w, f)                                                   \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .stats = SHOWN, .unit_size = 1, \
  .of = f                                                                      \
 }
#define RUN(n, t, u, w, f)                                                     \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .kind = TAPE_KIND_OF_RUN,       \
  .unit_size = 1, .over = f                                                    \
 }

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	TIME("time_to_first_token", "Time To First Token",
	    TAPE_WHAT_TTFT, tape_definitions_ttft),
	TIME("time_to_second_token", "Time To Second Token",
	    TAPE_WHAT_NONE, tape_definitions_second),
	TIME("request_latency", "Request Latency",
	    TAPE_WHAT_LATENCY, tape_definitions_latency),
	TIME("inter_token_latency", "Inter Token Latency",
	    TAPE_WHAT_TPOT, itl),
	PLAIN("output_token_throughput_per_user", "Output Token Thr. Per User (/s)",
	    "tokens/sec/user", TAPE_WHAT_NONE, per_user),
	PLAIN("output_sequence_length", "Output Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_OUTPUT, tape_definitions_output),
	PLAIN("input_sequence_length", "Input Sequence Length (tokens)",
	    "tokens", TAPE_WHAT_INPUT, tape_definitions_input),
	RUN("output_token_throughput", "Output Token Throughput (/s)",
	    "tokens/sec", TAPE_WHAT_OUTPUT_RATE, tape_definitions_output_per_s),
	RUN("request_throughput", "Request Throughput (/s)",
	    "requests/sec", TAPE_WHAT_REQUEST_RATE, all_per_s),
	RUN("request_count", "Request Count", "count",
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
