/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_server: any bytes as HTTP requests.  They must give the same requests,
 * bodies and refusal in whatever pieces they arrive.
 */
#include "codec/server_parse.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_CAP ((size_t)2048)
#define BODY_CAP ((size_t)16384)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
add_head(struct tape_buf *seen, const struct tape_server_request *req)
{
	size_t i;

	if (req->n_headers > TAPE_SERVER_HEADERS_MAX ||
	    (req->chunked && req->length_bytes >= 0) ||
	    req->length_bytes > (int64_t)BODY_CAP || req->method[0] == '\0')
		abort();
	(void)tape_buf_add_fmt(seen, "\n%s %s?%s %d%d%d%d %lld|", req->method,
	    req->path, req->query, req->http_1_0, req->keep_alive, req->chunked,
	    req->expect_continue, (long long)req->length_bytes);
	for (i = 0; i < req->n_headers; i++)
		(void)tape_buf_add_fmt(seen, "%s=%s|", req->headers[i].name,
		    req->headers[i].value);
}

/* Ends a request: true when its body was as long as it said. */
static bool
right_length(const struct tape_server_request *req, size_t body)
{
	if (req->chunked)
		return body <= BODY_CAP;
	return body == (req->length_bytes > 0 ? (size_t)req->length_bytes : 0);
}

/* One parser over one input, and what it found. */
struct run {
	struct tape_server_parse p;
	struct tape_buf *seen;
	size_t body; /* bytes of the request in hand */
};

static enum tape_server_part
step(struct run *r, const char *in, size_t len, size_t *used)
{
	const char *piece = NULL;
	size_t n = 0;
	enum tape_server_part part =
	    tape_server_parse_next(&r->p, in, len, used, &piece, &n);

	if (*used > len)
		abort();
	if (part == TAPE_SERVER_HEAD) {
		add_head(r->seen, &r->p.req);
		r->body = 0;
	} else if (part == TAPE_SERVER_BODY) {
		if (n == 0 || piece < in || piece + n > in + *used)
			abort();
		(void)tape_buf_add(r->seen, piece, n);
		r->body += n;
	} else if (part == TAPE_SERVER_DONE) {
		if (!right_length(&r->p.req, r->body))
			abort();
		tape_server_parse_clear(&r->p);
	} else if (part == TAPE_SERVER_MORE && *used != len)
		abort();
	return part;
}

/* In pieces by state; whole when it is 0. */
static void
parse(struct tape_buf *seen, const char *in, size_t len, uint64_t state)
{
	struct run r = { .seen = seen };
	enum tape_server_part part = TAPE_SERVER_MORE;
	size_t at = 0, end = 0, used;

	tape_server_parse_init(&r.p, HEAD_CAP, BODY_CAP);
	while (part != TAPE_SERVER_BAD && end < len) {
		state = state * UINT64_C(6364136223846793005) + 1;
		end += state == 1 ? len : (size_t)(state >> 33) % 17 + 1;
		end = end < len ? end : len;
		do {
			used = 0;
			part = step(&r, in + at, end - at, &used);
			at += used;
		} while (part != TAPE_SERVER_MORE && part != TAPE_SERVER_BAD);
	}
	if (part == TAPE_SERVER_BAD)
		(void)tape_buf_add_fmt(
		    seen, "!%d %s", r.p.bad_status, r.p.bad_text);
	else if (!tape_server_parse_idle(&r.p))
		(void)tape_buf_add_str(seen, "...");
	tape_server_parse_release(&r.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tape_buf whole, pieces;
	uint64_t state = size + 1;

	for (size_t i = 0; i < size; i++)
		state = (state ^ data[i]) * UINT64_C(0x100000001b3);
	tape_buf_init(&whole, (size_t)256 << 20);
	tape_buf_init(&pieces, (size_t)256 << 20);
	parse(&whole, (const char *)data, size, 0);
	parse(&pieces, (const char *)data, size, state | 2);
	if (whole.status != TAPE_OK || whole.len != pieces.len ||
	    memcmp(whole.data, pieces.data, whole.len) != 0)
		abort();
	tape_buf_release(&whole);
	tape_buf_release(&pieces);
	return 0;
}
