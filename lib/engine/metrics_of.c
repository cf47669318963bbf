/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a request, from its result. */
#include "base/clock.h"
#include "engine/metrics_impl.h"

static double
number(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

#define FIELD(name, field)                                                     \
 OF(name)                                                                      \
 {                                                                             \
  return number(r->field);                                                     \
 }
#define DIFFERENCE(name, to, from)                                             \
 OF(name)                                                                      \
 {                                                                             \
  return number(r->to) - number(r->from);                                      \
 }

FIELD(tth, tth_ns)
FIELD(ttfb, ttfb_ns)
FIELD(ttft, ttft_ns)
FIELD(ttst, ttst_ns)
FIELD(ttfo, ttfo_ns)
FIELD(latency, latency_ns)
FIELD(gap_max, gap_max_ns)
FIELD(stalls, stalls)
FIELD(stall_time, stall_ns)
FIELD(ttft_due, ttft_due_ns)
FIELD(latency_due, latency_due_ns)
FIELD(late, late_ns)
FIELD(lag_max, lag_max_ns)
FIELD(http_dns, dns_ns)
FIELD(http_connect, connect_ns)
FIELD(http_tls, tls_ns)
FIELD(server_queue, server.queue_ns)
FIELD(server_prefill, server.prefill_ns)
FIELD(server_ttft, server.ttft_ns)
FIELD(server_decode, server.decode_ns)
FIELD(server_total, server.total_ns)
FIELD(input, tokens.input)
FIELD(output, tokens.output)
FIELD(cached, tokens.cached)
FIELD(reasoning, tokens.reasoning)
FIELD(cache_write, tokens.cache_write)
FIELD(audio_input, tokens.audio_input)
FIELD(audio_output, tokens.audio_output)
FIELD(accepted, tokens.accepted)
FIELD(rejected, tokens.rejected)
FIELD(token_events, token_events)
FIELD(bytes, bytes)
FIELD(request_bytes, asked_bytes)
FIELD(reads, reads)
FIELD(audio_duration, audio_ns)

DIFFERENCE(ttft_beyond, ttft_ns, server.ttft_ns)
DIFFERENCE(latency_beyond, latency_ns, server.total_ns)
DIFFERENCE(http_sending, sent_ns, conn_ns)
DIFFERENCE(http_waiting, head_ns, sent_ns)
DIFFERENCE(http_receiving, end_ns, head_ns)
DIFFERENCE(http_total, end_ns, start_ns)
DIFFERENCE(http_setup, conn_ns, start_ns)
DIFFERENCE(http_duration, end_ns, conn_ns)
DIFFERENCE(answer, tokens.output, tokens.reasoning)

OF(tpot)
{
	return r->tpot_ns;
}

OF(gap_mean)
{
	return r->gap_mean_ns;
}

OF(gap_p99)
{
	return r->gap_p99_ns;
}

OF(fluidity)
{
	return r->fluidity_ratio;
}

OF(fluid_speed)
{
	return r->fluid_per_s;
}

OF(lag_mean)
{
	return r->lag_mean_ns;
}

/* Streamed and successful requests have a ttft. */
OF(decode_duration)
{
	if (r->ttft_ns == TAPE_ABSENT_I64)
		return TAPE_ABSENT_F64;
	return number(r->last_ns) - number(r->first_ns);
}

/* What set-up took beside its parts, of which a kept connection has none. */
OF(http_blocked)
{
	const int64_t parts[] = { r->dns_ns, r->connect_ns, r->tls_ns };
	double v = number(r->conn_ns) - number(r->start_ns);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i] != TAPE_ABSENT_I64)
			v -= (double)parts[i];
	return v;
}

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : TAPE_ABSENT_F64;
}

OF(input_diff)
{
	const double asked = number(r->asked_input_tokens);

	return ratio(number(r->tokens.input) - asked, asked);
}

OF(output_diff)
{
	const double asked = number(r->asked_output_tokens);

	return ratio(number(r->tokens.output) - asked, asked);
}

OF(cached_ratio)
{
	return ratio(number(r->tokens.cached), number(r->tokens.input));
}

OF(reasoning_ratio)
{
	return ratio(number(r->tokens.reasoning), number(r->tokens.output));
}

OF(accepted_ratio)
{
	const double accepted = number(r->tokens.accepted);

	return ratio(accepted, accepted + number(r->tokens.rejected));
}

OF(audio_speed)
{
	return ratio(number(r->audio_ns), number(r->latency_ns));
}

/* Where events stand for tokens it would be one. */
OF(tokens_per_event)
{
	if (tape_str_is(r->tokens.source, "events"))
		return TAPE_ABSENT_F64;
	return ratio(number(r->tokens.output), number(r->token_events));
}

static double
per_s(double tokens, double ns)
{
	return ratio(tokens * (double)TAPE_NS_PER_S, ns);
}

/* All tokens in one read have no speed. */
OF(speed)
{
	return per_s(1, r->tpot_ns);
}

OF(prefill_speed)
{
	return per_s(number(r->tokens.input), number(r->ttft_ns));
}

OF(e2e_speed)
{
	return per_s(number(r->tokens.output), number(r->latency_ns));
}
