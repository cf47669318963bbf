/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_head.h"

#include "base/num.h"
#include "engine/reduce_cell.h"
#include "engine/reduce_device.h"
#include "engine/reduce_steady.h"

#include <inttypes.h>

#define URL_MAX_BYTES 64
#define LOAD_CAP      4096
#define INDENT        12
#define NAME_COLUMNS  14
#define TARGETS_SHOWN 4

static void
add(struct tape_buf *b, const char *s)
{
	(void)tape_buf_add_str(b, s);
}

static void
add_duration(struct tape_buf *b, const char *before, double ns)
{
	char text[TAPE_NUM_TEXT];

	add(b, before);
	add(b, tape_num_print_duration(ns, text));
}

static void
add_count(struct tape_buf *b, const char *before, int64_t n, const char *behind)
{
	if (n != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%s%" PRId64 "%s", before, n, behind);
}

static void
add_title(struct tape_buf *b, const char *title)
{
	(void)tape_buf_add_fmt(b, "  %-*s", INDENT - 2, title);
}

static const char *
joint(const struct tape_buf *b)
{
	return b->len > 0 ? ", " : "";
}

static void
describe_load(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_run *r = &info->start->u.run;
	double rate_per_s = r->rate_per_s;
	const bool cut = info->steady != NULL &&
			 info->steady->warmup + info->steady->drain > 0;
	int64_t requests = r->requests;

	/* Of a trace that was still being read only the end knows these. */
	if (info->end != NULL && isnan(rate_per_s))
		rate_per_s = info->end->u.run.rate_per_s;
	if (info->end != NULL && requests == TAPE_ABSENT_I64)
		requests = info->end->u.run.requests;
	if (r->loop.p != NULL) {
		tape_reduce_text_part(b, "", r->loop);
		add(b, " loop");
	}
	if (!isnan(rate_per_s))
		(void)tape_buf_add_fmt(
		    b, "%s%.4g requests/s", joint(b), rate_per_s);
	if (r->concurrency != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(
		    b, "%sconcurrency %" PRId64, joint(b), r->concurrency);
	if (r->stream == 0)
		(void)tape_buf_add_fmt(b, "%snot streamed", joint(b));
	add_count(b, joint(b), requests, " requests");
	add_count(b, " + ", r->warmup, " warm-up");
	if (info->first_ns != TAPE_ABSENT_I64 &&
	    info->last_ns != TAPE_ABSENT_I64)
		add_duration(b, cut ? ", counted over " : " in ",
		    (double)(info->last_ns - info->first_ns));
}

static void
add_load(struct tape_buf *b, const struct tape_reduce_run *info)
{
	struct tape_buf text;

	tape_buf_init(&text, LOAD_CAP);
	describe_load(&text, info);
	add_title(b, "load");
	tape_reduce_text_wrap(
	    b, tape_str_make(text.data, text.len), INDENT, INDENT);
	add(b, "\n");
	tape_buf_release(&text);
}

static void
add_run(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_run *r;

	(void)tape_buf_add_fmt(b, "run %" PRId64, info->run);
	if (info->start == NULL) {
		add(b, ": its start was not recorded\n");
		return;
	}
	r = &info->start->u.run;
	tape_reduce_text_part(b, "  arm ", r->arm);
	add_count(b, "  round ", r->round, "");
	tape_reduce_text_part(b, "  ", r->api);
	tape_reduce_text_part(b, "  ", r->model);
	add(b, "\n");
	for (size_t i = 0; i < r->targets.n && i < TARGETS_SHOWN; i++) {
		add_title(b, i == 0 ? "target" : "");
		tape_reduce_text_safe(b, r->targets.v[i], URL_MAX_BYTES);
		add(b, "\n");
	}
	add_load(b, info);
}

/* How long after the kernel the client had what came in. */
static void
add_reads(struct tape_buf *b, const struct tape_fidelity *f)
{
	const struct tape_fidelity_reads *r = &f->reads;

	if (r->lag_p50_ns == TAPE_ABSENT_I64 ||
	    r->lag_p99_ns == TAPE_ABSENT_I64)
		return;
	(void)tape_buf_add_fmt(b, "%*s", INDENT, "");
	add_duration(b, "reads behind the kernel p50 ", (double)r->lag_p50_ns);
	add_duration(b, ", p99 ", (double)r->lag_p99_ns);
	if (r->lag_max_ns != TAPE_ABSENT_I64)
		add_duration(b, ", max ", (double)r->lag_max_ns);
	if (!isnan(f->kernel_ratio) && f->kernel_ratio < 1)
		(void)tape_buf_add_fmt(
		    b, "; of %.2f %% known", 100 * f->kernel_ratio);
	add(b, "\n");
}

static void
add_arrivals(struct tape_buf *b, const struct tape_fidelity *f)
{
	const struct tape_fidelity_arrivals *a = &f->arrivals;

	if (isnan(a->planned_per_s) || isnan(a->achieved_per_s))
		return;
	(void)tape_buf_add_fmt(b, "%*ssent %.6g/s, planned %.6g/s\n", INDENT,
	    "", a->achieved_per_s, a->planned_per_s);
	if (!isnan(a->planned_ad_p) && !isnan(a->ad_p))
		(void)tape_buf_add_fmt(b,
		    "%*sgaps exponential: p %.2g, planned %.2g\n", INDENT, "",
		    a->ad_p, a->planned_ad_p);
}

static void
add_fidelity(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_fidelity *f;

	add_title(b, "fidelity");
	if (info->start != NULL && info->start->u.run.client.p != NULL) {
		add(b, "unknown: measured by ");
		tape_reduce_text_safe(
		    b, info->start->u.run.client, TAPE_REDUCE_NAME_BYTES);
		add(b, ", whose own error is not told\n");
		return;
	}
	if (info->fidelity == NULL) {
		add(b, "unknown: the run has no fidelity record\n");
		return;
	}
	f = &info->fidelity->u.fidelity;
	tape_reduce_text_safe(b, f->verdict, TAPE_REDUCE_NAME_BYTES);
	if (f->sends.late_p50_ns != TAPE_ABSENT_I64)
		add_duration(
		    b, "; sends late p50 ", (double)f->sends.late_p50_ns);
	if (f->sends.late_p99_ns != TAPE_ABSENT_I64)
		add_duration(b, ", p99 ", (double)f->sends.late_p99_ns);
	if (f->sends.late_max_ns != TAPE_ABSENT_I64)
		add_duration(b, ", max ", (double)f->sends.late_max_ns);
	add(b, "\n");
	add_reads(b, f);
	add_arrivals(b, f);
	if (f->queue.stalls != TAPE_ABSENT_I64 && f->queue.stalls > 0)
		(void)tape_buf_add_fmt(b,
		    "%*squeue to the writer full %" PRId64 " times\n", INDENT,
		    "", f->queue.stalls);
	for (size_t i = 0; i < f->reasons.n; i++) {
		(void)tape_buf_add_fmt(b, "%*s", INDENT, "");
		tape_reduce_text_wrap(b, f->reasons.v[i], INDENT, INDENT + 2);
		add(b, "\n");
	}
}

/* What to do, in a line of its own. */
static void
add_advice(struct tape_buf *b, struct tape_str advice, size_t indent)
{
	if (advice.p == NULL)
		return;
	(void)tape_buf_add_fmt(b, "%*s> ", (int)indent, "");
	tape_reduce_text_wrap(b, advice, indent + 2, indent + 2);
	add(b, "\n");
}

static bool
is_quiet(const struct tape_check *k)
{
	return tape_str_is(k->status, "ok") && !tape_checks_tells(k->name);
}

/* What is ok and says no more. */
static void
add_quiet(struct tape_buf *b, const struct tape_reduce_run *info)
{
	struct tape_buf names;

	tape_buf_init(&names, LOAD_CAP);
	for (size_t i = 0; i < info->check_count; i++) {
		const struct tape_check *k = &info->checks[i];

		if (is_quiet(k))
			(void)tape_buf_add_fmt(&names, "%s%.*s",
			    names.len > 0 ? ", " : "", (int)k->name.len,
			    k->name.p);
	}
	if (names.len > 0) {
		(void)tape_buf_add_fmt(b, "%*s%-5s", INDENT, "", "ok");
		tape_reduce_text_wrap(b, tape_str_make(names.data, names.len),
		    INDENT + 5, INDENT + 5);
		add(b, "\n");
	}
	tape_buf_release(&names);
}

static void
add_check(struct tape_buf *b, const struct tape_check *k, const char *title)
{
	const size_t column = INDENT + 5 + NAME_COLUMNS;

	add_title(b, title);
	(void)tape_buf_add_fmt(b, "%-5.*s%-*.*s", (int)k->status.len,
	    k->status.p, NAME_COLUMNS, (int)k->name.len, k->name.p);
	tape_reduce_text_wrap(b, k->text, column, column);
	add(b, "\n");
	add_advice(b, k->advice, column);
}

static void
add_checks(struct tape_buf *b, const struct tape_reduce_run *info)
{
	for (size_t i = 0; i < info->check_count; i++) {
		const struct tape_check *k = &info->checks[i];

		if (is_quiet(k))
			continue;
		add_check(b, k, i == 0 ? "checks" : "");
	}
	add_quiet(b, info);
}

/* "  failures  9 of 120 (7.5 %) http queue-full: MESSAGE", then what to do. */
static void
add_failures(struct tape_buf *b, const struct tape_reduce_run *info)
{
	struct tape_buf text;

	tape_buf_init(&text, LOAD_CAP);
	for (size_t i = 0; i < info->failure_count; i++) {
		const struct tape_failure_group *g = &info->failures[i];

		tape_buf_clear(&text);
		(void)tape_buf_add_fmt(&text,
		    "%" PRId64 " of %" PRId64 " (%.2f %%) %.*s%s%.*s", g->n,
		    g->of, 100 * (double)g->n / (double)g->of,
		    (int)g->class.len, g->class.p, g->cause.len > 0 ? " " : "",
		    (int)g->cause.len, g->cause.len > 0 ? g->cause.p : "");
		if (g->message.p != NULL)
			(void)tape_buf_add_fmt(
			    &text, ": %.*s", (int)g->message.len, g->message.p);
		add_title(b, i == 0 ? "failures" : "");
		tape_reduce_text_wrap(
		    b, tape_str_make(text.data, text.len), INDENT, INDENT + 2);
		add(b, "\n");
		add_advice(b, g->advice, INDENT + 2);
	}
	tape_buf_release(&text);
}

static bool
is_limited(const struct tape_reduce_run *info)
{
	return info->fidelity != NULL &&
	       tape_str_is(
		   info->fidelity->u.fidelity.verdict, "client-limited");
}

static void
add_warnings(struct tape_buf *b, const struct tape_reduce_run *info)
{
	if (info->ending == TAPE_ENDING_INTERRUPTED)
		add(b, "! the input was interrupted: "
		       "this is not the whole run\n");
	if (info->ending == TAPE_ENDING_FAILED)
		add(b, "! the input is not complete: "
		       "this is not the whole run\n");
	if (info->start != NULL && info->start->u.run.insecure == 1)
		add(b, "! certificates were not checked (--insecure): "
		       "another server may have answered\n");
	if (is_limited(info))
		add(b, "! the client was the limit: "
		       "these numbers are not the server's\n");
}

void
tape_reduce_head(struct tape_buf *b, const struct tape_reduce_run *info)
{
	add_warnings(b, info);
	add_run(b, info);
	add_fidelity(b, info);
	add_checks(b, info);
	add_failures(b, info);
	tape_reduce_steady(b, info->steady, INDENT);
	tape_reduce_device(b, info->outside, INDENT);
}

/* Who it is and how far to trust it, in a line. */
static void
add_brief(struct tape_buf *b, const struct tape_reduce_run *info)
{
	const struct tape_run *r =
	    info->start == NULL ? NULL : &info->start->u.run;
	size_t fine = 0;

	for (size_t i = 0; i < info->check_count; i++)
		fine += tape_str_is(info->checks[i].status, "ok");
	(void)tape_buf_add_fmt(b, "run %" PRId64, info->run);
	if (r != NULL) {
		tape_reduce_text_part(b, "  arm ", r->arm);
		add_count(b, "  round ", r->round, "");
		tape_reduce_text_part(b, "  ", r->model);
	}
	if (r != NULL && r->client.p != NULL)
		tape_reduce_text_part(b, "  measured by ", r->client);
	else if (info->fidelity == NULL)
		add(b, "  fidelity unknown");
	else
		tape_reduce_text_part(
		    b, "  ", info->fidelity->u.fidelity.verdict);
	if (info->check_count > 0)
		(void)tape_buf_add_fmt(
		    b, "  %zu of %zu checks ok", fine, info->check_count);
	add(b, "\n");
}

void
tape_reduce_head_brief(struct tape_buf *b, const struct tape_reduce_run *info)
{
	add_warnings(b, info);
	add_brief(b, info);
	for (size_t i = 0; i < info->check_count; i++) {
		const struct tape_check *k = &info->checks[i];

		if (!tape_str_is(k->status, "ok"))
			add_check(b, k, "");
	}
	add_failures(b, info);
	tape_reduce_steady(b, info->steady, INDENT);
}
