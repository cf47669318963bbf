/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/flight.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/schema.h"
#include "unit/tap.h"

#define MS TAPE_NS_PER_MS

static struct tape_course course = { .run = 1, .api = "chat" };

static struct tape_flight *
begin(void)
{
	struct tape_request r;
	struct tape_flight *f = NULL;

	tape_schema_init(TAPE_KIND_REQUEST, &r);
	r.id = tape_str_of("a");
	if (tape_flight_open(&f, &course, &r, NULL) != TAPE_OK)
		return NULL;
	f->x = 7;
	f->start_ns = 1000;
	f->piece_ns = 1000;
	return f;
}

/* What the loop does with a read: cut before it, then add it. */
static struct tape_piece *
give(struct tape_flight *f, int64_t t_ns, const char *p, size_t len)
{
	struct tape_http_read r = { t_ns, 5, p, len, true };
	struct tape_piece *cut = NULL;

	if (tape_flight_ripe(f, t_ns))
		cut = tape_flight_cut(f, t_ns);
	tape_flight_read(f, &r);
	return cut;
}

/* Everything that came, from its pieces. */
struct whole {
	struct tape_buf body;
	int64_t reads, bytes, last_t_ns, next_seq;
	int parts, wrong;
};

static void
add(struct whole *w, struct tape_piece *p)
{
	int64_t bytes = 0;

	if (p->kind == TAPE_PIECE_PART)
		w->wrong += p->seq != w->next_seq++;
	for (size_t i = 0; i < p->reads_n; i++) {
		w->wrong += p->reads[i].t_ns < w->last_t_ns;
		w->last_t_ns = p->reads[i].t_ns;
		bytes += p->reads[i].bytes;
	}
	/* A read and its bytes stand in one piece. */
	w->wrong += bytes != (int64_t)p->body.len;
	w->bytes += bytes;
	w->reads += (int64_t)p->reads_n;
	w->parts += p->kind == TAPE_PIECE_PART;
	(void)tape_buf_add(&w->body, p->body.data, p->body.len);
}

/* Text of one to four bytes a character, cut anywhere into reads. */
static void
test_pieces_make_the_whole(void)
{
	static const char *const chars[] = { "a", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x99\x82" };
	struct tape_flight *f = begin();
	struct whole w = { 0 };
	struct tape_buf text;
	struct tape_piece *p;
	unsigned r = 1;
	size_t at = 0;
	int64_t t = 1000, given = 0;
	int broken = 0;

	tape_buf_init(&text, (size_t)4 << 20);
	tape_buf_init(&w.body, (size_t)4 << 20);
	while (text.len < (size_t)1 << 20) {
		r = r * 1103515245U + 12345U;
		(void)tape_buf_add_str(&text, chars[(r >> 16) % 4]);
	}
	while (at < text.len) {
		size_t n;

		r = r * 1103515245U + 12345U;
		n = (r >> 16) % 5000 + 1;
		n = n < text.len - at ? n : text.len - at;
		t += (r >> 20) % 1000 + 1;
		p = give(f, t, text.data + at, n);
		at += n;
		given++;
		if (p == NULL)
			continue;
		add(&w, p);
		broken += !tape_utf8_valid(p->body.data, p->body.len);
		tape_piece_free(p);
	}
	tape_flight_fail(f, TAPE_HTTP_NONE, NULL, NULL, t);
	p = tape_flight_last(f);
	add(&w, p);
	broken += !tape_utf8_valid(p->body.data, p->body.len);
	is_int(f->pieces, w.parts, "the flight knows how many there were");
	tape_piece_free(p);
	ok(w.parts > 10 && w.parts < 17, "a part each 64 KiB: %d", w.parts);
	is_int(w.wrong, 0, "reads and their bytes stand together, in order");
	is_int(w.reads, given, "each read once");
	ok(w.body.len == text.len &&
		memcmp(w.body.data, text.data, text.len) == 0,
	    "the pieces make the whole");
	is_int(broken, 0, "none ends inside a character");
	tape_buf_release(&text);
	tape_buf_release(&w.body);
}

static void
test_binary(void)
{
	struct tape_flight *f = begin();
	struct tape_piece *p = NULL;
	char bytes[16384];
	int64_t t = 1000;

	memset(bytes, 0xe2, sizeof(bytes)); /* no character ever ends */
	for (int i = 0; i < 9 && p == NULL; i++)
		p = give(f, ++t, bytes, sizeof(bytes));
	ok(p != NULL && p->body.len == 131072, "cut at 128 KiB all the same");
	tape_piece_free(p);
	tape_flight_free(f);
}

static void
test_time(void)
{
	struct tape_flight *f = begin();
	struct tape_piece *p;
	int64_t s = TAPE_NS_PER_S;

	ok(!tape_flight_ripe(f, 1000 + 10 * s - 1), "nothing before 10 s");
	ok(tape_flight_ripe(f, 1000 + 10 * s), "then what is known");
	f->state.status = 200;
	f->state.head_ns = 1500;
	tape_flight_header(f, "A", 1, "b", 1);
	p = tape_flight_cut(f, 1000 + 10 * s);
	is_int(p->seq, 0, "part 0");
	is_int(p->state.status, 200, "with the status");
	is_str(p->headers.data, "A\nb\n", "and the header");
	tape_piece_free(p);
	ok(!tape_flight_ripe(f, 1000 + 60 * s), "nothing came: no part");
	p = give(f, 1000 + 61 * s, "x", 1);
	ok(p == NULL && tape_flight_ripe(f, 1000 + 61 * s),
	    "a byte came after 10 s: a part");
	p = tape_flight_cut(f, 1000 + 61 * s);
	is_int(p->seq, 1, "part 1");
	is_int((int64_t)p->headers.len, 0, "without the headers");
	is_int(p->reads[0].t_ns, 61 * s, "times count from the start");
	is_int(p->reads[0].lag_ns, 5, "lag");
	tape_piece_free(p);
	(void)give(f, 1000 + 72 * s, "\xe2\x82", 2);
	ok(!tape_flight_ripe(f, 1000 + 90 * s), "not inside a character");
	(void)give(f, 1000 + 91 * s, "\xac", 1);
	ok(tape_flight_ripe(f, 1000 + 91 * s), "but at its end");
	tape_flight_free(f);
}

/* Several callbacks of one read are one read. */
static void
test_one_read(void)
{
	struct tape_flight *f = begin();
	struct tape_http_read r = { 2000, -1, "ab", 2, true };

	tape_flight_read(f, &r);
	r.first = false;
	r.data = "cde";
	r.len = 3;
	tape_flight_read(f, &r);
	is_int((int64_t)f->hand->reads_n, 1, "one read");
	is_int(f->hand->reads[0].bytes, 5, "with all its bytes");
	is_str(f->hand->body.data, "abcde", "in order");
	tape_flight_free(f);
}

static void
test_headers_have_a_cap(void)
{
	struct tape_flight *f = begin();
	char value[3000];

	memset(value, 'v', sizeof(value));
	for (int i = 0; i < 10; i++)
		tape_flight_header(f, "Name", 4, value, sizeof(value));
	ok(f->headers.len <= TAPE_CAP_HEADERS, "%d bytes kept",
	    (int)f->headers.len);
	is_int((int64_t)f->headers.len % 3006, 0, "whole fields");
	is_int((int64_t)f->headers.len / 3006, 5, "as many as fit");
	tape_flight_free(f);
}

static void
test_memory(void)
{
	struct tape_flight *f = begin();
	struct tape_http_read r = { 2000, -1, "ab", 2, true };
	struct tape_http_result result = { .class = TAPE_HTTP_CANCELLED,
		.cause = "cancelled",
		.message = "cancelled",
		.conn_ns = -1,
		.sent_ns = -1,
		.head_ns = -1,
		.end_ns = 3000,
		.dns_ns = -1,
		.connect_ns = -1,
		.tls_ns = -1 };

	tape_mem_fail_at(1);
	tape_flight_read(f, &r);
	tape_mem_fail_at(0);
	ok(f->broken, "a read without memory breaks the flight");
	tape_flight_finish(f, &result);
	is_int(f->class, TAPE_HTTP_CLIENT, "which is this side's failure");
	is_str(f->cause, "memory", "for want of memory");
	tape_mem_fail_at(1);
	ok(tape_flight_cut(f, 4000) == NULL, "no memory for a new piece");
	tape_mem_fail_at(0);
	ok(f->hand != NULL && f->pieces == 0, "and all is as it was");
	tape_flight_free(f);
}

/* What a thousand events of one stream allocate in the loop: a piece grows
   geometrically, and the next one begins as large as the last. */
static void
test_few_allocations(void)
{
	static char event[201];
	struct tape_flight *f = begin();
	struct tape_piece *cut[40];
	size_t cuts = 0;
	uint64_t first, more;

	memset(event, 'x', sizeof(event) - 1);
	(void)tape_mem_fail_at(0);
	for (int i = 0; i < 1000; i++) {
		struct tape_piece *p = give(f, 1000 + i, event, 200);

		if (p != NULL)
			cut[cuts++] = p;
	}
	first = tape_mem_fail_at(0);
	for (int i = 0; i < 10000; i++) {
		struct tape_piece *p = give(f, 2000 + i, event, 200);

		if (p != NULL)
			cut[cuts++] = p;
	}
	more = tape_mem_fail_at(0);
	ok(first <= 30, "a thousand events: %d allocations", (int)first);
	ok(more <= 105, "ten thousand more: %d, %d pieces", (int)more,
	    (int)cuts);
	while (cuts > 0)
		tape_piece_free(cut[--cuts]);
	tape_flight_free(f);
}

int
main(void)
{
	test_few_allocations();
	test_pieces_make_the_whole();
	test_binary();
	test_time();
	test_one_read();
	test_headers_have_a_cap();
	test_memory();
	return done_testing();
}
