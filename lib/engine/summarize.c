/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/summarize.h"

#include "base/clock.h"
#include "base/mem.h"
#include "codec/stat_desc.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "engine/share.h"
#include "engine/summarize_curves.h"
#include "engine/summarize_fill.h"
#include "record/schema.h"

static void
set_flag(struct tape_summarize_set *out, int metric, const char *flag)
{
	struct tape_strs *flags = &out->summary[metric].flags;

	out->flag[metric][flags->n++] = tape_str_of(flag);
	flags->v = out->flag[metric];
}

/* The time that an answer takes, which one that failed never comes to. */
static bool
is_answer_time(int metric)
{
	switch (metric) {
	case TAPE_METRIC_TTFT:
	case TAPE_METRIC_TTST:
	case TAPE_METRIC_TTFO:
	case TAPE_METRIC_TTH:
	case TAPE_METRIC_TTFB:
	case TAPE_METRIC_LATENCY:
	case TAPE_METRIC_TPOT:
	case TAPE_METRIC_DECODE_DURATION:
	case TAPE_METRIC_TTFT_DUE:
	case TAPE_METRIC_LATENCY_DUE:
		return true;
	default:
		return false;
	}
}

/* Values in the order of starts, and sorted; how far to trust what is made of
   them. */
static enum tape_status
fill_series(struct tape_summary *s, double *series, size_t n,
    struct tape_intervals_text *text, struct tape_err *err)
{
	double *sorted = tape_mem_realloc(NULL, n, sizeof(*sorted));
	enum tape_status st;

	if (sorted == NULL)
		return tape_err_nomem(err);
	if (n > 0)
		memcpy(sorted, series, n * sizeof(*sorted));
	st = tape_stat_sort(sorted, n, err);
	if (st == TAPE_OK)
		st = tape_summarize_values(s, sorted, n, 0, err);
	if (st == TAPE_OK)
		st = tape_intervals_fill(s, series, sorted, n, text, err);
	tape_mem_free(sorted);
	return st;
}

/* Values whose order says nothing, since there are infinite ones among them. */
static enum tape_status
fill_infinite(struct tape_summary *s, double *v, size_t n, size_t infinite,
    struct tape_err *err)
{
	enum tape_status st = tape_stat_sort(v, n, err);

	return st == TAPE_OK ? tape_summarize_values(s, v, n, infinite, err)
			     : st;
}

/* What is summarized together. */
struct from {
	struct tape_tally *const *tallies;
	size_t n;
	struct tape_tally_order order;
};

/* The pools of one metric as one. */
static enum tape_status
summarize_pools(const struct from *from, int metric, struct tape_summary *s,
    struct tape_err *err)
{
	struct tape_pool **pools = tape_mem_calloc(from->n, sizeof(*pools));
	uint64_t all = 0;
	enum tape_status st;

	if (pools == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < from->n; i++) {
		pools[i] = tape_tally_pool(from->tallies[i], metric);
		all += pools[i]->n;
	}
	if (all <= TAPE_POOL_LOOSE)
		st = tape_summarize_few(s, pools, from->n, (size_t)all, err);
	else
		st = tape_summarize_many(s, pools, from->n, (size_t)all, err);
	tape_mem_free(pools);
	return st;
}

/* The columns of one metric as one. */
static enum tape_status
summarize_column(const struct tape_summarize_run *run, const struct from *from,
    int metric, struct tape_summarize_set *out, struct tape_err *err)
{
	struct tape_summary *s = &out->summary[metric];
	size_t infinite = 0, most = 0, all;
	double *v;
	enum tape_status st;

	if (tape_metric_table[metric].kind == TAPE_METRIC_POOLED)
		return summarize_pools(from, metric, s, err);
	for (size_t i = 0; i < from->n; i++) {
		most += from->tallies[i]->column[metric].n;
		if (run->infinite && is_answer_time(metric))
			infinite += from->tallies[i]->failed;
	}
	v = tape_mem_realloc(NULL, most, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	all =
	    tape_tally_series(from->tallies, from->n, &from->order, metric, v);
	if (infinite > 0)
		st = fill_infinite(s, v, all, infinite, err);
	else
		st = fill_series(s, v, all, &out->ci[metric], err);
	tape_mem_free(v);
	return st;
}

/* Of whole numbers: the order of what is added does not show. */
static double
sum_column(struct tape_tally *const *tallies, size_t n, int metric)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tape_tally_column *c = &tallies[i]->column[metric];

		for (size_t j = 0; j < c->n; j++)
			sum += isnan(c->v[j]) ? 0 : c->v[j];
	}
	return sum;
}

static void
fill_totals(const struct tape_summarize_run *run,
    struct tape_tally *const *tallies, size_t n, struct tape_summarize_set *out)
{
	struct tape_metric_totals *t = &out->totals;
	double shared = 0, usage = 0, merged = 0, events = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < n; i++) {
		t->ok += tallies[i]->ok;
		t->failed += tallies[i]->failed;
		out->cancelled += tallies[i]->cancelled;
		out->retried += tallies[i]->retried;
		t->cancelled += tallies[i]->cancelled;
		t->retried += tallies[i]->retried;
		t->good += tallies[i]->good;
		for (int k = 0; k < TAPE_SUM_COUNT; k++)
			t->sum[k] += tallies[i]->sum[k];
		t->total_tokens += tallies[i]->total_tokens;
		t->total_n += tallies[i]->total_n;
		shared += tallies[i]->shared_tokens;
		usage += tallies[i]->usage_tokens;
		out->reasoned += tallies[i]->reasoned;
		merged += (double)tallies[i]->merged;
		events += (double)tallies[i]->events;
	}
	t->has_good = run->has_good;
	t->window_ns = TAPE_ABSENT_F64;
	if (run->first_ns != TAPE_ABSENT_I64 && run->last_ns != TAPE_ABSENT_I64)
		t->window_ns = (double)(run->last_ns - run->first_ns);
	t->window_s = t->window_ns / (double)TAPE_NS_PER_S;
	t->output_tokens = sum_column(tallies, n, TAPE_METRIC_OUTPUT_TOKENS);
	t->output_n = (uint64_t)out->summary[TAPE_METRIC_OUTPUT_TOKENS].n;
	t->input_tokens = sum_column(tallies, n, TAPE_METRIC_INPUT_TOKENS);
	t->input_n = (uint64_t)out->summary[TAPE_METRIC_INPUT_TOKENS].n;
	out->shared_ratio = usage > 0 ? shared / usage : TAPE_ABSENT_F64;
	out->merged_ratio = events > 0 ? merged / events : TAPE_ABSENT_F64;
}

/* Made from a sum, which is too small when some lack what is added up. */
static bool
is_sum(const struct tape_metric *row)
{
	return strcmp(row->unit, "per_s") == 0 ||
	       strcmp(row->unit, "tokens") == 0;
}

static void
fill_value(const struct tape_summarize_run *run, int metric,
    struct tape_summarize_set *out)
{
	const struct tape_metric *row = &tape_metric_table[metric];
	struct tape_summary *s = &out->summary[metric];
	uint64_t n = 0;

	s->value = row->over(&out->totals, &n);
	s->n = (int64_t)n;
	s->window_start_ns = run->first_ns;
	s->window_end_ns = run->last_ns;
	if (metric == TAPE_METRIC_GOOD_RATIO && !isnan(s->value))
		tape_intervals_share(s, (double)out->totals.good, (double)n);
	if (metric == TAPE_METRIC_FAILED_RATIO)
		tape_intervals_share(s, (double)out->totals.failed, (double)n);
	if (n > 0 && n < out->totals.ok && is_sum(row))
		set_flag(out, metric, "partial");
}

/* One or more values a request. */
static bool
is_of_values(int metric)
{
	return tape_metric_table[metric].kind == TAPE_METRIC_REQUEST ||
	       tape_metric_table[metric].kind == TAPE_METRIC_POOLED;
}

/* Measured to the last token event. */
static bool
is_to_last(int metric)
{
	return metric == TAPE_METRIC_LATENCY ||
	       metric == TAPE_METRIC_LATENCY_DUE;
}

/* Made from times of token events. */
static bool
is_of_tokens(int metric)
{
	switch (metric) {
	case TAPE_METRIC_TTFT:
	case TAPE_METRIC_TTST:
	case TAPE_METRIC_TTFO:
	case TAPE_METRIC_TTFT_DUE:
	case TAPE_METRIC_TPOT:
	case TAPE_METRIC_DECODE_DURATION:
	case TAPE_METRIC_GAP:
	case TAPE_METRIC_TOKEN_GAP:
	case TAPE_METRIC_GAP_MEAN:
	case TAPE_METRIC_GAP_P99:
	case TAPE_METRIC_GAP_MAX:
	case TAPE_METRIC_STALLS:
	case TAPE_METRIC_STALL_TIME:
	case TAPE_METRIC_FLUIDITY:
	case TAPE_METRIC_FLUID_TOKENS_PER_S:
	case TAPE_METRIC_TTFT_BEYOND:
	case TAPE_METRIC_LATENCY_BEYOND:
	case TAPE_METRIC_TOKENS_PER_S_PER_USER:
		return true;
	default:
		return is_to_last(metric);
	}
}

static void
set_flags(
    struct tape_tally *const *tallies, size_t n, struct tape_summarize_set *out)
{
	uint64_t from_events = 0, backwards = 0, to_end = 0, choices = 0;

	for (size_t i = 0; i < n; i++) {
		from_events += tallies[i]->from_events;
		backwards += tallies[i]->backwards;
		to_end += tallies[i]->to_end;
		choices += tallies[i]->choices;
	}
	out->to_end = to_end > 0;
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_metric *row = &tape_metric_table[i];
		const struct tape_summary *s = &out->summary[i];

		if (is_of_values(i) && s->n > 0 &&
		    tape_summarize_count(s) < TAPE_SUMMARIZE_P99_MIN)
			set_flag(out, i, "p99-needs-100");
		if (!isnan(s->finite_ratio))
			set_flag(out, i, "failures-infinite");
		if (row->from_output && from_events > 0 && s->n > 0)
			set_flag(out, i, "from-token-events");
		if (is_of_tokens(i) && s->n > 0 && to_end == 0 &&
		    out->merged_ratio > TAPE_SUMMARIZE_MERGED)
			set_flag(out, i, "merged");
		if (is_to_last(i) && s->n > 0 && to_end > 0)
			set_flag(out, i, "to-end");
	}
	if (choices > 0 && out->summary[TAPE_METRIC_TPOT].n > 0) {
		set_flag(out, TAPE_METRIC_TPOT, "choices");
		set_flag(out, TAPE_METRIC_TOKENS_PER_S_PER_USER, "choices");
	}
	if (out->summary[TAPE_METRIC_GAP].n == 0)
		return;
	if (out->shared_ratio > 0)
		set_flag(out, TAPE_METRIC_GAP, "chunked");
	if (backwards > 0)
		set_flag(out, TAPE_METRIC_GAP, "two-clocks");
}

static void
begin(const struct tape_summarize_run *run, struct tape_str group, int metric,
    struct tape_summary *s)
{
	const struct tape_metric *row = &tape_metric_table[metric];

	tape_schema_init(TAPE_KIND_SUMMARY, s);
	s->run = run->run;
	s->arm = run->arm;
	s->round = run->round;
	s->position = run->position;
	s->group = group;
	s->metric = tape_str_of(row->name);
	s->unit = tape_str_of(row->unit);
	s->better = tape_str_of(row->better);
	s->from = run->from;
	s->n = 0;
}

struct work {
	const struct tape_summarize_run *run;
	const struct from *from;
	struct tape_summarize_set *out;
};

/* Each metric has values and a summary of its own, and the curves have theirs:
   these, which take longest, are the first piece. */
static enum tape_status
summarize_one(void *arg, size_t piece, struct tape_err *err)
{
	const struct work *w = arg;
	const int metric = (int)piece - 1;

	if (piece == 0)
		return tape_summarize_curves(
		    w->run, w->from->tallies, w->from->n, w->out, err);
	return is_of_values(metric)
		   ? summarize_column(w->run, w->from, metric, w->out, err)
		   : TAPE_OK;
}

enum tape_status
tape_summarize(const struct tape_summarize_run *run, struct tape_str group,
    struct tape_tally *const *tallies, size_t n, struct tape_summarize_set *out,
    struct tape_err *err)
{
	struct from from = { .tallies = tallies, .n = n };
	struct work work = { run, &from, out };
	enum tape_status st;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		begin(run, group, i, &out->summary[i]);
	st = tape_tally_order(tallies, n, &from.order, err);
	if (st == TAPE_OK)
		st = tape_share(1 + TAPE_METRIC_COUNT,
		    from.order.n < TAPE_SUMMARIZE_SHARED ? 1 : run->threads,
		    summarize_one, &work, err);
	tape_tally_order_release(&from.order);
	if (st != TAPE_OK)
		return st;
	fill_totals(run, tallies, n, out);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		if (run->imported)
			set_flag(out, i, "imported");
		out->summary[i].failed = (int64_t)out->totals.failed;
		if (out->cancelled > 0)
			out->summary[i].cancelled = (int64_t)out->cancelled;
		if (out->retried > 0)
			out->summary[i].retried = (int64_t)out->retried;
		if (tape_metric_table[i].kind == TAPE_METRIC_RUN)
			fill_value(run, i, out);
	}
	set_flags(tallies, n, out);
	return TAPE_OK;
}

bool
tape_summarize_has(const struct tape_summarize_set *set, int metric)
{
	if (metric == TAPE_METRIC_GOOD_REQUESTS_PER_S ||
	    metric == TAPE_METRIC_GOOD_RATIO)
		return set->totals.has_good;
	if (!tape_metric_table[metric].rare)
		return true;
	return set->summary[metric].n > 0 &&
	       (tape_metric_table[metric].kind != TAPE_METRIC_RUN ||
		   !isnan(set->summary[metric].value));
}
