/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_parse.h"

#include "base/mem.h"
#include "unit/tap.h"

#define HEAD_CAP ((size_t)1024)
#define BODY_CAP ((size_t)4096)

/* What a sequence of requests came to, as one text. */
static struct tape_buf seen;

static void
add_head(const struct tape_server_request *req)
{
	size_t i;

	(void)tape_buf_add_fmt(&seen, "%s %s?%s%s%s%s%s %lld|", req->method,
	    req->path, req->query, req->http_1_0 ? " 1.0" : "",
	    req->keep_alive ? " keep" : "", req->chunked ? " chunked" : "",
	    req->expect_continue ? " expect" : "",
	    (long long)req->length_bytes);
	for (i = 0; i < req->n_headers; i++)
		(void)tape_buf_add_fmt(&seen, "%s=%s|", req->headers[i].name,
		    req->headers[i].value);
}

/* Feeds in pieces of at most step bytes, the first one of at most first. */
static const char *
parse(const char *in, size_t len, size_t first, size_t step)
{
	struct tape_server_parse p;
	enum tape_server_part part = TAPE_SERVER_MORE;
	const char *piece = NULL;
	size_t at = 0, end = 0, used, n = 0;

	tape_buf_clear(&seen);
	tape_server_parse_init(&p, HEAD_CAP, BODY_CAP);
	while (end < len && part != TAPE_SERVER_BAD) {
		end += end == 0 ? first : step;
		end = end < len ? end : len;
		do {
			used = 0;
			part = tape_server_parse_next(
			    &p, in + at, end - at, &used, &piece, &n);
			at += used;
			if (part == TAPE_SERVER_HEAD)
				add_head(&p.req);
			else if (part == TAPE_SERVER_BODY)
				(void)tape_buf_add(&seen, piece, n);
			else if (part == TAPE_SERVER_BAD)
				(void)tape_buf_add_fmt(
				    &seen, "!%d %s", p.bad_status, p.bad_text);
			else if (part == TAPE_SERVER_DONE) {
				(void)tape_buf_add_str(&seen, "#");
				tape_server_parse_clear(&p);
			}
		} while (part != TAPE_SERVER_MORE && part != TAPE_SERVER_BAD);
	}
	if (part != TAPE_SERVER_BAD && !tape_server_parse_idle(&p))
		(void)tape_buf_add_str(&seen, "...");
	tape_server_parse_release(&p);
	return seen.data;
}

#define HOST "Host: h\r\n"

static const struct {
	const char *in;
	const char *want;
} cases[] = {
	{ "GET / HTTP/1.1\r\n" HOST "\r\n", "GET /? keep -1|Host=h|#" },
	{ "GET /a?b=c?d HTTP/1.1\nHost:h\n\n",
	    "GET /a?b=c?d keep -1|Host=h|#" },
	{ "\r\n\nGET / HTTP/1.0\r\n\r\n", "GET /? 1.0 -1|#" },
	{ "GET http://h:80/p?q HTTP/1.1\r\n" HOST "\r\n",
	    "GET /p?q keep -1|Host=h|#" },
	{ "OPTIONS * HTTP/1.1\r\n" HOST "Connection: x, CLOSE\r\n\r\n",
	    "OPTIONS *? -1|Host=h|Connection=x, CLOSE|#" },
	{ "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	    "GET /? 1.0 keep -1|Connection=keep-alive|#" },
	{ "POST /x HTTP/1.1\r\n" HOST "Content-Length:  5 \r\n\r\nhelloGET / "
	  "HTTP/1.1\r\n" HOST "\r\n",
	    "POST /x? keep 5|Host=h|Content-Length=5|hello#"
	    "GET /? keep -1|Host=h|#" },
	{ "POST /x HTTP/1.1\r\n" HOST "content-length: 0\r\n\r\n",
	    "POST /x? keep 0|Host=h|content-length=0|#" },
	{ "POST /x HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n"
	  "Expect: 100-continue\r\n\r\n"
	  "3\r\nabc\r\n00A ;x=y\r\n0123456789\r\n1\nz\n0\r\nT: 1\r\n\r\nG",
	    "POST /x? keep chunked expect -1|Host=h|"
	    "Transfer-Encoding=Chunked|Expect=100-continue|abc0123456789z#"
	    "..." },
	/* cut off in mid-request */
	{ "POST /x HTTP/1.1\r\n" HOST "content-length: 9\r\n\r\nabc",
	    "POST /x? keep 9|Host=h|content-length=9|abc..." },
	/* refused */
	{ "\x16\x03\x01 hello", "!400 not an HTTP request" },
	{ "GET  / HTTP/1.1\r\n\r\n", "!400 bad request line" },
	{ "GET / HTTP/1.1 \r\n\r\n", "!505 HTTP version not supported" },
	{ "GET / HTTP/2.0\r\n\r\n", "!505 HTTP version not supported" },
	{ "GET / FTP/1.1\r\n\r\n", "!400 bad request line" },
	{ "GET /\x7f HTTP/1.1\r\n\r\n", "!400 bad request line" },
	{ "GET / HTTP/1.1\r\n\r\n", "!400 one host header expected" },
	{ "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
	    "!400 one host header expected" },
	{ "GET / HTTP/1.1\r\n" HOST "a b: c\r\n\r\n", "!400 bad header line" },
	{ "GET / HTTP/1.1\r\n" HOST "a : c\r\n\r\n", "!400 bad header line" },
	{ "GET / HTTP/1.1\r\n" HOST " folded\r\n\r\n", "!400 bad header line" },
	{ "GET / HTTP/1.1\r\n" HOST "a: b\rc\r\n\r\n", "!400 bad header line" },
	{ "POST / HTTP/1.1\r\n" HOST "content-length: -1\r\n\r\n",
	    "!400 bad content-length" },
	{ "POST / HTTP/1.1\r\n" HOST "content-length: 1, 1\r\n\r\n",
	    "!400 bad content-length" },
	{ "POST / HTTP/1.1\r\n" HOST
	  "content-length: 99999999999999999999\r\n\r\n",
	    "!400 bad content-length" },
	{ "POST / HTTP/1.1\r\n" HOST
	  "content-length: 1\r\ncontent-length: 2\r\n\r\n",
	    "!400 bad content-length" },
	{ "POST / HTTP/1.1\r\n" HOST
	  "content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
	    "!400 both content-length and transfer-encoding" },
	{ "POST / HTTP/1.1\r\n" HOST "transfer-encoding: gzip, chunked\r\n\r\n",
	    "!501 transfer-encoding not supported" },
	{ "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
	    "!400 transfer-encoding in HTTP/1.0" },
	{ "POST / HTTP/1.1\r\n" HOST "expect: a pony\r\n\r\n",
	    "!417 expectation not supported" },
	{ "POST / HTTP/1.1\r\n" HOST "content-length: 4097\r\n\r\n",
	    "!413 request body too large" },
	{ "POST / HTTP/1.1\r\n" HOST
	  "transfer-encoding: chunked\r\n\r\n1001\r\n",
	    "POST /? keep chunked -1|Host=h|transfer-encoding=chunked|"
	    "!413 request body too large" },
	{ "POST / HTTP/1.1\r\n" HOST "transfer-encoding: chunked\r\n\r\n\r\n",
	    "POST /? keep chunked -1|Host=h|transfer-encoding=chunked|"
	    "!400 chunk size expected" },
	{ "POST / HTTP/1.1\r\n" HOST "transfer-encoding: chunked\r\n\r\n"
	  "1\r\nab",
	    "POST /? keep chunked -1|Host=h|transfer-encoding=chunked|a"
	    "!400 chunk longer than its size" },
	{ "POST / HTTP/1.1\r\n" HOST "transfer-encoding: chunked\r\n\r\n"
	  "0000000000000001\r\n",
	    "POST /? keep chunked -1|Host=h|transfer-encoding=chunked|"
	    "!400 chunk size too long" },
};

static void
test_cases(void)
{
	size_t i, cut, len, wrong;
	const char *in;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		in = cases[i].in;
		len = strlen(in);
		is_str(parse(in, len, len, len), cases[i].want, "case %zu", i);
		wrong = 0;
		for (cut = 1; cut <= len; cut++) {
			wrong += strcmp(parse(in, len, cut, len),
				     cases[i].want) != 0;
			wrong += strcmp(parse(in, len, cut, cut),
				     cases[i].want) != 0;
		}
		is_int(wrong, 0, "case %zu, however it is cut", i);
	}
}

/* A request that is too large in one way or another, grown from a part. */
static const char *
grown(const char *head, const char *part, size_t n)
{
	struct tape_buf in;
	const char *got;
	size_t i;

	tape_buf_init(&in, 1 << 20);
	(void)tape_buf_add_str(&in, head);
	for (i = 0; i < n; i++)
		(void)tape_buf_add_str(&in, part);
	(void)tape_buf_add_str(&in, "\n");
	got = parse(in.data, in.len, 7, 7);
	got = strchr(got, '!') != NULL ? strchr(got, '!') : got;
	tape_buf_release(&in);
	return got;
}

static void
test_limits(void)
{
	is_str(grown("GET /", "x", 1100), "!414 request line too long",
	    "a long request line");
	is_str(grown("GET / HTTP/1.1\r\n", "a: bbbbbbbb\r\n", 100),
	    "!431 request headers too large", "long headers");
	is_str(grown("GET / HTTP/1.1\nhost:\n", "a:\n", 128),
	    "!431 too many headers", "129 headers");
	ok(strchr(grown("GET / HTTP/1.1\nhost:\n", "a:\n", 127), '#') != NULL,
	    "128 headers fit");
	is_str(grown("\r\n", "\r\n", 4),
	    "!400 empty lines instead of a request", "empty lines");
	is_str(grown("POST / HTTP/1.1\nhost:\ntransfer-encoding: chunked\n\n1",
		   " ", 1100),
	    "!431 chunk extensions too large", "a long chunk extension");
	is_str(
	    grown("POST / HTTP/1.1\nhost:\ntransfer-encoding: chunked\n\n0\n",
		"a: b\n", 300),
	    "!431 chunk extensions too large", "long trailers");
	is_str(grown("POST / HTTP/1.1\nhost:\ntransfer-encoding: chunked\n\n",
		   "2\nab\n", 2049),
	    "!413 request body too large", "many small chunks");
}

static void
test_headers(void)
{
	static const char in[] = "GET / HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n"
				 "x-a: 2\r\n\r\n";
	struct tape_server_parse p;
	const char *piece;
	size_t used = 0, n, i;

	tape_server_parse_init(&p, HEAD_CAP, BODY_CAP);
	is_int(
	    tape_server_parse_next(&p, in, sizeof(in) - 1, &used, &piece, &n),
	    TAPE_SERVER_HEAD, "head");
	is_str(tape_server_request_header(&p.req, "x-A"), "1",
	    "the first field of that name in any case");
	ok(tape_server_request_header(&p.req, "x") == NULL, "no such field");
	is_int(
	    tape_server_parse_next(&p, in, sizeof(in) - 1, &used, &piece, &n),
	    TAPE_SERVER_DONE, "done");
	is_int(
	    tape_server_parse_next(&p, in, sizeof(in) - 1, &used, &piece, &n),
	    TAPE_SERVER_DONE, "stays done");
	tape_server_parse_release(&p);
	tape_server_parse_release(&p);
	for (i = 1; i < 100; i++) {
		const char *got;

		(void)tape_mem_fail_at(i);
		tape_server_parse_init(&p, HEAD_CAP, BODY_CAP);
		used = 0;
		if (tape_server_parse_next(&p, in, sizeof(in) - 1, &used,
			&piece, &n) == TAPE_SERVER_HEAD)
			break;
		got = p.bad_text;
		if (p.bad_status != 500 || strcmp(got, "out of memory") != 0)
			break;
		tape_server_parse_release(&p);
	}
	(void)tape_mem_fail_at(0);
	ok(p.bad_status == 0 && i > 1 && i < 100,
	    "no memory is status 500, at each allocation");
	tape_server_parse_release(&p);
}

int
main(void)
{
	tape_buf_init(&seen, 1 << 20);
	test_cases();
	test_limits();
	test_headers();
	tape_buf_release(&seen);
	return done_testing();
}
