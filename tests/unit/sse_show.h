/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sse_show: everything the event-stream parser hands out, as one text: a line
 * for each event, comment and unknown field, and for the end.
 *
 *	event 'type' 'id' 2 lines to 30: 'data'
 *	comment to 12: ' text'
 *	field to 40: 'name' 'value'
 *	end: 3 events 4 data 1 comments 0 ids 1 unknown 5 tail, retry -1
 *
 * NUL is shown as <0>.
 */
#ifndef TAPE_UNIT_SSE_SHOW_H
#define TAPE_UNIT_SSE_SHOW_H

#include "base/buf.h"
#include "codec/sse.h"

#include <inttypes.h>
#include <string.h>

struct sse_show {
	struct tape_sse p;
	struct tape_buf log;
	struct tape_buf names; /* of unknown fields, as a,a,b */
	struct tape_err err;
	enum tape_status status;
};

static inline void
sse_show_text(struct tape_buf *b, const char *p, size_t len)
{
	size_t i;

	(void)tape_buf_add_char(b, '\'');
	for (i = 0; i < len; i++)
		if (p[i] == '\0')
			(void)tape_buf_add_str(b, "<0>");
		else
			(void)tape_buf_add_char(b, p[i]);
	(void)tape_buf_add_char(b, '\'');
}

static inline enum tape_status
sse_show_event(
    void *user, const struct tape_sse_event *ev, struct tape_err *err)
{
	struct sse_show *s = user;

	(void)err;
	(void)tape_buf_add_str(&s->log, "event ");
	sse_show_text(&s->log, ev->type, ev->type_len);
	(void)tape_buf_add_char(&s->log, ' ');
	sse_show_text(&s->log, ev->id, ev->id_len);
	(void)tape_buf_add_fmt(&s->log, " %" PRIu64 " lines to %" PRIu64 ": ",
	    ev->data_lines, ev->end_offset);
	sse_show_text(&s->log, ev->data, ev->len);
	return tape_buf_add_char(&s->log, '\n');
}

static inline enum tape_status
sse_show_comment(
    void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct sse_show *s = user;

	(void)err;
	(void)tape_buf_add_fmt(
	    &s->log, "comment to %" PRIu64 ": ", f->end_offset);
	sse_show_text(&s->log, f->value, f->value_len);
	return tape_buf_add_char(&s->log, '\n');
}

static inline enum tape_status
sse_show_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct sse_show *s = user;

	(void)err;
	(void)tape_buf_add_fmt(
	    &s->log, "field to %" PRIu64 ": ", f->end_offset);
	sse_show_text(&s->log, f->name, f->name_len);
	(void)tape_buf_add_char(&s->log, ' ');
	sse_show_text(&s->log, f->value, f->value_len);
	if (s->names.len > 0)
		(void)tape_buf_add_char(&s->names, ',');
	(void)tape_buf_add(&s->names, f->name, f->name_len);
	return tape_buf_add_char(&s->log, '\n');
}

static inline void
sse_show_init(struct sse_show *s)
{
	static const struct tape_sse_calls calls = { sse_show_event,
		sse_show_comment, sse_show_field };

	memset(s, 0, sizeof(*s));
	tape_buf_init(&s->log, (size_t)64 << 20);
	tape_buf_init(&s->names, (size_t)1 << 20);
	tape_sse_init(&s->p, &calls, s);
}

static inline void
sse_show_release(struct sse_show *s)
{
	tape_sse_release(&s->p);
	tape_buf_release(&s->log);
	tape_buf_release(&s->names);
}

/* Ready for another stream. */
static inline void
sse_show_clear(struct sse_show *s)
{
	tape_sse_clear(&s->p);
	tape_buf_clear(&s->log);
	tape_buf_clear(&s->names);
	tape_err_clear(&s->err);
	s->status = TAPE_OK;
}

static inline void
sse_show_feed(struct sse_show *s, const char *bytes, size_t len)
{
	if (s->status == TAPE_OK)
		s->status = tape_sse_feed(&s->p, bytes, len, &s->err);
}

static inline void
sse_show_end(struct sse_show *s)
{
	const struct tape_sse_counts *c = &s->p.counts;

	if (s->status != TAPE_OK)
		(void)tape_buf_add_fmt(&s->log, "error: %s\n", s->err.text);
	(void)tape_buf_add_fmt(&s->log,
	    "end: %" PRIu64 " events %" PRIu64 " data %" PRIu64
	    " comments %" PRIu64 " ids %" PRIu64 " unknown %" PRIu64
	    " tail, retry %" PRId64 "\n",
	    c->events, c->data_lines, c->comments, c->id_lines,
	    c->unknown_fields, tape_sse_finish(&s->p), s->p.retry_ms);
}

#endif
