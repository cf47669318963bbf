/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics: the table of what metrics-reduce reports: one row a metric.
 *
 * Summaries, tables, CSV and the section METRICS of metrics-reduce(1) all come
 * from these rows; a unit test holds page and table together.  The names are
 * part of the stream format.
 */
#ifndef TAPE_ENGINE_METRICS_H
#define TAPE_ENGINE_METRICS_H

#include "record/record.h"

enum tape_metric_id {
	TAPE_METRIC_TTFT,
	TAPE_METRIC_TTST,
	TAPE_METRIC_TTFO,
	TAPE_METRIC_TTH,
	TAPE_METRIC_TTFB,
	TAPE_METRIC_LATENCY,
	TAPE_METRIC_TPOT,
	TAPE_METRIC_GAP,
	TAPE_METRIC_TOKEN_GAP,
	TAPE_METRIC_TTFT_DUE,
	TAPE_METRIC_LATENCY_DUE,
	TAPE_METRIC_LATE,
	TAPE_METRIC_SERVER_QUEUE,
	TAPE_METRIC_SERVER_PREFILL,
	TAPE_METRIC_SERVER_TTFT,
	TAPE_METRIC_SERVER_DECODE,
	TAPE_METRIC_SERVER_TOTAL,
	TAPE_METRIC_TTFT_BEYOND,
	TAPE_METRIC_LATENCY_BEYOND,
	TAPE_METRIC_INPUT_TOKENS,
	TAPE_METRIC_OUTPUT_TOKENS,
	TAPE_METRIC_CACHED_TOKENS,
	TAPE_METRIC_REASONING_TOKENS,
	TAPE_METRIC_CACHE_WRITE_TOKENS,
	TAPE_METRIC_AUDIO_INPUT_TOKENS,
	TAPE_METRIC_AUDIO_OUTPUT_TOKENS,
	TAPE_METRIC_ACCEPTED_TOKENS,
	TAPE_METRIC_REJECTED_TOKENS,
	TAPE_METRIC_TOKEN_EVENTS,
	TAPE_METRIC_BYTES,
	TAPE_METRIC_TOKENS_PER_S_PER_USER,
	TAPE_METRIC_REQUESTS_PER_S,
	TAPE_METRIC_OUTPUT_TOKENS_PER_S,
	TAPE_METRIC_INPUT_TOKENS_PER_S,
	TAPE_METRIC_TOTAL_TOKENS_PER_S,
	TAPE_METRIC_GOOD_REQUESTS_PER_S,
	TAPE_METRIC_GOOD_RATIO,
	TAPE_METRIC_FAILED_RATIO,
	TAPE_METRIC_COUNT
};

enum tape_metric_kind {
	TAPE_METRIC_REQUEST, /* one value a request: a distribution */
	TAPE_METRIC_POOLED,  /* many values a request, pooled over the run */
	TAPE_METRIC_RUN      /* one value a run */
};

/* What the metrics of a run (or of a group in it) are made from.  Sums are over
   the requests that have the count, whose number stands beside. */
struct tape_metric_totals {
	uint64_t ok;
	uint64_t failed;
	bool has_good; /* objectives were given */
	uint64_t good;
	double window_s; /* of the run; NaN when nothing was answered */
	double output_tokens;
	uint64_t output_n;
	double input_tokens;
	uint64_t input_n;
	double total_tokens;
	uint64_t total_n;
};

struct tape_metric {
	const char *name;
	const char *display; /* in tables, at most 12 characters */
	const char *unit;    /* ns, tokens, bytes, count, per_s, ratio */
	const char *better;  /* lower, higher, none */
	const char *phase;   /* prefill, decode, all */
	const char *formula; /* one line, as the manual has it */
	enum tape_metric_kind kind;
	bool rare;        /* written only where there is a value */
	bool from_output; /* depends on the number of output tokens */
	/* REQUEST: the value of a successful request, NaN when it has none. */
	double (*of)(const struct tape_result *r);
	/* RUN: the value, NaN when there is none; *n is the number of requests
	   that it rests on. */
	double (*over)(const struct tape_metric_totals *t, uint64_t *n);
};

extern const struct tape_metric tape_metric_table[TAPE_METRIC_COUNT];

/* Whether a request has one value of it (of gaps: the largest), to be bounded
   or to go by. */
bool tape_metric_is_of_request(enum tape_metric_id id);

/* TAPE_METRIC_COUNT for an unknown name. */
enum tape_metric_id tape_metric_find(struct tape_str name);

#endif
