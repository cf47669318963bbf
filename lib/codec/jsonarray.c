/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/jsonarray.h"

#include <inttypes.h>
#include <string.h>

void
tape_jsonarray_init(
    struct tape_jsonarray *p, const struct tape_sse_calls *calls, void *user)
{
	memset(p, 0, sizeof(*p));
	p->calls = calls;
	p->user = user;
	tape_buf_init(&p->element, TAPE_CAP_SSE_EVENT);
}

void
tape_jsonarray_release(struct tape_jsonarray *p)
{
	tape_buf_release(&p->element);
}

void
tape_jsonarray_clear(struct tape_jsonarray *p)
{
	tape_buf_clear(&p->element);
	memset(&p->counts, 0, sizeof(p->counts));
	p->offset = 0;
	p->status = TAPE_OK;
	p->state = TAPE_JSONARRAY_BEFORE;
	p->alone = false;
}

static enum tape_status
fail(struct tape_jsonarray *p, enum tape_status st, struct tape_err *err)
{
	if (st == TAPE_E_LIMIT)
		(void)tape_err_set(err, st,
		    "an element of the answer's array is longer than %zu bytes",
		    TAPE_CAP_SSE_EVENT);
	else if (st == TAPE_E_NOMEM)
		(void)tape_err_nomem(err);
	p->status = st;
	return st;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* at: offset of the byte. */
static enum tape_status
misplaced(struct tape_jsonarray *p, uint64_t at, struct tape_err *err)
{
	const char *should = "a comma or the end of the array";

	if (p->state == TAPE_JSONARRAY_DONE)
		should = "the end of the answer";
	else if (p->state != TAPE_JSONARRAY_BEHIND)
		should = "an element of the array";
	p->status = tape_err_set(err, TAPE_E_FORMAT,
	    "%s should be at byte %" PRIu64 " of the answer", should, at);
	return p->status;
}

static void
begin_element(struct tape_jsonarray *p, char c, uint64_t at)
{
	p->alone = p->state == TAPE_JSONARRAY_BEFORE;
	p->state = TAPE_JSONARRAY_IN;
	p->bare = c != '{' && c != '[' && c != '"';
	p->in_string = p->escaped = false;
	p->depth = 0;
	p->begin = at;
}

/* A byte between elements.  When it begins one, it is not taken: *taken. */
static enum tape_status
take_between(struct tape_jsonarray *p, char c, uint64_t at, bool *taken,
    struct tape_err *err)
{
	*taken = true;
	if (is_space(c))
		return TAPE_OK;
	switch (p->state) {
	case TAPE_JSONARRAY_BEFORE:
		if (c == '[') {
			p->state = TAPE_JSONARRAY_FIRST;
			return TAPE_OK;
		}
		break;
	case TAPE_JSONARRAY_FIRST:
		if (c == ']') {
			p->state = TAPE_JSONARRAY_DONE;
			return TAPE_OK;
		}
		break;
	case TAPE_JSONARRAY_BEHIND:
		if (c != ',' && c != ']')
			return misplaced(p, at, err);
		p->state = c == ',' ? TAPE_JSONARRAY_NEXT : TAPE_JSONARRAY_DONE;
		return TAPE_OK;
	case TAPE_JSONARRAY_DONE:
		return misplaced(p, at, err);
	case TAPE_JSONARRAY_NEXT:
	case TAPE_JSONARRAY_IN:
		break;
	}
	if (c == ',' || c == ']')
		return misplaced(p, at, err);
	begin_element(p, c, at);
	*taken = false;
	return TAPE_OK;
}

/* One byte of a string, of an object or of an array; true when it closes the
   element. */
static bool
closes(struct tape_jsonarray *p, char c)
{
	if (p->in_string) {
		if (p->escaped)
			p->escaped = false;
		else if (c == '\\')
			p->escaped = true;
		else if (c == '"')
			p->in_string = false;
		return !p->in_string && p->depth == 0;
	}
	if (c == '"')
		p->in_string = true;
	else if (c == '{' || c == '[')
		p->depth++;
	else if (c == '}' || c == ']')
		return --p->depth == 0;
	return false;
}

/* Goes over the element in hand: returns behind its last byte, or end, with
   *closed unset, when it goes on. */
static const char *
find_end(struct tape_jsonarray *p, const char *s, const char *end, bool *closed)
{
	*closed = false;
	for (; s < end && !*closed; s++) {
		if (!p->bare) {
			*closed = closes(p, *s);
		} else if (is_space(*s) || *s == ',' || *s == ']') {
			*closed = true;
			break;
		}
	}
	return s;
}

static enum tape_status
dispatch(struct tape_jsonarray *p, const char *s, size_t len,
    uint64_t end_offset, struct tape_err *err)
{
	const struct tape_sse_event ev = { .data = s,
		.len = len,
		.type = "",
		.id = "",
		.data_lines = 1,
		.end_offset = end_offset };

	p->counts.events++;
	p->counts.data_lines++;
	p->state = p->alone ? TAPE_JSONARRAY_DONE : TAPE_JSONARRAY_BEHIND;
	if (p->calls->event != NULL)
		p->status = p->calls->event(p->user, &ev, err);
	return p->status;
}

/* The element in hand ends with these bytes. */
static enum tape_status
end_element(struct tape_jsonarray *p, const char *s, size_t len,
    uint64_t end_offset, struct tape_err *err)
{
	enum tape_status st;

	if (len > TAPE_CAP_SSE_EVENT)
		return fail(p, TAPE_E_LIMIT, err);
	if (p->element.len == 0)
		return dispatch(p, s, len, end_offset, err);
	if (tape_buf_add(&p->element, s, len) != TAPE_OK)
		return fail(p, p->element.status, err);
	st = dispatch(p, p->element.data, p->element.len, end_offset, err);
	tape_buf_clear(&p->element);
	return st;
}

enum tape_status
tape_jsonarray_feed(struct tape_jsonarray *p, const char *bytes, size_t len,
    struct tape_err *err)
{
	const char *s = bytes, *const end = bytes + len, *stop;
	const uint64_t before = p->offset;
	enum tape_status st = p->status;
	uint64_t at;
	bool is;

	if (st != TAPE_OK)
		return tape_err_set(err, st, "the array was stopped before");
	p->offset += len;
	while (s < end && st == TAPE_OK) {
		at = before + (uint64_t)(s - bytes);
		if (p->state != TAPE_JSONARRAY_IN) {
			st = take_between(p, *s, at, &is, err);
			s += is;
			continue;
		}
		stop = find_end(p, s, end, &is);
		at += (uint64_t)(stop - s) + p->bare;
		if (is)
			st = end_element(p, s, (size_t)(stop - s), at, err);
		else if (tape_buf_add(&p->element, s, (size_t)(stop - s)) !=
			 TAPE_OK)
			st = fail(p, p->element.status, err);
		s = stop;
	}
	return st;
}

uint64_t
tape_jsonarray_tail(const struct tape_jsonarray *p)
{
	return p->state == TAPE_JSONARRAY_IN ? p->offset - p->begin : 0;
}
