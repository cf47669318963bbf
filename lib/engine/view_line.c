/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/view_line.h"

#include "base/b64.h"
#include "base/mem.h"

/* Events of the read in hand. */

static enum tape_status
add_event(struct tape_view_line *l, const struct tape_api_event *ev,
    struct tape_str data, struct tape_err *err)
{
	struct tape_view_event *e;
	struct tape_str text = ev->text;

	if (text.p == NULL || text.len == 0)
		text = ev->error;
	if (text.p == NULL)
		text = ev->finish;
	if (text.p == NULL)
		text = data;
	if (tape_mem_grow((void **)&l->events, &l->events_cap, l->events_n + 1,
		sizeof(*l->events)) != 0)
		return tape_err_nomem(err);
	e = &l->events[l->events_n++];
	e->class = ev->class;
	e->malformed = ev->malformed;
	e->text_bytes = ev->text_bytes;
	e->text_at = l->texts.len;
	e->text_len = text.len;
	(void)tape_buf_add(&l->texts, text.p, text.len);
	l->story.events++;
	return tape_buf_status(&l->texts, err);
}

static enum tape_status
on_event(void *user, const struct tape_sse_event *event, struct tape_err *err)
{
	struct tape_view_line *l = user;
	const struct tape_str data = tape_str_make(event->data, event->len);
	struct tape_api_event ev;
	enum tape_status st = tape_api_decode(&l->decoder,
	    tape_str_make(event->type, event->type_len), data, &ev, err);

	return st == TAPE_OK ? add_event(l, &ev, data, err) : st;
}

static enum tape_status
on_comment(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct tape_view_line *l = user;
	struct tape_api_event ev;

	tape_api_event_init(&ev);
	ev.class = 'k';
	return add_event(l, &ev, tape_str_make(f->value, f->value_len), err);
}

static enum tape_status
on_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	struct tape_view_line *l = user;
	const struct tape_str value = tape_str_make(f->value, f->value_len);
	struct tape_api_event ev;
	enum tape_status st = tape_api_decode_field(
	    &l->decoder, tape_str_make(f->name, f->name_len), value, &ev, err);

	if (st != TAPE_OK || ev.class != 'e')
		return st;
	return add_event(l, &ev, value, err);
}

static const struct tape_sse_calls calls = { on_event, on_comment, on_field };

/* Bytes of the answer, out of its coding. */
static enum tape_status
on_plain(void *user, const char *bytes, size_t len, struct tape_err *err)
{
	struct tape_view_line *l = user;

	if (l->mode == TAPE_FLOW_STREAM)
		return tape_framer_feed(&l->framer, bytes, len, err);
	(void)tape_buf_add(&l->body, bytes, len);
	return tape_buf_status(&l->body, err);
}

void
tape_view_line_init(struct tape_view_line *l, struct tape_view_teller teller)
{
	memset(l, 0, sizeof(*l));
	l->teller = teller;
	tape_record_init(&l->header);
	tape_record_init(&l->whole);
	tape_record_init(&l->rec);
	tape_framer_init(&l->framer, &calls, l);
	tape_unpack_init(&l->unpack, on_plain, l);
	tape_api_decoder_init(&l->decoder, NULL, false);
	tape_buf_init(&l->body, TAPE_CAP_TEXT);
	tape_buf_init(&l->bytes, TAPE_CAP_LINE);
	tape_buf_init(&l->texts, 2 * TAPE_CAP_LINE);
}

void
tape_view_line_release(struct tape_view_line *l)
{
	tape_record_release(&l->header);
	tape_record_release(&l->whole);
	tape_record_release(&l->rec);
	tape_framer_release(&l->framer);
	tape_unpack_release(&l->unpack);
	tape_api_decoder_release(&l->decoder);
	tape_buf_release(&l->body);
	tape_buf_release(&l->bytes);
	tape_buf_release(&l->texts);
	tape_mem_free(l->events);
}

/* Reads. */

static enum tape_status
tell_read(
    struct tape_view_line *l, struct tape_view_read *r, struct tape_err *err)
{
	int64_t now = r->t_ns, before = l->last_t_ns;

	r->n = ++l->story.reads;
	r->gap_ns = TAPE_ABSENT_I64;
	if (l->has_last) {
		if (r->lag_ns >= 0 && l->last_lag_ns >= 0) {
			now -= r->lag_ns;
			before -= l->last_lag_ns;
		}
		r->gap_ns = now - before;
	}
	l->has_last = true;
	l->last_t_ns = r->t_ns;
	l->last_lag_ns = r->lag_ns;
	r->events = l->events;
	r->events_n = l->events_n;
	r->texts = l->texts.data;
	return l->teller.read(l->teller.arg, r, err);
}

/* What comes to light when the answer ends. */
static enum tape_status
end_answer(struct tape_view_line *l, struct tape_err *err)
{
	const struct tape_str body = tape_str_make(l->body.data, l->body.len);
	struct tape_api_event ev;
	enum tape_status st;

	if (l->mode == TAPE_FLOW_STREAM)
		return l->story.found->lost || l->story.t->error.class.p != NULL
			   ? TAPE_OK
			   : tape_framer_end(&l->framer, err);
	st = tape_api_decode_body(&l->decoder, body, &ev, err);
	return st == TAPE_OK ? add_event(l, &ev, body, err) : st;
}

/* Decodes what the read brought; what cannot be is told in the story. */
static enum tape_status
decode(struct tape_view_line *l, struct tape_str raw, bool last,
    struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	l->events_n = 0;
	tape_buf_clear(&l->texts);
	if (raw.p == NULL || l->mode == TAPE_FLOW_NONE)
		return TAPE_OK;
	st = l->head.coding == TAPE_UNPACK_NONE
		 ? on_plain(l, raw.p, raw.len, &why)
		 : tape_unpack_feed(&l->unpack, raw.p, raw.len, &why);
	if (st == TAPE_OK && last)
		st = end_answer(l, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK) {
		l->mode = TAPE_FLOW_NONE;
		if (l->story.err.status == TAPE_OK)
			l->story.err = why;
	}
	return TAPE_OK;
}

static enum tape_status
bytes_of(struct tape_view_line *l, const struct tape_exchange *x,
    struct tape_str *out, struct tape_err *err)
{
	*out = x->body;
	if (x->body_b64.p == NULL)
		return TAPE_OK;
	tape_buf_clear(&l->bytes);
	*out = tape_str_make(NULL, 0);
	if (tape_b64_decode(&l->bytes, x->body_b64.p, x->body_b64.len, err) !=
	    TAPE_OK)
		return TAPE_E_FORMAT;
	*out = tape_str_make(l->bytes.data, l->bytes.len);
	return TAPE_OK;
}

/* The reads of a record, which must be those of its bytes, where it has any. */
static enum tape_status
check_reads(
    const struct tape_reads *in, struct tape_str body, struct tape_err *err)
{
	const size_t n = in->bytes.n;
	int64_t sum = 0;

	if (in->t_ns.n != n || (in->lag_ns.v != NULL && in->lag_ns.n != n))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "the arrays of \"reads\" are not of one length");
	for (size_t i = 0; i < n; i++) {
		if (in->bytes.v[i] < 0 ||
		    __builtin_add_overflow(sum, in->bytes.v[i], &sum) ||
		    sum > TAPE_FIELD_I64_MAX)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "\"reads.bytes\" is out of range");
	}
	if (body.p != NULL && (uint64_t)sum != body.len)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "the reads have %lld bytes, but the body has %zu",
		    (long long)sum, body.len);
	return TAPE_OK;
}

static enum tape_status
tell_reads(struct tape_view_line *l, const struct tape_exchange *x, bool last,
    struct tape_err *err)
{
	const struct tape_reads *in = &x->reads;
	struct tape_str body = { NULL, 0 };
	struct tape_view_read r;
	enum tape_status st;
	size_t at = 0;

	if (bytes_of(l, x, &body, &l->story.err) != TAPE_OK ||
	    check_reads(in, body, &l->story.err) != TAPE_OK)
		return TAPE_OK;
	for (size_t i = 0; i < in->bytes.n; i++) {
		memset(&r, 0, sizeof(r));
		r.t_ns = in->t_ns.v[i];
		r.lag_ns = in->lag_ns.n > 0 ? in->lag_ns.v[i] : -1;
		r.clk = r.lag_ns >= 0 ? 'k' : 'u';
		r.bytes = in->bytes.v[i];
		if (body.p != NULL)
			r.raw = tape_str_make(body.p + at, (size_t)r.bytes);
		at += (size_t)r.bytes;
		l->story.bytes += r.bytes;
		st = decode(l, r.raw, last && i + 1 == in->bytes.n, err);
		if (st == TAPE_OK)
			st = tell_read(l, &r, err);
		if (st != TAPE_OK)
			return st;
	}
	return TAPE_OK;
}

/* What a letter should be. */
static char
letter(char c)
{
	return c > ' ' && c <= '~' ? c : '?';
}

/* Each event of a response, as if it were a read. */
static enum tape_status
tell_events(struct tape_view_line *l, const struct tape_response *x,
    struct tape_err *err)
{
	const struct tape_events *in = &x->events;
	struct tape_view_event e = { 0 };
	struct tape_view_read r;
	enum tape_status st = TAPE_OK;

	if (in->class.len != in->t_ns.n || in->clk.len != in->t_ns.n ||
	    (in->lag_ns.v != NULL && in->lag_ns.n != in->t_ns.n) ||
	    (in->text_bytes.v != NULL && in->text_bytes.n != in->t_ns.n))
		return tape_err_set(&l->story.err, TAPE_E_FORMAT,
		    "the arrays of \"events\" are not of one length");
	for (size_t i = 0; i < in->t_ns.n && st == TAPE_OK; i++) {
		memset(&r, 0, sizeof(r));
		r.lag_ns = in->lag_ns.v != NULL ? in->lag_ns.v[i] : -1;
		r.t_ns = in->t_ns.v[i] + (r.lag_ns > 0 ? r.lag_ns : 0);
		r.bytes = TAPE_ABSENT_I64;
		r.clk = letter(in->clk.p[i]);
		e.class = letter(in->class.p[i]);
		e.text_bytes = in->text_bytes.v != NULL ? in->text_bytes.v[i]
							: TAPE_ABSENT_I64;
		l->events_n = 0;
		if (tape_mem_grow((void **)&l->events, &l->events_cap, 1,
			sizeof(*l->events)) != 0)
			return tape_err_nomem(err);
		l->events[l->events_n++] = e;
		l->story.events++;
		l->story.token_events += tape_api_is_token(e.class);
		st = tell_read(l, &r, err);
	}
	return st;
}

/* The exchange as a whole. */

static struct tape_str
last_line(const struct tape_buf *lines)
{
	size_t end = lines->len - 1, at = end;

	while (at > 0 && lines->data[at - 1] != '\n')
		at--;
	return tape_str_make(lines->data + at, end - at);
}

static enum tape_status
set_up(struct tape_view_line *l, const struct tape_view_found *f,
    struct tape_err *err)
{
	struct tape_view_story *s = &l->story;
	const struct tape_str line = last_line(&f->lines);
	const struct tape_api *api;
	enum tape_status st;

	st = tape_record_decode(
	    &l->header, f->place.header.p, f->place.header.len, err);
	if (st == TAPE_OK)
		st = tape_record_decode(&l->whole, line.p, line.len, err);
	if (st != TAPE_OK)
		return st;
	s->header = &l->header.u.header;
	s->is_response = l->whole.kind == TAPE_KIND_RESPONSE;
	s->t = tape_view_transfer(&l->whole);
	s->parts = s->is_response ? 0
		   : f->lost      ? l->whole.u.exchange.seq + 1
				  : l->whole.u.exchange.parts;
	s->parts = s->parts == TAPE_ABSENT_I64 ? 0 : s->parts;
	api = s->t->api.p == NULL ? NULL : tape_api_find(s->t->api);
	if (api == NULL)
		api = tape_api_at(0);
	tape_api_decoder_clear(&l->decoder, api);
	l->decoder.pointers = f->pointers;
	tape_buf_clear(&l->body);
	tape_flow_head(s->t, api, &l->head);
	tape_framer_clear(&l->framer, l->head.framing);
	tape_unpack_clear(&l->unpack, l->head.coding);
	s->type = l->head.type;
	l->mode = l->head.mode;
	/* The first gap is that from the head. */
	l->has_last = s->t->head_ns != TAPE_ABSENT_I64;
	if (l->has_last) {
		l->last_lag_ns = s->t->head_lag_ns == TAPE_ABSENT_I64
				     ? -1
				     : s->t->head_lag_ns;
		l->last_t_ns = s->t->head_ns - s->t->start_ns +
			       (l->last_lag_ns > 0 ? l->last_lag_ns : 0);
	}
	return TAPE_OK;
}

static enum tape_status
tell_lines(struct tape_view_line *l, const struct tape_view_found *f,
    struct tape_err *err)
{
	const char *p = f->lines.data, *const end = p + f->lines.len, *lf;
	struct tape_str line;
	enum tape_status st = TAPE_OK;

	while (p < end && st == TAPE_OK && l->story.err.status == TAPE_OK) {
		lf = memchr(p, '\n', (size_t)(end - p));
		line = tape_str_make(p, (size_t)(lf - p));
		p = lf + 1;
		st = tape_record_decode(&l->rec, line.p, line.len, err);
		if (st != TAPE_OK)
			break;
		if (l->story.is_response)
			st = tell_events(l, &l->rec.u.response, err);
		else
			st = tell_reads(l, &l->rec.u.exchange, p == end, err);
		if (st == TAPE_E_FORMAT && err->status == TAPE_OK)
			st = TAPE_OK;
	}
	return st;
}

/* Whether a record has the bytes of its reads. */
static bool
keeps_bytes(const struct tape_view_line *l)
{
	const struct tape_exchange *x = &l->whole.u.exchange;

	return !l->story.is_response &&
	       (x->body.p != NULL || x->body_b64.p != NULL ||
		   x->reads.bytes.n == 0);
}

enum tape_status
tape_view_line_tell(struct tape_view_line *l,
    const struct tape_view_found *found, const struct tape_view_crowd *crowd,
    struct tape_err *err)
{
	struct tape_view_story *s = &l->story;
	enum tape_status st;

	memset(s, 0, sizeof(*s));
	s->found = found;
	s->crowd = crowd;
	l->events_n = 0;
	st = set_up(l, found, err);
	if (st != TAPE_OK)
		return st;
	s->bytes_kept = keeps_bytes(l);
	st = l->teller.begin(l->teller.arg, s, err);
	if (st == TAPE_OK)
		st = tell_lines(l, found, err);
	if (st != TAPE_OK)
		return st;
	if (!s->is_response) {
		s->token_events = (uint64_t)l->decoder.token_events;
		s->malformed = (uint64_t)l->decoder.malformed;
	}
	return l->teller.end(l->teller.arg, s, err);
}
