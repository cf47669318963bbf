/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_parse: push parser of HTTP/1.x requests; no I/O, no clock.
 *
 * Bytes go in as they come, cut anywhere; the same bytes give the same parts
 * in every cutting, only body pieces may be cut differently.  RFC 9112, and
 * strict where leniency lets two parsers disagree about where a request ends:
 * both Content-Length and Transfer-Encoding, differing lengths, space before
 * the colon, folded lines, bare CR, NUL and any coding but chunked are refused.
 * A line may end in LF alone.  Empty lines before a request are skipped.
 */
#ifndef TAPE_CODEC_SERVER_PARSE_H
#define TAPE_CODEC_SERVER_PARSE_H

#include "base/buf.h"

#define TAPE_SERVER_HEADERS_MAX 128 /* header fields of one request */

struct tape_server_header {
	const char *name;  /* as sent */
	const char *value; /* without white space around it */
};

/* Strings live until the parser is cleared or released. */
struct tape_server_request {
	const char *method;
	const char
	    *path; /* as sent: not decoded, without query and authority */
	const char *query; /* behind the first '?', or "" */
	struct tape_server_header *headers;
	size_t n_headers;
	bool http_1_0;
	bool keep_alive;      /* what the client asked for or implied */
	bool expect_continue; /* waits for "100 Continue" before its body */
	bool chunked;
	int64_t length_bytes; /* Content-Length, or -1 */
	const char *body;     /* filled by codec/server when it stored it */
	size_t body_bytes;
};

/* Value of the first field of that name (any case), or NULL. */
const char *tape_server_request_header(
    const struct tape_server_request *req, const char *name);

enum tape_server_part {
	TAPE_SERVER_MORE, /* all input was used, more is needed */
	TAPE_SERVER_HEAD, /* the request's head is complete: p->req */
	TAPE_SERVER_BODY, /* a piece of the body */
	TAPE_SERVER_DONE, /* the request is complete; clear before the next */
	TAPE_SERVER_BAD   /* refused: p->bad_status, p->bad_text; stays so */
};

struct tape_server_parse {
	struct tape_server_request req;
	int bad_status;       /* 400, 413, 414, 417, 431, 500, 501, 505 */
	const char *bad_text; /* why; a literal */
	/* private */
	struct tape_buf head;
	size_t headers_cap;
	size_t line_start; /* of the head line being read */
	size_t body_cap;
	uint64_t body_seen;  /* bytes handed out */
	uint64_t piece_left; /* of the length or of the chunk */
	size_t extra;        /* bytes of chunk lines and trailers */
	unsigned digits;     /* of the chunk size being read */
	unsigned blank;      /* empty lines before the request */
	int state;
};

/* Allocates nothing. */
void tape_server_parse_init(
    struct tape_server_parse *p, size_t head_cap, size_t body_cap);
void tape_server_parse_release(struct tape_server_parse *p);

/* Ready for the next request; keeps the memory. */
void tape_server_parse_clear(struct tape_server_parse *p);

/*
 * Takes bytes of in from *used (which it advances) up to len and says what it
 * found; call again until it says MORE.  For BODY, *piece and *piece_len are
 * within in.  DONE leaves what follows the request unused.
 */
enum tape_server_part tape_server_parse_next(struct tape_server_parse *p,
    const char *in, size_t len, size_t *used, const char **piece,
    size_t *piece_len);

/* True when not a byte of a request has come. */
bool tape_server_parse_idle(const struct tape_server_parse *p);

#endif
