/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_answer: reads one HTTP/1.x answer (RFC 9112) from bytes as they come,
 * without I/O, clock or a copy of the body.  What is handed out is the same
 * however the bytes are cut, but for where a body is.
 *
 *	tape_http_answer_begin(&a, false);
 *	while ((kind = tape_http_answer_next(&a, &p, end, &item)) !=
 *	    TAPE_HTTP_MORE)
 *		...			after END and BAD nothing comes
 *
 * The order is STATUS, FIELD..., BODY..., FIELD... (trailers), END.  Interim
 * answers (1xx) are passed over.  What decides the length of the body, in this
 * order: HEAD, 204 or 304 (none), chunked, Content-Length, the connection's
 * end.
 *
 * Lines end in LF, with or without CR.  A folded line is passed over, but
 * malformed where it continues a field of the framing; so are a 101 and a blank
 * before a colon.  Bounds: TAPE_HTTP_HEADER_BYTES for all heads and trailers
 * together, the same for the extensions of a chunk, 16 digits for its size.
 */
#ifndef TAPE_CODEC_HTTP_ANSWER_H
#define TAPE_CODEC_HTTP_ANSWER_H

#include "base/buf.h"
#include "base/span.h"

enum tape_http_kind {
	TAPE_HTTP_MORE, /* all was read, more is to come */
	TAPE_HTTP_STATUS,
	TAPE_HTTP_FIELD,
	TAPE_HTTP_BODY_BYTES,
	TAPE_HTTP_END,
	TAPE_HTTP_BAD
};

/* Valid until the next call, and as long as the bytes. */
struct tape_http_item {
	int status, version; /* of STATUS; version 10 or 11 */
	struct tape_str name;
	struct tape_str data; /* value, trimmed, or body */
	/* Of BAD: malformed, header-limit, chunked, content-length, closed,
	   memory; and a sentence. */
	const char *cause, *why;
};

enum tape_http_answer_state {
	TAPE_HTTP_AT_STATUS,
	TAPE_HTTP_AT_FIELDS,
	TAPE_HTTP_AT_LENGTH, /* so many bytes are left */
	TAPE_HTTP_AT_REST,   /* all until the connection ends */
	TAPE_HTTP_AT_SIZE,
	TAPE_HTTP_AT_EXTENSION,
	TAPE_HTTP_AT_CHUNK,
	TAPE_HTTP_AT_CHUNK_END,
	TAPE_HTTP_AT_TRAILERS,
	TAPE_HTTP_AT_END,
	TAPE_HTTP_AT_BAD
};

struct tape_http_answer {
	enum tape_http_answer_state state;
	bool head;       /* answers HEAD */
	bool any;        /* a byte has come */
	bool interim;    /* of a 1xx */
	bool unfoldable; /* the field before this line is of the framing */
	bool chunked, has_length, close, keep, cr;
	int status, version;
	unsigned digits;
	uint64_t left;
	size_t head_bytes, line_bytes;
	struct tape_buf line; /* one that came in pieces */
	bool line_given;
	const char *cause, *why;
};

/* Zeroed before the first time; keeps its memory from answer to answer. */
void tape_http_answer_begin(struct tape_http_answer *a, bool head);
void tape_http_answer_release(struct tape_http_answer *a);
/* Between answers: memory that only a very long line needed goes back. */
void tape_http_answer_trim(struct tape_http_answer *a);

enum tape_http_kind tape_http_answer_next(struct tape_http_answer *a,
    const char **p, const char *end, struct tape_http_item *item);

/* The connection has ended: END if that ends the body, else BAD. */
enum tape_http_kind tape_http_answer_eof(
    struct tape_http_answer *a, struct tape_http_item *item);

/* After END: whether the connection may be used again. */
bool tape_http_answer_keeps(const struct tape_http_answer *a);

/* Whether a comma-separated list, as that of Connection, has this word in any
   case. */
bool tape_http_list_has(struct tape_str list, const char *word);

#endif
