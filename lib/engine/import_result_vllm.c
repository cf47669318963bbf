/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of vllm bench serve; with --save-detailed it has the requests. */
#include "base/clock.h"
#include "base/hash.h"
#include "engine/import_result.h"

#include <inttypes.h>
#include <stdio.h>

#define ID_MAX 24

struct result {
	struct tape_str date, backend, model;
	int64_t prompts, concurrency, completed, failed;
	double duration_s;
	struct tape_str rate; /* a number, or "inf" */
	double requests_per_s, output_per_s, total_per_s, good_per_s;
	struct tape_import_stat ttft, tpot, itl, e2el;
	/* Of each request, with --save-detailed. */
	struct tape_f64s input_lens, output_lens, ttfts, latencies, starts;
	struct tape_str itls, errors;
};

#define AT(f) offsetof(struct result, f)
#define NUMBER(path, f)                                                        \
 {                                                                             \
  path, TAPE_DIG_NUMBER, AT(f)                                                 \
 }
#define STAT(name, f)                                                          \
 NUMBER("mean_" name "_ms", f.mean), NUMBER("median_" name "_ms", f.median),   \
     NUMBER("std_" name "_ms", f.sd), NUMBER("p1_" name "_ms", f.q.p1),        \
     NUMBER("p5_" name "_ms", f.q.p5), NUMBER("p10_" name "_ms", f.q.p10),     \
     NUMBER("p25_" name "_ms", f.q.p25), NUMBER("p50_" name "_ms", f.q.p50),   \
     NUMBER("p75_" name "_ms", f.q.p75), NUMBER("p90_" name "_ms", f.q.p90),   \
     NUMBER("p95_" name "_ms", f.q.p95), NUMBER("p99_" name "_ms", f.q.p99),   \
     NUMBER("p99.9_" name "_ms", f.q.p999)

static const struct tape_dig table[] = {
	{ "date", TAPE_DIG_TEXT, AT(date) },
	{ "backend", TAPE_DIG_TEXT, AT(backend) },
	{ "model_id", TAPE_DIG_TEXT, AT(model) },
	{ "num_prompts", TAPE_DIG_INTEGER, AT(prompts) },
	{ "request_rate", TAPE_DIG_RAW, AT(rate) },
	{ "max_concurrency", TAPE_DIG_INTEGER, AT(concurrency) },
	{ "completed", TAPE_DIG_INTEGER, AT(completed) },
	{ "failed", TAPE_DIG_INTEGER, AT(failed) },
	NUMBER("duration", duration_s),
	NUMBER("request_throughput", requests_per_s),
	NUMBER("output_throughput", output_per_s),
	NUMBER("total_token_throughput", total_per_s),
	NUMBER("request_goodput", good_per_s),
	STAT("ttft", ttft),
	STAT("tpot", tpot),
	STAT("itl", itl),
	STAT("e2el", e2el),
	{ "input_lens", TAPE_DIG_NUMBERS, AT(input_lens) },
	{ "output_lens", TAPE_DIG_NUMBERS, AT(output_lens) },
	{ "ttfts", TAPE_DIG_NUMBERS, AT(ttfts) },
	{ "latencies", TAPE_DIG_NUMBERS, AT(latencies) },
	{ "start_times", TAPE_DIG_NUMBERS, AT(starts) },
	{ "itls", TAPE_DIG_RAW, AT(itls) },
	{ "errors", TAPE_DIG_RAW, AT(errors) },
};

/* So many digits; -1 if one is none. */
static int
digits(const char *p, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = 10 * v + (p[i] - '0');
	}
	return v;
}

/* "20261130-200246", by a local clock, is taken for UTC; it is the end. */
static int64_t
read_date(struct tape_str date)
{
	static const struct {
		size_t at, n;
	} parts[] = { { 0, 4 }, { 4, 2 }, { 6, 2 }, { 9, 2 }, { 11, 2 },
		{ 13, 2 } };
	int v[6];
	int64_t s;

	if (date.p == NULL || date.len != 15 || date.p[8] != '-')
		return TAPE_ABSENT_I64;
	for (size_t i = 0; i < 6; i++) {
		v[i] = digits(date.p + parts[i].at, parts[i].n);
		if (v[i] < 0)
			return TAPE_ABSENT_I64;
	}
	s = tape_clock_utc_s(v[0], v[1], v[2], v[3], v[4], v[5]);
	return s > 0 && s < INT64_MAX / TAPE_NS_PER_S ? s * TAPE_NS_PER_S
						      : TAPE_ABSENT_I64;
}

static enum tape_status
read_about(
    struct tape_import_run *run, const struct result *v, struct tape_err *err)
{
	struct tape_run *r = &run->run;
	const int64_t end = read_date(v->date);
	int64_t duration;
	enum tape_status st;

	r->requests = v->prompts;
	r->concurrency = v->concurrency;
	r->stop = tape_str_of("complete");
	if (v->rate.p != NULL && v->rate.len > 0 && v->rate.p[0] != '"')
		st = tape_import_number(v->rate, &r->rate_per_s, err);
	else
		st = TAPE_OK;
	r->loop = tape_str_of(isnan(r->rate_per_s) ? "closed" : "open");
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, v->model, &r->model, err);
	if (st == TAPE_OK)
		st = tape_import_run_keep(run, v->backend, &r->api, err);
	if (st == TAPE_OK)
		st = tape_import_ns(v->duration_s, &duration, err);
	if (st != TAPE_OK || end == TAPE_ABSENT_I64 ||
	    duration == TAPE_ABSENT_I64)
		return st;
	r->start_ns = end - duration;
	r->end_ns = end;
	return TAPE_OK;
}

/* Lists of all requests, side by side. */
struct lists {
	const struct result *v;
	struct tape_strs errors;
	double first_s; /* the smallest start */
};

static double
at(struct tape_f64s v, size_t i)
{
	return i < v.n ? v.v[i] : TAPE_ABSENT_F64;
}

static int64_t
tokens_of(double v)
{
	return v >= 0 && v < 0x1p31 ? (int64_t)v : TAPE_ABSENT_I64;
}

static int64_t
later(int64_t from, int64_t by)
{
	return by == TAPE_ABSENT_I64 ? by : from + by;
}

/* The gaps of one request, which end its answer where no latency is told. */
static enum tape_status
set_gaps(struct tape_import_run *run, struct tape_import_request *q,
    const struct tape_f64s *itls, double *sum_s, struct tape_err *err)
{
	double *v;

	*sum_s = 0;
	v = tape_arena_alloc(&run->arena, itls->n + 1, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < itls->n; i++) {
		v[i] = itls->v[i] * (double)TAPE_NS_PER_S;
		if (!(fabs(v[i]) < (double)TAPE_FIELD_I64_MAX))
			return tape_err_set(
			    err, TAPE_E_FORMAT, "\"itls\" has what is no time");
		*sum_s += itls->v[i];
	}
	q->gaps = (struct tape_f64s){ v, itls->n };
	q->result.token_events = (int64_t)itls->n + 1;
	return TAPE_OK;
}

static enum tape_status
set_times(struct tape_import_run *run, const struct lists *l, size_t i,
    const struct tape_f64s *itls, struct tape_import_request *q,
    struct tape_err *err)
{
	struct tape_result *r = &q->result;
	const double ttft_s = at(l->v->ttfts, i);
	double latency_s = at(l->v->latencies, i), sum_s;
	enum tape_status st = set_gaps(run, q, itls, &sum_s, err);

	if (isnan(latency_s))
		latency_s = ttft_s + sum_s;
	q->streamed = ttft_s > 0;
	if (st == TAPE_OK)
		st = tape_import_ns(latency_s, &r->latency_ns, err);
	r->end_ns = later(r->start_ns, r->latency_ns);
	if (st != TAPE_OK || !q->streamed)
		return st;
	st = tape_import_ns(ttft_s, &r->ttft_ns, err);
	r->first_ns = later(r->start_ns, r->ttft_ns);
	r->last_ns = r->end_ns;
	if (itls->n > 0)
		r->ttst_ns = r->ttft_ns + llround(q->gaps.v[0]);
	if (r->tokens.output > 1)
		r->tpot_ns = (double)(r->latency_ns - r->ttft_ns) /
			     (double)(r->tokens.output - 1);
	return st;
}

static enum tape_status
add_request(struct tape_import_run *run, const struct lists *l, size_t i,
    const struct tape_f64s *itls, struct tape_err *err)
{
	struct tape_import_request *q = tape_import_run_add(run);
	const double start_s = at(l->v->starts, i);
	const int64_t zero =
	    run->run.start_ns == TAPE_ABSENT_I64 ? 0 : run->run.start_ns;
	int64_t ns = 0;
	char id[ID_MAX];
	enum tape_status st;

	if (q == NULL)
		return tape_err_nomem(err);
	(void)snprintf(id, sizeof(id), "%zu", i);
	st = tape_import_run_keep(run, tape_str_of(id), &q->result.id, err);
	if (st == TAPE_OK && !isnan(start_s))
		st = tape_import_ns(start_s - l->first_s, &ns, err);
	if (st != TAPE_OK)
		return st;
	q->result.start_ns = zero + ns;
	q->result.tokens.input = tokens_of(at(l->v->input_lens, i));
	if (i < l->errors.n && l->errors.v[i].len > 0) {
		static const struct tape_str none;

		return tape_import_error(
		    run, q, NULL, none, l->errors.v[i], err);
	}
	q->result.tokens.output = tokens_of(at(l->v->output_lens, i));
	return set_times(run, l, i, itls, q, err);
}

static double
smallest(struct tape_f64s v)
{
	double least = TAPE_ABSENT_F64;

	for (size_t i = 0; i < v.n; i++)
		if (!(least <= v.v[i]) && !isnan(v.v[i]))
			least = v.v[i];
	return least;
}

/* The lists but that of gaps are kept in the digger's arena all the while. */
static enum tape_status
read_requests(struct tape_import_run *run, struct tape_digger *d,
    const struct result *v, struct tape_err *err)
{
	struct lists l = { .v = v, .first_s = smallest(v->starts) };
	struct tape_f64s itls = { NULL, 0 };
	struct tape_dig_items items;
	struct tape_str item;
	enum tape_status st = TAPE_OK;

	if (v->errors.p != NULL)
		st = tape_dig_texts(d, v->errors, &l.errors, err);
	if (st == TAPE_OK && v->starts.n != 0 && v->starts.n != v->ttfts.n)
		st = tape_err_set(err, TAPE_E_FORMAT,
		    "\"start_times\" and \"ttfts\" are of different lengths");
	tape_dig_items_init(&items, v->itls);
	for (size_t i = 0; i < v->ttfts.n && st == TAPE_OK; i++) {
		itls.n = 0;
		st = tape_dig_items_next(&items, &item, err);
		if (st == TAPE_OK)
			st = tape_dig_numbers(d, item, &itls, err);
		else if (st == TAPE_EOF && v->itls.p == NULL)
			st = TAPE_OK;
		else if (st == TAPE_EOF)
			st = tape_err_set(err, TAPE_E_FORMAT,
			    "\"itls\" and \"ttfts\" are of different lengths");
		if (st == TAPE_OK)
			st = add_request(run, &l, i, &itls, err);
	}
	tape_dig_items_release(&items);
	return st;
}

static enum tape_status
state(struct tape_import_run *run, const struct result *v, struct tape_err *err)
{
	const bool counted = v->completed != TAPE_ABSENT_I64;
	const uint64_t ok =
	    counted && v->completed > 0 ? (uint64_t)v->completed : 0;
	const uint64_t failed = v->failed > 0 ? (uint64_t)v->failed : 0;
	struct tape_import_stat ttft = v->ttft, e2el = v->e2el;
	enum tape_status st = tape_import_state_begin(run, ok, failed, err);

	if (st != TAPE_OK)
		return st;
	run->run.done = v->completed;
	run->run.failed = v->failed;
	ttft.n = e2el.n = v->completed;
	tape_import_state_values(run, TAPE_METRIC_TTFT, &ttft, 1e6, 7);
	tape_import_state_values(run, TAPE_METRIC_LATENCY, &e2el, 1e6, 7);
	tape_import_state_values(run, TAPE_METRIC_TPOT, &v->tpot, 1e6, 7);
	tape_import_state_values(run, TAPE_METRIC_GAP, &v->itl, 1e6, 7);
	tape_import_state_value(
	    run, TAPE_METRIC_REQUESTS_PER_S, v->requests_per_s);
	tape_import_state_value(
	    run, TAPE_METRIC_OUTPUT_TOKENS_PER_S, v->output_per_s);
	tape_import_state_value(
	    run, TAPE_METRIC_TOTAL_TOKENS_PER_S, v->total_per_s);
	tape_import_state_value(
	    run, TAPE_METRIC_GOOD_REQUESTS_PER_S, v->good_per_s);
	return TAPE_OK;
}

static void
begin_stats(struct result *v)
{
	struct tape_import_stat *stats[] = { &v->ttft, &v->tpot, &v->itl,
		&v->e2el };

	for (size_t i = 0; i < sizeof(stats) / sizeof(*stats); i++)
		tape_import_stat_init(stats[i]);
}

enum tape_status
tape_import_vllm(
    struct tape_str document, struct tape_import_to *to, struct tape_err *err)
{
	struct tape_digger d;
	struct tape_import_run run;
	struct result v;
	enum tape_status st;

	tape_digger_init(&d);
	tape_import_run_init(&run);
	run.tool = "vllm";
	run.digest = tape_hash_add(TAPE_HASH_START, document.p, document.len);
	memset(&v, 0, sizeof(v));
	begin_stats(&v);
	st = tape_dig_read(
	    &d, document, table, sizeof(table) / sizeof(*table), &v, err);
	if (st == TAPE_OK)
		st = read_about(&run, &v, err);
	if (st == TAPE_OK && v.ttfts.v != NULL)
		st = read_requests(&run, &d, &v, err);
	else if (st == TAPE_OK)
		st = state(&run, &v, err);
	if (st == TAPE_OK)
		st = tape_import_result_put(to, &run, err);
	tape_import_run_release(&run);
	tape_digger_release(&d);
	return st;
}
