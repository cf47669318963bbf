/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/metrics.h"

#include "engine/metrics_impl.h"

/* Of each request. */
#define ONE(n, d, u, b, p, f, s, text)                                         \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = p, .source = s,    \
  .formula = text, .kind = TAPE_METRIC_REQUEST, .of = tape_metric_of_##f       \
 }
#define ONE_OF_OUTPUT(n, d, u, b, p, f, s, text)                               \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = p, .source = s,    \
  .formula = text, .kind = TAPE_METRIC_REQUEST, .of = tape_metric_of_##f,      \
  .from_output = true                                                          \
 }
/* Beyond the basic ones, and only where there is a value. */
#define EXTRA(n, d, u, b, p, f, s, text)                                       \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = p, .source = s,    \
  .formula = text, .kind = TAPE_METRIC_REQUEST, .of = tape_metric_of_##f,      \
  .rare = true, .extra = true                                                  \
 }
#define EXTRA_OF_OUTPUT(n, d, u, b, p, f, s, text)                             \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = p, .source = s,    \
  .formula = text, .kind = TAPE_METRIC_REQUEST, .of = tape_metric_of_##f,      \
  .rare = true, .extra = true, .from_output = true                             \
 }
/* A phase of the exchange. */
#define HTTP(n, d, p, f, text)                                                 \
 EXTRA("http_" n, "http " d, "ns", "lower", p, http_##f, "exchange", text)
/* What only some servers say. */
#define SERVER(n, d, p, f, s, text)                                            \
 {                                                                             \
  .name = n, .display = d, .unit = "ns", .better = "lower", .phase = p,        \
  .source = s, .formula = text, .kind = TAPE_METRIC_REQUEST,                   \
  .of = tape_metric_of_##f, .rare = true                                       \
 }
#define TOKENS(n, d, p, f, text)                                               \
 {                                                                             \
  .name = n, .display = d, .unit = "tokens", .better = "none", .phase = p,     \
  .source = "usage", .formula = text, .kind = TAPE_METRIC_REQUEST,             \
  .of = tape_metric_of_##f, .rare = true                                       \
 }
#define POOLED(n, d, output, s, text)                                          \
 {                                                                             \
  .name = n, .display = d, .unit = "ns", .better = "lower", .phase = "decode", \
  .source = s, .formula = text, .kind = TAPE_METRIC_POOLED, .rare = output     \
 }
/* What was in flight, moment by moment. */
#define CURVE(n, d, u, b, p, output, s, text)                                  \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = p, .source = s,    \
  .formula = text, .kind = TAPE_METRIC_CURVE, .rare = true, .extra = true,     \
  .from_output = output                                                        \
 }
#define RUN(n, d, u, b, output, f, s, text)                                    \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = "all",             \
  .source = s, .formula = text, .kind = TAPE_METRIC_RUN,                       \
  .over = tape_metric_over_##f, .from_output = output                          \
 }
#define RUN_RARE(n, d, u, b, output, f, s, text)                               \
 {                                                                             \
  .name = n, .display = d, .unit = u, .better = b, .phase = "all",             \
  .source = s, .formula = text, .kind = TAPE_METRIC_RUN,                       \
  .over = tape_metric_over_##f, .from_output = output, .rare = true            \
 }

/* clang-format off */
const struct tape_metric tape_metric_table[TAPE_METRIC_COUNT] = {
	[TAPE_METRIC_TTFT] = ONE("ttft", "ttft", "ns", "lower", "prefill",
	    ttft, "events", "first token event - t0"),
	[TAPE_METRIC_TTST] = ONE("ttst", "ttst", "ns", "lower", "prefill",
	    ttst, "events", "second token event - t0"),
	[TAPE_METRIC_TTFO] = ONE("ttfo", "ttfo", "ns", "lower", "all",
	    ttfo, "events",
	    "first content event, after reasoning if any, - t0"),
	[TAPE_METRIC_TTH] = ONE("tth", "tth", "ns", "lower", "prefill", tth,
	    "exchange", "head of the answer - t0"),
	[TAPE_METRIC_TTFB] = ONE("ttfb", "ttfb", "ns", "lower", "prefill",
	    ttfb, "reads", "only times kept: first read of the body - t0"),
	[TAPE_METRIC_LATENCY] = ONE("latency", "latency", "ns", "lower", "all",
	    latency, "events, else exchange",
	    "last token event - t0; not streamed, or only times kept: end - t0"),
	[TAPE_METRIC_TPOT] = ONE_OF_OUTPUT("tpot", "tpot (itl)", "ns", "lower",
	    "decode", tpot, "events and usage",
	    "(last - first token event) / (output tokens - 1); several choices: "
	    "sum of gaps / (output tokens - choices)"),
	[TAPE_METRIC_DECODE_DURATION] = EXTRA("decode_duration", "decode",
	    "ns", "lower", "decode", decode_duration, "events",
	    "last - first token event"),
	[TAPE_METRIC_GAP] = POOLED("gap", "gap", false, "events",
	    "between token events of one choice, pooled over the run"),
	[TAPE_METRIC_TOKEN_GAP] = POOLED("token_gap", "token gap", true,
	    "counts in events", "between arrivals of tokens / tokens that the "
	    "count grew by, a value a token, pooled"),
	[TAPE_METRIC_GAP_MEAN] = EXTRA("gap_mean", "gap mean", "ns", "lower",
	    "decode", gap_mean, "events", "mean of the request's gaps"),
	[TAPE_METRIC_GAP_P99] = EXTRA("gap_p99", "gap p99", "ns", "lower",
	    "decode", gap_p99, "events",
	    "99th percentile of the request's gaps, of 100 or more"),
	[TAPE_METRIC_GAP_MAX] = EXTRA("gap_max", "gap max", "ns", "lower",
	    "decode", gap_max, "events", "largest of the request's gaps"),
	[TAPE_METRIC_STALLS] = EXTRA("stalls", "stalls", "count", "lower",
	    "decode", stalls, "events",
	    "gaps above --stall-ratio x the median of the request's gaps"),
	[TAPE_METRIC_STALL_TIME] = EXTRA("stall_time", "stall time", "ns",
	    "lower", "decode", stall_time, "events",
	    "sum of the gaps that are stalls"),
	[TAPE_METRIC_FLUIDITY] = EXTRA("fluidity", "fluidity", "ratio",
	    "higher", "all", fluidity, "events and --slo",
	    "1 - deadlines missed / deadlines, of ttft and then of each gap"),
	[TAPE_METRIC_FLUID_TOKENS_PER_S] = EXTRA("fluid_tokens_per_s",
	    "fluid tok/s", "per_s", "higher", "decode", fluid_speed,
	    "events and --slo",
	    "1 / the least bound of gaps of which 10 % at most are missed"),
	[TAPE_METRIC_TTFT_DUE] = ONE("ttft_due", "ttft due", "ns", "lower",
	    "prefill", ttft_due, "events and plan",
	    "first token event - due_ns"),
	[TAPE_METRIC_LATENCY_DUE] = ONE("latency_due", "latency due", "ns",
	    "lower", "all", latency_due, "events, else exchange, and plan",
	    "last token event - due_ns; not streamed, or only times kept: "
	    "end - due_ns"),
	[TAPE_METRIC_LATE] = ONE("late", "late", "ns", "lower", "all",
	    late, "exchange and plan",
	    "start_ns - due_ns; held back by a cap: start_ns - could_ns"),
	[TAPE_METRIC_LAG_MEAN] = EXTRA("lag_mean", "lag mean", "ns", "lower",
	    "all", lag_mean, "events",
	    "mean of the user's - the kernel's times of token events"),
	[TAPE_METRIC_LAG_MAX] = EXTRA("lag_max", "lag max", "ns", "lower",
	    "all", lag_max, "events", "largest of these"),
	[TAPE_METRIC_HTTP_BLOCKED] = HTTP("blocked", "blocked", "prefill",
	    blocked, "connection ready - start - dns - connect - tls"),
	[TAPE_METRIC_HTTP_DNS] = HTTP("dns", "dns", "prefill", dns,
	    "looking up the name; new connections only"),
	[TAPE_METRIC_HTTP_CONNECT] = HTTP("connect", "connect", "prefill",
	    connect, "connecting, without TLS; new connections only"),
	[TAPE_METRIC_HTTP_TLS] = HTTP("tls", "tls", "prefill", tls,
	    "TLS handshake; new connections only"),
	[TAPE_METRIC_HTTP_SENDING] = HTTP("sending", "sending", "prefill",
	    sending, "last byte of the request - connection ready"),
	[TAPE_METRIC_HTTP_WAITING] = HTTP("waiting", "waiting", "prefill",
	    waiting, "head of the answer - last byte of the request"),
	[TAPE_METRIC_HTTP_RECEIVING] = HTTP("receiving", "receive", "all",
	    receiving, "end of the exchange - head of the answer"),
	[TAPE_METRIC_HTTP_TOTAL] = HTTP("total", "total", "all", total,
	    "end - start of the exchange"),
	[TAPE_METRIC_HTTP_SETUP] = HTTP("setup", "setup", "prefill", setup,
	    "connection ready - start of the exchange"),
	[TAPE_METRIC_HTTP_DURATION] = HTTP("duration", "used", "all",
	    duration, "end of the exchange - connection ready"),
	[TAPE_METRIC_SERVER_QUEUE] = SERVER("server_queue", "srv queue",
	    "prefill", server_queue, "server", "waiting, as the server says"),
	[TAPE_METRIC_SERVER_PREFILL] = SERVER("server_prefill", "srv prefill",
	    "prefill", server_prefill, "server", "prompt, as the server says"),
	[TAPE_METRIC_SERVER_TTFT] = SERVER("server_ttft", "srv ttft",
	    "prefill", server_ttft, "server",
	    "as the server says, else its queue + load + prefill"),
	[TAPE_METRIC_SERVER_DECODE] = SERVER("server_decode", "srv decode",
	    "decode", server_decode, "server", "output, as the server says"),
	[TAPE_METRIC_SERVER_TOTAL] = SERVER("server_total", "srv total", "all",
	    server_total, "server",
	    "as the server says, else server_ttft + server_decode"),
	[TAPE_METRIC_TTFT_BEYOND] = SERVER("ttft_beyond", "ttft-srv",
	    "prefill", ttft_beyond, "events and server", "ttft - server_ttft"),
	[TAPE_METRIC_LATENCY_BEYOND] = SERVER("latency_beyond", "latency-srv",
	    "all", latency_beyond, "events, else exchange, and server",
	    "latency - server_total"),
	[TAPE_METRIC_INPUT_TOKENS] = ONE("input_tokens", "input", "tokens",
	    "none", "prefill", input, "usage",
	    "prompt tokens in the server's usage"),
	[TAPE_METRIC_OUTPUT_TOKENS] = ONE_OF_OUTPUT("output_tokens", "output",
	    "tokens", "none", "decode", output, "usage, else token events",
	    "output tokens in the server's usage, else token events"),
	[TAPE_METRIC_CACHED_TOKENS] = ONE("cached_tokens", "cached", "tokens",
	    "none", "prefill", cached, "usage",
	    "prompt tokens from a cache in the server's usage"),
	[TAPE_METRIC_REASONING_TOKENS] = ONE("reasoning_tokens", "reasoning",
	    "tokens", "none", "decode", reasoning, "usage",
	    "reasoning tokens in the server's usage"),
	[TAPE_METRIC_ANSWER_TOKENS] = TOKENS("answer_tokens", "answer",
	    "decode", answer, "output_tokens - reasoning_tokens"),
	[TAPE_METRIC_CACHE_WRITE_TOKENS] = TOKENS("cache_write_tokens",
	    "cache write", "prefill", cache_write,
	    "prompt tokens written to a cache in the server's usage"),
	[TAPE_METRIC_AUDIO_INPUT_TOKENS] = TOKENS("audio_input_tokens",
	    "audio in", "prefill", audio_input,
	    "prompt tokens that are audio in the server's usage"),
	[TAPE_METRIC_AUDIO_OUTPUT_TOKENS] = TOKENS("audio_output_tokens",
	    "audio out", "decode", audio_output,
	    "output tokens that are audio in the server's usage"),
	[TAPE_METRIC_ACCEPTED_TOKENS] = TOKENS("accepted_tokens", "accepted",
	    "decode", accepted,
	    "tokens of a predicted output, or drafted, that were used, as the "
	    "server says"),
	[TAPE_METRIC_REJECTED_TOKENS] = TOKENS("rejected_tokens", "rejected",
	    "decode", rejected,
	    "tokens of a predicted output, or drafted, that were not, as the "
	    "server says"),
	[TAPE_METRIC_ACCEPTED_RATIO] = EXTRA("accepted_ratio", "accept part",
	    "ratio", "higher", "decode", accepted_ratio, "usage",
	    "accepted_tokens / (accepted_tokens + rejected_tokens)"),
	[TAPE_METRIC_AUDIO_DURATION] = EXTRA("audio_duration", "audio",
	    "ns", "none", "prefill", audio_duration, "usage",
	    "sound in the prompt, as the server says"),
	[TAPE_METRIC_AUDIO_SPEED] = EXTRA("audio_speed_ratio", "audio speed",
	    "ratio", "higher", "all", audio_speed,
	    "usage and events, else exchange", "audio_duration / latency"),
	[TAPE_METRIC_INPUT_DIFF] = EXTRA("input_diff_ratio", "input diff",
	    "ratio", "none", "prefill", input_diff, "usage and trace",
	    "(input_tokens - tokens of the trace) / tokens of the trace"),
	[TAPE_METRIC_OUTPUT_DIFF] = EXTRA_OF_OUTPUT("output_diff_ratio",
	    "output diff", "ratio", "none", "decode", output_diff,
	    "usage, else token events, and trace",
	    "(output_tokens - asked for) / asked for"),
	[TAPE_METRIC_CACHED_RATIO] = EXTRA("cached_ratio", "cached part",
	    "ratio", "none", "prefill", cached_ratio, "usage",
	    "cached_tokens / input_tokens"),
	[TAPE_METRIC_REASONING_RATIO] = EXTRA("reasoning_ratio",
	    "thinking", "ratio", "none", "decode", reasoning_ratio, "usage",
	    "reasoning_tokens / output_tokens"),
	[TAPE_METRIC_TOKEN_EVENTS] = ONE("token_events", "events", "count",
	    "none", "decode", token_events, "events", "token events"),
	[TAPE_METRIC_TOKENS_PER_EVENT] = EXTRA("tokens_per_event",
	    "tok/event", "ratio", "none", "decode", tokens_per_event,
	    "usage and events", "output_tokens / token_events"),
	[TAPE_METRIC_BYTES] = ONE("bytes", "bytes", "bytes", "none", "all",
	    bytes, "exchange", "bytes of the answer's body"),
	[TAPE_METRIC_REQUEST_BYTES] = EXTRA("request_bytes", "req bytes",
	    "bytes", "none", "all", request_bytes, "exchange",
	    "bytes of the request's body"),
	[TAPE_METRIC_READS] = EXTRA("reads", "reads", "count", "none", "all",
	    reads, "reads", "reads that brought the answer's body"),
	[TAPE_METRIC_TOKENS_PER_S_PER_USER] = ONE_OF_OUTPUT(
	    "tokens_per_s_per_user", "tok/s/user", "per_s", "higher", "decode",
	    speed, "events and usage", "1 / tpot"),
	[TAPE_METRIC_PREFILL_SPEED] = EXTRA("prefill_tokens_per_s_per_user",
	    "prefill/s", "per_s", "higher", "prefill", prefill_speed,
	    "usage and events", "input_tokens / ttft"),
	[TAPE_METRIC_E2E_SPEED] = EXTRA_OF_OUTPUT("e2e_tokens_per_s",
	    "e2e tok/s", "per_s", "higher", "all", e2e_speed,
	    "usage and events, else exchange", "output_tokens / latency"),
	[TAPE_METRIC_CONCURRENCY] = CURVE("concurrency", "concurrency",
	    "count", "none", "all", false, "exchange and events",
	    "requests between their start and last token event"),
	[TAPE_METRIC_PREFILL_CONCURRENCY] = CURVE("prefill_concurrency",
	    "prefill conc", "count", "none", "prefill", false,
	    "exchange and events",
	    "requests between their start and first token event"),
	[TAPE_METRIC_DECODE_CONCURRENCY] = CURVE("decode_concurrency",
	    "decode conc", "count", "none", "decode", false, "events",
	    "requests between their first and last token event"),
	[TAPE_METRIC_TOKENS_IN_FLIGHT] = CURVE("tokens_in_flight",
	    "tok inflight", "tokens", "none", "all", true,
	    "usage, exchange and events",
	    "input_tokens of these, and of those in decode output_tokens"),
	[TAPE_METRIC_EFFECTIVE_PREFILL] = CURVE(
	    "effective_prefill_tokens_per_s", "eff prefill", "per_s", "higher",
	    "prefill", false, "usage, exchange and events",
	    "sum of input_tokens / prefill of the requests in prefill"),
	[TAPE_METRIC_EFFECTIVE_DECODE] = CURVE(
	    "effective_decode_tokens_per_s", "eff decode", "per_s", "higher",
	    "decode", true, "usage and events",
	    "sum of (output_tokens - 1) / decode of the requests in decode"),
	[TAPE_METRIC_EFFECTIVE_TOTAL] = CURVE("effective_total_tokens_per_s",
	    "eff total", "per_s", "higher", "all", true,
	    "usage, exchange and events", "the sum of both"),
	[TAPE_METRIC_EFFECTIVE_PREFILL_EACH] = CURVE(
	    "effective_prefill_tokens_per_s_per_user", "eff pre/user",
	    "per_s", "higher", "prefill", false, "usage, exchange and events",
	    "effective_prefill_tokens_per_s / prefill_concurrency"),
	[TAPE_METRIC_EFFECTIVE_DECODE_EACH] = CURVE(
	    "effective_decode_tokens_per_s_per_user", "eff dec/user",
	    "per_s", "higher", "decode", true, "usage and events",
	    "effective_decode_tokens_per_s / decode_concurrency"),
	[TAPE_METRIC_ACTIVE_PREFILL] = CURVE("active_prefill_tokens_per_s",
	    "act prefill", "per_s", "higher", "prefill", false,
	    "usage, exchange and events",
	    "effective, while prefill_concurrency is above 0"),
	[TAPE_METRIC_ACTIVE_DECODE] = CURVE("active_decode_tokens_per_s",
	    "act decode", "per_s", "higher", "decode", true,
	    "usage and events",
	    "effective, while decode_concurrency is above 0"),
	[TAPE_METRIC_ACTIVE_TOTAL] = CURVE("active_total_tokens_per_s",
	    "act total", "per_s", "higher", "all", true,
	    "usage, exchange and events",
	    "effective, while concurrency is above 0"),
	[TAPE_METRIC_ACTIVE_PREFILL_EACH] = CURVE(
	    "active_prefill_tokens_per_s_per_user", "act pre/user", "per_s",
	    "higher", "prefill", false, "usage, exchange and events",
	    "effective, while prefill_concurrency is above 0"),
	[TAPE_METRIC_ACTIVE_DECODE_EACH] = CURVE(
	    "active_decode_tokens_per_s_per_user", "act dec/user", "per_s",
	    "higher", "decode", true, "usage and events",
	    "effective, while decode_concurrency is above 0"),
	[TAPE_METRIC_REQUESTS_PER_S] = RUN("requests_per_s", "requests/s",
	    "per_s", "higher", false, requests_per_s, "exchange and events",
	    "successful requests / window"),
	[TAPE_METRIC_OUTPUT_TOKENS_PER_S] = RUN("output_tokens_per_s",
	    "output/s", "per_s", "higher", true, output_per_s,
	    "usage, else token events", "sum of output_tokens / window"),
	[TAPE_METRIC_INPUT_TOKENS_PER_S] = RUN("input_tokens_per_s",
	    "input/s", "per_s", "higher", false, input_per_s, "usage",
	    "sum of input_tokens / window"),
	[TAPE_METRIC_TOTAL_TOKENS_PER_S] = RUN("total_tokens_per_s",
	    "total/s", "per_s", "higher", true, total_per_s,
	    "usage, else token events",
	    "sum of (input_tokens + output_tokens) / window"),
	[TAPE_METRIC_GOOD_REQUESTS_PER_S] = RUN("good_requests_per_s",
	    "good/s", "per_s", "higher", false, good_per_s, "metrics and --slo",
	    "requests that meet --slo / window"),
	[TAPE_METRIC_GOOD_RATIO] = RUN("good_ratio", "good", "ratio", "higher",
	    false, good_ratio, "metrics and --slo",
	    "requests that meet --slo / (successful + failed)"),
	[TAPE_METRIC_GOOD_OUTPUT_TOKENS_PER_S] = RUN_RARE(
	    "good_output_tokens_per_s", "good out/s", "per_s", "higher", true,
	    good_output_per_s, "metrics and --slo",
	    "sum of output_tokens of requests that meet --slo / window"),
	[TAPE_METRIC_FAILED_RATIO] = RUN("failed_ratio", "failed", "ratio",
	    "lower", false, failed_ratio, "exchange and events",
	    "failed / (successful + failed)"),
	[TAPE_METRIC_CONNECT_FAILED_RATIO] = RUN_RARE("connect_failed_ratio",
	    "unconnected", "ratio", "lower", false, connect_failed,
	    "exchange and events",
	    "dns, connect, tls, send, reset / (successful + failed)"),
	[TAPE_METRIC_TIMEOUT_RATIO] = RUN_RARE("timeout_ratio", "timeout",
	    "ratio", "lower", false, timeout, "exchange and events",
	    "timeout / (successful + failed)"),
	[TAPE_METRIC_HTTP_FAILED_RATIO] = RUN_RARE("http_failed_ratio",
	    "http failed", "ratio", "lower", false, http_failed,
	    "exchange and events", "http / (successful + failed)"),
	[TAPE_METRIC_STREAM_FAILED_RATIO] = RUN_RARE("stream_failed_ratio",
	    "stream fail", "ratio", "lower", false, stream_failed,
	    "exchange and events", "stream, truncated, unfinished, malformed, "
	    "content-type / (successful + failed)"),
	[TAPE_METRIC_OTHER_FAILED_RATIO] = RUN_RARE("other_failed_ratio",
	    "other fail", "ratio", "lower", false, other_failed,
	    "exchange and events",
	    "of any other class / (successful + failed)"),
	[TAPE_METRIC_CANCELLED_RATIO] = RUN_RARE("cancelled_ratio",
	    "cancelled", "ratio", "none", false, cancelled, "exchange",
	    "cancelled on purpose / (successful + failed + cancelled)"),
	[TAPE_METRIC_RETRIED_RATIO] = RUN_RARE("retried_ratio", "retried",
	    "ratio", "lower", false, retried, "exchange",
	    "sent more than once / (successful + failed + cancelled)"),
	[TAPE_METRIC_STALLED_RATIO] = RUN_RARE("stalled_ratio", "stalled",
	    "ratio", "lower", false, stalled, "events",
	    "requests with a stall / those with a median gap above 0"),
	[TAPE_METRIC_REUSED_RATIO] = RUN_RARE("reused_ratio", "reused",
	    "ratio", "none", false, reused, "exchange",
	    "successful requests on a kept connection / those on any"),
	[TAPE_METRIC_RUN_CACHED_RATIO] = RUN_RARE("run_cached_ratio",
	    "cached", "ratio", "none", false, cached_ratio, "usage",
	    "sum of cached_tokens / sum of input_tokens"),
	[TAPE_METRIC_RUN_REASONING_RATIO] = RUN_RARE("run_reasoning_ratio",
	    "thinking", "ratio", "none", false, reasoning_ratio, "usage",
	    "sum of reasoning_tokens / sum of output_tokens"),
	[TAPE_METRIC_OUTPUT_MISMATCHES] = RUN_RARE("output_mismatches",
	    "mismatched", "count", "lower", true, mismatches,
	    "usage, else token events, and trace", "requests whose output is "
	    "off what was asked for by more than 5 % or 50 tokens"),
	[TAPE_METRIC_REQUESTS] = RUN_RARE("requests", "requests", "count",
	    "none", false, requests, "exchange and events",
	    "successful requests"),
	[TAPE_METRIC_GOOD_REQUESTS] = RUN_RARE("good_requests", "good",
	    "count", "higher", false, good_requests, "metrics and --slo",
	    "requests that meet --slo"),
	[TAPE_METRIC_FAILED_REQUESTS] = RUN_RARE("failed_requests", "failed",
	    "count", "lower", false, failed_requests, "exchange and events",
	    "failed requests"),
	[TAPE_METRIC_SUM_INPUT] = RUN_RARE("sum_input_tokens", "sum input",
	    "tokens", "none", false, sum_input, "usage",
	    "sum of input_tokens"),
	[TAPE_METRIC_SUM_OUTPUT] = RUN_RARE("sum_output_tokens", "sum output",
	    "tokens", "none", true, sum_output, "usage, else token events",
	    "sum of output_tokens"),
	[TAPE_METRIC_SUM_TOTAL] = RUN_RARE("sum_total_tokens", "sum total",
	    "tokens", "none", true, sum_total, "usage, else token events",
	    "sum of (input_tokens + output_tokens)"),
	[TAPE_METRIC_SUM_CACHED] = RUN_RARE("sum_cached_tokens", "sum cached",
	    "tokens", "none", false, sum_cached, "usage",
	    "sum of cached_tokens"),
	[TAPE_METRIC_SUM_REASONING] = RUN_RARE("sum_reasoning_tokens",
	    "sum thinking", "tokens", "none", false, sum_reasoning, "usage",
	    "sum of reasoning_tokens"),
	[TAPE_METRIC_SUM_FAILED_INPUT] = RUN_RARE("sum_failed_input_tokens",
	    "sum failed", "tokens", "none", false, sum_failed_input,
	    "trace", "sum of the trace's input tokens of failed requests"),
	[TAPE_METRIC_WINDOW] = RUN_RARE("window", "window", "ns", "none",
	    false, window, "exchange and events",
	    "last token event of a successful request - first send"),
};
/* clang-format on */

bool
tape_metric_is_of_request(enum tape_metric_id id)
{
	return id == TAPE_METRIC_GAP ||
	       tape_metric_table[id].kind == TAPE_METRIC_REQUEST;
}

/* AIPerf's rule, with its numbers. */
bool
tape_metric_is_mismatch(int64_t output, int64_t asked)
{
	const double off = fabs((double)output - (double)asked);

	return off > fmin(0.05 * (double)asked, 50);
}

enum tape_metric_sum tape_metric_failed_sum(struct tape_str class)
{
	static const struct {
		const char *class;
		enum tape_metric_sum sum;
	} classes[] = {
		{ "dns", TAPE_SUM_FAILED_CONNECT },
		{ "connect", TAPE_SUM_FAILED_CONNECT },
		{ "tls", TAPE_SUM_FAILED_CONNECT },
		{ "send", TAPE_SUM_FAILED_CONNECT },
		{ "reset", TAPE_SUM_FAILED_CONNECT },
		{ "timeout", TAPE_SUM_FAILED_TIMEOUT },
		{ "http", TAPE_SUM_FAILED_HTTP },
		{ "stream", TAPE_SUM_FAILED_STREAM },
		{ "truncated", TAPE_SUM_FAILED_STREAM },
		{ "unfinished", TAPE_SUM_FAILED_STREAM },
		{ "malformed", TAPE_SUM_FAILED_STREAM },
		{ "content-type", TAPE_SUM_FAILED_STREAM },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (tape_str_is(class, classes[i].class))
			return classes[i].sum;
	return TAPE_SUM_FAILED_OTHER;
}

enum tape_metric_id
tape_metric_find(struct tape_str name)
{
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (tape_str_is(name, tape_metric_table[i].name))
			return (enum tape_metric_id)i;
	return TAPE_METRIC_COUNT;
}
