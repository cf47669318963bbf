/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/ndjson.h"

#include <string.h>

void
tape_ndjson_init(
    struct tape_ndjson *p, const struct tape_sse_calls *calls, void *user)
{
	memset(p, 0, sizeof(*p));
	p->calls = calls;
	p->user = user;
	tape_buf_init(&p->line, TAPE_CAP_SSE_LINE);
}

void
tape_ndjson_release(struct tape_ndjson *p)
{
	tape_buf_release(&p->line);
}

void
tape_ndjson_clear(struct tape_ndjson *p)
{
	tape_buf_clear(&p->line);
	memset(&p->counts, 0, sizeof(p->counts));
	p->offset = 0;
	p->status = TAPE_OK;
	p->ended = false;
}

static enum tape_status
fail(struct tape_ndjson *p, enum tape_status st, struct tape_err *err)
{
	if (st == TAPE_E_LIMIT)
		(void)tape_err_set(err, st,
		    "a line of the answer is longer than %zu bytes",
		    TAPE_CAP_SSE_LINE);
	else if (st == TAPE_E_NOMEM)
		(void)tape_err_nomem(err);
	p->status = st;
	return st;
}

static bool
is_blank(const char *s, size_t len)
{
	while (len > 0 && (*s == ' ' || *s == '\t' || *s == '\r')) {
		s++;
		len--;
	}
	return len == 0;
}

/* A whole line, without its LF. */
static enum tape_status
take_line(struct tape_ndjson *p, const char *s, size_t len, uint64_t end_offset,
    struct tape_err *err)
{
	struct tape_sse_event ev = { .data = s,
		.len = len,
		.type = "",
		.id = "",
		.data_lines = 1,
		.end_offset = end_offset };

	if (is_blank(s, len))
		return TAPE_OK;
	if (s[len - 1] == '\r')
		ev.len--;
	p->counts.events++;
	p->counts.data_lines++;
	if (p->calls->event != NULL)
		p->status = p->calls->event(p->user, &ev, err);
	return p->status;
}

/* The line in hand ends with these bytes, behind which is its LF. */
static enum tape_status
end_line(struct tape_ndjson *p, const char *s, size_t len, uint64_t end_offset,
    struct tape_err *err)
{
	enum tape_status st;

	if (len > TAPE_CAP_SSE_LINE)
		return fail(p, TAPE_E_LIMIT, err);
	if (p->line.len == 0)
		return take_line(p, s, len, end_offset, err);
	if (tape_buf_add(&p->line, s, len) != TAPE_OK)
		return fail(p, p->line.status, err);
	st = take_line(p, p->line.data, p->line.len, end_offset, err);
	tape_buf_clear(&p->line);
	return st;
}

enum tape_status
tape_ndjson_feed(
    struct tape_ndjson *p, const char *bytes, size_t len, struct tape_err *err)
{
	const char *s = bytes, *const end = bytes + len, *lf;

	if (p->status != TAPE_OK || p->ended)
		return tape_err_set(err,
		    p->status != TAPE_OK ? p->status : TAPE_E_BUG,
		    "the lines were stopped before");
	while (s < end && (lf = memchr(s, '\n', (size_t)(end - s))) != NULL) {
		p->offset += (uint64_t)(lf - s) + 1;
		if (end_line(p, s, (size_t)(lf - s), p->offset, err) != TAPE_OK)
			return p->status;
		s = lf + 1;
	}
	p->offset += (uint64_t)(end - s);
	if (s < end && tape_buf_add(&p->line, s, (size_t)(end - s)) != TAPE_OK)
		return fail(p, p->line.status, err);
	return TAPE_OK;
}

enum tape_status
tape_ndjson_end(struct tape_ndjson *p, struct tape_err *err)
{
	enum tape_status st = p->status;

	if (st != TAPE_OK)
		return tape_err_set(err, st, "the lines were stopped before");
	if (!p->ended && p->line.len > 0) {
		st = take_line(p, p->line.data, p->line.len, p->offset, err);
		tape_buf_clear(&p->line);
	}
	p->ended = true;
	return st;
}

uint64_t
tape_ndjson_tail(const struct tape_ndjson *p)
{
	return is_blank(p->line.data, p->line.len) ? 0 : p->line.len;
}
