/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of Markdown as GitHub has it, to be pasted into an issue. */
#include "engine/reduce_points_text.h"
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
