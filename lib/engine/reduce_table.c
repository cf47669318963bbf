/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people: what was run, how far to trust it, then the numbers. */
#include "base/num.h"
#include "engine/definitions_out.h"
#include "engine/reduce_between.h"
#include "engine/reduce_cell.h"
#include "engine/reduce_head.h"
#include "engine/reduce_out.h"
#include "engine/reduce_points_text.h"
#include "engine/reduce_precision.h"
#include "engine/reduce_shown.h"
#include "engine/reduce_totals.h"

#include <inttypes.h>

#define TEXT_MAX_BYTES 400
#define ID_COLUMNS     24

static void
add(struct tape_buf *b, const char *s)
{
	(void)tape_buf_add_str(b, s);
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
	tape_reduce_text_safe(b, header->run_id, TAPE_REDUCE_NAME_BYTES);
	tape_reduce_text_part(b, "  shard ", header->shard);
	tape_reduce_text_part(b, "  ", header->epoch);
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
	if (t->points.by.n > 0 && !t->wide)
		tape_reduce_head_brief(b, info);
	else
		tape_reduce_head(b, info);
	t->slo = info->slo;
	t->accepted = info->outside != NULL && info->outside->native;
	t->in_worst = false;
	if (tape_points_run(&t->points,
		info->start == NULL ? NULL : &info->start->u.run,
		err) != TAPE_OK)
		return err->status;
	return tape_reduce_text_flush(t, err);
}

static void
add_heading(struct tape_reduce_text *t)
{
	const char *const *names = tape_shown_names(t->wide);

	(void)tape_buf_add_fmt(
	    &t->buf, "%-13s%-6s%8s%8s", "metric", "unit", "n", "failed");
	for (; *names != NULL; names++)
		(void)tape_buf_add_fmt(
		    &t->buf, "%*s", TAPE_REDUCE_CELL, *names);
	add(&t->buf, "\n");
}

static void
add_row(struct tape_reduce_text *t, const struct tape_summary *s,
    const struct tape_metric *m)
{
	const struct tape_reduce_scale scale = tape_shown_scale(s, m->unit);
	const char *mark = "";
	char name[16];
	double v[TAPE_SHOWN_CELLS];
	size_t n;

	if (tape_shown_flag(s, "from-token-events"))
		mark = "*";
	else if (tape_shown_flag(s, "chunked"))
		mark = "+";
	else if (tape_shown_flag(s, "merged"))
		mark = "<";
	memset(name, 0, sizeof(name));
	memcpy(name, m->display, strnlen(m->display, 12));
	memcpy(name + strlen(name), mark, strlen(mark));
	(void)tape_buf_add_fmt(&t->buf, "%-13s%-6s%8" PRId64 "%8" PRId64, name,
	    scale.unit, s->n, s->failed);
	n = tape_shown_values(s, t->wide, v);
	for (size_t i = 0; i < n; i++)
		tape_reduce_cell(&t->buf, &scale, v[i],
		    s->n == 0 || (i <= t->wide && isnan(s->mean)) ? "-"
								  : "n/a");
	add(&t->buf, "\n");
}

/* What the marks of the rows mean. */
static void
add_notes(struct tape_reduce_text *t, const struct tape_summarize_set *set)
{
	const struct tape_summary *failed = &set->summary[TAPE_METRIC_LATENCY];
	bool few = false, events = false, chunked = false, merged = false;
	bool stated = false;

	for (int i = 0; i < TAPE_METRIC_COUNT; i++) {
		const struct tape_summary *s = &set->summary[i];

		if (!tape_shown_is(set, i, t->wide))
			continue;
		few |= tape_shown_flag(s, "p99-needs-100");
		stated |= tape_shown_flag(s, "stated");
		events |= tape_shown_flag(s, "from-token-events");
		chunked |= tape_shown_flag(s, "chunked");
		merged |= tape_shown_flag(s, "merged");
	}
	if (failed->failed > 0)
		(void)tape_buf_add_fmt(&t->buf,
		    "failed: %" PRId64 " of %" PRIu64 " (%.2f %%), %s\n",
		    failed->failed, set->totals.ok + set->totals.failed,
		    100 * (double)set->totals.failed /
			(double)(set->totals.ok + set->totals.failed),
		    isnan(failed->finite_ratio)
			? "in no row above"
			: "infinite in times of answers");
	if (few)
		add(&t->buf, "n/a: a p99 needs 100 values\n");
	if (stated)
		add(&t->buf, "numbers as the tool states them; n/a: it does "
			     "not\n");
	if (events)
		add(&t->buf, "*: answers without usage: their token events "
			     "stand for tokens\n");
	if (chunked)
		(void)tape_buf_add_fmt(&t->buf,
		    "+: between chunks: %.1f %% of the tokens shared an "
		    "event\n",
		    100 * set->shared_ratio);
	if (chunked && !t->accepted)
		add(&t->buf, "acceptance of drafted tokens: not measured\n");
	if (merged)
		(void)tape_buf_add_fmt(&t->buf,
		    "<: %.1f %% of the token events shared a read with a "
		    "later one\n",
		    100 * set->merged_ratio);
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
	    tape_shown_flag(s, "from-token-events") ? "*" : "");
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

/* {"isl":512,"site":"lab"} as: isl 512, site lab. */
static void
add_group(struct tape_reduce_text *t, struct tape_str group)
{
	struct tape_json json;
	struct tape_json_token tok;
	const char *sep = "group ";

	tape_json_init(&json);
	tape_json_open(&json, group.p, group.len, TAPE_JSON_OURS);
	if (tape_json_expect(&json, TAPE_JSON_OBJECT, &tok, NULL) != TAPE_OK)
		tok.type = TAPE_JSON_END;
	while (tape_json_next(&json, &tok, NULL) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END && tok.type != TAPE_JSON_END) {
		struct tape_str value = { tok.raw, tok.raw_len };

		if (tok.type == TAPE_JSON_STRING)
			value = tape_str_make(tok.str, tok.len);
		if (tok.depth != 1)
			continue;
		tape_reduce_text_part(
		    &t->buf, sep, tape_str_make(tok.key, tok.key_len));
		tape_reduce_text_part(&t->buf, " ", value);
		sep = ", ";
	}
	if (strcmp(sep, ", ") != 0)
		add(&t->buf, "group without these labels");
	add(&t->buf, "\n");
	tape_json_release(&json);
}

void
tape_reduce_foot(struct tape_reduce_text *t, const struct tape_summarize_set *s)
{
	add_totals(t, s);
	if (t->wide)
		tape_reduce_totals(&t->buf, s);
	add_notes(t, s);
	tape_reduce_precision(&t->buf, s, t->wide);
}

/* Of a sweep its points stand at the end; what each run and group comes to is
   wide. */
static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (t->peers)
		return TAPE_OK;
	if (group.p != NULL && t->points.by.n > 0 &&
	    tape_points_add(&t->points, group, s, err) != TAPE_OK)
		return err->status;
	if (t->points.by.n > 0 && !t->wide)
		return TAPE_OK;
	add(&t->buf, "\n");
	if (group.p != NULL)
		add_group(t, group);
	add_heading(t);
	for (int i = 0; i < TAPE_METRIC_COUNT; i++)
		if (tape_shown_is(s, i, t->wide))
			add_row(t, &s->summary[i], &tape_metric_table[i]);
	tape_reduce_foot(t, s);
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
finish(struct tape_reduce_text *t, struct tape_err *err)
{
	tape_points_finish(&t->points);
	tape_points_text(&t->points, t->wide, &t->buf);
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
peers(void *arg, const struct tape_definitions_report *report,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	tape_definitions_print(&t->buf, report, t->wide);
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
		    "\nworst by %s\n%-*s%10s%10s%8s  error\n", t->worst_by,
		    ID_COLUMNS, "id", "ttft", "latency", "tokens");
	t->in_worst = true;
	before = b->len;
	tape_reduce_text_safe(b, r->id, ID_COLUMNS - 1);
	(void)tape_buf_add_fmt(
	    b, "%*s", ID_COLUMNS - (int)(b->len - before), "");
	add_worst_time(b, r->ttft_ns);
	add_worst_time(b, r->latency_ns);
	if (r->tokens.output == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%8s", "-");
	else
		(void)tape_buf_add_fmt(b, "%8" PRId64, r->tokens.output);
	if (r->error.class.p != NULL) {
		tape_reduce_text_part(b, "  ", r->error.class);
		tape_reduce_text_part(b, " ", r->error.cause);
	}
	add(b, "\n");
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
between(void *arg, const struct tape_reduce_between *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	tape_reduce_between_table(&t->buf, info, t->wide);
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
		.peers = peers,
		.worst = worst,
		.between = between,
	};

	t->finish = finish;
	return s;
}
