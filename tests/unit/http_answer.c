/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http_answer: what is handed out of answers, good and bad. */
#include "codec/http_answer.h"
#include "base/mem.h"
#include "codec/http.h"
#include "unit/tap.h"

#include <stdlib.h>

static struct tape_http_answer a;
static char text[4096];

static void
put(const char *what, struct tape_str s)
{
	size_t at = strlen(text);

	(void)snprintf(text + at, sizeof(text) - at, "%s%.*s;", what,
	    (int)s.len, s.p != NULL ? s.p : "");
}

static enum tape_http_kind
show(enum tape_http_kind kind, const struct tape_http_item *item)
{
	char number[32];

	if (kind == TAPE_HTTP_STATUS) {
		(void)snprintf(number, sizeof(number), "%d/%d", item->status,
		    item->version);
		put("", tape_str_of(number));
	} else if (kind == TAPE_HTTP_FIELD) {
		put("field ", item->name);
		put("= ", item->data);
	} else if (kind == TAPE_HTTP_BODY_BYTES) {
		put("body ", item->data);
	} else if (kind == TAPE_HTTP_END) {
		put("end", tape_str_of(""));
	} else if (kind == TAPE_HTTP_BAD) {
		put("bad ", tape_str_of(item->cause));
	}
	return kind;
}

/* All of it, then the end of the connection when it is not over. */
static const char *
read_all(bool head, const char *s, size_t len)
{
	const char *p = s;
	struct tape_http_item item = { .status = 0 };
	enum tape_http_kind kind;

	text[0] = '\0';
	tape_http_answer_begin(&a, head);
	do {
		kind =
		    show(tape_http_answer_next(&a, &p, s + len, &item), &item);
	} while (kind != TAPE_HTTP_MORE && kind != TAPE_HTTP_END &&
		 kind != TAPE_HTTP_BAD);
	if (kind == TAPE_HTTP_MORE)
		(void)show(tape_http_answer_eof(&a, &item), &item);
	return text;
}

#define OK   "HTTP/1.1 200 OK\r\n"
#define TE   "Transfer-Encoding: chunked\r\n"
#define IS   "200/11;"
#define IS_C IS "field Transfer-Encoding;= chunked;"

static void
test_answers(void)
{
	static const struct {
		const char *wire, *want;
		bool keeps;
	} cases[] = {
		{ OK "Content-Length: 2\r\n\r\nok",
		    IS "field Content-Length;= 2;body ok;end;", true },
		{ OK "content-length:2\r\n\r\nok, too much",
		    IS "field content-length;= 2;body ok;end;", true },
		{ OK "Content-Length: 0\r\n\r\n",
		    IS "field Content-Length;= 0;end;", true },
		{ OK "A:  b c \t\r\n\r\nrest",
		    IS "field A;= b c;body rest;end;", false },
		{ OK TE "\r\n2\r\nok\r\n1;x=y\r\n!\r\n0\r\n\r\n",
		    IS_C "body ok;body !;end;", true },
		{ OK TE "\r\n2\nok\n0\nT: v\n\n",
		    IS_C "body ok;field T;= v;end;", true },
		{ OK TE "\r\n0A\r\n0123456789\r\n000\r\n\r\n",
		    IS_C "body 0123456789;end;", true },
		{ OK TE "Connection: Close\r\n\r\n0\r\n\r\n",
		    IS_C "field Connection;= Close;end;", false },
		{ OK TE "Content-Length: 3\r\n\r\n1\r\na\r\n0\r\n\r\n",
		    IS_C "field Content-Length;= 3;body a;end;", false },
		{ OK "Connection: x ,close\r\nContent-Length: 0\r\n\r\n",
		    IS "field Connection;= x ,close;"
		       "field Content-Length;= 0;end;",
		    false },
		{ "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
		    "200/10;field Content-Length;= 1;body a;end;", false },
		{ "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"
		  "Content-Length: 1\r\n\r\na",
		    "200/10;field Connection;= keep-alive;"
		    "field Content-Length;= 1;body a;end;",
		    true },
		{ "HTTP/1.1 204\r\n\r\n", "204/11;end;", true },
		{ "HTTP/1.1 304 Not\r\nContent-Length: 9\r\n\r\n",
		    "304/11;field Content-Length;= 9;end;", true },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n"
		  "Content-Length: 7\r\nLink: a\r\n\r\n" OK
		  "Content-Length: 1\r\n\r\na",
		    IS "field Content-Length;= 1;body a;end;", true },
		{ OK "A: b\r\n folded: c\r\nContent-Length: 0\r\n\r\n",
		    IS "field A;= b;field Content-Length;= 0;end;", true },
		{ OK "Content-Length: 0\r\nA: b\r\n folded: c\r\n\r\n",
		    IS "field Content-Length;= 0;field A;= b;end;", true },
		{ OK TE "\r\n2 \t;x\r\nok\r\n0;y\r\n\r\n", IS_C "body ok;end;",
		    true },
		{ OK "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
		    IS "field Content-Length;= 3;field Content-Length;= 3;"
		       "body abc;end;",
		    true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		is_str(read_all(false, cases[i].wire, strlen(cases[i].wire)),
		    cases[i].want, "answer %zu", i);
		ok(tape_http_answer_keeps(&a) == cases[i].keeps,
		    "answer %zu %s the connection", i,
		    cases[i].keeps ? "keeps" : "ends");
	}
	is_str(read_all(true, OK "Content-Length: 9\r\n\r\n", 38),
	    IS "field Content-Length;= 9;end;", "HEAD has no body");
	ok(tape_http_answer_keeps(&a), "and keeps the connection");
}

static void
test_bad(void)
{
	static const struct {
		const char *wire, *cause;
	} cases[] = {
		{ "", "closed" },
		{ "what is this?\r\n", "malformed" },
		{ "GET / HTTP/1.1\r\n", "malformed" },
		{ "HTTP/2 200\r\n", "malformed" },
		{ "HTTP/1.1 20\r\n", "malformed" },
		{ "HTTP/1.1 2000\r\n", "malformed" },
		{ "HTTP/1.1 099 No\r\n", "malformed" },
		{ "HTTP/1.1  200 OK\r\n", "malformed" },
		{ "HTTP/1.1 200 O", "malformed" },
		{ OK "A: b\r\n", "malformed" },
		{ OK "no colon\r\n\r\n", "malformed" },
		{ OK ": no name\r\n\r\n", "malformed" },
		{ OK "Content-Length: 1x\r\n\r\n", "malformed" },
		{ OK "Content-Length: -1\r\n\r\n", "malformed" },
		{ OK "Content-Length:\r\n\r\n", "malformed" },
		{ OK "Content-Length: 18446744073709551617\r\n\r\n",
		    "malformed" },
		{ OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		    "malformed" },
		{ OK "Transfer-Encoding: gzip\r\n\r\n", "malformed" },
		{ OK TE TE "\r\n", "malformed" },
		{ OK "Content-Length: 3\r\n\r\nab", "content-length" },
		{ OK TE "\r\n", "chunked" },
		{ OK TE "\r\n3\r\nab", "chunked" },
		{ OK TE "\r\n3\r\nabc\r\n", "chunked" },
		{ OK TE "\r\n0\r\n", "chunked" },
		{ OK TE "\r\n0\r\nT: v\r\n", "chunked" },
		{ OK TE "\r\nxyz\r\n", "malformed" },
		{ OK TE "\r\n;a=b\r\n", "malformed" },
		{ OK TE "\r\n-1\r\n", "malformed" },
		{ OK TE "\r\n3\r\nabcd\r\n", "malformed" },
		{ OK TE "\r\n3\r\nabc\r\r\n", "malformed" },
		{ OK TE "\r\n11111111111111111\r\n", "malformed" },
		{ OK TE "\r\n0\r\nno colon\r\n\r\n", "malformed" },
		{ OK TE "\r\n0x1a\r\n", "malformed" },
		{ OK TE "\r\n5G\r\nhello\r\n0\r\n\r\n", "malformed" },
		{ OK TE "\r\n0\r\nT : v\r\n\r\n", "malformed" },
		{ OK "Content-Length : 1\r\n\r\na", "malformed" },
		{ OK "A\t: b\r\nContent-Length: 0\r\n\r\n", "malformed" },
		{ OK "Content-Length: 1\r\n 2\r\n\r\na", "malformed" },
		{ OK "Transfer-Encoding: chunked\r\n\t, gzip\r\n\r\n",
		    "malformed" },
		{ "HTTP/1.1 101 Switching\r\n\r\n" OK
		  "Content-Length: 0\r\n\r\n",
		    "malformed" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[64];

		(void)snprintf(want, sizeof(want), "bad %s;", cases[i].cause);
		(void)read_all(false, cases[i].wire, strlen(cases[i].wire));
		ok(strlen(text) >= strlen(want) &&
			strcmp(text + strlen(text) - strlen(want), want) == 0,
		    "refused: case %zu, %s", i, cases[i].cause);
	}
	(void)read_all(false, OK "A: b\0c\r\n\r\n", strlen(OK) + 10);
	is_str(text, IS "bad malformed;", "a NUL in a header line");
}

/* Feeds until it is refused; how many bytes that took. */
static size_t
feed(const char *start, const char *more, const char **cause)
{
	struct tape_http_item item = { .status = 0 };
	enum tape_http_kind kind = TAPE_HTTP_MORE;
	const char *p = start;
	size_t fed = 0;

	tape_http_answer_begin(&a, false);
	do
		kind =
		    tape_http_answer_next(&a, &p, start + strlen(start), &item);
	while (kind != TAPE_HTTP_MORE);
	while (kind != TAPE_HTTP_BAD && fed < ((size_t)2 << 20)) {
		p = more;
		fed += strlen(more);
		do
			kind = tape_http_answer_next(
			    &a, &p, more + strlen(more), &item);
		while (kind != TAPE_HTTP_MORE && kind != TAPE_HTTP_BAD);
	}
	*cause = kind == TAPE_HTTP_BAD ? item.cause : "none";
	return fed;
}

static void
test_bounds(void)
{
	static const struct {
		const char *start, *more, *cause;
	} cases[] = {
		{ "HTTP/1.1 200 ", "long reason ", "header-limit" },
		{ OK, "A: one field after the other\r\n", "header-limit" },
		{ OK "A: ", "one long field ", "header-limit" },
		{ "HTTP/1.1 100 C\r\n\r\n", "HTTP/1.1 100 C\r\n\r\n",
		    "header-limit" },
		{ OK TE "\r\n1", ";one long extension", "malformed" },
		{ OK TE "\r\n0\r\n", "T: trailers\r\n", "header-limit" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *cause;
		size_t fed = feed(cases[i].start, cases[i].more, &cause);

		is_str(cause, cases[i].cause, "endless: case %zu", i);
		ok(fed <= TAPE_HTTP_HEADER_BYTES + 64 &&
			a.line.size <= TAPE_HTTP_HEADER_BYTES,
		    "after %zu bytes, with %zu in memory", fed, a.line.size);
	}
	tape_http_answer_begin(&a, false);
	ok(a.line.size <= 4096, "which the next answer does not keep");
	(void)feed(OK "A: ", "one long field ", &(const char *){ NULL });
	tape_http_answer_trim(&a);
	is_int((int64_t)a.line.size, 0, "nor a record that rests");
	is_str(read_all(false, OK "Content-Length: 1\r\n\r\na", 39),
	    IS "field Content-Length;= 1;body a;end;", "it can be used again");
}

static void
test_list(void)
{
	static const struct {
		const char *list;
		bool has;
	} cases[] = { { "close", true }, { " Close ", true },
		{ "x , CLOSE", true }, { "closed", false }, { "", false },
		{ ",", false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(tape_http_list_has(tape_str_of(cases[i].list), "close") ==
			cases[i].has,
		    "'%s' %s close", cases[i].list,
		    cases[i].has ? "has" : "has not");
}

static void
test_memory(void)
{
	struct tape_http_item item = { .status = 0 };
	const char wire[] = "HTTP/1.1 2";
	const char *p = wire;

	tape_http_answer_release(&a);
	a = (struct tape_http_answer){ .state = TAPE_HTTP_AT_STATUS };
	tape_http_answer_begin(&a, false);
	(void)tape_mem_fail_at(1);
	is_int(tape_http_answer_next(&a, &p, wire + 10, &item), TAPE_HTTP_BAD,
	    "no memory for a line in pieces");
	(void)tape_mem_fail_at(0);
	is_str(item.cause, "memory", "says so");
}

int
main(void)
{
	test_answers();
	test_bad();
	test_bounds();
	test_list();
	test_memory();
	tape_http_answer_release(&a);
	return done_testing();
}
