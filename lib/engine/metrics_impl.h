/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_impl: how each metric of the table is computed.  Those of a request
 * are NaN where what they are made from is unknown; those of a run, too, where
 * there is nothing to divide.
 */
#ifndef TAPE_ENGINE_METRICS_IMPL_H
#define TAPE_ENGINE_METRICS_IMPL_H

#include "engine/metrics.h"

#define OF(name) double tape_metric_of_##name(const struct tape_result *r)
#define OVER(name)                                                             \
 double tape_metric_over_##name(const struct tape_metric_totals *t, uint64_t *n)

OF(ttft);
OF(ttst);
OF(ttfo);
OF(tth);
OF(ttfb);
OF(latency);
OF(tpot);
OF(decode_duration);
OF(gap_mean);
OF(gap_p99);
OF(gap_max);
OF(stalls);
OF(stall_time);
OF(fluidity);
OF(fluid_speed);
OF(ttft_due);
OF(latency_due);
OF(late);
OF(lag_mean);
OF(lag_max);
OF(http_blocked);
OF(http_dns);
OF(http_connect);
OF(http_tls);
OF(http_sending);
OF(http_waiting);
OF(http_receiving);
OF(http_total);
OF(http_setup);
OF(http_duration);
OF(server_queue);
OF(server_prefill);
OF(server_ttft);
OF(server_decode);
OF(server_total);
OF(ttft_beyond);
OF(latency_beyond);
OF(input);
OF(output);
OF(cached);
OF(reasoning);
OF(cache_write);
OF(audio_input);
OF(audio_output);
OF(accepted);
OF(rejected);
OF(answer);
OF(accepted_ratio);
OF(audio_duration);
OF(audio_speed);
OF(input_diff);
OF(output_diff);
OF(cached_ratio);
OF(reasoning_ratio);
OF(token_events);
OF(tokens_per_event);
OF(bytes);
OF(request_bytes);
OF(reads);
OF(speed);
OF(prefill_speed);
OF(e2e_speed);

OVER(requests_per_s);
OVER(output_per_s);
OVER(input_per_s);
OVER(total_per_s);
OVER(good_per_s);
OVER(good_ratio);
OVER(good_output_per_s);
OVER(failed_ratio);
OVER(connect_failed);
OVER(timeout);
OVER(http_failed);
OVER(stream_failed);
OVER(other_failed);
OVER(cancelled);
OVER(retried);
OVER(stalled);
OVER(reused);
OVER(cached_ratio);
OVER(reasoning_ratio);
OVER(mismatches);
OVER(requests);
OVER(good_requests);
OVER(failed_requests);
OVER(sum_input);
OVER(sum_output);
OVER(sum_total);
OVER(sum_cached);
OVER(sum_reasoning);
OVER(sum_failed_input);
OVER(window);

#endif
