/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of Markdown as GitHub has it, to be pasted into an issue. */
#include "engine/reduce_points_text.h"
#include "engine/reduce_rows.h"
#include "engine/reduce_shown.h"

#include <inttypes.h>

static void
add(struct tape_buf *b, const char *s)
{
	(void)tape_buf_add_str(b, s);
}

static void
add_part(struct tape_buf *b, const char *before, struct tape_str text)
{
	if (text.p == NULL)
		return;
	add(b, before);
	if (text.len > TAPE_REDUCE_NAME_BYTES)
		text.len = TAPE_REDUCE_NAME_BYTES;
	tape_markdown_text(b, text);
}

static enum tape_status
begin(void *arg, const struct tape_header *header, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (t->begun)
		add(&t->buf, "\n");
	t->begun = true;
	add_part(&t->buf, "# Session ", header->run_id);
	add_part(&t->buf, ", ", header->epoch);
	add(&t->buf, "\n");
	return tape_reduce_text_flush(t, err);
}

/* A list of what speaks for and against the numbers. */
static void
add_trust(struct tape_buf *b, const struct tape_reduce_run *info)
{
	size_t fine = 0;

	if (info->fidelity != NULL)
		add_part(b, "- client: ", info->fidelity->u.fidelity.verdict);
	else if (info->start != NULL && info->start->u.run.client.p != NULL)
		add_part(b, "- client: ", info->start->u.run.client);
	else
		add(b, "- client: unknown");
	add(b, "\n");
	for (size_t i = 0; i < info->check_count; i++) {
		const struct tape_check *k = &info->checks[i];

		if (tape_str_is(k->status, "ok")) {
			fine++;
			continue;
		}
		add_part(b, "- **", k->status);
		add_part(b, "** ", k->name);
		add(b, ": ");
		tape_markdown_text(b, k->text);
		add(b, "\n");
	}
	if (info->check_count > 0)
		(void)tape_buf_add_fmt(
		    b, "- %zu of %zu checks ok\n", fine, info->check_count);
	for (size_t i = 0; i < info->failure_count; i++) {
		const struct tape_failure_group *g = &info->failures[i];

		(void)tape_buf_add_fmt(
		    b, "- %" PRId64 " of %" PRId64 " failed:", g->n, g->of);
		add_part(b, " ", g->class);
		add_part(b, " ", g->cause);
		add(b, "\n");
	}
}

/* {"source":"smi","device":"gpu0"} as: smi gpu0. */
static void
add_place(struct tape_buf *b, struct tape_str group)
{
	struct tape_json json;
	struct tape_json_token tok;

	tape_json_init(&json);
	tape_json_open(&json, group.p, group.len, TAPE_JSON_OURS);
	while (tape_json_next(&json, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_END)
		if (tok.type == TAPE_JSON_STRING)
			add_part(b, " ", tape_str_make(tok.str, tok.len));
	add(b, " |");
	tape_json_release(&json);
}

/* Units of our metrics have their scale; numbers in others have four digits. */
static struct tape_reduce_scale
scale_of_row(const struct tape_summary *s)
{
	const double middle = isnan(s->mean) ? s->value : s->mean;
	const double largest = isnan(s->max) ? middle : s->max;
	const char *as = tape_str_is(s->unit, "ns") ? "ns" : "ratio";

	return tape_reduce_scale_for(
	    as, isnan(middle) ? 0 : middle, isnan(largest) ? 0 : largest);
}

static void
add_outside_row(struct tape_buf *b, const struct tape_summary *s)
{
	const double v[] = { s->mean, s->min, s->max, s->value };
	const struct tape_reduce_scale scale = scale_of_row(s);

	add(b, "| ");
	tape_markdown_text(b, s->metric);
	add(b, " |");
	add_part(b, " ",
	    tape_str_is(s->unit, "ns") ? tape_str_of(scale.unit) : s->unit);
	add(b, " |");
	add_place(b, s->group);
	if (s->n == TAPE_ABSENT_I64)
		add(b, " - |");
	else
		(void)tape_buf_add_fmt(b, " %" PRId64 " |", s->n);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (isnan(v[i]))
			add(b, " - |");
		else
			(void)tape_buf_add_fmt(
			    b, " %.*f |", scale.decimals, v[i] / scale.by);
	add(b, "\n");
}

/* What is from elsewhere than the responses: devices, server, engine. */
static enum tape_status
add_outside(struct tape_reduce_text *t, const struct tape_reduce_outside *o,
    struct tape_err *err)
{
	const size_t n = o == NULL ? 0 : tape_reduce_rows(o);
	struct tape_summary row;
	enum tape_status st = TAPE_OK;

	if (n > 0)
		add(&t->buf,
		    "\n| from elsewhere | unit | source | n | avg | min | max "
		    "| value |\n| --- | --- | --- | ---: | ---: | ---: | "
		    "---: | ---: |\n");
	for (size_t i = 0; i < n && st == TAPE_OK; i++) {
		st = tape_reduce_row(o, i, &row, &t->note, err);
		if (st == TAPE_OK)
			add_outside_row(&t->buf, &row);
	}
	return st;
}

static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_buf *b = &t->buf;

	(void)tape_buf_add_fmt(b, "\n## Run %" PRId64, info->run);
	if (info->start != NULL) {
		const struct tape_run *r = &info->start->u.run;

		add_part(b, ", arm ", r->arm);
		if (r->round != TAPE_ABSENT_I64)
			(void)tape_buf_add_fmt(b, ", round %" PRId64, r->round);
		add_part(b, ", ", r->model);
	}
	add(b, "\n\n");
	add_trust(b, info);
	if (add_outside(t, info->outside, err) != TAPE_OK)
		return err->status;
	t->slo = info->slo;
	if (tape_points_run(&t->points,
		info->start == NULL ? NULL : &info->start->u.run,
		err) != TAPE_OK)
		return err->status;
	return tape_reduce_text_flush(t, err);
}

static void
add_heads(struct tape_reduce_text *t)
{
	struct tape_buf *b = &t->buf;
	const char *const *names = tape_shown_names(t->wide);
	size_t n = 0;

	add(b, "\n| metric | unit | n | failed |");
	for (; names[n] != NULL; n++)
		(void)tape_buf_add_fmt(b, " %s |", names[n]);
	add(b, "\n| --- | --- | ---: | ---: |");
	for (; n > 0; n--)
		add(b, " ---: |");
	add(b, "\n");
}

static void
add_row(struct tape_reduce_text *t, const struct tape_summary *s,
    const struct tape_metric *m)
{
	const struct tape_reduce_scale scale = tape_shown_scale(s, m->unit);
	struct tape_buf *b = &t->buf;
	double v[TAPE_SHOWN_CELLS];
	const size_t n = tape_shown_values(s, t->wide, v);

	(void)tape_buf_add_fmt(b, "| %s | %s | %" PRId64 " | %" PRId64 " |",
	    m->display, scale.unit, s->n, s->failed);
	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i]))
			add(b, s->n == 0 ? " -" : " n/a");
		else if (isinf(v[i]))
			add(b, " inf");
		else
			(void)tape_buf_add_fmt(
			    b, " %.*f", scale.decimals, v[i] / scale.by);
		add(b, " |");
	}
	add(b, "\n");
}

/* Notes are words for people: they stand as they are. */
static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (group.p != NULL && t->points.by.n > 0 &&
	    tape_points_add(&t->points, group, s, err) != TAPE_OK)
		return err->status;
	if (t->points.by.n > 0)
		return TAPE_OK;
	add_heads(t);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (tape_shown_is(s, i, t->wide))
			add_row(t, &s->summary[i], &tape_metric_table[i]);
	add(&t->buf, "\n```text\n");
	tape_reduce_foot(t, s);
	add(&t->buf, "```\n");
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
finish(struct tape_reduce_text *t, struct tape_err *err)
{
	tape_points_finish(&t->points);
	tape_points_markdown(&t->points, &t->buf);
	return tape_reduce_text_flush(t, err);
}

struct tape_reduce_sink
tape_reduce_to_markdown(struct tape_reduce_text *t)
{
	const struct tape_reduce_sink s = {
		.arg = t, .begin = begin, .run = run, .set = set
	};

	t->finish = finish;
	return s;
}
