/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of another tool while it is read. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/url.h"
#include "base/utf8.h"
#include "engine/import_result.h"
#include "record/schema.h"

#define MESSAGE_MAX 200 /* bytes that are kept */
#define NUMBER_MAX  64

void
tape_import_run_init(struct tape_import_run *run)
{
	memset(run, 0, sizeof(*run));
	tape_schema_init(TAPE_KIND_RUN, &run->run);
	run->run.run = 1;
}

void
tape_import_run_release(struct tape_import_run *run)
{
	tape_arena_release(&run->arena);
	tape_mem_free(run->requests);
	memset(run, 0, sizeof(*run));
}

struct tape_import_request *
tape_import_run_add(struct tape_import_run *run)
{
	struct tape_import_request *q;
	void *v = run->requests;

	if (tape_mem_grow(&v, &run->cap, run->n + 1, sizeof(*q)) != 0)
		return NULL;
	run->requests = v;
	q = &run->requests[run->n++];
	memset(q, 0, sizeof(*q));
	tape_schema_init(TAPE_KIND_RESULT, &q->result);
	q->result.ok = 1;
	return q;
}

enum tape_status
tape_import_run_keep(struct tape_import_run *run, struct tape_str from,
    struct tape_str *to, struct tape_err *err)
{
	*to = from;
	if (from.p == NULL)
		return TAPE_OK;
	to->p = tape_arena_dup(&run->arena, from.p, from.len);
	return to->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

enum tape_status
tape_import_ns(double s, int64_t *ns, struct tape_err *err)
{
	*ns = TAPE_ABSENT_I64;
	if (isnan(s))
		return TAPE_OK;
	if (!(fabs(s) < (double)(INT64_MAX / TAPE_NS_PER_S)))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "a time is out of range");
	*ns = llround(s * (double)TAPE_NS_PER_S);
	return TAPE_OK;
}

enum tape_status
tape_import_targets(
    struct tape_import_run *run, struct tape_strs urls, struct tape_err *err)
{
	struct tape_str *v =
	    tape_arena_alloc(&run->arena, urls.n + 1, sizeof(*v));
	struct tape_buf text;
	size_t n = 0;
	enum tape_status st = TAPE_OK;

	if (v == NULL)
		return tape_err_nomem(err);
	tape_buf_init(&text, TAPE_CAP_LINE);
	for (size_t i = 0; i < urls.n && st == TAPE_OK; i++) {
		if (urls.v[i].p == NULL)
			continue;
		tape_buf_clear(&text);
		(void)tape_url_redact_span(urls.v[i], &text);
		st = tape_buf_status(&text, err);
		if (st == TAPE_OK)
			st = tape_import_run_keep(run,
			    tape_str_make(text.data, text.len), &v[n++], err);
	}
	tape_buf_release(&text);
	if (n > 0)
		run->run.targets = (struct tape_strs){ v, n };
	return st;
}

enum tape_status
tape_import_number(struct tape_str text, double *v, struct tape_err *err)
{
	char number[NUMBER_MAX];

	if (text.len < sizeof(number)) {
		memcpy(number, text.p, text.len);
		number[text.len] = '\0';
		if (tape_num_double(number, 0, 1e18, v, NULL) == TAPE_OK)
			return TAPE_OK;
	}
	return tape_err_set(err, TAPE_E_FORMAT, "\"%.*s\" is no number",
	    tape_str_shown(text, 40), text.p);
}

double
tape_import_unit(struct tape_str unit, const char *want)
{
	static const struct {
		const char *unit;
		const char *is;
		double by;
	} units[] = {
		{ "ns", "ns", 1 },
		{ "us", "ns", 1e3 },
		{ "ms", "ns", 1e6 },
		{ "sec", "ns", 1e9 },
		{ "s", "ns", 1e9 },
		{ "seconds", "ns", 1e9 },
		{ "tokens", "tokens", 1 },
		{ "requests", "count", 1 },
		{ "ratio", "ratio", 1 },
		{ "%", "ratio", 1e-2 },
		{ "requests/sec", "per_s", 1 },
		{ "tokens/sec", "per_s", 1 },
		{ "tokens/sec/user", "per_s", 1 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (tape_str_is(unit, units[i].unit) &&
		    strcmp(want, units[i].is) == 0)
			return units[i].by;
	return TAPE_ABSENT_F64;
}

static bool
has(struct tape_str text, const char *word)
{
	return text.p != NULL &&
	       memmem(text.p, text.len, word, strlen(word)) != NULL;
}

static const char *
class_of(struct tape_str cause, struct tape_str message)
{
	static const struct {
		const char *word;
		const char *class;
	} words[] = {
		{ "Timeout", "timeout" },
		{ "timed out", "timeout" },
		{ "Connection reset", "reset" },
		{ "ServerDisconnected", "reset" },
		{ "ReadError", "reset" },
		{ "ClientPayload", "truncated" },
		{ "RemoteProtocol", "truncated" },
		{ "incomplete", "truncated" },
		{ "Connect", "connect" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has(cause, words[i].word) || has(message, words[i].word))
			return words[i].class;
	return "other";
}

/* A traceback's last line says what it was. */
static struct tape_str
last_line(struct tape_str text)
{
	size_t from;

	while (text.len > 0 && text.p[text.len - 1] == '\n')
		text.len--;
	for (from = text.len; from > 0 && text.p[from - 1] != '\n'; from--)
		;
	return tape_str_make(text.p + from, text.len - from);
}

enum tape_status
tape_import_error(struct tape_import_run *run, struct tape_import_request *q,
    const char *class, struct tape_str cause, struct tape_str message,
    struct tape_err *err)
{
	struct tape_failure *e = &q->result.error;
	enum tape_status st;

	if (message.p != NULL)
		message = last_line(message);
	if (message.len > MESSAGE_MAX)
		message.len = tape_utf8_cut(message.p, MESSAGE_MAX);
	q->result.ok = 0;
	e->class =
	    tape_str_of(class != NULL ? class : class_of(cause, message));
	st = tape_import_run_keep(run, cause, &e->cause, err);
	return st == TAPE_OK
		   ? tape_import_run_keep(run, message, &e->message, err)
		   : st;
}

/* Of a set of nothing what only the number of requests tells. */
static void
count_requests(struct tape_summarize_set *set, uint64_t ok, uint64_t failed)
{
	set->totals.ok = ok;
	set->totals.failed = failed;
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		struct tape_summary *s = &set->summary[i];
		const struct tape_metric *row = &tape_metric_table[i];
		uint64_t n = 0;

		s->failed = (int64_t)failed;
		if (row->over != NULL)
			s->value = row->over(&set->totals, &n);
		s->n = isnan(s->value) ? 0 : (int64_t)n;
	}
}

enum tape_status
tape_import_state_begin(struct tape_import_run *run, uint64_t ok,
    uint64_t failed, struct tape_err *err)
{
	const struct tape_summarize_run about = {
		.run = run->run.run,
		.round = TAPE_ABSENT_I64,
		.position = TAPE_ABSENT_I64,
		.from = tape_str_of("start"),
		.imported = true,
		.first_ns = TAPE_ABSENT_I64,
		.last_ns = TAPE_ABSENT_I64,
	};
	static const struct tape_str none;
	struct tape_tally empty;
	struct tape_tally *tally = &empty;
	enum tape_status st;

	run->stated = true;
	run->set = tape_arena_alloc(&run->arena, 1, sizeof(*run->set));
	if (run->set == NULL)
		return tape_err_nomem(err);
	tape_tally_init(&empty);
	st = tape_summarize(&about, none, &tally, 1, run->set, err);
	tape_tally_release(&empty);
	if (st == TAPE_OK)
		count_requests(run->set, ok, failed);
	return st;
}

static void
add_flag(struct tape_summarize_set *set, enum tape_metric_id metric,
    const char *flag)
{
	struct tape_strs *flags = &set->summary[metric].flags;

	for (size_t i = 0; i < flags->n; i++)
		if (tape_str_is(flags->v[i], flag))
			return;
	set->flag[metric][flags->n++] = tape_str_of(flag);
	flags->v = set->flag[metric];
}

void
tape_import_stat_init(struct tape_import_stat *stat)
{
	double *v = (double *)&stat->q;

	memset(stat, 0, sizeof(*stat));
	stat->n = TAPE_ABSENT_I64;
	stat->mean = stat->median = stat->sd = TAPE_ABSENT_F64;
	stat->min = stat->max = TAPE_ABSENT_F64;
	for (size_t i = 0; i < sizeof(stat->q) / sizeof(*v); i++)
		v[i] = TAPE_ABSENT_F64;
}

/* Of quantiles, all of which are doubles. */
static void
scale_quantiles(struct tape_quantiles *q, double by)
{
	double *v = (double *)q;

	for (size_t i = 0; i < sizeof(*q) / sizeof(*v); i++)
		v[i] *= by;
}

/* That of a sample, as our records have it. */
static double
sample_sd(double sd, int64_t n)
{
	if (n == TAPE_ABSENT_I64 || n < 2)
		return TAPE_ABSENT_F64;
	return sd * sqrt((double)n / (double)(n - 1));
}

void
tape_import_state_values(struct tape_import_run *run,
    enum tape_metric_id metric, const struct tape_import_stat *stat, double by,
    int64_t type)
{
	struct tape_summary *s = &run->set->summary[metric];

	if (isnan(stat->mean) && isnan(stat->median) && isnan(stat->q.p50) &&
	    isnan(stat->q.p99))
		return;
	add_flag(run->set, metric, "stated");
	s->n = stat->n;
	if (s->n == TAPE_ABSENT_I64) {
		s->n = (int64_t)run->set->totals.ok;
		add_flag(run->set, metric, "n-unknown");
	}
	s->mean = stat->mean * by;
	s->sd = sample_sd(stat->sd, stat->n) * by;
	s->min = stat->min * by;
	s->max = stat->max * by;
	s->quantiles = stat->q;
	if (isnan(s->quantiles.p50))
		s->quantiles.p50 = stat->median;
	scale_quantiles(&s->quantiles, by);
	s->quantile_type = type;
}

void
tape_import_state_value(
    struct tape_import_run *run, enum tape_metric_id metric, double value)
{
	struct tape_summary *s = &run->set->summary[metric];

	if (isnan(value))
		return;
	add_flag(run->set, metric, "stated");
	s->value = value;
	s->n = (int64_t)run->set->totals.ok;
	if (metric == TAPE_METRIC_GOOD_REQUESTS_PER_S ||
	    metric == TAPE_METRIC_GOOD_RATIO)
		run->set->totals.has_good = true;
}
