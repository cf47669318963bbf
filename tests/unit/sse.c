/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/sse.h"

#include "base/mem.h"
#include "unit/sse_show.h"
#include "unit/tap.h"

#include <stdlib.h>

struct stream {
	const char *name;
	const char *in;
	const char *want; /* the log */
	size_t len;       /* 0: in is a C string */
};

#define BOM "\xef\xbb\xbf"
#define U28 "\xe2\x80\xa9"

static const struct stream streams[] = {
	{ "C01: other separators are no line ends",
	    "data: a\xc2\x85"
	    "b\x0b"
	    "c\x0c"
	    "d\x1c"
	    "e\x1d"
	    "f\x1eg" U28 "h\n\n",
	    "event '' '' 1 lines to 26: 'a\xc2\x85"
	    "b\x0b"
	    "c\x0c"
	    "d\x1c"
	    "e\x1d"
	    "f\x1eg" U28 "h'\n"
	    "end: 1 events 1 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C02: CR LF is one line end", "data: a\r\ndata: b\r\n\r\n",
	    "event '' '' 2 lines to 19: 'a\nb'\n"
	    "end: 1 events 2 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C03: the three line ends mixed", "data: A\r\ndata: B\rdata: C\r\n\n",
	    "event '' '' 3 lines to 27: 'A\nB\nC'\n"
	    "end: 1 events 3 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C03: CR alone", "data: 1\r\rdata: 2\r\r",
	    "event '' '' 1 lines to 9: '1'\n"
	    "event '' '' 1 lines to 18: '2'\n"
	    "end: 2 events 2 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C04: one BOM is dropped", BOM "data: {\"i\":1}\n\ndata: [DONE]\n\n",
	    "event '' '' 1 lines to 18: '{\"i\":1}'\n"
	    "event '' '' 1 lines to 32: '[DONE]'\n"
	    "end: 2 events 2 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C04: a second BOM is not", BOM BOM "data: x\n\n",
	    "field to 14: '" BOM "data' 'x'\n"
	    "end: 0 events 0 data 0 comments 0 ids 1 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C05: one space behind the colon is dropped",
	    "data:{\"a\":1}\n\ndata:  two\n\ndata: \tthree\n\n",
	    "event '' '' 1 lines to 14: '{\"a\":1}'\n"
	    "event '' '' 1 lines to 26: ' two'\n"
	    "event '' '' 1 lines to 40: '\tthree'\n"
	    "end: 3 events 3 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C06: comments",
	    ":\n\n:\n\n: keep-alive\n\ndata: {\"i\":1}\n\n: ping\n\n"
	    "data: [DONE]\n\n",
	    "comment to 2: ''\ncomment to 5: ''\n"
	    "comment to 19: ' keep-alive'\n"
	    "event '' '' 1 lines to 35: '{\"i\":1}'\n"
	    "comment to 42: ' ping'\n"
	    "event '' '' 1 lines to 57: '[DONE]'\n"
	    "end: 2 events 2 data 4 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C07: an id makes no event of a comment",
	    "id: 7\ndata: {\"i\":1}\n\n: ping\n\nid: 8\ndata: {\"i\":2}\n\n",
	    "event '' '7' 1 lines to 21: '{\"i\":1}'\n"
	    "comment to 28: ' ping'\n"
	    "event '' '8' 1 lines to 50: '{\"i\":2}'\n"
	    "end: 2 events 2 data 1 comments 2 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C08: an error: field is handed out",
	    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}"
	    "\n\nerror: {\"code\":400,\"message\":\"context size\"}\n\n"
	    "data: [DONE]\n\n",
	    "event '' '' 1 lines to 57: "
	    "'{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}'\n"
	    "field to 102: 'error' "
	    "'{\"code\":400,\"message\":\"context size\"}'\n"
	    "event '' '' 1 lines to 117: '[DONE]'\n"
	    "end: 2 events 2 data 0 comments 0 ids 1 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C09: an empty data line is an event",
	    "data: {\"i\":1}\n\ndata:\n\ndata: [DONE]\n\n",
	    "event '' '' 1 lines to 15: '{\"i\":1}'\n"
	    "event '' '' 1 lines to 22: ''\n"
	    "event '' '' 1 lines to 36: '[DONE]'\n"
	    "end: 3 events 3 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C10: no colon, and a tail", "data\n\ndata\ndata\n\ndata:",
	    "event '' '' 1 lines to 6: ''\n"
	    "event '' '' 2 lines to 17: '\n'\n"
	    "end: 2 events 3 data 0 comments 0 ids 0 unknown 5 tail, "
	    "retry -1\n",
	    0 },
	{ "C11: characters of several bytes",
	    "data: {\"d\":\"\xe4\xbd\xa0\xf0\x9f\xa6\x80\"}\n\n",
	    "event '' '' 1 lines to 23: "
	    "'{\"d\":\"\xe4\xbd\xa0\xf0\x9f\xa6\x80\"}'\n"
	    "end: 1 events 1 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "C13: two payloads in one event",
	    "data: {\"a\":1}\ndata: {\"b\":2}\n\n",
	    "event '' '' 2 lines to 29: '{\"a\":1}\n{\"b\":2}'\n"
	    "end: 1 events 2 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "type, id, retry, and what outlives an event",
	    "event: a\nevent: b\nid: 1\nretry: 1500\ndata: x\n\ndata: y\n\n"
	    "event: lost\n\nid\ndata: z\n\n",
	    "event 'b' '1' 1 lines to 45: 'x'\n"
	    "event '' '1' 1 lines to 54: 'y'\n"
	    "event '' '' 1 lines to 79: 'z'\n"
	    "end: 3 events 3 data 0 comments 2 ids 0 unknown 0 tail, "
	    "retry 1500\n",
	    0 },
	{ "a retry that is no number, and an id with NUL, are ignored",
	    "retry: 1s\nretry:\nretry: 99999999999999999999999\n"
	    "retry: -1\nid: ok\nid: a\0b\ndata: x\n\n",
	    "event '' 'ok' 1 lines to 82: 'x'\n"
	    "end: 1 events 1 data 0 comments 2 ids 0 unknown 0 tail, "
	    "retry 3153600000000\n",
	    82 },
	{ "NUL in data stays", "data: a\0b\n\n",
	    "event '' '' 1 lines to 11: 'a<0>b'\n"
	    "end: 1 events 1 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    11 },
	{ "field names are exact",
	    "Data: 1\n data: 2\ndata : 3\ndat: 4\ndatas: 5\n : 6\n\n",
	    "field to 8: 'Data' '1'\nfield to 17: ' data' '2'\n"
	    "field to 26: 'data ' '3'\nfield to 33: 'dat' '4'\n"
	    "field to 42: 'datas' '5'\nfield to 47: ' ' '6'\n"
	    "end: 0 events 0 data 0 comments 0 ids 6 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "a data line among others", "data: a\n: c\nx\ndata: b\n\n",
	    "comment to 12: ' c'\nfield to 14: 'x' ''\n"
	    "event '' '' 2 lines to 23: 'a\nb'\n"
	    "end: 1 events 2 data 1 comments 0 ids 1 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "a tail of whole lines", "data: a\n\n: c\nevent: x\ndata: b\n",
	    "event '' '' 1 lines to 9: 'a'\ncomment to 13: ' c'\n"
	    "end: 1 events 2 data 1 comments 0 ids 0 unknown 17 tail, "
	    "retry -1\n",
	    0 },
	{ "a tail ended by CR", "data: a\r\n\r\ndata: b\r",
	    "event '' '' 1 lines to 10: 'a'\n"
	    "end: 1 events 2 data 0 comments 0 ids 0 unknown 8 tail, "
	    "retry -1\n",
	    0 },
	{ "a comment at the end is no tail", "data: a\n\n: c\n",
	    "event '' '' 1 lines to 9: 'a'\ncomment to 13: ' c'\n"
	    "end: 1 events 1 data 1 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "a comment cut off is one", "data: a\n\n: c",
	    "event '' '' 1 lines to 9: 'a'\n"
	    "end: 1 events 1 data 0 comments 0 ids 0 unknown 3 tail, "
	    "retry -1\n",
	    0 },
	{ "LF CR is two line ends", "data: a\n\rdata: b\n\r",
	    "event '' '' 1 lines to 9: 'a'\n"
	    "event '' '' 1 lines to 18: 'b'\n"
	    "end: 2 events 2 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "nothing", "",
	    "end: 0 events 0 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "only a BOM", BOM,
	    "end: 0 events 0 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "a BOM cut off", "\xef\xbb",
	    "end: 0 events 0 data 0 comments 0 ids 0 unknown 2 tail, "
	    "retry -1\n",
	    0 },
	{ "what looks like a BOM", "\xef\xbb:x\n\xef\xbb\xbe\n\n",
	    "field to 5: '\xef\xbb' 'x'\nfield to 9: '\xef\xbb\xbe' ''\n"
	    "end: 0 events 0 data 0 comments 0 ids 2 unknown 0 tail, "
	    "retry -1\n",
	    0 },
	{ "a BOM before a blank line", BOM "\r\n\r\ndata: x\r\n\r\n",
	    "event '' '' 1 lines to 17: 'x'\n"
	    "end: 1 events 1 data 0 comments 0 ids 0 unknown 0 tail, "
	    "retry -1\n",
	    0 },
};

static bool
same(struct sse_show *s, const struct stream *t)
{
	sse_show_end(s);
	return strcmp(s->log.data, t->want) == 0;
}

/* One piece, in a block of its own, so that a sanitizer sees what reaches
   beyond it. */
static void
feed(struct sse_show *s, const char *bytes, size_t len)
{
	char *own = malloc(len > 0 ? len : 1);

	if (own == NULL)
		return;
	memcpy(own, bytes, len);
	sse_show_feed(s, own, len);
	memset(own, 'X', len);
	free(own);
}

static void
test_stream(struct sse_show *s, const struct stream *t)
{
	size_t len = t->len > 0 ? t->len : strlen(t->in), i, j, bad = 0;

	sse_show_clear(s);
	feed(s, t->in, len);
	sse_show_end(s);
	is_str(s->log.data, t->want, "%s", t->name);
	for (i = 0; i <= len; i++) {
		sse_show_clear(s);
		feed(s, t->in, i);
		feed(s, t->in + i, len - i);
		bad += !same(s, t);
	}
	is_int((int)bad, 0, "with every single cut");
	bad = 0;
	for (i = 0; i <= len && len < 60; i++)
		for (j = i; j <= len; j++) {
			sse_show_clear(s);
			feed(s, t->in, i);
			feed(s, t->in + i, j - i);
			feed(s, t->in + j, len - j);
			bad += !same(s, t);
		}
	is_int((int)bad, 0, "with every two cuts");
	sse_show_clear(s);
	for (i = 0; i < len; i++)
		feed(s, t->in + i, 1);
	ok(same(s, t), "byte by byte");
}

/* An event is complete with the CR of its blank line, not with what may
   follow. */
static void
test_cr_at_once(void)
{
	struct sse_show s;

	sse_show_init(&s);
	sse_show_feed(&s, "data: a\r\n\r", 10);
	is_int((int)s.p.counts.events, 1, "complete at the CR");
	sse_show_feed(&s, "\n", 1);
	is_int((int)s.p.counts.events, 1, "the LF adds nothing");
	is_int((int)tape_sse_finish(&s.p), 0, "and is no tail");
	sse_show_release(&s);
}

static void
test_long_line(void)
{
	size_t n = 2000000, len = n + 8, at, piece;
	static const char field[6] = { 'd', 'a', 't', 'a', ':', ' ' };
	struct sse_show s;
	char *in = malloc(len);
	int reads = 0;

	if (in == NULL)
		return;
	memset(in, 'x', len);
	memcpy(in, field, sizeof(field));
	in[len - 2] = in[len - 1] = '\n';
	sse_show_init(&s);
	for (at = 0; at < len; at += piece) {
		piece = len - at < 4096 ? len - at : 4096;
		sse_show_feed(&s, in + at, piece);
		reads++;
	}
	is_int(reads, 489, "C12: 489 reads");
	is_int(s.status, TAPE_OK, "of one long line");
	ok(strstr(s.log.data, "event '' '' 1 lines to 2000008: 'xxx") != NULL,
	    "make one event");
	is_int((int)s.log.len, 2000000 + 35, "of two million bytes");
	sse_show_release(&s);
	free(in);
}

/* A line that reaches the limit is taken, one byte more is not, at once or in
   pieces. */
static void
test_limits(void)
{
	static const char field[5] = { 'd', 'a', 't', 'a', ':' };
	size_t cap = TAPE_CAP_SSE_LINE, over, pieces, i;
	struct sse_show s;
	char *in = malloc(cap + 3);

	if (in == NULL)
		return;
	memset(in, ':', cap + 3);
	sse_show_init(&s);
	for (over = 0; over < 2; over++)
		for (pieces = 1; pieces < 4; pieces++) {
			sse_show_clear(&s);
			in[cap] = in[cap + 1] = ':';
			in[cap + over] = '\n';
			for (i = 0; i < pieces; i++) {
				size_t a = (cap + over + 1) * i / pieces;
				size_t b = (cap + over + 1) * (i + 1) / pieces;

				sse_show_feed(&s, in + a, b - a);
			}
			is_int(s.status, over > 0 ? TAPE_E_LIMIT : TAPE_OK,
			    "%zu bytes over the limit in %zu pieces", over,
			    pieces);
		}
	is_str(s.err.text,
	    "a line of the event stream is longer than 16777216 bytes",
	    "in words");
	is_int(
	    tape_sse_feed(&s.p, "\n\n", 2, NULL), TAPE_E_LIMIT, "and for good");
	sse_show_clear(&s);
	memset(in, 'x', cap);
	memcpy(in, field, sizeof(field));
	in[cap] = '\n';
	for (i = 0; i < 3; i++)
		sse_show_feed(&s, in, cap + 1);
	is_int(s.status, TAPE_E_LIMIT, "an event has a limit too");
	is_str(s.err.text,
	    "an event of the event stream is longer than 33554432 bytes",
	    "in words");
	sse_show_release(&s);
	free(in);
}

struct stop {
	int after, seen;
};

static enum tape_status
count(struct stop *s, struct tape_err *err)
{
	if (++s->seen < s->after)
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_DATA, "enough");
}

static enum tape_status
stop_event(void *user, const struct tape_sse_event *ev, struct tape_err *err)
{
	(void)ev;
	return count(user, err);
}

static enum tape_status
stop_field(void *user, const struct tape_sse_field *f, struct tape_err *err)
{
	(void)f;
	return count(user, err);
}

static void
test_callbacks(void)
{
	static const struct tape_sse_calls all = { stop_event, stop_field,
		stop_field };
	static const struct tape_sse_calls none = { NULL, NULL, NULL };
	static const char in[] = "data: 1\n\n: c\nx: y\ndata: 2\n\n";
	struct tape_sse p;
	struct stop stop;
	struct tape_err err = { 0 };
	int i;

	for (i = 1; i <= 4; i++) {
		stop = (struct stop){ .after = i };
		tape_err_clear(&err);
		tape_sse_init(&p, &all, &stop);
		is_int(tape_sse_feed(&p, in, strlen(in), &err), TAPE_E_DATA,
		    "callback %d stops", i);
		is_int(stop.seen, i, "at once");
		is_str(err.text, "enough", "with its own words");
		tape_err_clear(&err);
		is_int(tape_sse_feed(&p, in, strlen(in), &err), TAPE_E_DATA,
		    "and for good");
		is_int(stop.seen, i, "without a call");
		tape_sse_release(&p);
	}
	tape_sse_init(&p, &none, NULL);
	is_int(tape_sse_feed(&p, in, strlen(in), &err), TAPE_OK,
	    "no callback is needed");
	is_int((int)p.counts.events, 2, "to count");
	tape_sse_release(&p);
}

static void
test_memory(void)
{
	static const char in[] =
	    "event: abc\nid: 1\ndata: one\ndata: two\n\ndata: three\n\n";
	struct sse_show s;
	enum tape_status st = TAPE_E_NOMEM;
	struct tape_err err;
	unsigned n;
	size_t i;

	for (n = 1; st != TAPE_OK && n < 20; n++) {
		sse_show_init(&s);
		(void)tape_buf_reserve(&s.log, 4096);
		tape_err_clear(&err);
		(void)tape_mem_fail_at(n);
		st = TAPE_OK;
		for (i = 0; st == TAPE_OK && i < strlen(in); i++)
			st = tape_sse_feed(&s.p, in + i, 1, &err);
		(void)tape_mem_fail_at(0);
		if (st != TAPE_OK)
			is_int(err.status, TAPE_E_NOMEM, "allocation %u", n);
		sse_show_release(&s);
	}
	is_int(st, TAPE_OK, "and then it succeeds");
	ok(n > 4, "after several failures");
	sse_show_init(&s);
	for (n = 0; n < 4; n++) {
		sse_show_clear(&s);
		if (n == 1)
			(void)tape_mem_fail_at(0);
		for (i = 0; i < strlen(in); i++)
			sse_show_feed(&s, in + i, 1);
	}
	is_int((int)tape_mem_fail_at(0), 0, "a used parser needs no memory");
	sse_show_release(&s);
	sse_show_release(&s);
}

int
main(void)
{
	struct sse_show s;
	size_t i;

	sse_show_init(&s);
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		test_stream(&s, &streams[i]);
	sse_show_release(&s);
	test_cr_at_once();
	test_long_line();
	test_limits();
	test_callbacks();
	test_memory();
	return done_testing();
}
