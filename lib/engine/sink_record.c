/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a piece to the record that is written. */
#include "base/b64.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "codec/json_write.h"
#include "engine/sink_write.h"

#include <inttypes.h>
#include <stdio.h>

#define MESSAGE_BYTES                                                          \
 ((size_t)1000) /* of a server's error text that are kept */
#define BODY_SHOWN 200

void
tape_sink_scratch_init(struct tape_sink_scratch *s)
{
	*s = (struct tape_sink_scratch){ 0 };
	tape_buf_init(&s->headers, 8 * TAPE_CAP_HEADERS);
	tape_buf_init(&s->body64, TAPE_CAP_LINE);
	tape_buf_init(&s->ask64, 2 * TAPE_CAP_LINE);
	tape_buf_init(&s->message, 8 * MESSAGE_BYTES);
}

void
tape_sink_scratch_release(struct tape_sink_scratch *s)
{
	tape_arena_release(&s->arena);
	tape_buf_release(&s->headers);
	tape_buf_release(&s->body64);
	tape_buf_release(&s->ask64);
	tape_buf_release(&s->message);
}

static int64_t
from(int64_t t_ns, int64_t epoch_ns)
{
	return t_ns == TAPE_ABSENT_I64 ? TAPE_ABSENT_I64 : t_ns - epoch_ns;
}

/* A text of others' as a string of ours: bytes that are not UTF-8 replaced,
   NUL too. */
static enum tape_status
clean(const char *p, size_t len, struct tape_arena *arena, struct tape_str *out,
    struct tape_err *err)
{
	struct tape_buf b;
	char *copy = NULL;

	tape_buf_init(&b, 4 * len + 16);
	if (tape_utf8_repair(&b, p, len) == TAPE_OK)
		copy = tape_arena_dup(arena, b.data, b.len);
	for (size_t i = 0; copy != NULL && i < b.len; i++)
		if (copy[i] == '\0')
			copy[i] = '?';
	*out = tape_str_make(copy, b.len);
	tape_buf_release(&b);
	return copy == NULL ? tape_err_nomem(err) : TAPE_OK;
}

/* name LF value LF ... as an array of pairs, without credentials. */
static enum tape_status
put_headers(const struct tape_buf *raw, struct tape_sink_scratch *s,
    struct tape_str *out, struct tape_err *err)
{
	struct tape_json_writer w;
	const char *p = raw->data;
	const char *end = p + raw->len;
	enum tape_status st = TAPE_OK;

	tape_buf_clear(&s->headers);
	tape_json_write_init(&w, &s->headers);
	tape_json_write_array(&w, NULL);
	while (p < end && st == TAPE_OK) {
		const char *mid = memchr(p, '\n', (size_t)(end - p));
		const char *stop =
		    memchr(mid + 1, '\n', (size_t)(end - mid - 1));
		struct tape_str name, value;

		if (!tape_secrets_header(p, (size_t)(mid - p))) {
			st = clean(p, (size_t)(mid - p), &s->arena, &name, err);
			if (st == TAPE_OK)
				st = clean(mid + 1, (size_t)(stop - mid - 1),
				    &s->arena, &value, err);
			if (st != TAPE_OK)
				break;
			tape_json_write_array(&w, NULL);
			tape_json_write_str(&w, NULL, name.p, name.len);
			tape_json_write_str(&w, NULL, value.p, value.len);
			tape_json_write_array_end(&w);
		}
		p = stop + 1;
	}
	tape_json_write_array_end(&w);
	if (st == TAPE_OK)
		st = tape_json_write_finish(&w, err);
	*out = tape_str_make(s->headers.data, s->headers.len);
	return st;
}

/* As text where it is text, else as base64. */
static enum tape_status
put_bytes(struct tape_str bytes, struct tape_buf *b64, struct tape_str *text,
    struct tape_str *coded, struct tape_err *err)
{
	const char *p = bytes.p;
	size_t len = bytes.len;

	if (memchr(p, '\0', len) == NULL && tape_utf8_valid(p, len)) {
		*text = tape_str_make(p, len);
		return TAPE_OK;
	}
	tape_buf_clear(b64);
	(void)tape_b64_encode(b64, p, len);
	*coded = tape_str_make(b64->data, b64->len);
	return tape_buf_status(b64, err);
}

static enum tape_status
put_reads(const struct tape_piece *p, struct tape_arena *arena,
    struct tape_reads *out, struct tape_err *err)
{
	size_t n = p->reads_n;
	int64_t *v;

	if (n == 0)
		return TAPE_OK;
	v = tape_arena_alloc(arena, 3 * n, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		v[i] = p->reads[i].t_ns;
		v[n + i] = p->reads[i].lag_ns;
		v[2 * n + i] = p->reads[i].bytes;
	}
	out->t_ns = (struct tape_i64s){ v, n };
	out->lag_ns = (struct tape_i64s){ v + n, n };
	out->bytes = (struct tape_i64s){ v + 2 * n, n };
	return TAPE_OK;
}

static void
keep_text(struct tape_buf *out, const struct tape_json_token *t)
{
	size_t n = t->len < MESSAGE_BYTES ? t->len : MESSAGE_BYTES;

	if (t->type != TAPE_JSON_STRING || out->len > 0)
		return;
	(void)tape_buf_add(out, t->str, tape_utf8_cut(t->str, n));
}

/* The message in {"error":{"message":""}}, {"error":""}, {"message":""} or
   {"detail":""}, the first that there is; else nothing is added. */
static void
find_message(const char *body, size_t len, struct tape_buf *out)
{
	struct tape_json r;
	struct tape_json_token t;
	bool error = false; /* inside the object */

	tape_json_init(&r);
	tape_json_open(&r, body, len, TAPE_JSON_FOREIGN);
	while (out->len == 0 && tape_json_next(&r, &t, NULL) == TAPE_OK &&
	       t.type != TAPE_JSON_END) {
		bool member = t.depth == (error ? 2 : 1);

		if (t.depth == 0 && t.type == TAPE_JSON_OBJECT)
			continue;
		if (t.depth == 1 && t.type == TAPE_JSON_OBJECT_END)
			error = false;
		else if (t.depth == 1 && t.type == TAPE_JSON_OBJECT &&
			 tape_json_key_is(&t, "error"))
			error = true;
		else if (member &&
			 (tape_json_key_is(&t, "message") ||
			     (!error && (tape_json_key_is(&t, "error") ||
					    tape_json_key_is(&t, "detail")))))
			keep_text(out, &t);
		else if (tape_json_skip(&r, NULL, NULL, NULL) != TAPE_OK)
			break;
	}
	tape_json_release(&r);
}

/* Its place says more than its body. */
static bool
is_redirect(const struct tape_failure *e)
{
	return tape_str_is(e->cause, "redirect");
}

static enum tape_status
put_error(const struct tape_sink_opts *opts, struct tape_piece *p,
    struct tape_sink_scratch *s, struct tape_failure *out, struct tape_err *err)
{
	const struct tape_secrets *secrets = opts->secrets;
	const struct tape_flight *f = p->flight;
	const char *text = f->message == NULL ? "" : f->message;

	out->class = tape_str_of(tape_http_class_text(f->class));
	out->cause = tape_str_of(f->cause);
	tape_buf_clear(&s->message);
	if (f->class == TAPE_HTTP_HTTP && opts->keep != TAPE_KEEP_TIMES &&
	    !is_redirect(out))
		find_message(p->body.data, p->body.len, &s->message);
	if (s->message.len == 0)
		(void)tape_buf_add_str(&s->message, text);
	if (s->message.len == 0)
		return tape_buf_status(&s->message, err);
	if (secrets != NULL)
		(void)tape_secrets_mask(
		    secrets, s->message.data, s->message.len);
	return clean(
	    s->message.data, s->message.len, &s->arena, &out->message, err);
}

static void
put_meta(const struct tape_flight *f, struct tape_transfer *t,
    char hash[TAPE_HASH_TEXT])
{
	const struct tape_course *c = f->course;

	t->x = f->x;
	t->run = c->run;
	t->id = f->id;
	t->attempt = f->attempt;
	t->pass = f->pass;
	t->session = f->session;
	t->turn = f->turn_no;
	t->stage = tape_str_of(f->measured ? "measure" : "warmup");
	t->api = tape_str_of(c->api);
	t->stream = c->stream ? 1 : 0;
	t->model = tape_str_of(c->model);
	t->target = tape_str_of(f->target != NULL ? f->target : c->target);
	t->labels = f->labels;
	t->req.output_tokens = f->output_tokens;
	t->req.input_tokens = f->input_tokens;
	if (f->doomed)
		return;
	(void)tape_hash_print(f->hash, hash);
	t->req.bytes = (int64_t)f->bytes;
	t->req.hash = tape_str_of(hash);
	if (f->request_id[0] != '\0')
		t->req.request_id = tape_str_of(f->request_id);
}

static void
put_state(const struct tape_piece *p, int64_t epoch_ns, struct tape_transfer *t)
{
	const struct tape_flight *f = p->flight;
	const struct tape_flight_state *s = &p->state;

	t->due_ns = from(f->turn.due_ns, epoch_ns);
	if (f->turn.could_ns != f->turn.due_ns)
		t->could_ns = from(f->turn.could_ns, epoch_ns);
	t->origin_due_ns = from(f->origin_due_ns, epoch_ns);
	t->origin_start_ns = from(f->origin_start_ns, epoch_ns);
	t->start_ns = f->start_ns - epoch_ns;
	t->conn_ns = from(s->conn_ns, epoch_ns);
	t->dns_ns = s->dns_ns;
	t->connect_ns = s->connect_ns;
	t->tls_ns = s->tls_ns;
	t->reused = s->reused;
	t->sent_ns = from(s->sent_ns, epoch_ns);
	t->head_ns = from(s->head_ns, epoch_ns);
	t->head_lag_ns = s->head_lag_ns;
	t->end_ns = from(s->end_ns, epoch_ns);
	t->status = s->status;
	t->redirects = s->redirects;
	if (s->http_version == 10)
		t->http = tape_str_of("1.0");
	else if (s->http_version == 20)
		t->http = tape_str_of("2");
}

/* What only the last record has. */
static enum tape_status
put_last(const struct tape_sink_opts *opts, struct tape_piece *p,
    struct tape_sink_scratch *s, struct tape_exchange *e, struct tape_err *err)
{
	const struct tape_flight *f = p->flight;
	enum tape_status st = TAPE_OK;

	if (f->pieces > 0)
		e->parts = f->pieces;
	e->t.tls = tape_str_of(f->tls);
	e->t.cancel_ns = from(f->cancel_ns, opts->epoch_ns);
	e->t.retry_ns = from(f->retry_ns, opts->epoch_ns);
	if (f->class != TAPE_HTTP_NONE)
		st = put_error(opts, p, s, &e->t.error, err);
	if (st == TAPE_OK && f->course->keep_bodies && f->body != NULL)
		st = put_bytes(tape_str_make(f->body, f->bytes), &s->ask64,
		    &e->t.req.body, &e->t.req.body_b64, err);
	return st;
}

/* Of times only, to say what failed. */
static bool
wants_body(const struct tape_sink_opts *opts, const struct tape_piece *p)
{
	return opts->keep != TAPE_KEEP_TIMES ||
	       (p->kind == TAPE_PIECE_LAST &&
		   p->flight->class != TAPE_HTTP_NONE);
}

enum tape_status
tape_sink_fill(const struct tape_sink_opts *opts, struct tape_piece *p,
    struct tape_sink_scratch *s, struct tape_exchange *e, struct tape_err *err)
{
	bool last = p->kind == TAPE_PIECE_LAST;
	struct tape_buf *headers = last ? &p->flight->headers : &p->headers;
	enum tape_status st = TAPE_OK;

	tape_arena_reset(&s->arena);
	tape_schema_init(last ? TAPE_KIND_EXCHANGE : TAPE_KIND_PART, e);
	put_meta(p->flight, &e->t, s->hash);
	put_state(p, opts->epoch_ns, &e->t);
	if (opts->secrets != NULL) {
		(void)tape_secrets_mask(
		    opts->secrets, p->body.data, p->body.len);
		(void)tape_secrets_mask(
		    opts->secrets, headers->data, headers->len);
	}
	if (!last)
		e->seq = p->seq;
	if (headers->len > 0)
		st = put_headers(headers, s, &e->t.headers, err);
	if (st == TAPE_OK)
		st = put_reads(p, &s->arena, &e->reads, err);
	if (st == TAPE_OK && last)
		st = put_last(opts, p, s, e, err);
	if (st == TAPE_OK && p->body.len > 0 && wants_body(opts, p))
		st = put_bytes(tape_str_make(p->body.data, p->body.len),
		    &s->body64, &e->body, &e->body_b64, err);
	return st;
}

/* Printable, in one line; returns how much of dst is used. */
static size_t
show(struct tape_str s, size_t max, char *dst)
{
	size_t n = tape_utf8_cut(s.p, s.len < max ? s.len : max);

	for (size_t i = 0; i < n; i++) {
		dst[i] = s.p[i];
		if ((unsigned char)dst[i] < 0x20 || dst[i] == 0x7f)
			dst[i] = '?';
	}
	return n;
}

void
tape_sink_describe(
    const struct tape_exchange *e, char dst[TAPE_SINK_FIRST_TEXT])
{
	char id[80], what[BODY_SHOWN + 1];
	struct tape_str text = e->t.error.message;

	bool http = tape_str_is(e->t.error.class,
			tape_http_class_text(TAPE_HTTP_HTTP)) &&
		    !is_redirect(&e->t.error);

	if (http && e->body.p != NULL)
		text = e->body;
	if (text.p == NULL)
		text = tape_str_of("");
	id[show(e->t.id, sizeof(id) - 1, id)] = '\0';
	what[show(text, BODY_SHOWN, what)] = '\0';
	if (http)
		(void)snprintf(dst, TAPE_SINK_FIRST_TEXT,
		    "request '%s' failed: HTTP %" PRId64 ": %s", id,
		    e->t.status, what);
	else
		(void)snprintf(dst, TAPE_SINK_FIRST_TEXT,
		    "request '%s' failed: %.*s (%.*s): %s", id,
		    (int)e->t.error.class.len, e->t.error.class.p,
		    (int)e->t.error.cause.len, e->t.error.cause.p, what);
}
