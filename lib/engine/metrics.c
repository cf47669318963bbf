/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/metrics.h"

#include "base/clock.h"

static double
number(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

#define FIELD(name, field)                                                     \
 static double name(const struct tape_result *r)                               \
 {                                                                             \
  return number(r->field);                                                     \
 }

FIELD(of_tth, tth_ns)
FIELD(of_ttfb, ttfb_ns)
FIELD(of_ttft, ttft_ns)
FIELD(of_ttst, ttst_ns)
FIELD(of_ttfo, ttfo_ns)
FIELD(of_latency, latency_ns)
FIELD(of_ttft_due, ttft_due_ns)
FIELD(of_latency_due, latency_due_ns)
FIELD(of_late, late_ns)
FIELD(of_server_queue, server.queue_ns)
FIELD(of_server_prefill, server.prefill_ns)
FIELD(of_server_ttft, server.ttft_ns)
FIELD(of_server_decode, server.decode_ns)
FIELD(of_server_total, server.total_ns)
FIELD(of_input, tokens.input)
FIELD(of_output, tokens.output)
FIELD(of_cached, tokens.cached)
FIELD(of_reasoning, tokens.reasoning)
FIELD(of_cache_write, tokens.cache_write)
FIELD(of_audio_input, tokens.audio_input)
FIELD(of_audio_output, tokens.audio_output)
FIELD(of_accepted, tokens.accepted)
FIELD(of_rejected, tokens.rejected)
FIELD(of_events, token_events)
FIELD(of_bytes, bytes)

/* NaN when either is unknown. */
static double
of_ttft_beyond(const struct tape_result *r)
{
	return number(r->ttft_ns) - number(r->server.ttft_ns);
}

static double
of_latency_beyond(const struct tape_result *r)
{
	return number(r->latency_ns) - number(r->server.total_ns);
}

static double
of_tpot(const struct tape_result *r)
{
	return r->tpot_ns;
}

/* All tokens in one read have no speed. */
static double
of_speed(const struct tape_result *r)
{
	if (!(r->tpot_ns > 0))
		return TAPE_ABSENT_F64;
	return (double)TAPE_NS_PER_S / r->tpot_ns;
}

static double
per_s(double sum, uint64_t n, const struct tape_metric_totals *t)
{
	if (n == 0 || !(t->window_s > 0))
		return TAPE_ABSENT_F64;
	return sum / t->window_s;
}

static double
over_requests(const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->ok;
	return per_s((double)t->ok, t->ok, t);
}

static double
over_output(const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->output_n;
	return per_s(t->output_tokens, t->output_n, t);
}

static double
over_input(const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->input_n;
	return per_s(t->input_tokens, t->input_n, t);
}

static double
over_total(const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->total_n;
	return per_s(t->total_tokens, t->total_n, t);
}

static double
over_good(const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->ok;
	return t->has_good ? per_s((double)t->good, t->ok, t) : TAPE_ABSENT_F64;
}

static double
share(uint64_t part, const struct tape_metric_totals *t, uint64_t *n)
{
	*n = t->ok + t->failed;
	return *n == 0 ? TAPE_ABSENT_F64 : (double)part / (double)*n;
}

static double
over_good_ratio(const struct tape_metric_totals *t, uint64_t *n)
{
	double v = share(t->good, t, n);

	return t->has_good ? v : TAPE_ABSENT_F64;
}

static double
over_failed_ratio(const struct tape_metric_totals *t, uint64_t *n)
{
	return share(t->failed, t, n);
}

#define ONE(name, display, unit, better, phase, of, formula)                   \
 {                                                                             \
  name, display, unit, better, phase, formula, TAPE_METRIC_REQUEST, false,     \
      false, of, NULL                                                          \
 }
#define ONE_OF_OUTPUT(name, display, unit, better, phase, of, formula)         \
 {                                                                             \
  name, display, unit, better, phase, formula, TAPE_METRIC_REQUEST, false,     \
      true, of, NULL                                                           \
 }
/* What only some servers say. */
#define SERVER(name, display, phase, of, formula)                              \
 {                                                                             \
  name, display, "ns", "lower", phase, formula, TAPE_METRIC_REQUEST, true,     \
      false, of, NULL                                                          \
 }
#define TOKENS(name, display, phase, of, formula)                              \
 {                                                                             \
  name, display, "tokens", "none", phase, formula, TAPE_METRIC_REQUEST, true,  \
      false, of, NULL                                                          \
 }
#define RUN(name, display, unit, better, from_output, over, formula)           \
 {                                                                             \
  name, display, unit, better, "all", formula, TAPE_METRIC_RUN, false,         \
      from_output, NULL, over                                                  \
 }

/* clang-format off */
const struct tape_metric tape_metric_table[TAPE_METRIC_COUNT] = {
	[TAPE_METRIC_TTFT] = ONE("ttft", "ttft", "ns", "lower", "prefill",
	    of_ttft, "first token event - t0"),
	[TAPE_METRIC_TTST] = ONE("ttst", "ttst", "ns", "lower", "prefill",
	    of_ttst, "second token event - t0"),
	[TAPE_METRIC_TTFO] = ONE("ttfo", "ttfo", "ns", "lower", "all",
	    of_ttfo, "first content event, after reasoning if any, - t0"),
	[TAPE_METRIC_TTH] = ONE("tth", "tth", "ns", "lower", "prefill", of_tth,
	    "head of the answer - t0"),
	[TAPE_METRIC_TTFB] = ONE("ttfb", "ttfb", "ns", "lower", "prefill",
	    of_ttfb, "only times kept: first read of the body - t0"),
	[TAPE_METRIC_LATENCY] = ONE("latency", "latency", "ns", "lower", "all",
	    of_latency, "last token event - t0; not streamed, or only times kept: end - t0"),
	[TAPE_METRIC_TPOT] = ONE_OF_OUTPUT("tpot", "tpot (itl)", "ns", "lower",
	    "decode", of_tpot,
	    "(last - first token event) / (output tokens - 1); several choices: "
	    "sum of gaps / (output tokens - choices)"),
	[TAPE_METRIC_GAP] = { "gap", "gap", "ns", "lower", "decode",
	    "between token events of one choice, pooled over the run",
	    TAPE_METRIC_POOLED, false, false, NULL, NULL },
	[TAPE_METRIC_TOKEN_GAP] = { "token_gap", "token gap", "ns", "lower",
	    "decode", "between arrivals of tokens / tokens that the count grew "
	    "by, a value a token, pooled", TAPE_METRIC_POOLED, true, false,
	    NULL, NULL },
	[TAPE_METRIC_TTFT_DUE] = ONE("ttft_due", "ttft due", "ns", "lower",
	    "prefill", of_ttft_due, "first token event - due_ns"),
	[TAPE_METRIC_LATENCY_DUE] = ONE("latency_due", "latency due", "ns",
	    "lower", "all", of_latency_due,
	    "last token event - due_ns; not streamed, or only times kept: "
	    "end - due_ns"),
	[TAPE_METRIC_LATE] = ONE("late", "late", "ns", "lower", "all",
	    of_late,
	    "start_ns - due_ns; held back by a cap: start_ns - could_ns"),
	[TAPE_METRIC_SERVER_QUEUE] = SERVER("server_queue", "srv queue",
	    "prefill", of_server_queue, "waiting, as the server says"),
	[TAPE_METRIC_SERVER_PREFILL] = SERVER("server_prefill", "srv prefill",
	    "prefill", of_server_prefill, "prompt, as the server says"),
	[TAPE_METRIC_SERVER_TTFT] = SERVER("server_ttft", "srv ttft",
	    "prefill", of_server_ttft,
	    "as the server says, else its queue + load + prefill"),
	[TAPE_METRIC_SERVER_DECODE] = SERVER("server_decode", "srv decode",
	    "decode", of_server_decode, "output, as the server says"),
	[TAPE_METRIC_SERVER_TOTAL] = SERVER("server_total", "srv total", "all",
	    of_server_total,
	    "as the server says, else server_ttft + server_decode"),
	[TAPE_METRIC_TTFT_BEYOND] = SERVER("ttft_beyond", "ttft-srv",
	    "prefill", of_ttft_beyond, "ttft - server_ttft"),
	[TAPE_METRIC_LATENCY_BEYOND] = SERVER("latency_beyond", "latency-srv",
	    "all", of_latency_beyond, "latency - server_total"),
	[TAPE_METRIC_INPUT_TOKENS] = ONE("input_tokens", "input", "tokens",
	    "none", "prefill", of_input, "prompt tokens in the server's usage"),
	[TAPE_METRIC_OUTPUT_TOKENS] = ONE_OF_OUTPUT("output_tokens", "output",
	    "tokens", "none", "decode", of_output,
	    "output tokens in the server's usage, else token events"),
	[TAPE_METRIC_CACHED_TOKENS] = ONE("cached_tokens", "cached", "tokens",
	    "none", "prefill", of_cached,
	    "prompt tokens from a cache in the server's usage"),
	[TAPE_METRIC_REASONING_TOKENS] = ONE("reasoning_tokens", "reasoning",
	    "tokens", "none", "decode", of_reasoning,
	    "reasoning tokens in the server's usage"),
	[TAPE_METRIC_CACHE_WRITE_TOKENS] = TOKENS("cache_write_tokens",
	    "cache write", "prefill", of_cache_write,
	    "prompt tokens written to a cache in the server's usage"),
	[TAPE_METRIC_AUDIO_INPUT_TOKENS] = TOKENS("audio_input_tokens",
	    "audio in", "prefill", of_audio_input,
	    "prompt tokens that are audio in the server's usage"),
	[TAPE_METRIC_AUDIO_OUTPUT_TOKENS] = TOKENS("audio_output_tokens",
	    "audio out", "decode", of_audio_output,
	    "output tokens that are audio in the server's usage"),
	[TAPE_METRIC_ACCEPTED_TOKENS] = TOKENS("accepted_tokens", "accepted",
	    "decode", of_accepted,
	    "tokens of a predicted output that were used, in the usage"),
	[TAPE_METRIC_REJECTED_TOKENS] = TOKENS("rejected_tokens", "rejected",
	    "decode", of_rejected,
	    "tokens of a predicted output that were not, in the usage"),
	[TAPE_METRIC_TOKEN_EVENTS] = ONE("token_events", "events", "count",
	    "none", "decode", of_events, "token events"),
	[TAPE_METRIC_BYTES] = ONE("bytes", "bytes", "bytes", "none", "all",
	    of_bytes, "bytes of the answer's body"),
	[TAPE_METRIC_TOKENS_PER_S_PER_USER] = ONE_OF_OUTPUT(
	    "tokens_per_s_per_user", "tok/s/user", "per_s", "higher", "decode",
	    of_speed, "1 / tpot"),
	[TAPE_METRIC_REQUESTS_PER_S] = RUN("requests_per_s", "requests/s",
	    "per_s", "higher", false, over_requests,
	    "successful requests / window"),
	[TAPE_METRIC_OUTPUT_TOKENS_PER_S] = RUN("output_tokens_per_s",
	    "output/s", "per_s", "higher", true, over_output,
	    "sum of output_tokens / window"),
	[TAPE_METRIC_INPUT_TOKENS_PER_S] = RUN("input_tokens_per_s",
	    "input/s", "per_s", "higher", false, over_input,
	    "sum of input_tokens / window"),
	[TAPE_METRIC_TOTAL_TOKENS_PER_S] = RUN("total_tokens_per_s",
	    "total/s", "per_s", "higher", true, over_total,
	    "sum of (input_tokens + output_tokens) / window"),
	[TAPE_METRIC_GOOD_REQUESTS_PER_S] = RUN("good_requests_per_s",
	    "good/s", "per_s", "higher", false, over_good,
	    "requests that meet --slo / window"),
	[TAPE_METRIC_GOOD_RATIO] = RUN("good_ratio", "good", "ratio", "higher",
	    false, over_good_ratio,
	    "requests that meet --slo / (successful + failed)"),
	[TAPE_METRIC_FAILED_RATIO] = RUN("failed_ratio", "failed", "ratio",
	    "lower", false, over_failed_ratio,
	    "failed / (successful + failed)"),
};
/* clang-format on */

bool
tape_metric_is_of_request(enum tape_metric_id id)
{
	return id == TAPE_METRIC_GAP ||
	       tape_metric_table[id].kind == TAPE_METRIC_REQUEST;
}

enum tape_metric_id
tape_metric_find(struct tape_str name)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (tape_str_is(name, tape_metric_table[i].name))
			return (enum tape_metric_id)i;
	return TAPE_METRIC_COUNT;
}
