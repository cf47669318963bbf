/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_flow.h"

#include "base/b64.h"
#include "base/mem.h"
#include "engine/stamp_judge.h"

static enum tape_status on_event(
    void *user, const struct tape_sse_event *event, struct tape_err *err);
static enum tape_status on_comment(
    void *user, const struct tape_sse_field *field, struct tape_err *err);
static enum tape_status on_field(
    void *user, const struct tape_sse_field *field, struct tape_err *err);

static enum tape_status on_plain(
    void *user, const char *bytes, size_t len, struct tape_err *err);

static const struct tape_sse_calls calls = { on_event, on_comment, on_field };

void
tape_flow_init(struct tape_flow *f, bool keep_text)
{
	memset(f, 0, sizeof(*f));
	tape_framer_init(&f->framer, &calls, f);
	tape_unpack_init(&f->unpack, on_plain, f);
	tape_api_decoder_init(&f->decoder, NULL, keep_text);
	tape_stamp_events_init(&f->events);
	tape_buf_init(&f->first, TAPE_CAP_LINE);
	tape_buf_init(&f->body, TAPE_CAP_LINE);
	tape_buf_init(&f->text, TAPE_CAP_LINE);
	tape_buf_init(&f->message, TAPE_FLOW_MESSAGE);
	tape_buf_init(&f->usage, TAPE_CAP_LINE);
	tape_buf_init(&f->timing, TAPE_CAP_LINE);
}

void
tape_flow_release(struct tape_flow *f)
{
	tape_framer_release(&f->framer);
	tape_unpack_release(&f->unpack);
	tape_api_decoder_release(&f->decoder);
	tape_stamp_events_release(&f->events);
	tape_buf_release(&f->first);
	tape_buf_release(&f->body);
	tape_buf_release(&f->text);
	tape_buf_release(&f->message);
	tape_buf_release(&f->usage);
	tape_buf_release(&f->timing);
	tape_mem_free(f->finish);
}

enum tape_status
tape_flow_begin(struct tape_flow *f, const struct tape_transfer *t,
    const struct tape_flow_about *about, struct tape_err *err)
{
	const struct tape_api *api = about->api;

	if (api == NULL)
		api = t->api.p == NULL ? tape_api_at(0) : tape_api_find(t->api);
	if (api == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "exchange of unknown API \"%.*s\"",
		    tape_str_shown(t->api, 40), t->api.p);
	f->x = t->x;
	f->seq = 0;
	f->api = api;
	f->start_ns = t->start_ns;
	f->steps = about->steps;
	if (__builtin_add_overflow(
		about->epoch_mono_ns, t->start_ns, &f->origin_ns))
		return tape_err_set(
		    err, TAPE_E_FORMAT, "\"start_ns\" is out of range");
	f->begin[0] = '\0';
	f->begin_len = 0;
	f->spliced = 0;
	tape_flow_head(t, api, &f->head);
	f->mode = about->bare ? TAPE_FLOW_BARE : f->head.mode;
	tape_framer_clear(&f->framer, f->head.framing);
	tape_unpack_clear(&f->unpack, f->head.coding);
	f->cut_short = false;
	tape_api_decoder_clear(&f->decoder, api);
	f->decoder.pointers = about->pointers;
	tape_stamp_events_clear(&f->events);
	f->events.bare = about->bare;
	tape_buf_clear(&f->body);
	f->reads = f->body_bytes = f->end = 0;
	f->last = (struct tape_stamp_read){ 0, -1 };
	f->finish_at = f->usage_at = TAPE_ABSENT_I64;
	tape_err_clear(&f->broken);
	return TAPE_OK;
}

/* The read at hand.  Where the clock stepped, its kernel time is worth nothing.
 */
static void
take_read(struct tape_flow *f)
{
	struct tape_stamp_read *r = &f->last;

	r->t_ns = f->in.t_ns.v[f->at];
	r->lag_ns = f->in.lag_ns.n > 0 ? f->in.lag_ns.v[f->at] : -1;
	if (r->lag_ns >= 0 && f->steps != NULL && f->steps->n > 0 &&
	    tape_stamp_steps_has(f->steps, f->start_ns + r->t_ns))
		r->lag_ns = -1;
}

/* Whether the body has to be unpacked, read by read. */
static bool
is_packed(const struct tape_flow *f)
{
	return f->head.coding != TAPE_UNPACK_NONE &&
	       f->head.coding != TAPE_UNPACK_UNKNOWN;
}

/* Goes on to the read that brought the byte before this offset of the body.  It
   stays where it is when the record in hand has none, and in a packed body,
   whose offsets are others and whose reads are taken one by one. */
static void
seek_read(struct tape_flow *f, uint64_t end_offset)
{
	if (f->in.bytes.n == 0 || is_packed(f))
		return;
	while ((uint64_t)f->end < end_offset && f->at + 1 < f->in.bytes.n)
		f->end += f->in.bytes.v[++f->at];
	take_read(f);
}

/* Server times on the segment's clock, from start_ns; -1 when they cannot be
   on it. */
static int64_t
server_time(const struct tape_flow *f, const struct tape_api_event *ev)
{
	const int64_t limit = INT64_C(1) << 53;
	int64_t t;

	if (ev->server_ns == TAPE_ABSENT_I64 ||
	    __builtin_sub_overflow(ev->server_ns, f->origin_ns, &t) ||
	    t <= -limit || t >= limit)
		return -1;
	return t;
}

/* Adds an event of the last read sought. */
static enum tape_status
add_event(
    struct tape_flow *f, const struct tape_api_event *ev, struct tape_err *err)
{
	const int64_t i = (int64_t)f->events.n;

	if (ev->has_usage)
		f->usage_at = i;
	if (f->finish_at == TAPE_ABSENT_I64 && ev->finish.p != NULL &&
	    tape_api_finish(&f->decoder, 0).p != NULL)
		f->finish_at = i;
	return tape_stamp_events_add(
	    &f->events, &f->last, ev, server_time(f, ev), err);
}

static enum tape_status
on_event(void *user, const struct tape_sse_event *event, struct tape_err *err)
{
	struct tape_flow *f = user;
	struct tape_api_event ev;
	enum tape_status st;

	seek_read(f, event->end_offset);
	st = tape_api_decode(&f->decoder,
	    tape_str_make(event->type, event->type_len),
	    tape_str_make(event->data, event->len), &ev, err);
	if (st == TAPE_OK && ev.malformed)
		f->spliced += tape_flow_is_spliced(
		    tape_str_make(event->data, event->len));
	return st == TAPE_OK ? add_event(f, &ev, err) : st;
}

static enum tape_status
on_comment(void *user, const struct tape_sse_field *field, struct tape_err *err)
{
	struct tape_flow *f = user;
	struct tape_api_event ev;

	seek_read(f, field->end_offset);
	tape_api_event_init(&ev);
	ev.class = 'k';
	return add_event(f, &ev, err);
}

static enum tape_status
on_field(void *user, const struct tape_sse_field *field, struct tape_err *err)
{
	struct tape_flow *f = user;
	struct tape_api_event ev;
	enum tape_status st;

	seek_read(f, field->end_offset);
	st = tape_api_decode_field(&f->decoder,
	    tape_str_make(field->name, field->name_len),
	    tape_str_make(field->value, field->value_len), &ev, err);
	if (st != TAPE_OK || ev.class != 'e')
		return st;
	return add_event(f, &ev, err);
}

/* The reads of a record, which must be those of its body. */
static enum tape_status
take_reads(struct tape_flow *f, const struct tape_reads *in, size_t body,
    struct tape_err *err)
{
	const size_t n = in->bytes.n;
	int64_t sum = 0;

	if (in->t_ns.n != n || (in->lag_ns.v != NULL && in->lag_ns.n != n))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "the arrays of \"reads\" are not of one length");
	for (size_t i = 0; i < n; i++)
		if (in->bytes.v[i] < 0 ||
		    __builtin_add_overflow(sum, in->bytes.v[i], &sum))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "\"reads.bytes\" is out of range");
	if (f->mode == TAPE_FLOW_BARE && body > 0)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a body in a run of which only times were kept");
	if (f->mode != TAPE_FLOW_BARE && (uint64_t)sum != body)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "the reads have %lld bytes, but the body has %zu",
		    (long long)sum, body);
	f->in = *in;
	f->at = 0;
	f->end = f->body_bytes + (n > 0 ? in->bytes.v[0] : 0);
	f->body_bytes += sum;
	f->reads += (int64_t)n;
	return TAPE_OK;
}

static enum tape_status
decode_body(struct tape_flow *f, struct tape_str body, struct tape_err *err)
{
	struct tape_api_event ev;
	enum tape_status st;

	if (body.len == 0)
		return TAPE_OK;
	st = tape_api_decode_body(&f->decoder, body, &ev, err);
	return st == TAPE_OK ? add_event(f, &ev, err) : st;
}

static enum tape_status
keep_body(
    struct tape_flow *f, const char *bytes, size_t len, struct tape_err *err)
{
	(void)tape_buf_add(&f->body, bytes, len);
	if (f->body.status == TAPE_E_LIMIT)
		return tape_err_set(
		    err, TAPE_E_LIMIT, "a body of over %zu bytes", f->body.cap);
	return tape_buf_status(&f->body, err);
}

static enum tape_status
feed_body(
    struct tape_flow *f, struct tape_str bytes, bool last, struct tape_err *err)
{
	enum tape_status st;

	seek_read(f, (uint64_t)f->body_bytes);
	if (last && f->body.len == 0)
		return decode_body(f, bytes, err);
	st = keep_body(f, bytes.p, bytes.len, err);
	if (st != TAPE_OK || !last)
		return st;
	return decode_body(f, tape_str_make(f->body.data, f->body.len), err);
}

/* What a transfer that failed leaves in hand is no event; one that a status made
   a failure is whole. */
static bool
is_whole(const struct tape_transfer *t)
{
	return t->error.class.p == NULL || tape_str_is(t->error.class, "http");
}

static enum tape_status
feed_stream(
    struct tape_flow *f, struct tape_str bytes, bool ends, struct tape_err *err)
{
	enum tape_status st;

	st = tape_framer_feed(&f->framer, bytes.p, bytes.len, err);
	if (st != TAPE_OK)
		return st;
	/* What ends the stream may be in a record without reads. */
	seek_read(f, (uint64_t)f->body_bytes);
	return ends ? tape_framer_end(&f->framer, err) : TAPE_OK;
}

/* Keeps the beginning, for messages about what cannot be read. */
static void
keep_begin(struct tape_flow *f, const char *bytes, size_t len)
{
	char *p = f->begin + f->begin_len;
	size_t n = sizeof(f->begin) - 1 - f->begin_len;

	if (n > len)
		n = len;
	if (n == 0)
		return;
	memcpy(p, bytes, n);
	p[n] = '\0';
	f->begin_len += n;
	while ((p = memchr(p, '\0', (size_t)(f->begin + f->begin_len - p))) !=
	       NULL)
		*p = ' ';
}

/* What came out of the body's coding. */
static enum tape_status
on_plain(void *user, const char *bytes, size_t len, struct tape_err *err)
{
	struct tape_flow *f = user;

	keep_begin(f, bytes, len);
	if (f->mode == TAPE_FLOW_STREAM)
		return tape_framer_feed(&f->framer, bytes, len, err);
	if (f->mode == TAPE_FLOW_BODY)
		return keep_body(f, bytes, len, err);
	return TAPE_OK;
}

/* An event that the bytes of a read have completed has the time of that read,
   though its own bytes came earlier. */
static enum tape_status
feed_packed(struct tape_flow *f, struct tape_str bytes, bool last, bool ends,
    struct tape_err *err)
{
	const char *p = bytes.p;
	enum tape_status st = TAPE_OK;

	for (size_t n; f->at < f->in.bytes.n && st == TAPE_OK; f->at++) {
		n = (size_t)f->in.bytes.v[f->at];
		if (n == 0)
			continue;
		take_read(f);
		st = tape_unpack_feed(&f->unpack, p, n, err);
		p += n;
	}
	if (st == TAPE_OK && last && f->mode == TAPE_FLOW_BODY)
		st = decode_body(
		    f, tape_str_make(f->body.data, f->body.len), err);
	if (st == TAPE_OK && ends && f->mode == TAPE_FLOW_STREAM)
		st = tape_framer_end(&f->framer, err);
	f->cut_short =
	    st == TAPE_OK && ends && !tape_unpack_complete(&f->unpack);
	return st;
}

/* Each read is an event of which nothing else is known. */
static enum tape_status
feed_bare(struct tape_flow *f, struct tape_err *err)
{
	struct tape_api_event ev;
	enum tape_status st = TAPE_OK;

	tape_api_event_init(&ev);
	ev.class = 'o';
	for (f->at = 0; f->at < f->in.bytes.n && st == TAPE_OK; f->at++) {
		take_read(f);
		st = add_event(f, &ev, err);
	}
	return st;
}

static enum tape_status
bytes_of(const struct tape_exchange *x, struct tape_buf *scratch,
    struct tape_str *out, struct tape_err *err)
{
	enum tape_status st;

	*out = x->body.p != NULL ? x->body : tape_str_make("", 0);
	if (x->body_b64.p == NULL)
		return TAPE_OK;
	if (x->body.p != NULL)
		return tape_err_set(
		    err, TAPE_E_FORMAT, "both \"body\" and \"body_b64\"");
	tape_buf_clear(scratch);
	st = tape_b64_decode(scratch, x->body_b64.p, x->body_b64.len, err);
	*out = tape_str_make(scratch->data, scratch->len);
	return st;
}

enum tape_status
tape_flow_feed(struct tape_flow *f, const struct tape_exchange *x,
    struct tape_buf *scratch, bool last, struct tape_err *err)
{
	struct tape_err why = { 0 };
	struct tape_str bytes;
	enum tape_status st;
	bool ends;

	st = bytes_of(x, scratch, &bytes, err);
	if (st == TAPE_OK)
		st = take_reads(f, &x->reads, bytes.len, err);
	if (st == TAPE_OK && f->head.coding == TAPE_UNPACK_NONE)
		keep_begin(f, bytes.p, bytes.len);
	if (st != TAPE_OK || f->broken.status != TAPE_OK)
		return st;
	ends = last && is_whole(&x->t);
	if (f->mode != TAPE_FLOW_BARE && is_packed(f))
		st = feed_packed(f, bytes, last, ends, &why);
	else if (f->mode == TAPE_FLOW_STREAM)
		st = feed_stream(f, bytes, ends, &why);
	else if (f->mode == TAPE_FLOW_BODY)
		st = feed_body(f, bytes, last, &why);
	else if (f->mode == TAPE_FLOW_BARE)
		st = feed_bare(f, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	f->broken = why;
	return TAPE_OK;
}

/* Spans of steps are from the epoch, those of events from the start. */
void
tape_flow_doubt(struct tape_flow *f, const struct tape_stamp_step *step)
{
	int64_t from = INT64_MIN;

	if (step->from_ns != INT64_MIN)
		from = step->from_ns - f->start_ns;
	tape_stamp_events_doubt(&f->events, from, step->to_ns - f->start_ns);
}
