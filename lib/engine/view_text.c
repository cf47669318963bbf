/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An exchange as a timeline for people. */
#include "engine/view_out.h"

#include <inttypes.h>

#define TIME_COLUMNS 42 /* of the columns before the text */

static void
put_ms(struct tape_buf *b, int width, int64_t ns)
{
	if (ns == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%*s ", width, "-");
	else
		(void)tape_buf_add_fmt(b, "%*.3f ", width, (double)ns / 1e6);
}

/* The columns of times; absent values as -. */
static void
put_times(struct tape_buf *b, int64_t kernel_ns, int64_t user_ns,
    int64_t gap_ns, int64_t bytes)
{
	put_ms(b, 11, kernel_ns);
	put_ms(b, 11, user_ns);
	put_ms(b, 9, gap_ns);
	if (bytes == TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%7s ", "-");
	else
		(void)tape_buf_add_fmt(b, "%7" PRId64 " ", bytes);
}

static void
word(struct tape_buf *b, const char *before, struct tape_str s)
{
	if (s.p == NULL)
		return;
	(void)tape_buf_add_str(b, before);
	tape_view_escape(b, s, 80);
}

static void
number(struct tape_buf *b, const char *before, int64_t v)
{
	if (v != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b, "%s%" PRId64, before, v);
}

/* What it is, and where it stands. */
static void
put_head(struct tape_buf *b, const struct tape_view_story *s)
{
	const struct tape_transfer *t = s->t;
	const struct tape_view_place *p = &s->found->place;
	char wall[TAPE_VIEW_WALL];

	(void)tape_buf_add_fmt(b, "%s %" PRId64 " of run %" PRId64,
	    s->is_response ? "response" : "exchange", t->x, t->run);
	word(b, ", id ", t->id);
	number(b, ", attempt ", t->attempt);
	number(b, ", pass ", t->pass);
	word(b, ", session ", t->session);
	number(b, " turn ", t->turn);
	if (tape_str_is(t->stage, "warmup"))
		(void)tape_buf_add_str(b, ", WARM-UP: in no figure");
	(void)tape_buf_add_str(b, "\n  ");
	tape_view_escape(b, tape_str_of(p->name), 200);
	(void)tape_buf_add_fmt(b,
	    ": segment %" PRIu64 ", line %" PRIu64 "; started %s\n", p->segment,
	    s->found->line, tape_view_wall(s->header, t->start_ns, wall));
}

static void
put_ask(struct tape_buf *b, const struct tape_view_story *s)
{
	const struct tape_transfer *t = s->t;

	word(b, "  to ", t->target);
	word(b, t->target.p != NULL ? "\n  api " : "  api ", t->api);
	word(b, ", model ", t->model);
	if (t->stream != TAPE_ABSENT_BOOL)
		(void)tape_buf_add_str(
		    b, t->stream ? ", streamed" : ", not streamed");
	number(b, ", input tokens ", t->req.input_tokens);
	number(b, ", output tokens asked ", t->req.output_tokens);
	word(b, "\n  labels ", t->labels);
	(void)tape_buf_add_str(b, "\n\n");
	(void)tape_buf_add_fmt(b, "%11s %11s %9s %7s\n", "kernel ms", "user ms",
	    "gap ms", "bytes");
}

/* A mark of the timeline. */
struct mark {
	const char *name;
	int64_t at_ns;  /* from the epoch, or absent */
	int64_t lag_ns; /* at_ns is the kernel's time, and this behind it the
	                   user's; or absent */
	int64_t bytes;
};

static void
put_connection(struct tape_buf *b, const struct tape_transfer *t)
{
	if (t->reused == 1)
		(void)tape_buf_add_str(b, ": a kept connection");
	else if (t->reused == 0)
		(void)tape_buf_add_str(b, ": a new connection");
	if (t->dns_ns != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(
		    b, ", dns %.3f ms", (double)t->dns_ns / 1e6);
	if (t->connect_ns != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(
		    b, ", connect %.3f ms", (double)t->connect_ns / 1e6);
	if (t->tls_ns != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(
		    b, ", tls %.3f ms", (double)t->tls_ns / 1e6);
}

static void
put_mark(struct tape_buf *b, const struct tape_view_story *s,
    const struct mark *m, int64_t before_ns)
{
	const struct tape_transfer *t = s->t;
	const int64_t at = m->at_ns - t->start_ns;
	const bool kernel = m->lag_ns != TAPE_ABSENT_I64 && m->lag_ns >= 0;

	put_times(b, kernel ? at : TAPE_ABSENT_I64,
	    kernel ? at + m->lag_ns : at,
	    before_ns == TAPE_ABSENT_I64 ? before_ns : m->at_ns - before_ns,
	    m->bytes);
	(void)tape_buf_add_str(b, m->name);
	if (strcmp(m->name, "connected") == 0)
		put_connection(b, t);
	if (strcmp(m->name, "head") == 0) {
		number(b, ": status ", t->status);
		word(b, ", ", tape_str_of(s->type));
	}
	(void)tape_buf_add_str(b, "\n");
}

static void
put_marks(struct tape_buf *b, const struct tape_view_story *s)
{
	const struct tape_transfer *t = s->t;
	const int64_t none = TAPE_ABSENT_I64;
	const struct mark marks[] = {
		{ "due", t->due_ns, none, none },
		{ "could be sent", t->could_ns, none, none },
		{ "start", t->start_ns, none, none },
		{ "connected", t->conn_ns, none, none },
		{ "sent", t->sent_ns, none, t->req.bytes },
		{ "head", t->head_ns, t->head_lag_ns, none },
	};
	int64_t before_ns = none;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (marks[i].at_ns == none)
			continue;
		put_mark(b, s, &marks[i], before_ns);
		before_ns = marks[i].at_ns;
	}
}

static enum tape_status
tell_begin(void *arg, const struct tape_view_story *s, struct tape_err *err)
{
	struct tape_view_text *t = arg;

	if (t->begun)
		(void)tape_buf_add_str(&t->buf, "\n");
	t->begun = true;
	put_head(&t->buf, s);
	put_ask(&t->buf, s);
	put_marks(&t->buf, s);
	return tape_view_flush(t, err);
}

/* One event; the columns before it stand there already. */
static void
put_event(struct tape_view_text *t, const struct tape_view_read *r,
    const struct tape_view_event *e)
{
	const size_t room =
	    t->width > TIME_COLUMNS + 10 ? t->width - TIME_COLUMNS - 2 : 10;

	(void)tape_buf_add_fmt(
	    &t->buf, "%c%s ", e->class, e->malformed ? "!" : "");
	if (e->text_len > 0)
		tape_view_escape(&t->buf,
		    tape_str_make(r->texts + e->text_at, e->text_len), room);
	else if (r->raw.p == NULL && e->text_bytes > 0)
		tape_view_count(&t->buf, (uint64_t)e->text_bytes, "byte");
}

/* What of a read completed nothing is shown as it came. */
static void
put_raw(struct tape_view_text *t, const struct tape_view_read *r)
{
	const size_t room =
	    t->width > TIME_COLUMNS + 10 ? t->width - TIME_COLUMNS - 2 : 10;

	if (r->raw.p == NULL)
		return;
	(void)tape_buf_add_str(&t->buf, ". ");
	tape_view_escape(&t->buf, r->raw, room);
}

/* Of events that share a read all but the last are upper bounds. */
static enum tape_status
tell_read(void *arg, const struct tape_view_read *r, struct tape_err *err)
{
	struct tape_view_text *t = arg;
	struct tape_buf *b = &t->buf;

	put_times(b, r->lag_ns >= 0 ? r->t_ns - r->lag_ns : TAPE_ABSENT_I64,
	    r->t_ns, r->gap_ns, r->bytes);
	if (r->clk == 'm')
		(void)tape_buf_add_str(b, "m ");
	for (size_t i = 0; i < r->events_n; i++) {
		if (i > 0)
			(void)tape_buf_add_fmt(b, "%*s", TIME_COLUMNS, "");
		put_event(t, r, &r->events[i]);
		(void)tape_buf_add_str(b, "\n");
	}
	if (r->events_n == 0) {
		put_raw(t, r);
		(void)tape_buf_add_str(b, "\n");
	}
	return tape_view_flush(t, err);
}

/* Without the bytes nobody knows the events. */
static void
put_sums(struct tape_buf *b, const struct tape_view_story *s)
{
	if (!s->is_response)
		tape_view_count(b, s->reads, "read");
	if (!s->is_response && !s->bytes_kept) {
		(void)tape_buf_add_str(b, "; the bytes were not kept");
		return;
	}
	if (!s->is_response)
		(void)tape_buf_add_str(b, ", ");
	tape_view_count(b, s->events, "event");
	(void)tape_buf_add_fmt(b, ", %" PRIu64 " with tokens", s->token_events);
}

static void
put_end(struct tape_buf *b, const struct tape_view_story *s)
{
	const struct tape_transfer *t = s->t;

	put_times(b, TAPE_ABSENT_I64,
	    t->end_ns == TAPE_ABSENT_I64 ? TAPE_ABSENT_I64
					 : t->end_ns - t->start_ns,
	    TAPE_ABSENT_I64, s->is_response ? TAPE_ABSENT_I64 : s->bytes);
	if (s->found->lost)
		(void)tape_buf_add_str(b, "LOST: its end was not recorded");
	else if (t->error.class.p != NULL)
		word(b, "FAILED: ", t->error.class);
	else
		(void)tape_buf_add_str(b, "end");
	word(b, ", ", t->error.cause);
	word(b, ": ", t->error.message);
	(void)tape_buf_add_str(b, "\n\n  ");
	put_sums(b, s);
	if (s->malformed > 0)
		(void)tape_buf_add_fmt(
		    b, ", %" PRIu64 " malformed (!)", s->malformed);
	if (s->parts > 0) {
		(void)tape_buf_add_str(b, "; ");
		tape_view_count(b, (uint64_t)s->parts, "part");
	}
	(void)tape_buf_add_str(b, "\n");
}

static void
put_crowd(struct tape_buf *b, const struct tape_view_crowd *c)
{
	if (!c->known) {
		(void)tape_buf_add_str(
		    b, "  what else was in flight is not known\n");
		return;
	}
	(void)tape_buf_add_fmt(b,
	    "  in flight besides: %" PRId64 " when it started, %" PRId64
	    " to %" PRId64 " while it ran\n",
	    c->at_start, c->min, c->max);
}

static void
put_others(struct tape_buf *b, const struct tape_view_story *s)
{
	const int64_t from = s->t->start_ns;
	const struct tape_view_span *v;

	if (s->crowd->n > 0)
		(void)tape_buf_add_fmt(b, "\n%11s %11s %11s %11s  %-11s %s\n",
		    "start ms", "sent ms", "head ms", "end ms", "at start",
		    "exchange");
	for (size_t i = 0; i < s->crowd->n; i++) {
		v = &s->crowd->v[i];
		put_ms(b, 11, v->start_ns - from);
		put_ms(b, 11,
		    v->sent_ns == TAPE_ABSENT_I64 ? v->sent_ns
						  : v->sent_ns - from);
		put_ms(b, 11,
		    v->head_ns == TAPE_ABSENT_I64 ? v->head_ns
						  : v->head_ns - from);
		put_ms(b, 11, v->end_ns - from);
		(void)tape_buf_add_fmt(
		    b, " %-11s %" PRId64, tape_view_phase(v, from), v->x);
		if (v->id_len > 0)
			word(b, ", id ",
			    tape_str_make(s->crowd->ids + v->id_at, v->id_len));
		(void)tape_buf_add_str(b, "\n");
	}
}

static enum tape_status
tell_end(void *arg, const struct tape_view_story *s, struct tape_err *err)
{
	struct tape_view_text *t = arg;
	struct tape_buf *b = &t->buf;

	put_end(b, s);
	put_crowd(b, s->crowd);
	if (t->others)
		put_others(b, s);
	if (s->err.status != TAPE_OK) {
		(void)tape_buf_add_str(b, "  DAMAGED: ");
		tape_view_escape(b, tape_str_of(s->err.text), 300);
		(void)tape_buf_add_str(b, "\n");
	}
	return tape_view_flush(t, err);
}

struct tape_view_teller
tape_view_to_text(struct tape_view_text *t)
{
	const struct tape_view_teller teller = { tell_begin, tell_read,
		tell_end, t };

	return teller;
}
