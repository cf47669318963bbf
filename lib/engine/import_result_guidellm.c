/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guidellm's JSON: a run for each of its benchmarks. */
#include "base/clock.h"
#include "base/hash.h"
#include "engine/import_result.h"

#include <inttypes.h>
#include <stdio.h>

#define RUN_ID_MAX 96

struct report {
	struct tape_str version, benchmarks;
};

static const struct tape_dig report_table[] = {
	{ "metadata.guidellm_version", TAPE_DIG_TEXT,
	    offsetof(struct report, version) },
	{ "benchmarks", TAPE_DIG_RAW, offsetof(struct report, benchmarks) },
};

struct benchmark {
	struct tape_str id, strategy, target, model, format;
	int64_t concurrency, streams;
	double rate;
	int8_t stream;
	double start_s, end_s;
	struct tape_str successful, errored, incomplete, metrics;
	int64_t ok, failed, cut;
};

#define AT(f)      offsetof(struct benchmark, f)
#define TOTAL      "metrics.request_totals."
#define NEEDED(of) "requests." of

static const struct tape_dig table[] = {
	{ "config.run_id", TAPE_DIG_TEXT, AT(id) },
	{ "config.strategy.type_", TAPE_DIG_TEXT, AT(strategy) },
	{ "config.strategy.max_concurrency", TAPE_DIG_INTEGER,
	    AT(concurrency) },
	{ "config.strategy.streams", TAPE_DIG_INTEGER, AT(streams) },
	{ "config.strategy.rate", TAPE_DIG_NUMBER, AT(rate) },
	{ "config.backend.target", TAPE_DIG_TEXT, AT(target) },
	{ "config.backend.model", TAPE_DIG_TEXT, AT(model) },
	{ "config.backend.request_format", TAPE_DIG_TEXT, AT(format) },
	{ "config.backend.stream", TAPE_DIG_BOOL, AT(stream) },
	{ "start_time", TAPE_DIG_NUMBER, AT(start_s) },
	{ "end_time", TAPE_DIG_NUMBER, AT(end_s) },
	{ NEEDED("successful"), TAPE_DIG_RAW, AT(successful) },
	{ NEEDED("errored"), TAPE_DIG_RAW, AT(errored) },
	{ NEEDED("incomplete"), TAPE_DIG_RAW, AT(incomplete) },
	{ TOTAL "successful", TAPE_DIG_INTEGER, AT(ok) },
	{ TOTAL "errored", TAPE_DIG_INTEGER, AT(failed) },
	{ TOTAL "incomplete", TAPE_DIG_INTEGER, AT(cut) },
};

/* metrics is a key of its own row and above those of others, so it is dug for
   apart. */
static const struct tape_dig metrics_table[] = {
	{ "metrics", TAPE_DIG_RAW, AT(metrics) },
};

struct request {
	struct tape_str id, error;
	double targeted_s, start_s, first_s, first_output_s, last_s, end_s;
	int64_t events, input, output, cached;
};

#define IN(f)     offsetof(struct request, f)
#define TIME(key) "info.timings." key

static const struct tape_dig request_table[] = {
	{ "request_id", TAPE_DIG_TEXT, IN(id) },
	{ "info.error", TAPE_DIG_TEXT, IN(error) },
	{ TIME("targeted_start"), TAPE_DIG_NUMBER, IN(targeted_s) },
	{ TIME("request_start"), TAPE_DIG_NUMBER, IN(start_s) },
	{ TIME("first_token_iteration"), TAPE_DIG_NUMBER, IN(first_s) },
	{ TIME("first_output_token_iteration"), TAPE_DIG_NUMBER,
	    IN(first_output_s) },
	{ TIME("last_token_iteration"), TAPE_DIG_NUMBER, IN(last_s) },
	{ TIME("request_end"), TAPE_DIG_NUMBER, IN(end_s) },
	{ TIME("token_iterations"), TAPE_DIG_INTEGER, IN(events) },
	{ "prompt_tokens", TAPE_DIG_INTEGER, IN(input) },
	{ "output_tokens", TAPE_DIG_INTEGER, IN(output) },
	{ "cached_tokens", TAPE_DIG_INTEGER, IN(cached) },
};

/* How a request came to be in the list. */
enum outcome { SUCCESSFUL, ERRORED, INCOMPLETE };

static int64_t
since(int64_t t, int64_t from)
{
	return t == TAPE_ABSENT_I64 || from == TAPE_ABSENT_I64 ? TAPE_ABSENT_I64
							       : t - from;
}

/* Our definitions, from its times: an answer ends with its last token. */
static enum tape_status
set_times(struct tape_import_request *q, const struct request *v,
    struct tape_err *err)
{
	struct tape_result *r = &q->result;
	int64_t answer = TAPE_ABSENT_I64;
	enum tape_status st = tape_import_ns(v->first_s, &r->first_ns, err);

	if (st == TAPE_OK)
		st = tape_import_ns(v->last_s, &r->last_ns, err);
	if (st == TAPE_OK)
		st = tape_import_ns(v->first_output_s, &answer, err);
	if (st != TAPE_OK)
		return st;
	q->streamed = r->first_ns != TAPE_ABSENT_I64;
	q->reasoned = q->streamed && answer > r->first_ns;
	r->ttft_ns = since(r->first_ns, r->start_ns);
	r->ttfo_ns = since(answer, r->start_ns);
	r->latency_ns =
	    since(q->streamed ? r->last_ns : r->end_ns, r->start_ns);
	r->ttft_due_ns = since(r->first_ns, r->due_ns);
	r->latency_due_ns =
	    since(q->streamed ? r->last_ns : r->end_ns, r->due_ns);
	r->late_ns = since(r->start_ns, r->due_ns);
	if (v->events > 0)
		r->token_events = v->events;
	if (q->streamed && r->tokens.output > 1 &&
	    r->last_ns != TAPE_ABSENT_I64)
		r->tpot_ns = (double)(r->last_ns - r->first_ns) /
			     (double)(r->tokens.output - 1);
	return TAPE_OK;
}

/* "ReadError('')": the name is the cause. */
static enum tape_status
set_error(struct tape_import_run *run, struct tape_import_request *q,
    struct tape_str error, struct tape_err *err)
{
	struct tape_str cause = error;
	const char *p;

	if (error.p != NULL) {
		p = memchr(error.p, '(', error.len);
		cause.len = p == NULL ? 0 : (size_t)(p - error.p);
	}
	if (cause.len == 0)
		cause.p = NULL;
	return tape_import_error(run, q, NULL, cause, error, err);
}

static enum tape_status
add_request(struct tape_import_run *run, const struct request *v,
    enum outcome outcome, struct tape_err *err)
{
	struct tape_import_request *q;
	struct tape_result *r;
	enum tape_status st;

	/* What it never came to is no request. */
	if (outcome == INCOMPLETE && isnan(v->start_s))
		return TAPE_OK;
	if (v->id.p == NULL || isnan(v->start_s))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a request without request_id or request_start");
	q = tape_import_run_add(run);
	if (q == NULL)
		return tape_err_nomem(err);
	r = &q->result;
	r->tokens.input = v->input;
	r->tokens.output = v->output;
	r->tokens.cached = v->cached;
	st = tape_import_run_keep(run, v->id, &r->id, err);
	if (st == TAPE_OK)
		st = tape_import_ns(v->start_s, &r->start_ns, err);
	if (st == TAPE_OK)
		st = tape_import_ns(v->end_s, &r->end_ns, err);
	if (st == TAPE_OK)
		st = tape_import_ns(v->targeted_s, &r->due_ns, err);
	if (st != TAPE_OK || outcome == SUCCESSFUL)
		return st == TAPE_OK ? set_times(q, v, err) : st;
	if (outcome == ERRORED)
		return set_error(run, q, v->error, err);
	/* It was still open when the time was over. */
	q->cancelled = true;
	r->ok = 0;
	r->error.class = tape_str_of("cancelled");
	r->error.cause = tape_str_of("planned");
	return TAPE_OK;
}

static enum tape_status
read_requests(struct tape_import_run *run, struct tape_digger *d,
    struct tape_str list, enum outcome outcome, struct tape_err *err)
{
	struct tape_dig_items items;
	struct tape_str item;
	struct request v;
	enum tape_status st;

	tape_dig_items_init(&items, list);
	while ((st = tape_dig_items_next(&items, &item, err)) == TAPE_OK) {
		st = tape_dig_read(d, item, request_table,
		    sizeof(request_table) / sizeof(*request_table), &v, err);
		if (st == TAPE_OK)
			st = add_request(run, &v, outcome, err);
		if (st != TAPE_OK)
			break;
	}
	tape_dig_items_release(&items);
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* A dialect of ours where its path says which. */
static const char *
api_of(struct tape_str format)
{
	if (tape_str_is(format, "/v1/chat/completions"))
		return "chat";
	if (tape_str_is(format, "/v1/completions"))
		return "completions";
	return tape_str_is(format, "/v1/responses") ? "responses" : NULL;
}

static enum tape_status
read_about(struct tape_import_run *run, const struct benchmark *b, size_t i,
    struct tape_err *err)
{
	struct tape_run *r = &run->run;
	const struct tape_strs urls = { &b->target, 1 };
	char id[RUN_ID_MAX];
	enum tape_status st;

	r->stream = b->stream;
	r->stop = tape_str_of("complete");
	r->api = tape_str_of(api_of(b->format));
	r->rate_per_s = b->rate;
	r->loop = tape_str_of(isnan(b->rate) ? "closed" : "open");
	r->concurrency =
	    b->streams != TAPE_ABSENT_I64 ? b->streams : b->concurrency;
	if (tape_str_is(b->strategy, "synchronous"))
		r->concurrency = 1;
	(void)snprintf(id, sizeof(id), "%.*s-%zu",
	    tape_str_shown(b->id, RUN_ID_MAX - 24),
	    b->id.p == NULL ? "" : b->id.p, i + 1);
	if (b->id.p == NULL)
		run->digest = tape_hash_add(run->digest, &i, sizeof(i));
	st = b->id.p == NULL ? TAPE_OK
			     : tape_import_run_keep(
				   run, tape_str_of(id), &run->run_id, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, b->model, &r->model, err);
	if (st == TAPE_OK && b->target.p != NULL)
		st = tape_import_targets(run, urls, err);
	if (st == TAPE_OK)
		st = tape_import_ns(b->start_s, &r->start_ns, err);
	return st == TAPE_OK ? tape_import_ns(b->end_s, &r->end_ns, err) : st;
}

#define STAT(f)       offsetof(struct tape_import_stat, f)
#define PERCENTILE(p) "successful.percentiles." p

static const struct tape_dig stat_table[] = {
	{ "successful.count", TAPE_DIG_INTEGER, STAT(n) },
	{ "successful.mean", TAPE_DIG_NUMBER, STAT(mean) },
	{ "successful.median", TAPE_DIG_NUMBER, STAT(median) },
	{ "successful.std_dev", TAPE_DIG_NUMBER, STAT(sd) },
	{ "successful.min", TAPE_DIG_NUMBER, STAT(min) },
	{ "successful.max", TAPE_DIG_NUMBER, STAT(max) },
	{ PERCENTILE("p01"), TAPE_DIG_NUMBER, STAT(q.p1) },
	{ PERCENTILE("p05"), TAPE_DIG_NUMBER, STAT(q.p5) },
	{ PERCENTILE("p10"), TAPE_DIG_NUMBER, STAT(q.p10) },
	{ PERCENTILE("p25"), TAPE_DIG_NUMBER, STAT(q.p25) },
	{ PERCENTILE("p50"), TAPE_DIG_NUMBER, STAT(q.p50) },
	{ PERCENTILE("p75"), TAPE_DIG_NUMBER, STAT(q.p75) },
	{ PERCENTILE("p90"), TAPE_DIG_NUMBER, STAT(q.p90) },
	{ PERCENTILE("p95"), TAPE_DIG_NUMBER, STAT(q.p95) },
	{ PERCENTILE("p99"), TAPE_DIG_NUMBER, STAT(q.p99) },
	{ PERCENTILE("p999"), TAPE_DIG_NUMBER, STAT(q.p999) },
};

static const struct {
	const char *name;
	enum tape_metric_id metric;
	double by;
} stated[] = {
	{ "time_to_first_token_ms", TAPE_METRIC_TTFT, 1e6 },
	{ "time_to_first_output_token_ms", TAPE_METRIC_TTFO, 1e6 },
	{ "request_latency", TAPE_METRIC_LATENCY, 1e9 },
	{ "inter_token_latency_ms", TAPE_METRIC_TPOT, 1e6 },
	{ "prompt_token_count", TAPE_METRIC_INPUT_TOKENS, 1 },
	{ "output_token_count", TAPE_METRIC_OUTPUT_TOKENS, 1 },
	{ "requests_per_second", TAPE_METRIC_REQUESTS_PER_S, 1 },
	{ "output_tokens_per_second", TAPE_METRIC_OUTPUT_TOKENS_PER_S, 1 },
	{ "tokens_per_second", TAPE_METRIC_TOTAL_TOKENS_PER_S, 1 },
};

#define STATED (sizeof(stated) / sizeof(*stated))

static uint64_t
count_of(int64_t v)
{
	return v > 0 ? (uint64_t)v : 0;
}

/* Its percentiles are steps of the distribution: type 1.  Of an empty one its
   numbers are 0, which stand for nothing. */
static enum tape_status
state(struct tape_import_run *run, struct tape_digger *d,
    const struct benchmark *b, struct tape_err *err)
{
	struct tape_dig rows[STATED];
	struct tape_str raw[STATED];
	struct tape_import_stat s;
	enum tape_status st;

	run->run.done = b->ok;
	run->run.failed = b->failed;
	for (size_t i = 0; i < STATED; i++)
		rows[i] = (struct tape_dig){ stated[i].name, TAPE_DIG_RAW,
			i * sizeof(*raw) };
	st = tape_import_state_begin(
	    run, count_of(b->ok), count_of(b->failed), err);
	if (st == TAPE_OK)
		st = tape_dig_read(d, b->metrics, rows, STATED, raw, err);
	for (size_t i = 0; i < STATED && st == TAPE_OK; i++) {
		if (raw[i].p == NULL)
			continue;
		tape_import_stat_init(&s);
		st = tape_dig_read(d, raw[i], stat_table,
		    sizeof(stat_table) / sizeof(*stat_table), &s, err);
		if (st != TAPE_OK || s.n == 0)
			continue;
		if (tape_metric_table[stated[i].metric].kind == TAPE_METRIC_RUN)
			tape_import_state_value(
			    run, stated[i].metric, s.mean * stated[i].by);
		else
			tape_import_state_values(
			    run, stated[i].metric, &s, stated[i].by, 1);
	}
	return st;
}

/* Only a sample of the requests may be kept. */
static bool
is_whole(const struct tape_import_run *run, const struct benchmark *b)
{
	uint64_t ok = 0, failed = 0;

	for (size_t i = 0; i < run->n; i++) {
		ok += run->requests[i].result.ok == 1;
		failed += run->requests[i].result.ok != 1 &&
			  !run->requests[i].cancelled;
	}
	return (b->ok == TAPE_ABSENT_I64 || count_of(b->ok) == ok) &&
	       (b->failed == TAPE_ABSENT_I64 || count_of(b->failed) == failed);
}

static enum tape_status
read_benchmark(struct tape_import_run *run, struct tape_digger *d,
    struct tape_str text, size_t i, struct tape_err *err)
{
	struct benchmark b;
	enum tape_status st;

	st = tape_dig_read(
	    d, text, table, sizeof(table) / sizeof(*table), &b, err);
	if (st == TAPE_OK)
		st = tape_dig_read(d, text, metrics_table, 1, &b, err);
	if (st == TAPE_OK)
		st = read_about(run, &b, i, err);
	if (st == TAPE_OK)
		st = read_requests(run, d, b.successful, SUCCESSFUL, err);
	if (st == TAPE_OK)
		st = read_requests(run, d, b.errored, ERRORED, err);
	if (st == TAPE_OK)
		st = read_requests(run, d, b.incomplete, INCOMPLETE, err);
	if (st != TAPE_OK || is_whole(run, &b))
		return st;
	run->n = 0;
	if (b.metrics.p == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a benchmark without its requests and without metrics");
	return state(run, d, &b, err);
}

static enum tape_status
add_run(struct tape_import_to *to, struct tape_digger *d,
    const struct report *r, struct tape_str text, size_t i,
    struct tape_err *err)
{
	struct tape_import_run run;
	enum tape_status st;

	tape_import_run_init(&run);
	run.tool = "guidellm";
	run.digest = tape_hash_add(TAPE_HASH_START, text.p, text.len);
	st = tape_import_run_keep(&run, r->version, &run.version, err);
	if (st == TAPE_OK)
		st = read_benchmark(&run, d, text, i, err);
	if (st == TAPE_OK)
		st = tape_import_result_put(to, &run, err);
	tape_import_run_release(&run);
	return st;
}

enum tape_status
tape_import_guidellm(
    struct tape_str document, struct tape_import_to *to, struct tape_err *err)
{
	struct tape_digger d;
	struct tape_dig_items items;
	struct tape_str item;
	struct report r;
	size_t n = 0;
	enum tape_status st;

	tape_digger_init(&d);
	st = tape_dig_read(&d, document, report_table,
	    sizeof(report_table) / sizeof(*report_table), &r, err);
	tape_dig_items_init(
	    &items, st == TAPE_OK ? r.benchmarks : tape_str_make(NULL, 0));
	while (st == TAPE_OK) {
		st = tape_dig_items_next(&items, &item, err);
		if (st == TAPE_OK)
			st = add_run(to, &d, &r, item, n++, err);
	}
	tape_dig_items_release(&items);
	tape_digger_release(&d);
	return st == TAPE_EOF ? TAPE_OK : st;
}
