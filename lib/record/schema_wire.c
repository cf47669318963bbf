/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of the kinds that trace-gen and trace-replay write. */
#include "record/schema_fields.h"

const struct tape_field tape_fields_header[] = {
	REQ(tape_header, format, STR),
	REQ(tape_header, version, STR),
	REQ(tape_header, epoch, STR),
	REQ(tape_header, epoch_mono, STR),
	REQ(tape_header, run_id, STR),
	OPT(tape_header, shard, STR),
	OPT(tape_header, boot, STR),
	OPT(tape_header, meta, JSON_OBJECT),
	REQ(tape_header, prov, JSON_ARRAY),
	END,
};

const struct tape_field tape_fields_end[] = {
	REQ(tape_end, records, I64),
	REQ(tape_end, status, STR),
	END,
};

const struct tape_field tape_fields_vocab[] = {
	REQ(tape_vocab, name, STR),
	REQ(tape_vocab, words, STRS),
	REQ(tape_vocab, first, I64S),
	END,
};

static const struct tape_field blocks_fields[] = {
	REQ(tape_blocks, vocab, STR),
	REQ(tape_blocks, seed, I64),
	REQ(tape_blocks, size, I64),
	REQ(tape_blocks, ids, I64S),
	REQ(tape_blocks, tokens, I64),
	END,
};

static const struct tape_field input_fields[] = {
	OPT(tape_input, text, STR),
	OPT(tape_input, messages, JSON_ARRAY),
	OPT(tape_input, tokens, I64S),
	OBJECT(tape_input, blocks, blocks_fields),
	OPT(tape_input, body, STR),
	OPT(tape_input, path, STR),
	END,
};

const struct tape_field tape_fields_request[] = {
	REQ(tape_request, id, STR),
	OPT(tape_request, t_ns, I64),
	OPT(tape_request, session, STR),
	OPT(tape_request, turn, I64),
	OPT(tape_request, after, STRS),
	OPT(tape_request, delay_ns, I64),
	REQ_OBJECT(tape_request, input, input_fields),
	OPT(tape_request, output_tokens, I64),
	OPT(tape_request, input_tokens, I64),
	OPT(tape_request, params, JSON_OBJECT),
	OPT(tape_request, labels, JSON_OBJECT),
	END,
};

static const struct tape_field probe_fields[] = {
	OPT(tape_probe, status, I64),
	OPT(tape_probe, body, STR),
	END,
};

static const struct tape_field timeouts_fields[] = {
	OPT(tape_timeouts, connect_ns, I64),
	OPT(tape_timeouts, first_byte_ns, I64),
	OPT(tape_timeouts, idle_ns, I64),
	OPT(tape_timeouts, total_ns, I64),
	END,
};

const struct tape_field tape_fields_run[] = {
	REQ(tape_run, at, STR),
	REQ(tape_run, run, I64),
	OPT(tape_run, arm, STR),
	OPT(tape_run, arms, STRS),
	OPT(tape_run, round, I64),
	OPT(tape_run, position, I64),
	OPT(tape_run, session, STR),
	OPT(tape_run, targets, STRS),
	OPT(tape_run, api, STR),
	OPT(tape_run, model, STR),
	OPT(tape_run, stream, BOOL),
	OPT(tape_run, loop, STR),
	OPT(tape_run, concurrency, I64),
	OPT(tape_run, ramp_ns, I64),
	OPT(tape_run, threads, I64),
	OPT(tape_run, connections, STR),
	OPT(tape_run, sources, STRS),
	OPT(tape_run, insecure, BOOL),
	OPT(tape_run, rate_per_s, F64),
	OPT(tape_run, requests, I64),
	OPT(tape_run, warmup, I64),
	OPT(tape_run, passes, I64),
	OPT(tape_run, extra, JSON_OBJECT),
	OPT(tape_run, body_template, STR),
	OPT(tape_run, pointers, JSON_OBJECT),
	OPT(tape_run, seed, I64),
	OPT(tape_run, salt, I64),
	OPT(tape_run, reuse, BOOL),
	OPT(tape_run, trace_hash, STR),
	OPT(tape_run, keep, STR),
	OPT(tape_run, client, STR),
	OPT(tape_run, labels, JSON_OBJECT),
	OBJECT(tape_run, timeouts, timeouts_fields),
	OPT(tape_run, grace_ns, I64),
	OPT(tape_run, retry_max, I64),
	OPT(tape_run, cancel_ratio, F64),
	OPT(tape_run, cancel_after_ns, I64),
	OPT(tape_run, start_ns, I64),
	OPT(tape_run, measure_ns, I64),
	OPT(tape_run, end_ns, I64),
	OPT(tape_run, sent, I64),
	OPT(tape_run, done, I64),
	OPT(tape_run, failed, I64),
	OPT(tape_run, cancelled, I64),
	OPT(tape_run, planned_cancelled, I64),
	OPT(tape_run, retried, I64),
	OPT(tape_run, retries, I64),
	OPT(tape_run, unsent, I64),
	OPT(tape_run, stop, STR),
	OBJECT(tape_run, health, probe_fields),
	OBJECT(tape_run, models, probe_fields),
	END,
};

static const struct tape_field ask_fields[] = {
	OPT(tape_ask, output_tokens, I64),
	OPT(tape_ask, input_tokens, I64),
	OPT(tape_ask, bytes, I64),
	OPT(tape_ask, hash, STR),
	OPT(tape_ask, request_id, STR),
	OPT(tape_ask, body, STR),
	OPT(tape_ask, body_b64, STR),
	END,
};

static const struct tape_field reads_fields[] = {
	OPT(tape_reads, t_ns, I64S),
	OPT(tape_reads, lag_ns, I64S),
	OPT(tape_reads, bytes, I64S),
	END,
};

const struct tape_field tape_fields_failure[] = {
	REQ(tape_failure, class, STR),
	OPT(tape_failure, cause, STR),
	OPT(tape_failure, message, STR),
	END,
};

const struct tape_field tape_fields_transfer[] = {
	REQ(tape_transfer, x, I64),
	REQ(tape_transfer, run, I64),
	REQ(tape_transfer, id, STR),
	REQ(tape_transfer, attempt, I64),
	OPT(tape_transfer, pass, I64),
	OPT(tape_transfer, session, STR),
	OPT(tape_transfer, turn, I64),
	OPT(tape_transfer, stage, STR),
	OPT(tape_transfer, api, STR),
	OPT(tape_transfer, stream, BOOL),
	OPT(tape_transfer, model, STR),
	OPT(tape_transfer, target, STR),
	OPT(tape_transfer, labels, JSON_OBJECT),
	OBJECT(tape_transfer, req, ask_fields),
	OPT(tape_transfer, due_ns, I64),
	OPT(tape_transfer, could_ns, I64),
	OPT(tape_transfer, origin_due_ns, I64),
	OPT(tape_transfer, origin_start_ns, I64),
	REQ(tape_transfer, start_ns, I64),
	OPT(tape_transfer, conn_ns, I64),
	OPT(tape_transfer, dns_ns, I64),
	OPT(tape_transfer, connect_ns, I64),
	OPT(tape_transfer, tls_ns, I64),
	OPT(tape_transfer, tls, STR),
	OPT(tape_transfer, reused, BOOL),
	OPT(tape_transfer, http, STR),
	OPT(tape_transfer, redirects, I64),
	OPT(tape_transfer, sent_ns, I64),
	OPT(tape_transfer, head_ns, I64),
	OPT(tape_transfer, head_lag_ns, I64),
	OPT(tape_transfer, cancel_ns, I64),
	OPT(tape_transfer, end_ns, I64),
	OPT(tape_transfer, retry_ns, I64),
	OPT(tape_transfer, status, I64),
	OPT(tape_transfer, headers, JSON_ARRAY),
	OBJECT(tape_transfer, error, tape_fields_failure),
	END,
};

const struct tape_field tape_fields_exchange[] = {
	INLINE(tape_exchange, t, tape_fields_transfer),
	OPT(tape_exchange, parts, I64),
	OBJECT(tape_exchange, reads, reads_fields),
	OPT(tape_exchange, body, STR),
	OPT(tape_exchange, body_b64, STR),
	END,
};

const struct tape_field tape_fields_part[] = {
	INLINE(tape_exchange, t, tape_fields_transfer),
	REQ(tape_exchange, seq, I64),
	OBJECT(tape_exchange, reads, reads_fields),
	OPT(tape_exchange, body, STR),
	OPT(tape_exchange, body_b64, STR),
	END,
};

const struct tape_field tape_fields_tick[] = {
	REQ(tape_tick, t_ns, I64),
	REQ(tape_tick, offset_ns, I64),
	OPT(tape_tick, width_ns, I64),
	OPT(tape_tick, step, BOOL),
	END,
};

const struct tape_field tape_fields_sample[] = {
	REQ(tape_sample, t_ns, I64),
	REQ(tape_sample, source, STR),
	OPT(tape_sample, device, STR),
	REQ(tape_sample, values, JSON_OBJECT),
	END,
};

static const struct tape_field fidelity_sends_fields[] = {
	OPT(tape_fidelity_sends, n, I64),
	OPT(tape_fidelity_sends, late_p50_ns, I64),
	OPT(tape_fidelity_sends, late_p99_ns, I64),
	OPT(tape_fidelity_sends, late_max_ns, I64),
	OPT(tape_fidelity_sends, spin_ns, I64),
	END,
};

static const struct tape_field fidelity_reads_fields[] = {
	OPT(tape_fidelity_reads, n, I64),
	OPT(tape_fidelity_reads, kernel, I64),
	OPT(tape_fidelity_reads, user, I64),
	OPT(tape_fidelity_reads, merged, I64),
	OPT(tape_fidelity_reads, events, I64),
	OPT(tape_fidelity_reads, merged_events, I64),
	OPT(tape_fidelity_reads, merged_late_events, I64),
	OPT(tape_fidelity_reads, lag_p50_ns, I64),
	OPT(tape_fidelity_reads, lag_p99_ns, I64),
	OPT(tape_fidelity_reads, lag_max_ns, I64),
	END,
};

static const struct tape_field fidelity_loop_fields[] = {
	OPT(tape_fidelity_loop, passes, I64),
	OPT(tape_fidelity_loop, stalls, I64),
	OPT(tape_fidelity_loop, stall_max_ns, I64),
	END,
};

static const struct tape_field fidelity_queue_fields[] = {
	OPT(tape_fidelity_queue, stalls, I64),
	OPT(tape_fidelity_queue, stalled_ns, I64),
	END,
};

static const struct tape_field fidelity_cpu_fields[] = {
	OPT(tape_fidelity_cpu, loop_ns, I64),
	OPT(tape_fidelity_cpu, loop_max_ns, I64),
	OPT(tape_fidelity_cpu, spin_ns, I64),
	OPT(tape_fidelity_cpu, writer_ns, I64),
	OPT(tape_fidelity_cpu, process_ns, I64),
	END,
};

static const struct tape_field fidelity_arrivals_fields[] = {
	OPT(tape_fidelity_arrivals, n, I64),
	OPT(tape_fidelity_arrivals, planned_per_s, F64),
	OPT(tape_fidelity_arrivals, achieved_per_s, F64),
	OPT(tape_fidelity_arrivals, gaps, I64),
	OPT(tape_fidelity_arrivals, gap_stride, I64),
	OPT(tape_fidelity_arrivals, planned_ad_p, F64),
	OPT(tape_fidelity_arrivals, ad_p, F64),
	END,
};

static const struct tape_field fidelity_clock_fields[] = {
	OPT(tape_fidelity_clock, steps, I64),
	OPT(tape_fidelity_clock, step_max_ns, I64),
	OPT(tape_fidelity_clock, width_max_ns, I64),
	END,
};

static const struct tape_field fidelity_memory_fields[] = {
	OPT(tape_fidelity_memory, start_bytes, I64),
	OPT(tape_fidelity_memory, max_bytes, I64),
	OPT(tape_fidelity_memory, open_at_max, I64),
	OPT(tape_fidelity_memory, open_max, I64),
	OPT(tape_fidelity_memory, stream_bytes, I64),
	END,
};

static const struct tape_field fidelity_archive_fields[] = {
	OPT(tape_fidelity_archive, bytes, I64),
	OPT(tape_fidelity_archive, text_bytes, I64),
	OPT(tape_fidelity_archive, reads, I64),
	END,
};

const struct tape_field tape_fields_fidelity[] = {
	REQ(tape_fidelity, run, I64),
	REQ(tape_fidelity, verdict, STR),
	OPT(tape_fidelity, reasons, STRS),
	OBJECT(tape_fidelity, sends, fidelity_sends_fields),
	OBJECT(tape_fidelity, reads, fidelity_reads_fields),
	OBJECT(tape_fidelity, loop, fidelity_loop_fields),
	OBJECT(tape_fidelity, queue, fidelity_queue_fields),
	OBJECT(tape_fidelity, cpu, fidelity_cpu_fields),
	OBJECT(tape_fidelity, arrivals, fidelity_arrivals_fields),
	OBJECT(tape_fidelity, clock, fidelity_clock_fields),
	OBJECT(tape_fidelity, memory, fidelity_memory_fields),
	OBJECT(tape_fidelity, archive, fidelity_archive_fields),
	OPT(tape_fidelity, limits, STRS),
	OPT(tape_fidelity, kernel_ratio, F64),
	END,
};
