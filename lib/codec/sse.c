/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/sse.h"

#include <string.h>

#define BOM_DONE 4

static const char bom[3] = { '\xef', '\xbb', '\xbf' };

void
tape_sse_init(
    struct tape_sse *p, const struct tape_sse_calls *calls, void *user)
{
	memset(p, 0, sizeof(*p));
	p->calls = calls;
	p->user = user;
	tape_buf_init(&p->line, TAPE_CAP_SSE_LINE);
	tape_buf_init(&p->data, TAPE_CAP_SSE_EVENT);
	tape_buf_init(&p->type, TAPE_CAP_SSE_LINE);
	tape_buf_init(&p->id, TAPE_CAP_SSE_LINE);
	tape_sse_clear(p);
}

void
tape_sse_release(struct tape_sse *p)
{
	tape_buf_release(&p->line);
	tape_buf_release(&p->data);
	tape_buf_release(&p->type);
	tape_buf_release(&p->id);
}

void
tape_sse_clear(struct tape_sse *p)
{
	tape_buf_clear(&p->line);
	tape_buf_clear(&p->data);
	tape_buf_clear(&p->type);
	tape_buf_clear(&p->id);
	memset(&p->counts, 0, sizeof(p->counts));
	p->offset = 0;
	p->retry_ms = -1;
	p->status = TAPE_OK;
	p->bom = 0;
	p->after_cr = false;
	p->in_block = false;
	p->block_at = 0;
	p->line_at = 0;
	p->lines = 0;
	p->slice = NULL;
	p->slice_len = 0;
}

static enum tape_status
fail(struct tape_sse *p, enum tape_status st, const char *what, size_t limit,
    struct tape_err *err)
{
	if (st == TAPE_E_LIMIT)
		(void)tape_err_set(err, st,
		    "%s of the event stream is longer than %zu bytes", what,
		    limit);
	else if (st == TAPE_E_NOMEM)
		(void)tape_err_nomem(err);
	p->status = st;
	return st;
}

/* Copies the data line that lies in the bytes being fed. */
static enum tape_status
keep_slice(struct tape_sse *p, struct tape_err *err)
{
	if (p->slice != NULL &&
	    tape_buf_add(&p->data, p->slice, p->slice_len) != TAPE_OK)
		return fail(p, p->data.status, "an event", p->data.cap, err);
	p->slice = NULL;
	return TAPE_OK;
}

/* stable: the value stays where it is until feed returns. */
static enum tape_status
take_data(struct tape_sse *p, const char *value, size_t len, bool stable,
    struct tape_err *err)
{
	p->counts.data_lines++;
	if (p->lines++ == 0 && stable) {
		p->slice = value;
		p->slice_len = len;
		return TAPE_OK;
	}
	if (keep_slice(p, err) != TAPE_OK)
		return p->status;
	if (p->lines > 1)
		(void)tape_buf_add_char(&p->data, '\n');
	if (tape_buf_add(&p->data, value, len) != TAPE_OK)
		return fail(p, p->data.status, "an event", p->data.cap, err);
	return TAPE_OK;
}

static enum tape_status
take_text(struct tape_sse *p, struct tape_buf *dst, const char *value,
    size_t len, struct tape_err *err)
{
	tape_buf_clear(dst);
	if (tape_buf_add(dst, value, len) != TAPE_OK)
		return fail(p, dst->status, "a line", dst->cap, err);
	return TAPE_OK;
}

/* Digits only, or the line is ignored; the value stops at a century. */
static void
take_retry(struct tape_sse *p, const char *value, size_t len)
{
	const int64_t most = INT64_C(100) * 365 * 86400 * 1000;
	int64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return;
		v = v * 10 + (value[i] - '0');
		if (v > most)
			v = most;
	}
	if (len > 0)
		p->retry_ms = v;
}

static bool
is(const struct tape_sse_field *f, const char *name)
{
	size_t n = strlen(name);

	return f->name_len == n && memcmp(f->name, name, n) == 0;
}

static enum tape_status
take_field(struct tape_sse *p, const struct tape_sse_field *f, bool stable,
    struct tape_err *err)
{
	if (is(f, "data"))
		return take_data(p, f->value, f->value_len, stable, err);
	if (is(f, "event"))
		return take_text(p, &p->type, f->value, f->value_len, err);
	if (is(f, "id")) {
		p->counts.id_lines++;
		if (f->value_len > 0 &&
		    memchr(f->value, '\0', f->value_len) != NULL)
			return TAPE_OK;
		return take_text(p, &p->id, f->value, f->value_len, err);
	}
	if (is(f, "retry")) {
		take_retry(p, f->value, f->value_len);
		return TAPE_OK;
	}
	p->counts.unknown_fields++;
	if (p->calls->field != NULL)
		p->status = p->calls->field(p->user, f, err);
	return p->status;
}

static enum tape_status
take_comment(struct tape_sse *p, const char *s, size_t len, uint64_t end_offset,
    struct tape_err *err)
{
	struct tape_sse_field f = { .name = "",
		.value = s + 1,
		.value_len = len - 1,
		.end_offset = end_offset };

	p->counts.comments++;
	if (p->calls->comment != NULL)
		p->status = p->calls->comment(p->user, &f, err);
	return p->status;
}

static enum tape_status
dispatch(struct tape_sse *p, uint64_t end_offset, struct tape_err *err)
{
	struct tape_sse_event ev = { .data = p->slice,
		.len = p->slice_len,
		.type = p->type.data,
		.type_len = p->type.len,
		.id = p->id.data,
		.id_len = p->id.len,
		.data_lines = p->lines,
		.end_offset = end_offset };

	if (p->lines > 0) {
		p->counts.events++;
		if (p->slice == NULL) {
			ev.data = p->data.data;
			ev.len = p->data.len;
		}
		if (p->calls->event != NULL)
			p->status = p->calls->event(p->user, &ev, err);
	}
	p->in_block = false;
	p->lines = 0;
	p->slice = NULL;
	tape_buf_clear(&p->data);
	tape_buf_clear(&p->type);
	return p->status;
}

/* A whole line, without its end. */
static enum tape_status
take_line(struct tape_sse *p, const char *s, size_t len, uint64_t end_offset,
    bool stable, struct tape_err *err)
{
	struct tape_sse_field f = { .name = s, .end_offset = end_offset };
	const char *colon;

	if (len == 0)
		return dispatch(p, end_offset, err);
	if (s[0] == ':')
		return take_comment(p, s, len, end_offset, err);
	if (!p->in_block) {
		p->in_block = true;
		p->block_at = p->line_at;
	}
	colon = memchr(s, ':', len);
	f.name_len = colon != NULL ? (size_t)(colon - s) : len;
	f.value = s + f.name_len;
	if (colon != NULL)
		f.value++;
	f.value_len = (size_t)(s + len - f.value);
	if (f.value_len > 0 && f.value[0] == ' ') {
		f.value++;
		f.value_len--;
	}
	return take_field(p, &f, stable, err);
}

/* The line in hand ends after these bytes. */
static enum tape_status
end_line(struct tape_sse *p, const char *s, size_t len, uint64_t end_offset,
    struct tape_err *err)
{
	enum tape_status st;

	if (p->line.len == 0) {
		if (len > TAPE_CAP_SSE_LINE)
			return fail(
			    p, TAPE_E_LIMIT, "a line", TAPE_CAP_SSE_LINE, err);
		return take_line(p, s, len, end_offset, true, err);
	}
	if (tape_buf_add(&p->line, s, len) != TAPE_OK)
		return fail(p, p->line.status, "a line", p->line.cap, err);
	st = take_line(p, p->line.data, p->line.len, end_offset, false, err);
	tape_buf_clear(&p->line);
	return st;
}

/* Takes what these bytes hold of the BOM; returns how many that are.  Bytes
   that only looked like it become the beginning of the first line. */
static size_t
take_bom(struct tape_sse *p, const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && p->bom < sizeof(bom) && bytes[n] == bom[p->bom]) {
		p->bom++;
		n++;
	}
	p->offset += n;
	if (p->bom == sizeof(bom))
		p->line_at = p->offset;
	else if (n < len)
		(void)tape_buf_add(&p->line, bom, p->bom);
	if (p->bom == sizeof(bom) || n < len)
		p->bom = BOM_DONE;
	return n;
}

static const char *
find(const char *p, const char *end, char c)
{
	const char *q = memchr(p, c, (size_t)(end - p));

	return q != NULL ? q : end;
}

/* All lines that end in these bytes; the rest is kept.  Each byte is looked at
   once for LF and once for CR, whichever the stream uses. */
static enum tape_status
take_lines(
    struct tape_sse *p, const char *s, const char *end, struct tape_err *err)
{
	const char *lf = find(s, end, '\n'), *cr = find(s, end, '\r'), *stop;

	while (lf < end || cr < end) {
		stop = lf < cr ? lf : cr;
		p->offset += (uint64_t)(stop - s) + 1;
		if (end_line(p, s, (size_t)(stop - s), p->offset, err) !=
		    TAPE_OK)
			return p->status;
		s = stop + 1;
		if (stop == cr && s < end && *s == '\n') {
			s++;
			p->offset++;
		}
		p->after_cr = stop == cr && s == end && s == stop + 1;
		p->line_at = p->offset;
		if (lf < s)
			lf = find(s, end, '\n');
		if (cr < s)
			cr = find(s, end, '\r');
	}
	p->offset += (uint64_t)(end - s);
	if (tape_buf_add(&p->line, s, (size_t)(end - s)) != TAPE_OK)
		return fail(p, p->line.status, "a line", p->line.cap, err);
	return keep_slice(p, err);
}

enum tape_status
tape_sse_feed(
    struct tape_sse *p, const char *bytes, size_t len, struct tape_err *err)
{
	size_t n = 0;

	if (p->status != TAPE_OK)
		return tape_err_set(
		    err, p->status, "the event stream was stopped before");
	if (p->bom != BOM_DONE)
		n = take_bom(p, bytes, len);
	if (p->line.status != TAPE_OK)
		return fail(p, p->line.status, "a line", p->line.cap, err);
	if (n < len && p->after_cr) {
		if (bytes[n] == '\n') {
			n++;
			p->line_at = ++p->offset;
		}
		p->after_cr = false;
	}
	if (n == len)
		return TAPE_OK;
	return take_lines(p, bytes + n, bytes + len, err);
}

uint64_t
tape_sse_finish(const struct tape_sse *p)
{
	return p->offset - (p->in_block ? p->block_at : p->line_at);
}
