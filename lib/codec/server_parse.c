/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_parse.h"

#include "base/num.h"
#include "codec/server_head.h"

#include <string.h>

enum {
	S_HEAD,
	S_LENGTH,   /* piece_left bytes of body */
	S_SIZE,     /* digits of a chunk size */
	S_SIZE_EXT, /* the rest of that line */
	S_SIZE_LF,  /* LF after the CR of that line */
	S_CHUNK,    /* piece_left bytes of a chunk */
	S_CHUNK_CR, /* the line end after them */
	S_CHUNK_LF,
	S_TRAILER,    /* first byte of a trailer line */
	S_TRAILER_IN, /* its rest */
	S_TRAILER_LF, /* LF of the empty line */
	S_DONE,
	S_BAD
};

#define BLANK_MAX 4 /* empty lines before a request */

void
tape_server_parse_init(
    struct tape_server_parse *p, size_t head_cap, size_t body_cap)
{
	memset(p, 0, sizeof(*p));
	tape_buf_init(&p->head, head_cap);
	p->body_cap = body_cap;
	p->req.length_bytes = -1;
}

void
tape_server_parse_release(struct tape_server_parse *p)
{
	size_t head_cap = p->head.cap, body_cap = p->body_cap;

	tape_server_head_release(&p->req);
	if (p->head.data != NULL)
		tape_buf_release(&p->head);
	tape_server_parse_init(p, head_cap, body_cap);
}

void
tape_server_parse_clear(struct tape_server_parse *p)
{
	struct tape_server_header *headers = p->req.headers;
	size_t headers_cap = p->headers_cap, body_cap = p->body_cap;
	struct tape_buf head = p->head;

	tape_buf_clear(&head);
	memset(p, 0, sizeof(*p));
	p->head = head;
	p->body_cap = body_cap;
	p->headers_cap = headers_cap;
	p->req.headers = headers;
	p->req.length_bytes = -1;
}

bool
tape_server_parse_idle(const struct tape_server_parse *p)
{
	return p->state == S_HEAD && p->head.len == 0;
}

static enum tape_server_part
bad(struct tape_server_parse *p, int status, const char *text)
{
	p->state = S_BAD;
	p->bad_status = status;
	p->bad_text = text;
	return TAPE_SERVER_BAD;
}

/* The head is complete: what follows it? */
static enum tape_server_part
head_done(struct tape_server_parse *p)
{
	const char *why = NULL;
	int status =
	    tape_server_head_parse(&p->head, &p->req, &p->headers_cap, &why);

	if (status != 0)
		return bad(p, status, why);
	if (p->req.length_bytes > 0 &&
	    (uint64_t)p->req.length_bytes > p->body_cap)
		return bad(p, 413, "request body too large");
	if (p->req.chunked)
		p->state = S_SIZE;
	else if (p->req.length_bytes > 0)
		p->state = S_LENGTH;
	else
		p->state = S_DONE;
	if (p->state == S_LENGTH)
		p->piece_left = (uint64_t)p->req.length_bytes;
	return TAPE_SERVER_HEAD;
}

static bool
empty_line(const struct tape_server_parse *p)
{
	size_t n = p->head.len - p->line_start;

	return n == 1 || (n == 2 && p->head.data[p->line_start] == '\r');
}

/* Collects whole lines until the empty one. */
static enum tape_server_part
head_bytes(
    struct tape_server_parse *p, const char *in, size_t len, size_t *used)
{
	const char *at, *nl;
	size_t n;

	while (*used < len) {
		at = in + *used;
		nl = memchr(at, '\n', len - *used);
		n = nl != NULL ? (size_t)(nl - at) + 1 : len - *used;
		if (n > p->head.cap - p->head.len)
			return p->line_start == 0
				   ? bad(p, 414, "request line too long")
				   : bad(p, 431, "request headers too large");
		if (tape_buf_add(&p->head, at, n) != TAPE_OK)
			return bad(p, 500, "out of memory");
		*used += n;
		if (p->line_start == 0 && !tape_server_head_starts(&p->head))
			return bad(p, 400, "not an HTTP request");
		if (nl == NULL)
			return TAPE_SERVER_MORE;
		if (!empty_line(p)) {
			p->line_start = p->head.len;
			continue;
		}
		if (p->line_start > 0)
			return head_done(p);
		tape_buf_clear(&p->head);
		if (++p->blank > BLANK_MAX)
			return bad(p, 400, "empty lines instead of a request");
	}
	return TAPE_SERVER_MORE;
}

/* The line with a chunk's size has ended. */
static enum tape_server_part
size_done(struct tape_server_parse *p)
{
	p->state = p->piece_left > 0 ? S_CHUNK : S_TRAILER;
	p->digits = 0;
	if (p->piece_left > p->body_cap - p->body_seen)
		return bad(p, 413, "request body too large");
	return TAPE_SERVER_MORE;
}

static enum tape_server_part
size_byte(struct tape_server_parse *p, char c)
{
	int v = tape_num_hex_digit(c);

	if (v >= 0) {
		/* 15 digits cannot overflow, and no cap is that large */
		if (++p->digits > 15)
			return bad(p, 400, "chunk size too long");
		p->piece_left = p->piece_left * 16 + (uint64_t)v;
		return TAPE_SERVER_MORE;
	}
	if (p->digits == 0)
		return bad(p, 400, "chunk size expected");
	if (c == '\n')
		return size_done(p);
	if (c == '\r')
		p->state = S_SIZE_LF;
	else if (c == ';' || c == ' ' || c == '\t')
		p->state = S_SIZE_EXT;
	else
		return bad(p, 400, "chunk size expected");
	return TAPE_SERVER_MORE;
}

/* One byte of chunked framing, that is, of everything but chunk data. */
static enum tape_server_part
frame_byte(struct tape_server_parse *p, char c)
{
	switch (p->state) {
	case S_SIZE:
		return size_byte(p, c);
	case S_SIZE_EXT:
		return c == '\n' ? size_done(p) : TAPE_SERVER_MORE;
	case S_SIZE_LF:
		if (c != '\n')
			return bad(p, 400, "chunk size expected");
		return size_done(p);
	case S_CHUNK_CR:
		if (c == '\r') {
			p->state = S_CHUNK_LF;
			return TAPE_SERVER_MORE;
		}
		/* fallthrough */
	case S_CHUNK_LF:
		if (c != '\n')
			return bad(p, 400, "chunk longer than its size");
		p->state = S_SIZE;
		return TAPE_SERVER_MORE;
	case S_TRAILER:
		if (c == '\n')
			p->state = S_DONE;
		else
			p->state = c == '\r' ? S_TRAILER_LF : S_TRAILER_IN;
		return TAPE_SERVER_MORE;
	case S_TRAILER_IN:
		if (c == '\n')
			p->state = S_TRAILER;
		return TAPE_SERVER_MORE;
	default: /* S_TRAILER_LF */
		if (c != '\n')
			return bad(p, 400, "bad trailer");
		p->state = S_DONE;
		return TAPE_SERVER_MORE;
	}
}

/* Data of the body: as much as there is of this length or chunk. */
static enum tape_server_part
data_bytes(struct tape_server_parse *p, size_t len, size_t *used, size_t *got)
{
	size_t n = len - *used;

	if (n > p->piece_left)
		n = (size_t)p->piece_left;
	*got = n;
	*used += n;
	p->piece_left -= n;
	p->body_seen += n;
	if (p->piece_left == 0)
		p->state = p->state == S_LENGTH ? S_DONE : S_CHUNK_CR;
	return TAPE_SERVER_BODY;
}

enum tape_server_part
tape_server_parse_next(struct tape_server_parse *p, const char *in, size_t len,
    size_t *used, const char **piece, size_t *piece_len)
{
	enum tape_server_part part = TAPE_SERVER_MORE;

	if (p->state == S_HEAD)
		return head_bytes(p, in, len, used);
	while (p->state != S_DONE && p->state != S_BAD && *used < len) {
		if (p->state == S_LENGTH || p->state == S_CHUNK) {
			*piece = in + *used;
			return data_bytes(p, len, used, piece_len);
		}
		/* 16 KiB of framing is enough for any number of honest
		   chunks between two pieces of data */
		if (p->state != S_SIZE && p->state != S_CHUNK_CR &&
		    p->state != S_CHUNK_LF && p->state != S_SIZE_LF &&
		    ++p->extra > p->head.cap)
			return bad(p, 431, "chunk extensions too large");
		part = frame_byte(p, in[(*used)++]);
		if (part == TAPE_SERVER_BAD)
			return part;
	}
	if (p->state == S_DONE)
		return TAPE_SERVER_DONE;
	return p->state == S_BAD ? TAPE_SERVER_BAD : TAPE_SERVER_MORE;
}
