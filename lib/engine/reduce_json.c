/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/reduce_out.h"

#include "codec/json_write.h"

#include <inttypes.h>

/* Adds a comma before all but the first element of the list in hand. */
static void
separate(struct tape_reduce_text *t)
{
	if (t->listed)
		(void)tape_buf_add_char(&t->buf, ',');
	t->listed = true;
}

static void
add_line(
    struct tape_reduce_text *t, const char *key, const struct tape_record *rec)
{
	if (rec == NULL)
		return;
	(void)tape_buf_add_fmt(&t->buf, ",\"%s\":", key);
	(void)tape_buf_add(&t->buf, rec->line.p, rec->line.len);
}

static void
open_document(struct tape_reduce_text *t)
{
	if (!t->begun)
		(void)tape_buf_add_str(
		    &t->buf, "{\"tool\":\"metrics-reduce\",\"segments\":[");
	t->begun = true;
}

static enum tape_status
begin(void *arg, const struct tape_header *h, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	struct tape_json_writer w;
	enum tape_status st;

	open_document(t);
	if (t->segments > 0)
		(void)tape_buf_add_char(&t->buf, ',');
	t->segments++;
	tape_json_write_init(&w, &t->buf);
	tape_json_write_object(&w, NULL);
	tape_json_write_str(&w, "run_id", h->run_id.p, h->run_id.len);
	if (h->shard.p != NULL)
		tape_json_write_str(&w, "shard", h->shard.p, h->shard.len);
	tape_json_write_str(&w, "epoch", h->epoch.p, h->epoch.len);
	if (h->meta.p != NULL)
		tape_json_write_raw(&w, "meta", h->meta.p, h->meta.len);
	if (t->prov.p != NULL)
		tape_json_write_raw(&w, "prov", t->prov.p, t->prov.len);
	tape_json_write_object_end(&w);
	st = tape_json_write_finish(&w, err);
	if (st != TAPE_OK)
		return st;
	/* The object goes on: its brace is taken back. */
	t->buf.data[--t->buf.len] = '\0';
	(void)tape_buf_add_str(&t->buf, ",\"runs\":[");
	st = tape_reduce_text_flush(t, err);
	t->listed = false;
	t->in_segment = st == TAPE_OK;
	return st;
}

static enum tape_status
run(void *arg, const struct tape_reduce_run *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	enum tape_status st = TAPE_OK;

	separate(t);
	(void)tape_buf_add_fmt(&t->buf, "{\"run\":%" PRId64, info->run);
	add_line(t, "start", info->start);
	add_line(t, "end", info->end);
	add_line(t, "fidelity", info->fidelity);
	if (info->outside->native) {
		(void)tape_buf_add_str(&t->buf, ",\"engine\":");
		st = tape_record_encode(
		    TAPE_KIND_ENGINE, &info->outside->engine, &t->buf, err);
	}
	(void)tape_buf_add_str(&t->buf, ",\"checks\":[");
	for (size_t i = 0; i < info->check_count && st == TAPE_OK; i++) {
		if (i > 0)
			(void)tape_buf_add_char(&t->buf, ',');
		st = tape_record_encode(
		    TAPE_KIND_CHECK, &info->checks[i], &t->buf, err);
	}
	(void)tape_buf_add_str(&t->buf, "],\"failures\":[");
	for (size_t i = 0; i < info->failure_count && st == TAPE_OK; i++) {
		if (i > 0)
			(void)tape_buf_add_char(&t->buf, ',');
		st = tape_record_encode(
		    TAPE_KIND_FAILURE, &info->failures[i], &t->buf, err);
	}
	if (info->outside->observed)
		(void)tape_buf_add_str(&t->buf, "],\"telemetry\":[");
	for (size_t i = 0; i < info->outside->set.n && st == TAPE_OK; i++) {
		if (i > 0)
			(void)tape_buf_add_char(&t->buf, ',');
		st = tape_record_encode(TAPE_KIND_TELEMETRY,
		    &info->outside->set.v[i], &t->buf, err);
	}
	(void)tape_buf_add_str(&t->buf, "],\"summaries\":[");
	if (st == TAPE_OK)
		st = tape_reduce_text_flush(t, err);
	t->listed = false;
	t->in_worst = false;
	t->in_run = st == TAPE_OK;
	return st;
}

static enum tape_status
set(void *arg, struct tape_str group, const struct tape_summarize_set *s,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	enum tape_status st = TAPE_OK;

	(void)group;
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++) {
		if (!tape_summarize_has(s, i))
			continue;
		separate(t);
		st = tape_record_encode(
		    TAPE_KIND_SUMMARY, &s->summary[i], &t->buf, err);
	}
	return st == TAPE_OK ? tape_reduce_text_flush(t, err) : st;
}

static enum tape_status
peers(void *arg, const struct tape_definitions_report *report,
    struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < report->row_n && st == TAPE_OK; i++) {
		separate(t);
		st = tape_record_encode(
		    TAPE_KIND_SUMMARY, &report->rows[i].summary, &t->buf, err);
	}
	return st == TAPE_OK ? tape_reduce_text_flush(t, err) : st;
}

static enum tape_status
worst(void *arg, const struct tape_record *rec, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	if (!t->in_worst) {
		(void)tape_buf_add_str(&t->buf, "],\"worst\":[");
		t->listed = false;
	}
	t->in_worst = true;
	separate(t);
	(void)tape_buf_add(&t->buf, rec->line.p, rec->line.len);
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
done(void *arg, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	(void)tape_buf_add_str(&t->buf, "]}");
	t->in_run = false;
	t->listed = true;
	return tape_reduce_text_flush(t, err);
}

static enum tape_status
between(void *arg, const struct tape_reduce_between *info, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;
	enum tape_status st = TAPE_OK;

	if (!t->in_between) {
		(void)tape_buf_add_str(&t->buf, "],\"between\":[");
		t->listed = false;
	}
	t->in_between = true;
	for (int i = 0; i < TAPE_METRIC_COUNT && st == TAPE_OK; i++) {
		if (info->set->summary[i].n_runs == TAPE_ABSENT_I64)
			continue;
		separate(t);
		st = tape_record_encode(
		    TAPE_KIND_SUMMARY, &info->set->summary[i], &t->buf, err);
	}
	return st == TAPE_OK ? tape_reduce_text_flush(t, err) : st;
}

static enum tape_status
end(void *arg, enum tape_ending ending, struct tape_err *err)
{
	struct tape_reduce_text *t = arg;

	(void)tape_buf_add_fmt(
	    &t->buf, "],\"status\":\"%s\"}", tape_ending_name(ending));
	t->in_segment = t->in_between = false;
	return tape_reduce_text_flush(t, err);
}

struct tape_reduce_sink
tape_reduce_to_json(struct tape_reduce_text *t)
{
	struct tape_reduce_sink s = {
		.arg = t,
		.begin = begin,
		.run = run,
		.set = set,
		.peers = peers,
		.between = between,
		.worst = worst,
		.done = done,
		.end = end,
	};

	t->finish = tape_reduce_json_finish;
	return s;
}

enum tape_status
tape_reduce_json_finish(struct tape_reduce_text *t, struct tape_err *err)
{
	tape_buf_clear(&t->buf);
	open_document(t);
	/* After a failure it still has to be one document. */
	if (t->in_run)
		(void)tape_buf_add_str(&t->buf, "]}");
	if (t->in_segment)
		(void)tape_buf_add_str(&t->buf, "],\"status\":\"failed\"}");
	(void)tape_buf_add_str(&t->buf, "]}\n");
	return tape_reduce_text_flush(t, err);
}
