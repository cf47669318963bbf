/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definitions: one run by the definitions of other tools: what AIPerf, vLLM,
 * SGLang, guidellm, GenAI-Perf or MLPerf's LoadGen would have printed of the
 * same answers.
 *
 * Each response that is measured is seen by each peer that was asked for
 * (definitions_view.h), and the report has a summary record for each of its
 * metrics, with its names, units and rules for percentiles and deviations.
 * Peers send nothing again: each attempt is a request of its own to them.
 *
 * Where a peer would tokenize text, a count stands for that: of the output the
 * server's usage, of the prompt the trace's (its text without the template).
 *
 * Memory: some 100 bytes a request and peer, and 8 for each time between events
 * of those that report it.
 */
#ifndef TAPE_ENGINE_DEFINITIONS_H
#define TAPE_ENGINE_DEFINITIONS_H

#include "engine/definitions_view.h"
#include "engine/summarize.h"

enum tape_definitions_id {
	TAPE_DEFINITIONS_AIPERF,
	TAPE_DEFINITIONS_VLLM,
	TAPE_DEFINITIONS_SGLANG,
	TAPE_DEFINITIONS_GUIDELLM,
	TAPE_DEFINITIONS_GENAI,
	TAPE_DEFINITIONS_MLPERF,
	TAPE_DEFINITIONS_PEERS
};

#define TAPE_DEFINITIONS_ALL ((1U << TAPE_DEFINITIONS_PEERS) - 1)

/* What a row is beside in the table of all. */
enum tape_definitions_what {
	TAPE_WHAT_TTFT,
	TAPE_WHAT_TTFO,
	TAPE_WHAT_LATENCY,
	TAPE_WHAT_TPOT,
	TAPE_WHAT_GAP,
	TAPE_WHAT_INPUT,
	TAPE_WHAT_OUTPUT,
	TAPE_WHAT_REQUESTS,
	TAPE_WHAT_FAILED,
	TAPE_WHAT_DURATION,
	TAPE_WHAT_REQUEST_RATE,
	TAPE_WHAT_OUTPUT_RATE,
	TAPE_WHAT_TOTAL_RATE,
	TAPE_WHAT_NONE
};

enum tape_definitions_kind {
	TAPE_KIND_OF_REQUEST, /* one value a request */
	TAPE_KIND_OF_GAPS,    /* times between its token events, pooled */
	TAPE_KIND_OF_RUN,     /* one value */
	TAPE_KIND_OF_RATE     /* a rate over time, weighted by time */
};

/* Statistics that a peer prints, or of bits for a row. */
enum tape_definitions_stat {
	TAPE_STAT_MEAN = 1 << 0,
	TAPE_STAT_SD = 1 << 1,
	TAPE_STAT_MIN = 1 << 2,
	TAPE_STAT_MAX = 1 << 3,
	TAPE_STAT_P50 = 1 << 4,
	TAPE_STAT_P75 = 1 << 5,
	TAPE_STAT_P90 = 1 << 6,
	TAPE_STAT_P95 = 1 << 7,
	TAPE_STAT_P99 = 1 << 8,
	TAPE_STAT_P999 = 1 << 9
};

/* How a peer makes a percentile q of n sorted values. */
enum tape_definitions_quantile {
	TAPE_QUANTILE_LINEAR, /* type 7, numpy's */
	TAPE_QUANTILE_STEP,   /* first whose share of the weight reaches q */
	TAPE_QUANTILE_RANK    /* of rank floor(n q) + 1 */
};

/* Of one run, by one peer. */
struct tape_definitions_totals {
	uint64_t ok;
	uint64_t failed;
	double duration_s;    /* by the rule of its window; NaN none */
	double whole_s;       /* first start to last end, of all requests */
	double latency_s;     /* sum */
	double input, output; /* sums of tokens */
	const struct tape_definitions_seen *seen;
};

struct tape_definitions_metric {
	const char *name;  /* in its machine-readable output */
	const char *title; /* as it prints it, at most 32 characters */
	const char *unit;
	enum tape_definitions_kind kind;
	enum tape_definitions_what what;
	unsigned stats;   /* printed by default; 0 of RUN */
	double unit_size; /* of times: nanoseconds a unit; else 1 */
	/* REQUEST: NaN for none.  RATE: tokens of a request. */
	double (*of)(const struct tape_definitions_view *v);
	double (*weight)(const struct tape_definitions_view *v); /* or NULL */
	double (*over)(const struct tape_definitions_totals *t); /* RUN */
	enum tape_definitions_points points;                     /* RATE */
};

struct tape_definitions_column {
	enum tape_definitions_stat stat;
	const char *title;
	bool wide; /* only in a wide table */
};

#define TAPE_DEFINITIONS_COLUMNS 7

struct tape_definitions_peer {
	const char *name;
	const char *version; /* whose rules these are */
	struct tape_definitions_rules rules;
	enum tape_definitions_quantile quantile;
	bool whole; /* its means are whole nanoseconds */
	/* How it counts tokens, where another count stands for that. */
	const char *counting;
	struct tape_definitions_column columns[TAPE_DEFINITIONS_COLUMNS];
	int cell; /* width of a column in the table; 0: the usual one */
	const struct tape_definitions_metric *metrics;
	size_t metric_n;
};

/* By tape_definitions_id. */
extern const struct tape_definitions_peer
    *const tape_definitions_table[TAPE_DEFINITIONS_PEERS];

/* A peer's name or "all", as a set; NULL is none, TAPE_E_USAGE another. */
enum tape_status tape_definitions_parse(
    const char *name, unsigned *peers, struct tape_err *err) TAPE_NODISCARD;

/* A metric, summarized.  The record's spans are of the report and its run. */
struct tape_definitions_row {
	enum tape_definitions_id peer;
	const struct tape_definitions_metric *metric;
	struct tape_summary summary;
};

#define TAPE_DEFINITIONS_REASON 240

/* Why a peer's numbers are not ours. */
struct tape_definitions_reason {
	enum tape_definitions_id peer;
	char text[TAPE_DEFINITIONS_REASON];
};

struct tape_definitions_report {
	unsigned peers;
	struct tape_definitions_row *rows; /* in the order of the tables */
	size_t row_n, row_cap;
	struct tape_definitions_reason *reasons;
	size_t reason_n, reason_cap;
	const struct tape_summarize_set *ours;
};

struct tape_definitions;

/* peers is a set of 1 << tape_definitions_id; *out is the caller's. */
enum tape_status tape_definitions_open(struct tape_definitions **out,
    unsigned peers, bool user_clock, struct tape_err *err) TAPE_NODISCARD;
void tape_definitions_free(struct tape_definitions *d);

/*
 * A response of the measured ones, failed ones included, as measured.
 * TAPE_E_DATA when it has no tokens to define anything by: kept as times, or of
 * an API without.
 */
enum tape_status tape_definitions_add(struct tape_definitions *d,
    const struct tape_response *resp, const struct tape_measured *m,
    struct tape_err *err) TAPE_NODISCARD;

/* Forgets the run in hand. */
void tape_definitions_clear(struct tape_definitions *d);

/* Fills out, which borrows from run and ours, and is to be released. */
enum tape_status tape_definitions_make(struct tape_definitions *d,
    const struct tape_summarize_run *run, const struct tape_summarize_set *ours,
    struct tape_definitions_report *out, struct tape_err *err) TAPE_NODISCARD;
void tape_definitions_report_release(struct tape_definitions_report *r);

/* The row of a peer for that; NULL when it has none. */
const struct tape_definitions_row *tape_definitions_row(
    const struct tape_definitions_report *r, enum tape_definitions_id peer,
    enum tape_definitions_what what);

/* The value of a statistic in a record; NaN when absent. */
double tape_definitions_value(
    const struct tape_summary *s, enum tape_definitions_stat stat);

#endif
