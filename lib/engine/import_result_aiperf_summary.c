/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AIPerf's profile_export_aiperf.json: what it states of a run. */
#include "base/clock.h"
#include "base/hash.h"
#include "engine/import_result.h"

#include <stdio.h>

#define ISO_MAX 40

/* Which of its metrics is which of ours; of two for one the later counts, where
   it is there. */
static const struct {
	enum tape_metric_id metric;
	const char *name;
} values[] = {
	{ TAPE_METRIC_TTFT, "time_to_first_token" },
	{ TAPE_METRIC_TTFO, "time_to_first_output_token" },
	{ TAPE_METRIC_LATENCY, "request_latency" },
	{ TAPE_METRIC_TPOT, "inter_token_latency" },
	{ TAPE_METRIC_GAP, "inter_chunk_latency" },
	{ TAPE_METRIC_INPUT_TOKENS, "input_sequence_length" },
	{ TAPE_METRIC_INPUT_TOKENS, "usage_prompt_tokens" },
	{ TAPE_METRIC_OUTPUT_TOKENS, "output_sequence_length" },
	{ TAPE_METRIC_OUTPUT_TOKENS, "usage_completion_tokens" },
	{ TAPE_METRIC_CACHED_TOKENS, "usage_prompt_cache_read_tokens" },
	{ TAPE_METRIC_REASONING_TOKENS, "reasoning_token_count" },
	{ TAPE_METRIC_REASONING_TOKENS, "usage_reasoning_tokens" },
	{ TAPE_METRIC_TOKENS_PER_S_PER_USER,
	    "output_token_throughput_per_user" },
	{ TAPE_METRIC_REQUESTS_PER_S, "request_throughput" },
	{ TAPE_METRIC_OUTPUT_TOKENS_PER_S, "output_token_throughput" },
	{ TAPE_METRIC_INPUT_TOKENS_PER_S, "input_token_throughput" },
	{ TAPE_METRIC_TOTAL_TOKENS_PER_S, "total_token_throughput" },
	{ TAPE_METRIC_GOOD_REQUESTS_PER_S, "goodput" },
	{ TAPE_METRIC_GOOD_RATIO, "good_request_fraction" },
};

#define VALUES (sizeof(values) / sizeof(*values))

static const struct tape_dig stat_table[] = {
	{ "unit", TAPE_DIG_TEXT, offsetof(struct tape_import_stat, unit) },
	{ "count", TAPE_DIG_INTEGER, offsetof(struct tape_import_stat, n) },
	{ "avg", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, mean) },
	{ "std", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, sd) },
	{ "min", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, min) },
	{ "max", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, max) },
	{ "p1", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p1) },
	{ "p5", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p5) },
	{ "p10", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p10) },
	{ "p25", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p25) },
	{ "p50", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p50) },
	{ "p75", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p75) },
	{ "p90", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p90) },
	{ "p95", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p95) },
	{ "p99", TAPE_DIG_NUMBER, offsetof(struct tape_import_stat, q.p99) },
};

struct summary {
	struct tape_str version, id, endpoint, start, end;
	struct tape_str models, urls, phases;
	int8_t streaming, cancelled;
	double ok, failed;
};

#define AT(f) offsetof(struct summary, f)

static const struct tape_dig table[] = {
	{ "aiperf_version", TAPE_DIG_TEXT, AT(version) },
	{ "benchmark_id", TAPE_DIG_TEXT, AT(id) },
	{ "input_config.endpoint.type", TAPE_DIG_TEXT, AT(endpoint) },
	{ "input_config.endpoint.streaming", TAPE_DIG_BOOL, AT(streaming) },
	{ "input_config.endpoint.urls", TAPE_DIG_RAW, AT(urls) },
	{ "input_config.models.items", TAPE_DIG_RAW, AT(models) },
	{ "input_config.phases", TAPE_DIG_RAW, AT(phases) },
	{ "was_cancelled", TAPE_DIG_BOOL, AT(cancelled) },
	{ "start_time", TAPE_DIG_TEXT, AT(start) },
	{ "end_time", TAPE_DIG_TEXT, AT(end) },
	{ "request_count.avg", TAPE_DIG_NUMBER, AT(ok) },
	{ "error_request_count.avg", TAPE_DIG_NUMBER, AT(failed) },
};

/* The load of the phase that counts. */
struct phase {
	struct tape_str kind;
	int64_t concurrency, requests;
	double rate;
};

static const struct tape_dig phase_table[] = {
	{ "kind", TAPE_DIG_TEXT, offsetof(struct phase, kind) },
	{ "concurrency", TAPE_DIG_INTEGER,
	    offsetof(struct phase, concurrency) },
	{ "requests", TAPE_DIG_INTEGER, offsetof(struct phase, requests) },
	{ "rate", TAPE_DIG_NUMBER, offsetof(struct phase, rate) },
};

static const struct tape_dig model_table[] = {
	{ "name", TAPE_DIG_TEXT, 0 },
};

/* What its clock says without a zone is taken for UTC. */
static enum tape_status
read_time(struct tape_str text, int64_t *ns, struct tape_err *err)
{
	char iso[ISO_MAX];

	if (text.p == NULL)
		return TAPE_OK;
	if (text.len + 2 > sizeof(iso))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "\"start_time\" or \"end_time\" is no time");
	(void)snprintf(iso, sizeof(iso), "%.*s%s", (int)text.len, text.p,
	    text.len > 0 && text.p[text.len - 1] == 'Z' ? "" : "Z");
	return tape_clock_parse_iso(iso, ns, err);
}

static enum tape_status
read_phases(struct tape_digger *d, struct tape_str text, struct tape_run *r,
    struct tape_err *err)
{
	struct tape_dig_items items;
	struct tape_str item;
	struct phase p;
	enum tape_status st;

	tape_dig_items_init(&items, text);
	while ((st = tape_dig_items_next(&items, &item, err)) == TAPE_OK) {
		st = tape_dig_read(d, item, phase_table,
		    sizeof(phase_table) / sizeof(*phase_table), &p, err);
		if (st != TAPE_OK)
			break;
		if (!tape_str_is(p.kind, "profiling"))
			continue;
		r->concurrency = p.concurrency;
		r->requests = p.requests;
		r->rate_per_s = p.rate;
		r->loop = tape_str_of(isnan(p.rate) ? "closed" : "open");
	}
	tape_dig_items_release(&items);
	return st == TAPE_EOF ? TAPE_OK : st;
}

static enum tape_status
read_model(struct tape_import_run *run, struct tape_digger *d,
    struct tape_str text, struct tape_err *err)
{
	struct tape_dig_items items;
	struct tape_str item, name;
	enum tape_status st;

	tape_dig_items_init(&items, text);
	st = tape_dig_items_next(&items, &item, err);
	if (st == TAPE_OK)
		st = tape_dig_read(d, item, model_table, 1, &name, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, name, &run->run.model, err);
	tape_dig_items_release(&items);
	return st == TAPE_EOF ? TAPE_OK : st;
}

static enum tape_status
read_about(struct tape_import_run *run, struct tape_digger *d,
    const struct summary *s, struct tape_err *err)
{
	struct tape_run *r = &run->run;
	struct tape_strs urls;
	enum tape_status st;

	r->stream = s->streaming;
	r->stop = tape_str_of(s->cancelled == 1 ? "interrupted" : "complete");
	st = read_time(s->start, &r->start_ns, err);
	if (st == TAPE_OK)
		st = read_time(s->end, &r->end_ns, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, s->version, &run->version, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, s->id, &run->run_id, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, s->endpoint, &r->api, err);
	if (st == TAPE_OK)
		st = read_model(run, d, s->models, err);
	if (st == TAPE_OK && s->urls.p != NULL)
		st = tape_dig_texts(d, s->urls, &urls, err);
	if (st == TAPE_OK && s->urls.p != NULL)
		st = tape_import_targets(run, urls, err);
	return st == TAPE_OK ? read_phases(d, s->phases, r, err) : st;
}

static enum tape_status
add_value(struct tape_import_run *run, enum tape_metric_id metric,
    const struct tape_import_stat *stat, struct tape_err *err)
{
	const struct tape_metric *row = &tape_metric_table[metric];
	const double by = tape_import_unit(stat->unit, row->unit);

	if (isnan(stat->mean))
		return TAPE_OK;
	if (isnan(by))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s has the unit \"%.*s\"", row->name,
		    tape_str_shown(stat->unit, 20),
		    stat->unit.p == NULL ? "" : stat->unit.p);
	if (row->kind == TAPE_METRIC_RUN)
		tape_import_state_value(run, metric, stat->mean * by);
	else
		tape_import_state_values(run, metric, stat, by, 7);
	return TAPE_OK;
}

static enum tape_status
read_values(struct tape_import_run *run, struct tape_digger *d,
    struct tape_str document, struct tape_err *err)
{
	struct tape_str raw[VALUES];
	struct tape_dig rows[VALUES];
	struct tape_import_stat stat;
	enum tape_status st;

	for (size_t i = 0; i < VALUES; i++)
		rows[i] = (struct tape_dig){ values[i].name, TAPE_DIG_RAW,
			i * sizeof(*raw) };
	st = tape_dig_read(d, document, rows, VALUES, raw, err);
	for (size_t i = 0; i < VALUES && st == TAPE_OK; i++) {
		if (raw[i].p == NULL)
			continue;
		tape_import_stat_init(&stat);
		st = tape_dig_read(d, raw[i], stat_table,
		    sizeof(stat_table) / sizeof(*stat_table), &stat, err);
		if (st == TAPE_OK)
			st = add_value(run, values[i].metric, &stat, err);
	}
	return st;
}

static uint64_t
count_of(double v)
{
	return v > 0 && v < 0x1p53 ? (uint64_t)v : 0;
}

static enum tape_status
read_summary(struct tape_import_run *run, struct tape_digger *d,
    struct tape_str document, struct tape_err *err)
{
	struct summary s;
	enum tape_status st;

	st = tape_dig_read(
	    d, document, table, sizeof(table) / sizeof(*table), &s, err);
	if (st == TAPE_OK && isnan(s.ok) && isnan(s.failed))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "it has no \"request_count\"");
	if (st == TAPE_OK)
		st = read_about(run, d, &s, err);
	if (st == TAPE_OK)
		st = tape_import_state_begin(
		    run, count_of(s.ok), count_of(s.failed), err);
	if (st != TAPE_OK)
		return st;
	run->run.done = (int64_t)count_of(s.ok);
	run->run.failed = (int64_t)count_of(s.failed);
	run->run.sent = run->run.done + run->run.failed;
	return read_values(run, d, document, err);
}

enum tape_status
tape_import_aiperf_summary(
    struct tape_str document, struct tape_import_to *to, struct tape_err *err)
{
	struct tape_digger d;
	struct tape_import_run run;
	enum tape_status st;

	tape_digger_init(&d);
	tape_import_run_init(&run);
	run.tool = "aiperf";
	run.digest = tape_hash_add(TAPE_HASH_START, document.p, document.len);
	st = read_summary(&run, &d, document, err);
	if (st == TAPE_OK)
		st = tape_import_result_put(to, &run, err);
	tape_import_run_release(&run);
	tape_digger_release(&d);
	return st;
}
