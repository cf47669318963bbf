/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An exchange as one JSON object. */
#include "base/utf8.h"
#include "engine/view_out.h"

static void
put_since(
    struct tape_json_writer *w, const char *key, int64_t t_ns, int64_t from_ns)
{
	if (t_ns != TAPE_ABSENT_I64)
		tape_json_write_i64(w, key, t_ns - from_ns);
}

/* What servers send need be neither UTF-8 nor without NUL. */
static void
put_foreign(
    struct tape_json_writer *w, const char *key, const char *p, size_t len)
{
	struct tape_buf clean;

	tape_buf_init(&clean, 3 * len + 1);
	(void)tape_utf8_repair(&clean, p, len);
	for (size_t i = 0; i < clean.len; i++)
		if (clean.data[i] == '\0')
			clean.data[i] = '?';
	tape_json_write_str(w, key, clean.data, clean.len);
	tape_buf_release(&clean);
}

static void
put_place(struct tape_json_writer *w, const struct tape_view_story *s)
{
	const struct tape_view_place *p = &s->found->place;

	put_foreign(w, "file", p->name, strlen(p->name));
	tape_json_write_u64(w, "segment", p->segment);
	tape_json_write_u64(w, "line", s->found->line);
	tape_view_put_text(w, "run_id", s->header->run_id);
	tape_view_put_text(w, "epoch", s->header->epoch);
}

static void
put_transfer(struct tape_json_writer *w, const struct tape_transfer *t)
{
	tape_json_write_i64(w, "x", t->x);
	tape_json_write_i64(w, "run", t->run);
	tape_view_put_text(w, "id", t->id);
	tape_view_put_i64(w, "attempt", t->attempt);
	tape_view_put_i64(w, "pass", t->pass);
	tape_view_put_text(w, "session", t->session);
	tape_view_put_i64(w, "turn", t->turn);
	tape_view_put_text(w, "stage", t->stage);
	tape_view_put_text(w, "target", t->target);
	tape_view_put_text(w, "api", t->api);
	tape_view_put_text(w, "model", t->model);
	if (t->labels.p != NULL)
		tape_json_write_raw(w, "labels", t->labels.p, t->labels.len);
	tape_view_put_i64(w, "req_bytes", t->req.bytes);
	tape_view_put_i64(w, "start_ns", t->start_ns);
	put_since(w, "due_ns", t->due_ns, t->start_ns);
	put_since(w, "could_ns", t->could_ns, t->start_ns);
	put_since(w, "conn_ns", t->conn_ns, t->start_ns);
	tape_view_put_i64(w, "dns_ns", t->dns_ns);
	tape_view_put_i64(w, "connect_ns", t->connect_ns);
	tape_view_put_i64(w, "tls_ns", t->tls_ns);
	if (t->reused != TAPE_ABSENT_BOOL)
		tape_json_write_bool(w, "reused", t->reused == 1);
	put_since(w, "sent_ns", t->sent_ns, t->start_ns);
	put_since(w, "head_ns", t->head_ns, t->start_ns);
	tape_view_put_i64(w, "head_lag_ns", t->head_lag_ns);
	tape_view_put_i64(w, "status", t->status);
}

static enum tape_status
tell_begin(void *arg, const struct tape_view_story *s, struct tape_err *err)
{
	struct tape_view_text *t = arg;
	struct tape_json_writer *w = &t->json;

	(void)err;
	tape_json_write_init(w, &t->buf);
	tape_json_write_object(w, NULL);
	put_place(w, s);
	put_transfer(w, s->t);
	tape_json_write_array(w, s->is_response ? "events" : "reads");
	return TAPE_OK;
}

static void
put_event(struct tape_json_writer *w, const struct tape_view_read *r,
    const struct tape_view_event *e)
{
	tape_json_write_str(w, "class", &e->class, 1);
	if (e->malformed)
		tape_json_write_bool(w, "malformed", true);
	tape_view_put_i64(w, "text_bytes", e->text_bytes);
	if (e->text_len > 0)
		put_foreign(w, "text", r->texts + e->text_at, e->text_len);
}

static enum tape_status
tell_read(void *arg, const struct tape_view_read *r, struct tape_err *err)
{
	struct tape_view_text *t = arg;
	struct tape_json_writer *w = &t->json;

	(void)err;
	tape_json_write_object(w, NULL);
	tape_json_write_i64(w, "t_ns", r->t_ns);
	if (r->lag_ns >= 0)
		tape_json_write_i64(w, "kernel_ns", r->t_ns - r->lag_ns);
	tape_view_put_i64(w, "gap_ns", r->gap_ns);
	tape_view_put_i64(w, "bytes", r->bytes);
	if (r->bytes == TAPE_ABSENT_I64) {
		tape_json_write_str(w, "clk", &r->clk, 1);
		put_event(w, r, &r->events[0]);
	} else {
		tape_json_write_array(w, "events");
		for (size_t i = 0; i < r->events_n; i++) {
			tape_json_write_object(w, NULL);
			put_event(w, r, &r->events[i]);
			tape_json_write_object_end(w);
		}
		tape_json_write_array_end(w);
	}
	tape_json_write_object_end(w);
	return TAPE_OK;
}

static void
put_crowd(struct tape_json_writer *w, const struct tape_view_text *t,
    const struct tape_view_story *s)
{
	const struct tape_view_crowd *c = s->crowd;
	const int64_t from = s->t->start_ns;

	if (!c->known)
		return;
	tape_json_write_object(w, "in_flight");
	tape_json_write_i64(w, "at_start", c->at_start);
	tape_json_write_i64(w, "min", c->min);
	tape_json_write_i64(w, "max", c->max);
	tape_json_write_object_end(w);
	if (!t->others)
		return;
	tape_json_write_array(w, "others");
	for (size_t i = 0; i < c->n; i++) {
		const struct tape_view_span *v = &c->v[i];

		tape_json_write_object(w, NULL);
		tape_json_write_i64(w, "x", v->x);
		if (v->id_len > 0)
			tape_json_write_str(
			    w, "id", c->ids + v->id_at, v->id_len);
		put_since(w, "start_ns", v->start_ns, from);
		put_since(w, "sent_ns", v->sent_ns, from);
		put_since(w, "head_ns", v->head_ns, from);
		put_since(w, "end_ns", v->end_ns, from);
		tape_json_write_cstr(w, "phase", tape_view_phase(v, from));
		tape_json_write_object_end(w);
	}
	tape_json_write_array_end(w);
}

static void
put_failure(struct tape_json_writer *w, const struct tape_failure *e)
{
	if (e->class.p == NULL)
		return;
	tape_json_write_object(w, "error");
	tape_view_put_text(w, "class", e->class);
	tape_view_put_text(w, "cause", e->cause);
	tape_view_put_text(w, "message", e->message);
	tape_json_write_object_end(w);
}

static enum tape_status
tell_end(void *arg, const struct tape_view_story *s, struct tape_err *err)
{
	struct tape_view_text *t = arg;
	struct tape_json_writer *w = &t->json;
	enum tape_status st;

	tape_json_write_array_end(w);
	put_since(w, "end_ns", s->t->end_ns, s->t->start_ns);
	put_failure(w, &s->t->error);
	if (s->found->lost)
		tape_json_write_bool(w, "lost", true);
	if (!s->is_response) {
		tape_json_write_i64(w, "body_bytes", s->bytes);
		tape_json_write_i64(w, "parts", s->parts);
		tape_json_write_bool(w, "bytes_kept", s->bytes_kept);
	}
	if (s->is_response || s->bytes_kept) {
		tape_json_write_u64(w, "event_count", s->events);
		tape_json_write_u64(w, "token_events", s->token_events);
	}
	put_crowd(w, t, s);
	if (s->err.status != TAPE_OK)
		put_foreign(w, "damage", s->err.text, strlen(s->err.text));
	tape_json_write_object_end(w);
	st = tape_json_write_finish(w, err);
	(void)tape_buf_add_char(&t->buf, '\n');
	return st == TAPE_OK ? tape_view_flush(t, err) : st;
}

struct tape_view_teller
tape_view_to_json(struct tape_view_text *t)
{
	const struct tape_view_teller teller = { tell_begin, tell_read,
		tell_end, t };

	return teller;
}
