/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record: the kinds of record that streams carry, as C structs.
 *
 * llmtape-stream(5) says what each field means; the table in schema.c says
 * under which name and type it is written.  Times are nanoseconds from the
 * segment's epoch in scalars, from the record's start_ns in arrays.  A field
 * that is unknown is absent as span.h defines it: tape_schema_init makes all
 * fields of a kind absent.
 */
#ifndef TAPE_RECORD_RECORD_H
#define TAPE_RECORD_RECORD_H

#include "api/neutral.h"
#include "base/span.h"
#include "record/record_device.h"
#include "record/record_summary.h"

#define TAPE_SHARDS_MAX 65536 /* of one run set */

struct tape_header {
	struct tape_str format;
	struct tape_str version;
	struct tape_str epoch;
	struct tape_str epoch_mono;
	struct tape_str run_id;
	struct tape_str shard;
	struct tape_str boot; /* of the machine whose clock is meant */
	struct tape_str meta; /* JSON object */
	struct tape_str prov; /* JSON array */
};

struct tape_end {
	int64_t records;
	struct tape_str status;
};

struct tape_vocab {
	struct tape_str name;
	struct tape_strs words;
	struct tape_i64s first; /* indices of words that may come first */
};

struct tape_request {
	struct tape_str id;
	int64_t t_ns;
	struct tape_str session;
	int64_t turn;
	struct tape_strs after;
	int64_t delay_ns;
	struct tape_input input;
	int64_t output_tokens;
	int64_t input_tokens;
	struct tape_str params; /* JSON object */
	struct tape_str labels; /* JSON object */
};

struct tape_probe {
	int64_t status;
	struct tape_str body;
};

struct tape_timeouts {
	int64_t connect_ns;
	int64_t first_byte_ns;
	int64_t idle_ns;
	int64_t total_ns;
};

struct tape_run {
	struct tape_str at; /* start or end */
	int64_t run;
	struct tape_str arm;
	struct tape_strs arms;
	int64_t round;
	int64_t position;
	struct tape_str session;
	struct tape_strs targets;
	struct tape_str api;
	struct tape_str model;
	int8_t stream;
	struct tape_str loop; /* open or closed */
	int64_t concurrency;
	int64_t ramp_ns;
	int64_t threads;
	struct tape_str connections;
	struct tape_strs sources;
	int8_t insecure;
	double rate_per_s;
	int64_t requests;
	int64_t warmup;
	int64_t passes;
	struct tape_str extra; /* JSON object */
	struct tape_str body_template;
	struct tape_str pointers; /* JSON object */
	int64_t seed;
	int64_t salt;
	int8_t reuse; /* prompts of the trace share something */
	struct tape_str trace_hash;
	struct tape_str keep; /* raw, events or times; absent: raw */
	struct tape_str
	    client; /* another tool that measured, and its version */
	struct tape_str labels; /* JSON object */
	struct tape_timeouts timeouts;
	int64_t grace_ns;
	int64_t retry_max;
	double cancel_ratio;
	int64_t cancel_after_ns;
	int64_t start_ns;
	int64_t measure_ns;
	int64_t end_ns;
	int64_t sent;
	int64_t done;
	int64_t failed;
	int64_t cancelled;
	int64_t planned_cancelled;
	int64_t retried;
	int64_t retries;
	int64_t unsent;
	struct tape_str stop;
	struct tape_probe health;
	struct tape_probe models;
};

struct tape_ask {
	int64_t output_tokens;
	int64_t input_tokens;
	int64_t bytes;
	struct tape_str hash;
	struct tape_str request_id;
	struct tape_str body;
	struct tape_str body_b64;
};

struct tape_reads {
	struct tape_i64s t_ns;
	struct tape_i64s lag_ns;
	struct tape_i64s bytes;
};

struct tape_failure {
	struct tape_str class;
	struct tape_str cause;
	struct tape_str message;
};

/* What exchange, part and response have in common. */
struct tape_transfer {
	int64_t x;
	int64_t run;
	struct tape_str id;
	int64_t attempt;
	int64_t pass;
	struct tape_str session;
	int64_t turn;
	struct tape_str stage;
	struct tape_str api;
	int8_t stream;
	struct tape_str model;
	struct tape_str target;
	struct tape_str labels; /* JSON object */
	struct tape_ask req;
	int64_t due_ns;
	int64_t could_ns;
	int64_t origin_due_ns;
	int64_t origin_start_ns;
	int64_t start_ns;
	int64_t conn_ns;
	int64_t dns_ns;
	int64_t connect_ns;
	int64_t tls_ns;
	struct tape_str tls; /* version and cipher */
	int8_t reused;
	struct tape_str http; /* version, unless 1.1 */
	int64_t redirects;
	int64_t sent_ns;
	int64_t head_ns;
	int64_t head_lag_ns;
	int64_t cancel_ns;
	int64_t end_ns;
	int64_t retry_ns;
	int64_t status;
	struct tape_str headers; /* JSON array of [name, value] */
	struct tape_failure error;
};

/* An exchange, and a part of one: seq belongs to parts, parts to exchanges. */
struct tape_exchange {
	struct tape_transfer t;
	int64_t seq;
	int64_t parts;
	struct tape_reads reads;
	struct tape_str body;
	struct tape_str body_b64;
};

struct tape_tick {
	int64_t t_ns;
	int64_t offset_ns;
	int64_t width_ns;
	int8_t step;
};

struct tape_sample {
	int64_t t_ns;
	struct tape_str source;
	struct tape_str device;
	struct tape_str values; /* JSON object */
};

struct tape_fidelity_sends {
	int64_t n;
	int64_t late_p50_ns;
	int64_t late_p99_ns;
	int64_t late_max_ns;
	int64_t spin_ns;
};

struct tape_fidelity_reads {
	int64_t n;
	int64_t kernel;
	int64_t user;
	int64_t merged;
	int64_t events;
	int64_t merged_events;
	int64_t merged_late_events;
	int64_t lag_p50_ns;
	int64_t lag_p99_ns;
	int64_t lag_max_ns;
};

struct tape_fidelity_loop {
	int64_t passes;
	int64_t stalls;
	int64_t stall_max_ns;
};

struct tape_fidelity_queue {
	int64_t stalls;
	int64_t stalled_ns;
};

struct tape_fidelity_cpu {
	int64_t loop_ns;
	int64_t loop_max_ns;
	int64_t spin_ns;
	int64_t writer_ns;
	int64_t process_ns;
};

struct tape_fidelity_arrivals {
	int64_t n;
	double planned_per_s;
	double achieved_per_s;
	int64_t gaps;
	int64_t gap_stride;
	double planned_ad_p;
	double ad_p;
};

struct tape_fidelity_memory {
	int64_t start_bytes;
	int64_t max_bytes;
	int64_t open_at_max;
	int64_t open_max;
	int64_t stream_bytes;
};

struct tape_fidelity_clock {
	int64_t steps;
	int64_t step_max_ns;
	int64_t width_max_ns;
};

struct tape_fidelity_archive {
	int64_t bytes;
	int64_t text_bytes;
	int64_t reads;
};

struct tape_fidelity {
	int64_t run;
	struct tape_str verdict;
	struct tape_strs reasons;
	struct tape_fidelity_sends sends;
	struct tape_fidelity_reads reads;
	struct tape_fidelity_loop loop;
	struct tape_fidelity_queue queue;
	struct tape_fidelity_cpu cpu;
	struct tape_fidelity_arrivals arrivals;
	struct tape_fidelity_clock clock;
	struct tape_fidelity_memory memory;
	struct tape_fidelity_archive archive;
	struct tape_strs limits;
	double kernel_ratio;
};

struct tape_events {
	struct tape_i64s t_ns;
	struct tape_str class; /* one letter an event */
	struct tape_str clk;   /* likewise */
	struct tape_i64s lag_ns;
	struct tape_i64s text_bytes;
	struct tape_i64s choice;
	struct tape_i64s out_tokens;
	struct tape_i64s server_ns;
	struct tape_i64s server_late_ns;
};

struct tape_tokens {
	int64_t input;
	int64_t output;
	int64_t reasoning;
	int64_t cached;
	int64_t cache_write;
	int64_t audio_input;
	int64_t audio_output;
	int64_t accepted;
	int64_t rejected;
	struct tape_str source;
};

/* What else than content came: of each kind its events and bytes. */
struct tape_kinds {
	int64_t content_events;
	int64_t content_bytes;
	int64_t reasoning_events;
	int64_t reasoning_bytes;
	int64_t tool_events;
	int64_t tool_bytes;
	int64_t refusal_events;
	int64_t refusal_bytes;
	int64_t audio_events;
	int64_t audio_bytes;
	int64_t tool_calls;
};

struct tape_framing {
	int64_t events;
	int64_t data_lines;
	int64_t comments;
	int64_t id_lines;
	int64_t unknown_fields;
	int64_t tail_bytes;
	int64_t malformed;
	int64_t spliced;
};

struct tape_response {
	struct tape_transfer t;
	int64_t reads;
	int64_t body_bytes;
	struct tape_str encoding; /* content encoding, but identity */
	struct tape_events events;
	int64_t finish_at;
	int64_t usage_at;
	struct tape_str usage; /* JSON object */
	struct tape_tokens tokens;
	struct tape_kinds kinds;
	struct tape_strs finish;
	struct tape_str server_timing; /* JSON object */
	struct tape_framing sse;
	struct tape_str text_sha256;
	struct tape_str text;
};

struct tape_live_event {
	int64_t seq;
	int64_t t_ns;
	struct tape_str clk;
	int64_t bytes;
	struct tape_str type;
	struct tape_str class;
	int64_t text_bytes;
	struct tape_str data;
};

/* What the server says itself, in nanoseconds. */
struct tape_server_said {
	int64_t queue_ns;
	int64_t load_ns;
	int64_t prefill_ns;
	int64_t ttft_ns;
	int64_t decode_ns;
	int64_t total_ns;
};

struct tape_result {
	int64_t run;
	struct tape_str arm;
	int64_t round;
	struct tape_str id;
	int64_t attempt;
	int64_t pass;
	struct tape_str session;
	int64_t turn;
	struct tape_str stage;
	struct tape_str labels; /* JSON object */
	int8_t ok;
	int8_t good;
	int64_t status;
	struct tape_failure error;
	struct tape_str clock;
	struct tape_str from;
	int64_t due_ns;
	int64_t origin_due_ns;
	int64_t origin_start_ns;
	int64_t start_ns;
	int64_t conn_ns;
	int64_t dns_ns;
	int64_t connect_ns;
	int64_t tls_ns;
	int8_t reused;
	int64_t sent_ns;
	int64_t head_ns;
	int64_t first_ns;
	int64_t last_ns;
	int64_t end_ns;
	int64_t late_ns;
	double lag_mean_ns;
	int64_t lag_max_ns;
	int64_t tth_ns;
	int64_t ttfb_ns;
	int64_t ttft_ns;
	int64_t ttst_ns;
	int64_t ttfo_ns;
	int64_t latency_ns;
	int64_t ttft_due_ns;
	int64_t latency_due_ns;
	double tpot_ns;
	int64_t gap_n;
	double gap_p50_ns;
	double gap_p99_ns;
	int64_t gap_max_ns;
	double gap_mean_ns;
	int64_t stalls;
	int64_t stall_ns;
	double fluidity_ratio;
	double fluid_per_s;
	int64_t token_events;
	int64_t silent_events;
	struct tape_tokens tokens;
	struct tape_kinds kinds;
	struct tape_server_said server;
	int64_t asked_output_tokens;
	int64_t asked_input_tokens;
	int64_t asked_bytes;
	int64_t audio_ns; /* of sound in the prompt, as the server counts */
	struct tape_strs finish;
	int64_t reads;
	int64_t bytes;
	struct tape_str text_sha256;
};

#endif
