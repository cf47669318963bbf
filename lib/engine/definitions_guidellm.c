/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guidellm, successful requests.  t0 is the first write on the connection;
 * latency is to [DONE], the times per token to the last token event.  A metric
 * per token is weighted by the tokens that it is of, and one that a request
 * lacks is 0, but has no weight then.  Rates are distributions over time.
 */
#include "engine/definitions_rows.h"

static double
or_zero(double v)
{
	return isnan(v) ? 0 : v;
}

static double
latency(const struct tape_definitions_view *v)
{
	return or_zero(tape_definitions_latency(v));
}

static double
input(const struct tape_definitions_view *v)
{
	return or_zero(tape_definitions_input(v));
}

static double
output(const struct tape_definitions_view *v)
{
	return or_zero(tape_definitions_output(v));
}

static double
total(const struct tape_definitions_view *v)
{
	return input(v) + output(v);
}

static double
behind_first(const struct tape_definitions_view *v)
{
	return v->output > 1 ? (double)(v->output - 1) : 0;
}

/* The first token is one of those: from t0. */
static double
tpot(const struct tape_definitions_view *v)
{
	const int64_t last =
	    v->last_ns == TAPE_ABSENT_I64 ? v->end_ns : v->last_ns;

	return v->output > 0 ? (double)(last - v->start_ns) / (double)v->output
			     : 0;
}

static double
itl(const struct tape_definitions_view *v)
{
	if (v->output < 2 || v->first_ns == TAPE_ABSENT_I64)
		return 0;
	return (double)(v->last_ns - v->first_ns) / (double)(v->output - 1);
}

#define MEDIAN (TAPE_STAT_P50 | TAPE_STAT_P95)
#define TIME(n, t, w, f, weigh)                                                \
 {                                                                             \
  .name = n "_ms", .title = t " (ms)", .unit = "ms", .what = w,                \
  .stats = MEDIAN, .unit_size = TAPE_DEFINITIONS_MS, .of = f, .weight = weigh  \
 }
#define TOKENS(n, t, w, f)                                                     \
 {                                                                             \
  .name = n, .title = t, .unit = "tokens", .what = w, .stats = MEDIAN,         \
  .unit_size = 1, .of = f                                                      \
 }
#define RATE(n, t, u, w, p)                                                    \
 {                                                                             \
  .name = n, .title = t, .unit = u, .what = w, .kind = TAPE_KIND_OF_RATE,      \
  .stats = TAPE_STAT_P50 | TAPE_STAT_MEAN, .unit_size = 1, .points = p         \
 }

/* clang-format off */
static const struct tape_definitions_metric metrics[] = {
	{ .name = "request_latency", .title = "Request Latency (s)",
	    .unit = "s", .what = TAPE_WHAT_LATENCY, .stats = MEDIAN,
	    .unit_size = TAPE_DEFINITIONS_S, .of = latency },
	TIME("time_to_first_token", "TTFT", TAPE_WHAT_TTFT,
	    tape_definitions_ttft, NULL),
	TIME("time_to_first_output_token", "TTFOT", TAPE_WHAT_TTFO,
	    tape_definitions_ttfo, NULL),
	TIME("inter_token_latency", "ITL", TAPE_WHAT_TPOT, itl, behind_first),
	TIME("time_per_output_token", "TPOT", TAPE_WHAT_NONE, tpot, output),
	TOKENS("prompt_token_count", "Input Tokens", TAPE_WHAT_INPUT, input),
	TOKENS("output_token_count", "Output Tokens", TAPE_WHAT_OUTPUT, output),
	TOKENS("total_token_count", "Total Tokens", TAPE_WHAT_NONE, total),
	RATE("requests_per_second", "Requests (/s)", "/s",
	    TAPE_WHAT_REQUEST_RATE, TAPE_POINTS_END),
	RATE("request_concurrency", "Concurrency", "requests",
	    TAPE_WHAT_NONE, TAPE_POINTS_OPEN),
	RATE("prompt_tokens_per_second", "Input Tokens (/s)", "/s",
	    TAPE_WHAT_NONE, TAPE_POINTS_PROMPT),
	RATE("output_tokens_per_second", "Output Tokens (/s)", "/s",
	    TAPE_WHAT_OUTPUT_RATE, TAPE_POINTS_OUTPUT),
	RATE("tokens_per_second", "Total Tokens (/s)", "/s",
	    TAPE_WHAT_TOTAL_RATE, TAPE_POINTS_TOTAL),
	TAPE_PEER_RUN("request_totals.successful",
	    "Completed Requests", "requests",
	    TAPE_WHAT_REQUESTS, tape_definitions_ok),
	TAPE_PEER_RUN("request_totals.errored", "Errored Requests", "requests",
	    TAPE_WHAT_FAILED, tape_definitions_failed),
	TAPE_PEER_RUN("duration", "Duration (s)", "s",
	    TAPE_WHAT_DURATION, tape_definitions_duration),
};
/* clang-format on */

const struct tape_definitions_peer tape_definitions_guidellm = {
	.name = "guidellm",
	.version = "0.8.1",
	.rules = {
		.tokens = "cgt",
		.from = TAPE_FROM_CONN,
		.end = TAPE_END_MARK,
		.window = TAPE_WINDOW_WHOLE,
		.needs_token = true,
		.no_malformed = true,
		.forgives = ",unfinished,",
		.usage_input = true,
	},
	.quantile = TAPE_QUANTILE_STEP,
	.columns = {
		{ TAPE_STAT_MEAN, "Mean", false },
		{ TAPE_STAT_P50, "Mdn", false },
		{ TAPE_STAT_P95, "p95", false },
	},
	.metrics = metrics,
	.metric_n = sizeof(metrics) / sizeof(*metrics),
};
