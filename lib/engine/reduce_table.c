/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people: what was run, how far to trust it, then the numbers. */
#include "base/clock.h"
#include "base/num.h"
#include "engine/reduce_cell.h"
#include "engine/reduce_out.h"

#include <inttypes.h>

#define NAME_MAX_BYTES 40
#define TEXT_MAX_BYTES 400
#define INDENT         12
#define NAME_COLUMNS   14

static void
add(struct tape_buf *b, const char *s)
{
	(void)tape_buf_add_str(b, s);
}

static void
add_part(struct tape_buf *b, const char *before, struct tape_str s)
{
	if (s.p == NULL)
		return;
	add(b, before);
	tape_reduce_text_safe(b, s, NAME_MAX_BYTES);
}

static void
add_duration(struct tape_buf *b, double ns)
{
	char text[TAPE_NUM_TEXT];

	add(b, tape_num_print_duration(ns, text));
}

static void
add_count(struct tape_buf *b, const char *before, int64_t n, const char *behind)
{
	if (n != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%s%" PRId64 "%s", before, n, behind);
}

static void
add_load(struct tape_buf *b, const struct tape_run *r)
{
	add_part(b, "", r->loop);
	if (r->loop.p != NULL)
		add(b, " loop");
	if (!isnan(r->rate_per_s))
		(void)tape_buf_add_fmt(b, ", %.4g requests/s", r->rate_per_s);
	add_count(b, ", concurrency ", r->concurrency, "");
	add_count(b, ", ", r->requests, " requests");
	add_count(b, " + ", r->warmup, " warm-up");
	if (r->stream == 0)
		add(b, ", not streamed");
}

/* run 1: arm A, round 1, chat, m-7b, http://..., then the load. */
static void
add_run(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_run *r =
	    info->start == NULL ? NULL : &info->start->u.run;

	(void)tape_buf_add_fmt(b, "run %" PRId64, info->run);
	if (r == NULL) {
		add(b, ": no start record\n");
		return;
	}
	add_part(b, "  arm ", r->arm);
	add_count(b, "  round ", r->round, "");
	add_part(b, "  ", r->api);
	add_part(b, "  ", r->model);
	for (size_t i = 0; i < r->targets.n && i < 4; i++)
		add_part(b, "  ", r->targets.v[i]);
	(void)tape_buf_add_fmt(b, "\n  %-*s", INDENT - 2, "load");
	add_load(b, r);
	if (info->first_ns != TAPE_ABSENT_I64 &&
	    info->last_ns != TAPE_ABSENT_I64) {
		add(b, ", ");
		add_duration(b, (double)(info->last_ns - info->first_ns));
	}
	add(b, "\n");
}

static void
add_fidelity(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_fidelity *f;

	(void)tape_buf_add_fmt(b, "  %-*s", INDENT - 2, "fidelity");
	if (info->fidelity == NULL) {
		add(b, "unknown: the run has no fidelity record\n");
		return;
	}
	f = &info->fidelity->u.fidelity;
	tape_reduce_text_safe(b, f->verdict, NAME_MAX_BYTES);
	if (f->sends.late_p50_ns != TAPE_ABSENT_I64 &&
	    f->sends.late_p99_ns != TAPE_ABSENT_I64 &&
	    f->sends.late_max_ns != TAPE_ABSENT_I64) {
		add(b, "; sends late p50 ");
		add_duration(b, (double)f->sends.late_p50_ns);
		add(b, ", p99 ");
		add_duration(b, (double)f->sends.late_p99_ns);
		add(b, ", max ");
		add_duration(b, (double)f->sends.late_max_ns);
	}
	if (f->queue.stalls != TAPE_ABSENT_I64 && f->queue.stalls > 0)
		add_count(b, "; queue full ", f->queue.stalls, " times");
	add(b, "\n");
	for (size_t i = 0; i < f->reasons.n; i++) {
		(void)tape_buf_add_fmt(b, "%*s", INDENT, "");
		tape_reduce_text_wrap(b, f->reasons.v[i], INDENT, INDENT + 2);
		add(b, "\n");
	}
}

static void
add_checks(struct tape_buf *b, const struct tape_reduce_run *info)
{
	for (size_t i = 0; i < info->check_count; i++) {
		const struct tape_check *k = &info->checks[i];
		const size_t column = INDENT + 5 + NAME_COLUMNS;

		(void)tape_buf_add_fmt(b, "  %-*s%-5.*s%-*.*s", INDENT - 2,
		    i == 0 ? "checks" : "", (int)k->status.len, k->status.p,
		    NAME_COLUMNS, (int)k->name.len, k->name.p);
		tape_reduce_text_wrap(b, k->text, column, column);
		add(b, "\n");
	}
}

static void
add_warning(struct tape_buf *b, enum tape_ending ending)
{
	if (ending == TAPE_ENDING_INTERRUPTED)
		add(b, "! the input was interrupted: "
		       "this is not the whole run\n");
	if (ending == TAPE_ENDING_FAILED)
		add(b, "! the input is not complete: "
		       "this is not the whole run\n");
}

static enum tape_status
begin(void *arg, const struct tape_header *header, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_buf *b = &t->buf;

	if (t->begun)
		add(b, "\n");
	t->begun = true;
	t->listed = false;
	add(b, "session ");
	tape_reduce_text_safe(b, header->run_id, NAME_MAX_BYTES);
	add_part(b, "  shard ", header->shard);
	add_part(b, "  ", header->epoch);
	add(b, "\n");
	if (header->meta.p != NULL) {
		add(b, "meta ");
		tape_reduce_text_safe(b, header->meta, TEXT_MAX_BYTES);
		add(b, "\n");
	}
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_buf *b = &t->buf;

	add(b, "\n");
	add_warning(b, info->ending);
	add_run(b, info);
	add_fidelity(b, info);
	add_checks(b, info);
	t->slo = info->slo;
	t->in_worst = false;
	return tape_reduce_text_flush(t, err);
}

/* What a table shows unless it is to be wide. */
static bool
is_shown(const struct tape_reduce_text *t, const struct tape_summarize_set *set,
    int metric)
{
	const struct tape_summary *s = &set->summary[metric];

	if (tape_metric_table[metric].kind == TAPE_METRIC_RUN)
		return false;
	if (metric == TAPE_METRIC_TTFT || metric == TAPE_METRIC_LATENCY)
		return true;
	if (s->n == 0)
		return false;
	if (t->wide)
		return true;
	switch (metric) {
	case TAPE_METRIC_TTST:
	case TAPE_METRIC_TOKEN_EVENTS:
		return false;
	case TAPE_METRIC_TTFO:
		return set->reasoned > 0;
	case TAPE_METRIC_CACHED_TOKENS:
	case TAPE_METRIC_REASONING_TOKENS:
		return s->max > 0;
	default:
		return true;
	}
}

static bool
has_flag(const struct tape_summary *s, const char *flag)
{
	for (size_t i = 0; i < s->flags.n; i++)
		if (tape_str_is(s->flags.v[i], flag))
			return true;
	return false;
}

/* Cells of the narrow and of the wide table, in this order. */
static void
list_values(const struct tape_summary *s, bool wide, double *v)
{
	const struct tape_quantiles *q = &s->quantiles;
	const double narrow[] = { s->mean, q->p50, q->p90, q->p99, s->max };
	const double all[] = { s->mean, s->sd, s->min, q->p1, q->p5, q->p10,
		q->p25, q->p50, q->p75, q->p90, q->p95, q->p99, q->p999,
		s->max };

	if (wide)
		memcpy(v, all, sizeof(all));
	else
		memcpy(v, narrow, sizeof(narrow));
}

static const char *const narrow_names[] = { "avg", "p50", "p90", "p99", "max",
	NULL };
static const char *const wide_names[] = { "avg", "sd", "min", "p1", "p5", "p10",
	"p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "max", NULL };

static void
add_heading(struct tape_reduce_text *t)
{
	const char *const *names = t->wide ? wide_names : narrow_names;

	(void)tape_buf_add_fmt(
	    &t->buf, "%-12s%-6s%8s%8s", "metric", "unit", "n", "failed");
	for (; *names != NULL; names++)
		(void)tape_buf_add_fmt(
		    &t->buf, "%*s", TAPE_REDUCE_CELL, *names);
	add(&t->buf, "\n");
}

static void
add_row(struct tape_reduce_text *t, const struct tape_summary *s,
    const struct tape_metric *m)
{
	const struct tape_reduce_scale scale =
	    tape_reduce_scale_for(m->unit, s->quantiles.p50, s->max);
	const char *mark = "";
	char name[16];
	double v[14];
	size_t n = t->wide ? 14 : 5;

	if (has_flag(s, "from-token-events"))
		mark = "*";
	else if (has_flag(s, "chunked"))
		mark = "+";
	memset(name, 0, sizeof(name));
	memcpy(name, m->display, strnlen(m->display, 12));
	memcpy(name + strlen(name), mark, strlen(mark));
	(void)tape_buf_add_fmt(&t->buf, "%-12s%-6s%8" PRId64 "%8" PRId64, name,
	    scale.unit, s->n, s->failed);
	list_values(s, t->wide, v);
	for (size_t i = 0; i < n; i++)
		tape_reduce_cell(
		    &t->buf, &scale, v[i], s->n == 0 ? "-" : "n/a");
	add(&t->buf, "\n");
}

/* What the marks of the rows mean. */
static void
add_notes(struct tape_reduce_text *t, const struct tape_summarize_set *set)
{
	bool few = false, events = false, chunked = false;

	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_summary *s = &set->summary[i];

		if (!is_shown(t, set, i))
			continue;
		few |= has_flag(s, "p99-needs-100");
		events |= has_flag(s, "from-token-events");
		chunked |= has_flag(s, "chunked");
	}
	if (few)
		add(&t->buf, "n/a: a p99 needs 100 values\n");
	if (events)
		add(&t->buf, "*: answers without usage: their token events "
			     "stand for tokens\n");
	if (chunked)
		(void)tape_buf_add_fmt(&t->buf,
		    "+: between chunks: %.1f %% of the tokens shared an "
		    "event\n",
		    100 * set->shared_ratio);
}

static void
add_rate(
    struct tape_reduce_text *t, const struct tape_summary *s, const char *name)
{
	const struct tape_reduce_scale scale =
	    tape_reduce_scale_for("per_s", s->value, s->value);

	if (isnan(s->value))
		return;
	(void)tape_buf_add_fmt(&t->buf, "%s%.*f %s%s", t->listed ? ", " : "",
	    scale.decimals, s->value, name,
	    has_flag(s, "from-token-events") ? "*" : "");
	t->listed = true;
}

/* The values of which a run has one. */
static void
add_totals(struct tape_reduce_text *t, const struct tape_summarize_set *set)
{
	const struct tape_summary *s = set->summary;

	t->listed = false;
	if (!isnan(s[TAPE_METRIC_REQUESTS_PER_S].value)) {
		add(&t->buf, "per second: ");
		add_rate(t, &s[TAPE_METRIC_REQUESTS_PER_S], "requests");
		add_rate(t, &s[TAPE_METRIC_OUTPUT_TOKENS_PER_S], "output");
		add_rate(t, &s[TAPE_METRIC_INPUT_TOKENS_PER_S], "input");
		add_rate(t, &s[TAPE_METRIC_TOTAL_TOKENS_PER_S], "total tokens");
		add(&t->buf, "\n");
	}
	if (isnan(s[TAPE_METRIC_GOOD_RATIO].value) || !set->totals.has_good)
		return;
	(void)tape_buf_add_fmt(
	    &t->buf, "good: %.2f %%", 100 * s[TAPE_METRIC_GOOD_RATIO].value);
	t->listed = true;
	add_rate(t, &s[TAPE_METRIC_GOOD_REQUESTS_PER_S], "per second");
	add(&t->buf, " (");
	tape_slo_print(t->slo, &t->buf);
	add(&t->buf, ")\n");
}

static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	add(&t->buf, "\n");
	if (group.p != NULL) {
		add(&t->buf, "group ");
		tape_reduce_text_safe(&t->buf, group, TEXT_MAX_BYTES);
		add(&t->buf, "\n");
	}
	add_heading(t);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (is_shown(t, s, i))
			add_row(t, &s->summary[i], &tape_metric_table[i]);
	add_totals(t, s);
	add_notes(t, s);
	return tape_reduce_text_flush(t, err);
}

static void
add_worst_time(struct tape_buf *b, int64_t ns)
{
	char text[TAPE_NUM_TEXT];

	(void)tape_buf_add_fmt(b, "%10s",
	    ns == TAPE_ABSENT_I64 ? "-"
				  : tape_num_print_duration((double)ns, text));
}

static enum tape_status
worst(void *arg, const struct tape_record *rec, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_buf *b = &t->buf;
	const struct tape_result *r = &rec->u.result;
	size_t before;

	if (!t->in_worst)
		(void)tape_buf_add_fmt(b,
		    "\nworst by %s\n%-24s%10s%10s%8s  error\n", t->worst_by,
		    "id", "ttft", "latency", "tokens");
	t->in_worst = true;
	before = b->len;
	tape_reduce_text_safe(b, r->id, 23);
	(void)tape_buf_add_fmt(b, "%*s", (int)(24 - (b->len - before)), "");
	add_worst_time(b, r->ttft_ns);
	add_worst_time(b, r->latency_ns);
	if (r->tokens.output == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%8s", "-");
	else
		(void)tape_buf_add_fmt(b, "%8" PRId64, r->tokens.output);
	if (r->error.class.p != NULL) {
		add_part(b, "  ", r->error.class);
		add_part(b, " ", r->error.cause);
	}
	add(b, "\n");
	return tape_reduce_text_flush(t, err);
}

struct tape_reduce_sink
tape_reduce_to_table(struct tape_reduce_text *t)
{
	struct tape_reduce_sink s = {
		.arg = t,
		.begin = begin,
		.run = run,
		.set = set,
		.worst = worst,
	};

	return s;
}
