/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A segment as one JSON object. */
#include "base/utf8.h"
#include "engine/view_out.h"

static void
put_word(struct tape_json_writer *w, const char *key, const char *s)
{
	if (s[0] != '\0')
		tape_json_write_cstr(w, key, s);
}

static void
put_raw(struct tape_json_writer *w, const char *key, struct tape_str s)
{
	if (s.p != NULL)
		tape_json_write_raw(w, key, s.p, s.len);
}

static void
put_header(struct tape_json_writer *w, const struct tape_header *h)
{
	tape_json_write_object(w, "header");
	tape_view_put_text(w, "format", h->format);
	tape_view_put_text(w, "version", h->version);
	tape_view_put_text(w, "epoch", h->epoch);
	tape_view_put_text(w, "epoch_mono", h->epoch_mono);
	tape_view_put_text(w, "run_id", h->run_id);
	tape_view_put_text(w, "shard", h->shard);
	put_raw(w, "meta", h->meta);
	put_raw(w, "prov", h->prov);
	tape_json_write_object_end(w);
}

static void
put_counts(struct tape_json_writer *w, const struct tape_view_sum *s)
{
	tape_json_write_u64(w, "records", s->records);
	tape_json_write_object(w, "kinds");
	for (int k = 0; k < TAPE_KIND_COUNT; k++)
		if (s->counts[k] > 0)
			tape_json_write_u64(
			    w, tape_schema_table[k].kind, s->counts[k]);
	tape_json_write_object_end(w);
	if (s->timed) {
		tape_json_write_i64(w, "first_ns", s->first_ns);
		tape_json_write_i64(w, "last_ns", s->last_ns);
	}
	if (s->exchanges > 0 || s->events > 0) {
		tape_json_write_u64(w, "exchanges", s->exchanges);
		tape_json_write_u64(w, "warmup", s->warmup);
		tape_json_write_u64(w, "failed", s->failed);
		tape_json_write_u64(w, "reads", s->reads);
		if (s->format == TAPE_FORMAT_WIRE)
			tape_json_write_u64(w, "kernel_reads", s->kernel_reads);
		else
			tape_json_write_u64(w, "events", s->events);
		tape_json_write_i64(w, "body_bytes", s->body_bytes);
	}
}

static void
put_stored(struct tape_json_writer *w, const struct tape_view_sum *s)
{
	const uint64_t units =
	    s->format == TAPE_FORMAT_WIRE ? s->reads : s->events;

	tape_json_write_object(w, "stored");
	tape_json_write_u64(w, "text_bytes", s->text_bytes);
	if (s->stored_known) {
		tape_json_write_u64(w, "bytes", s->stored_bytes);
		tape_json_write_u64(w, "frames", s->stored.frames);
		tape_json_write_u64(w, "checked_frames", s->stored.checked);
		tape_json_write_u64(w, "index_frames", s->stored.index_frames);
		tape_json_write_u64(w, "index_bytes", s->stored.index_bytes);
		if (units > 0)
			tape_json_write_double(w,
			    s->format == TAPE_FORMAT_WIRE ? "read_bytes"
							  : "event_bytes",
			    (double)s->stored_bytes / (double)units);
	}
	tape_json_write_object_end(w);
}

static void
put_integrity(struct tape_view_text *t, const struct tape_view_sum *s)
{
	struct tape_json_writer *w = &t->json;
	struct tape_buf clean;
	char text[512];

	tape_json_write_object(w, "integrity");
	tape_json_write_bool(w, "whole", s->has_end);
	if (s->has_end)
		tape_json_write_cstr(w, "status", tape_ending_name(s->ending));
	if (s->err.status != TAPE_OK) {
		(void)tape_err_format(&s->err, text, sizeof(text));
		tape_buf_init(&clean, 4 * sizeof(text));
		(void)tape_utf8_repair(&clean, text, strlen(text));
		tape_json_write_str(w, "error", clean.data, clean.len);
		tape_buf_release(&clean);
	}
	tape_json_write_object_end(w);
}

static void
put_runs(struct tape_json_writer *w, const struct tape_view_sum *s)
{
	const struct tape_view_run *v;

	tape_json_write_array(w, "runs");
	for (size_t i = 0; i < s->runs_n; i++) {
		v = &s->runs[i];
		tape_json_write_object(w, NULL);
		tape_json_write_i64(w, "run", v->run);
		put_word(w, "arm", v->arm);
		tape_view_put_i64(w, "round", v->round);
		tape_view_put_i64(w, "position", v->position);
		tape_view_put_i64(w, "start_ns", v->start_ns);
		tape_view_put_i64(w, "end_ns", v->end_ns);
		tape_view_put_i64(w, "sent", v->sent);
		tape_view_put_i64(w, "done", v->done);
		tape_view_put_i64(w, "failed", v->failed);
		put_word(w, "stop", v->stop);
		put_word(w, "verdict", v->verdict);
		put_word(w, "reasons", v->reasons);
		tape_json_write_object_end(w);
	}
	tape_json_write_array_end(w);
}

enum tape_status
tape_view_sum_json(struct tape_view_text *t, const struct tape_view_sum *s,
    struct tape_err *err)
{
	struct tape_json_writer *w = &t->json;
	struct tape_buf name;
	enum tape_status st;

	tape_json_write_init(w, &t->buf);
	tape_json_write_object(w, NULL);
	tape_buf_init(&name, 3 * strlen(s->name) + 1);
	(void)tape_utf8_repair(&name, s->name, strlen(s->name));
	tape_json_write_str(w, "file", name.data, name.len);
	tape_buf_release(&name);
	tape_json_write_u64(w, "segment", s->segment);
	put_header(w, s->header);
	put_counts(w, s);
	put_stored(w, s);
	put_integrity(t, s);
	put_runs(w, s);
	tape_json_write_object_end(w);
	st = tape_json_write_finish(w, err);
	(void)tape_buf_add_char(&t->buf, '\n');
	return st == TAPE_OK ? tape_view_flush(t, err) : st;
}
