/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/between.h"

#include "base/mem.h"
#include "base/num.h"
#include "codec/json_write.h"
#include "codec/stat_desc.h"
#include "codec/stat_dist.h"
#include "codec/stat_prop.h"
#include "record/schema.h"

#include <inttypes.h>

#define BASIS   "between-run"
#define KEY_CAP ((size_t)1 << 22)

enum tape_status
tape_between_aim_parse(
    const char *text, struct tape_between_aim *out, struct tape_err *err)
{
	const char *is = text == NULL ? NULL : strchr(text, '=');
	enum tape_status st;

	*out = (struct tape_between_aim){ TAPE_METRIC_COUNT, 0 };
	if (text == NULL)
		return TAPE_OK;
	if (is != NULL)
		out->metric =
		    tape_metric_find(tape_str_make(text, (size_t)(is - text)));
	if (out->metric == TAPE_METRIC_COUNT)
		return tape_err_set(err, TAPE_E_USAGE,
		    "--converge: '%.64s' is not METRIC=SHARE, as ttft=2%%",
		    text);
	st = tape_num_share_ratio(is + 1, &out->ratio, err);
	if (st == TAPE_OK && !(out->ratio > 0))
		return tape_err_set(
		    err, TAPE_E_USAGE, "--converge: the share is above 0");
	return st;
}

static void
add_part(struct tape_buf *b, struct tape_str s)
{
	if (s.p != NULL)
		(void)tape_buf_add(b, s.p, s.len);
	(void)tape_buf_add_char(b, '\n');
}

enum tape_status
tape_between_conditions(struct tape_buf *b, const struct tape_run *run,
    struct tape_str group, struct tape_err *err)
{
	char rate[TAPE_NUM_TEXT] = "";

	add_part(b, run->arm);
	add_part(b, run->model);
	add_part(b, run->api);
	add_part(b, run->trace_hash);
	add_part(b, run->extra);
	add_part(b, run->labels);
	add_part(b, group);
	if (!isnan(run->rate_per_s))
		(void)tape_num_print_double(run->rate_per_s, rate);
	(void)tape_buf_add_fmt(b, "%" PRId64 "\n%s", run->concurrency, rate);
	return tape_buf_status(b, err);
}

static void
release_cell(struct tape_between_cell *c)
{
	for (size_t i = 0; i < c->n; i++)
		tape_mem_free(c->runs[i]);
	tape_mem_free(c->runs);
	tape_mem_free(c->key);
	tape_mem_free(c->arm);
	tape_mem_free(c->group);
}

static char *
copy(struct tape_str s)
{
	return s.p == NULL ? NULL : tape_mem_dup(s.p, s.len);
}

static enum tape_status
new_cell(struct tape_between *b, const struct tape_buf *key,
    const struct tape_run *run, struct tape_str group,
    struct tape_between_cell **out, struct tape_err *err)
{
	struct tape_between_cell c = { .first = run->run };

	if (tape_mem_grow((void **)&b->cells, &b->cap, b->n + 1, sizeof(c)) !=
	    0)
		return tape_err_nomem(err);
	c.key = tape_mem_dup(key->data, key->len);
	c.key_len = key->len;
	c.arm = copy(run->arm);
	c.group = copy(group);
	c.group_len = group.len;
	if (c.key == NULL || (run->arm.p != NULL && c.arm == NULL) ||
	    (group.p != NULL && c.group == NULL)) {
		release_cell(&c);
		return tape_err_nomem(err);
	}
	b->cells[b->n] = c;
	*out = &b->cells[b->n++];
	return TAPE_OK;
}

static enum tape_status
find_cell(struct tape_between *b, const struct tape_run *run,
    struct tape_str group, struct tape_between_cell **out, struct tape_err *err)
{
	struct tape_buf key;
	enum tape_status st;

	*out = NULL;
	tape_buf_init(&key, KEY_CAP);
	st = tape_between_conditions(&key, run, group, err);
	for (size_t i = 0; i < b->n && st == TAPE_OK && *out == NULL; i++)
		if (b->cells[i].key_len == key.len &&
		    memcmp(b->cells[i].key, key.data, key.len) == 0)
			*out = &b->cells[i];
	if (st == TAPE_OK && *out == NULL)
		st = new_cell(b, &key, run, group, out, err);
	tape_buf_release(&key);
	return st;
}

static struct tape_between_value
value_of(const struct tape_summary *s)
{
	const struct tape_quantiles *q = &s->quantiles;

	return (struct tape_between_value){ isnan(s->mean) ? s->value : s->mean,
		q->p50, q->p90, q->p95, q->p99, s->n,
		s->failed == TAPE_ABSENT_I64 ? 0 : s->failed };
}

enum tape_status
tape_between_add(struct tape_between *b, const struct tape_run *start,
    struct tape_str group, const struct tape_summarize_set *set,
    struct tape_err *err)
{
	struct tape_between_cell *c = NULL;
	struct tape_between_run *run;
	enum tape_status st = find_cell(b, start, group, &c, err);

	if (st != TAPE_OK || c == NULL)
		return st;
	if (tape_mem_grow((void **)&c->runs, &c->cap, c->n + 1,
		sizeof(struct tape_between_run *)) != 0)
		return tape_err_nomem(err);
	run = tape_mem_calloc(1, sizeof(*run));
	if (run == NULL)
		return tape_err_nomem(err);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		run->of[i] = value_of(&set->summary[i]);
	c->runs[c->n++] = run;
	return TAPE_OK;
}

void
tape_between_clear(struct tape_between *b)
{
	for (size_t i = 0; i < b->n; i++)
		release_cell(&b->cells[i]);
	tape_mem_free(b->cells);
	*b = (struct tape_between){ 0 };
}

double
tape_between_half(double sd, double runs)
{
	return tape_stat_t_pinv(0.5 + TAPE_INTERVALS_LEVEL / 2, runs - 1) * sd /
	       sqrt(runs);
}

int64_t
tape_between_needed(double mean, double sd, double ratio)
{
	for (int64_t r = 2; r <= TAPE_BETWEEN_RUNS_MOST; r++)
		if (tape_between_half(sd, (double)r) <= ratio * fabs(mean))
			return r;
	return TAPE_ABSENT_I64;
}

/* The numbers of one metric, those that are there. */
static size_t
collect(const struct tape_between_cell *c, int metric, size_t member, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const char *of = (const char *)&c->runs[i]->of[metric];
		const double x = *(const double *)(const void *)(of + member);

		if (!isnan(x))
			v[n++] = x;
	}
	return n;
}

/* A quantile of the runs, where each has it, as their mean with its interval. */
static void
fill_quantile(
    struct tape_json_writer *w, double q, const double *v, size_t n, double *to)
{
	const double mean = tape_stat_mean(v, n);
	const double half = tape_between_half(tape_stat_sd(v, n), (double)n);

	*to = mean;
	tape_json_write_object(w, NULL);
	tape_json_write_double(w, "q", q);
	tape_json_write_double(w, "lo", mean - half);
	tape_json_write_double(w, "hi", mean + half);
	tape_json_write_cstr(w, "basis", BASIS);
	tape_json_write_object_end(w);
}

static enum tape_status
fill_quantiles(const struct tape_between_cell *c, int metric, double *v,
    struct tape_summarize_set *out, struct tape_err *err)
{
	static const struct {
		double q;
		size_t from, to;
	} quantiles[] = {
		{ 0.5, offsetof(struct tape_between_value, p50),
		    offsetof(struct tape_quantiles, p50) },
		{ 0.9, offsetof(struct tape_between_value, p90),
		    offsetof(struct tape_quantiles, p90) },
		{ 0.95, offsetof(struct tape_between_value, p95),
		    offsetof(struct tape_quantiles, p95) },
		{ 0.99, offsetof(struct tape_between_value, p99),
		    offsetof(struct tape_quantiles, p99) },
	};
	struct tape_summary *s = &out->summary[metric];
	struct tape_json_writer w;
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, sizeof(out->ci[metric].v));
	tape_json_write_init(&w, &b);
	tape_json_write_array(&w, NULL);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		char *to = (char *)&s->quantiles + quantiles[i].to;

		if (collect(c, metric, quantiles[i].from, v) == c->n)
			fill_quantile(
			    &w, quantiles[i].q, v, c->n, (double *)(void *)to);
	}
	tape_json_write_array_end(&w);
	st = tape_json_write_finish(&w, err);
	if (st == TAPE_OK && b.len > strlen("[]")) {
		memcpy(out->ci[metric].v, b.data, b.len);
		s->quantile_ci = tape_str_make(out->ci[metric].v, b.len);
	}
	tape_buf_release(&b);
	return st;
}

/* Wilson's interval of a share, with the design effect. */
static void
fill_share(const struct tape_between_cell *c, int metric, const double *v,
    struct tape_summary *s)
{
	const double each = (double)s->n / (double)c->n;
	struct tape_stat_interval ci = { 0 };
	double good = 0, p, effect = 1;

	for (size_t i = 0; i < c->n; i++)
		good += v[i] * (double)c->runs[i]->of[metric].n;
	p = good / (double)s->n;
	s->value = p;
	if (p > 0 && p < 1)
		effect = fmax(1, s->sd * s->sd / (p * (1 - p) / each));
	if (tape_stat_wilson(good / effect, (double)s->n / effect,
		TAPE_INTERVALS_LEVEL, &ci, NULL) != TAPE_OK)
		return;
	s->ci.lo = ci.lo;
	s->ci.hi = ci.hi;
}

static void
begin(const struct tape_between_cell *c, int metric, struct tape_summary *s)
{
	const struct tape_metric *row = &tape_metric_table[metric];

	tape_schema_init(TAPE_KIND_SUMMARY, s);
	s->run = c->first;
	s->arm = tape_str_of(c->arm);
	if (c->group != NULL)
		s->group = tape_str_make(c->group, c->group_len);
	s->metric = tape_str_of(row->name);
	s->unit = tape_str_of(row->unit);
	s->better = tape_str_of(row->better);
	s->n = s->failed = 0;
	for (size_t i = 0; i < c->n; i++) {
		s->n += c->runs[i]->of[metric].n;
		s->failed += c->runs[i]->of[metric].failed;
	}
}

static enum tape_status
fill(const struct tape_between_cell *c, const struct tape_between_aim *aim,
    int metric, double *v, struct tape_summarize_set *out, struct tape_err *err)
{
	struct tape_summary *s = &out->summary[metric];
	const size_t n =
	    collect(c, metric, offsetof(struct tape_between_value, v), v);
	struct tape_stat_desc d;
	double half;
	enum tape_status st;

	begin(c, metric, s);
	/* A run without a value would be another condition. */
	if (n < 2 || n < c->n)
		return TAPE_OK;
	st = tape_stat_describe(v, n, &d, err);
	if (st != TAPE_OK)
		return st;
	half = tape_between_half(d.sd, (double)n);
	s->n_runs = (int64_t)n;
	s->mean = d.mean;
	s->sd = d.sd;
	s->min = d.min;
	s->max = d.max;
	if (fabs(d.mean) > 0)
		s->cv_ratio = d.sd / fabs(d.mean);
	s->ci.level_ratio = TAPE_INTERVALS_LEVEL;
	s->ci.lo = d.mean - half;
	s->ci.hi = d.mean + half;
	s->ci.basis = tape_str_of(BASIS);
	if (aim->metric == (enum tape_metric_id)metric)
		s->runs_needed = tape_between_needed(d.mean, d.sd, aim->ratio);
	if (metric == TAPE_METRIC_GOOD_RATIO ||
	    metric == TAPE_METRIC_FAILED_RATIO)
		fill_share(c, metric, v, s);
	return tape_metric_table[metric].kind == TAPE_METRIC_RUN
		   ? TAPE_OK
		   : fill_quantiles(c, metric, v, out, err);
}

enum tape_status
tape_between_make(const struct tape_between_cell *cell,
    const struct tape_between_aim *aim, struct tape_summarize_set *out,
    struct tape_err *err)
{
	double *v = tape_mem_realloc(NULL, cell->n, sizeof(*v));
	enum tape_status st = TAPE_OK;

	if (v == NULL)
		return tape_err_nomem(err);
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++)
		st = fill(cell, aim, i, v, out, err);
	tape_mem_free(v);
	return st;
}
