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
	TAPE_METRIC_DECODE_DURATION,
	TAPE_METRIC_GAP,
	TAPE_METRIC_TOKEN_GAP,
	TAPE_METRIC_GAP_MEAN,
	TAPE_METRIC_GAP_P99,
	TAPE_METRIC_GAP_MAX,
	TAPE_METRIC_STALLS,
	TAPE_METRIC_STALL_TIME,
	TAPE_METRIC_FLUIDITY,
	TAPE_METRIC_FLUID_TOKENS_PER_S,
	TAPE_METRIC_TTFT_DUE,
	TAPE_METRIC_LATENCY_DUE,
	TAPE_METRIC_LATE,
	TAPE_METRIC_LAG_MEAN,
	TAPE_METRIC_LAG_MAX,
	TAPE_METRIC_HTTP_BLOCKED,
	TAPE_METRIC_HTTP_DNS,
	TAPE_METRIC_HTTP_CONNECT,
	TAPE_METRIC_HTTP_TLS,
	TAPE_METRIC_HTTP_SENDING,
	TAPE_METRIC_HTTP_WAITING,
	TAPE_METRIC_HTTP_RECEIVING,
	TAPE_METRIC_HTTP_TOTAL,
	TAPE_METRIC_HTTP_SETUP,
	TAPE_METRIC_HTTP_DURATION,
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
	TAPE_METRIC_ANSWER_TOKENS,
	TAPE_METRIC_CACHE_WRITE_TOKENS,
	TAPE_METRIC_AUDIO_INPUT_TOKENS,
	TAPE_METRIC_AUDIO_OUTPUT_TOKENS,
	TAPE_METRIC_ACCEPTED_TOKENS,
	TAPE_METRIC_REJECTED_TOKENS,
	TAPE_METRIC_ACCEPTED_RATIO,
	TAPE_METRIC_AUDIO_DURATION,
	TAPE_METRIC_AUDIO_SPEED,
	TAPE_METRIC_INPUT_DIFF,
	TAPE_METRIC_OUTPUT_DIFF,
	TAPE_METRIC_CACHED_RATIO,
	TAPE_METRIC_REASONING_RATIO,
	TAPE_METRIC_TOKEN_EVENTS,
	TAPE_METRIC_TOKENS_PER_EVENT,
	TAPE_METRIC_BYTES,
	TAPE_METRIC_REQUEST_BYTES,
	TAPE_METRIC_READS,
	TAPE_METRIC_TOKENS_PER_S_PER_USER,
	TAPE_METRIC_PREFILL_SPEED,
	TAPE_METRIC_E2E_SPEED,
	/* As enum tape_inflight_curve. */
	TAPE_METRIC_CURVES,
	TAPE_METRIC_CONCURRENCY = TAPE_METRIC_CURVES,
	TAPE_METRIC_PREFILL_CONCURRENCY,
	TAPE_METRIC_DECODE_CONCURRENCY,
	TAPE_METRIC_TOKENS_IN_FLIGHT,
	TAPE_METRIC_EFFECTIVE_PREFILL,
	TAPE_METRIC_EFFECTIVE_DECODE,
	TAPE_METRIC_EFFECTIVE_TOTAL,
	TAPE_METRIC_EFFECTIVE_PREFILL_EACH,
	TAPE_METRIC_EFFECTIVE_DECODE_EACH,
	TAPE_METRIC_ACTIVE_PREFILL,
	TAPE_METRIC_ACTIVE_DECODE,
	TAPE_METRIC_ACTIVE_TOTAL,
	TAPE_METRIC_ACTIVE_PREFILL_EACH,
	TAPE_METRIC_ACTIVE_DECODE_EACH,
	TAPE_METRIC_REQUESTS_PER_S,
	TAPE_METRIC_OUTPUT_TOKENS_PER_S,
	TAPE_METRIC_INPUT_TOKENS_PER_S,
	TAPE_METRIC_TOTAL_TOKENS_PER_S,
	TAPE_METRIC_GOOD_REQUESTS_PER_S,
	TAPE_METRIC_GOOD_RATIO,
	TAPE_METRIC_GOOD_OUTPUT_TOKENS_PER_S,
	TAPE_METRIC_FAILED_RATIO,
	TAPE_METRIC_CONNECT_FAILED_RATIO,
	TAPE_METRIC_TIMEOUT_RATIO,
	TAPE_METRIC_HTTP_FAILED_RATIO,
	TAPE_METRIC_STREAM_FAILED_RATIO,
	TAPE_METRIC_OTHER_FAILED_RATIO,
	TAPE_METRIC_CANCELLED_RATIO,
	TAPE_METRIC_RETRIED_RATIO,
	TAPE_METRIC_STALLED_RATIO,
	TAPE_METRIC_REUSED_RATIO,
	TAPE_METRIC_RUN_CACHED_RATIO,
	TAPE_METRIC_RUN_REASONING_RATIO,
	TAPE_METRIC_OUTPUT_MISMATCHES,
	TAPE_METRIC_REQUESTS,
	TAPE_METRIC_GOOD_REQUESTS,
	TAPE_METRIC_FAILED_REQUESTS,
	TAPE_METRIC_SUM_INPUT,
	TAPE_METRIC_SUM_OUTPUT,
	TAPE_METRIC_SUM_TOTAL,
	TAPE_METRIC_SUM_CACHED,
	TAPE_METRIC_SUM_REASONING,
	TAPE_METRIC_SUM_FAILED_INPUT,
	TAPE_METRIC_WINDOW,
	TAPE_METRIC_COUNT
};

/*
 * What is added up over requests.  All are whole numbers, which a double holds
 * to 2^53, so that a sum does not depend on the order.
 */
enum tape_metric_sum {
	TAPE_SUM_GOOD_OUTPUT,  /* tokens of good requests */
	TAPE_SUM_CACHED,       /* tokens, where they are known, */
	TAPE_SUM_CACHED_N,     /* and of how many requests; */
	TAPE_SUM_CACHED_PART,  /* where input is known, too, */
	TAPE_SUM_CACHED_INPUT, /* and that input */
	TAPE_SUM_REASONING,    /* as with cached */
	TAPE_SUM_REASONING_N,
	TAPE_SUM_REASONING_PART,
	TAPE_SUM_REASONING_OUTPUT,
	TAPE_SUM_FAILED_INPUT,   /* tokens that the trace has of failed ones, */
	TAPE_SUM_FAILED_INPUT_N, /* and of how many */
	TAPE_SUM_ASKED_INPUT,    /* tokens that the trace has, */
	TAPE_SUM_ASKED_INPUT_N,  /* and of how many requests */
	TAPE_SUM_ASKED_OUTPUT,   /* tokens, of those in the next */
	TAPE_SUM_ASKED,          /* requests with output and asked output */
	TAPE_SUM_MISMATCHED,     /* of them */
	TAPE_SUM_GAPPED,         /* requests with a median gap above 0 */
	TAPE_SUM_STALLED,        /* of them */
	TAPE_SUM_CONNECTED,      /* requests that say whether they reused */
	TAPE_SUM_REUSED,         /* of them */
	TAPE_SUM_FAILED_CONNECT, /* failed, by class */
	TAPE_SUM_FAILED_TIMEOUT,
	TAPE_SUM_FAILED_HTTP,
	TAPE_SUM_FAILED_STREAM,
	TAPE_SUM_FAILED_OTHER,
	TAPE_SUM_COUNT
};

enum tape_metric_kind {
	TAPE_METRIC_REQUEST, /* one value a request: a distribution */
	TAPE_METRIC_POOLED,  /* many values a request, pooled over the run */
	TAPE_METRIC_CURVE,   /* a value a moment: a distribution by time */
	TAPE_METRIC_RUN      /* one value a run */
};

/* What the metrics of a run (or of a group in it) are made from.  Sums are over
   the requests that have the count, whose number stands beside. */
struct tape_metric_totals {
	uint64_t ok;
	uint64_t failed;
	uint64_t cancelled; /* on purpose */
	uint64_t retried;   /* of all these, sent more than once */
	bool has_good;      /* objectives were given */
	uint64_t good;
	double window_s; /* of the run; NaN when nothing was answered */
	double window_ns;
	double output_tokens;
	uint64_t output_n;
	double input_tokens;
	uint64_t input_n;
	double total_tokens;
	uint64_t total_n;
	double sum[TAPE_SUM_COUNT];
};

struct tape_metric {
	const char *name;
	const char *display; /* in tables, at most 12 characters */
	const char *unit;    /* ns, tokens, bytes, count, per_s, ratio */
	const char *better;  /* lower, higher, none */
	const char *phase;   /* prefill, decode, all */
	const char *source;  /* what it is made from, as the manual has it */
	const char *formula; /* one line, likewise */
	enum tape_metric_kind kind;
	bool rare;        /* written only where there is a value */
	bool extra;       /* left out where only the basic ones are wanted */
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

/* Whether so many output tokens are too far from what was asked for: by more
   than 5 % of it, or 50 tokens. */
bool tape_metric_is_mismatch(int64_t output, int64_t asked);

/* In which of the sums of failed requests a class of error counts. */
enum tape_metric_sum tape_metric_failed_sum(struct tape_str class);

/* TAPE_METRIC_COUNT for an unknown name. */
enum tape_metric_id tape_metric_find(struct tape_str name);

#endif
