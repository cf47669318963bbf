/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/writer.h"

#include "base/mem.h"
#include "codec/stream_in.h"
#include "unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CAP ((size_t)16 << 20)

static struct tape_header
some_header(void)
{
	struct tape_header h;

	tape_schema_init(TAPE_KIND_HEADER, &h);
	h.format = tape_str_of("ignored");
	h.version = tape_str_of("9.9");
	h.epoch = tape_str_of("2026-03-01T12:00:00.000000000Z");
	h.epoch_mono = tape_str_of("1.000000000");
	h.run_id = tape_str_of("r");
	h.prov = tape_str_of("[]");
	return h;
}

#define HEADER                                                                 \
 "{\"kind\":\"header\",\"format\":\"llmtape.wire\",\"version\":\"1.1\","       \
 "\"epoch\":\"2026-03-01T12:00:00.000000000Z\","                               \
 "\"epoch_mono\":\"1.000000000\",\"run_id\":\"r\",\"prov\":[]}\n"

static struct tape_writer *
open_buf(struct tape_buf *b, int level)
{
	struct tape_out_opts opts = { .level = level };
	struct tape_err err = { 0 };
	struct tape_writer *w;
	struct tape_out *out;

	tape_buf_init(b, CAP);
	if (tape_out_open_buf(&out, b, &opts, &err) != TAPE_OK ||
	    tape_writer_open(&w, out, TAPE_FORMAT_WIRE, &err) != TAPE_OK)
		abort();
	return w;
}

static enum tape_status
put_clock(struct tape_writer *w, int64_t t_ns, struct tape_err *err)
{
	struct tape_tick c;

	tape_schema_init(TAPE_KIND_CLOCK, &c);
	c.t_ns = t_ns;
	c.offset_ns = 7;
	return tape_writer_put(w, TAPE_KIND_CLOCK, &c, err);
}

/* All text of b, decompressed, into text; how it ended. */
static enum tape_status
unpack(const struct tape_buf *b, struct tape_buf *text)
{
	struct tape_err err = { 0 };
	struct tape_in *in;
	const char *line;
	size_t len;
	enum tape_status st;

	tape_buf_init(text, CAP);
	if (tape_in_open_mem(&in, b->data, b->len, "mem", &err) != TAPE_OK)
		abort();
	while ((st = tape_in_line(in, &line, &len, &err)) == TAPE_OK) {
		(void)tape_buf_add(text, line, len);
		(void)tape_buf_add_char(text, '\n');
	}
	tape_in_free(in);
	return st;
}

static void
holds(const struct tape_buf *b, const char *want, const char *what)
{
	struct tape_buf text;

	is_int(unpack(b, &text), TAPE_EOF, "%s: whole frames", what);
	is_str(text.data, want, "%s: the text", what);
	tape_buf_release(&text);
}

#define WHOLE                                                                  \
 HEADER "{\"kind\":\"clock\",\"t_ns\":1,\"offset_ns\":7}\n"                    \
	"{\"kind\":\"clock\",\"t_ns\":2,\"offset_ns\":7,\"later\":[1]}\n"      \
	"{\"kind\":\"end\",\"records\":2,\"status\":\"interrupted\"}\n"

static void
write_whole(struct tape_writer *w, struct tape_buf *b)
{
	static const char raw[] = "{\"kind\":\"clock\",\"t_ns\":2,"
				  "\"offset_ns\":7,\"later\":[1]}";
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	struct tape_record rec;

	tape_record_init(&rec);
	ok(!tape_writer_open_segment(w), "no segment at first");
	is_int(tape_writer_header(w, &h, &err), TAPE_OK, "a header");
	holds(b, HEADER, "header, at once");
	ok(tape_writer_open_segment(w), "begins a segment");
	is_int(put_clock(w, 1, &err), TAPE_OK, "a record");
	is_int(tape_record_decode(&rec, raw, sizeof(raw) - 1, &err), TAPE_OK,
	    "a record of a later version");
	is_int(tape_writer_pass(w, &rec, &err), TAPE_OK, "passed on");
	holds(b, HEADER, "records, not at once");
	is_int((int)tape_writer_records(w), 2, "two records");
	is_int((int)tape_writer_segments(w), 1, "in one segment");
	is_int(tape_writer_end(w, TAPE_ENDING_INTERRUPTED, &err), TAPE_OK,
	    "an end");
	holds(b, WHOLE, "segment");
	ok(!tape_writer_open_segment(w), "ends it");
	tape_record_release(&rec);
}

static void
test_segment(int level)
{
	struct tape_buf b;
	struct tape_writer *w = open_buf(&b, level);
	struct tape_header h = some_header();
	struct tape_err err = { 0 };

	write_whole(w, &b);
	is_int(tape_writer_header(w, &h, &err), TAPE_OK, "a second segment");
	is_int((int)tape_writer_records(w), 0, "counts anew");
	is_int((int)tape_writer_segments(w), 2, "in the second segment");
	is_int(put_clock(w, 3, &err), TAPE_OK, "a record");
	is_int(tape_writer_flush(w, &err), TAPE_OK, "flushed");
	{
		struct tape_buf text;

		is_int(unpack(&b, &text), level == 0 ? TAPE_EOF : TAPE_E_TRUNC,
		    "an open frame");
		ok(text.len > sizeof(WHOLE HEADER), "has the record");
		tape_buf_release(&text);
	}
	is_int(tape_writer_end_frame(w, &err), TAPE_OK, "frame ended");
	holds(&b,
	    WHOLE HEADER "{\"kind\":\"clock\",\"t_ns\":3,\"offset_ns\":7}\n",
	    "after a frame's end");
	is_int(tape_writer_end(w, TAPE_ENDING_COMPLETE, &err), TAPE_OK, "end");
	is_int(tape_writer_close(w, &err), TAPE_OK, "close");
	holds(&b,
	    WHOLE HEADER
	    "{\"kind\":\"clock\",\"t_ns\":3,\"offset_ns\":7}\n"
	    "{\"kind\":\"end\",\"records\":1,\"status\":\"complete\"}\n",
	    "two segments");
	tape_buf_release(&b);
}

static void
test_misuse(void)
{
	struct tape_buf b;
	struct tape_writer *w = open_buf(&b, 0);
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	struct tape_tick c;
	struct tape_request q;

	is_int(put_clock(w, 1, &err), TAPE_E_BUG, "record without a header");
	is_int(tape_writer_end(w, TAPE_ENDING_COMPLETE, NULL), TAPE_E_BUG,
	    "end without a header");
	is_int(tape_writer_header(w, &h, NULL), TAPE_OK, "header");
	is_int(tape_writer_header(w, &h, NULL), TAPE_E_BUG, "header again");
	tape_schema_init(TAPE_KIND_REQUEST, &q);
	q.id = tape_str_of("1");
	q.input.text = tape_str_of("x");
	tape_err_clear(&err);
	is_int(tape_writer_put(w, TAPE_KIND_REQUEST, &q, &err), TAPE_E_BUG,
	    "kind of another stream");
	is_str(err.text, "record of kind 3 written into a llmtape.wire stream",
	    "is named");
	is_int(tape_writer_put(w, TAPE_KIND_HEADER, &h, NULL), TAPE_E_BUG,
	    "header as a record");
	tape_schema_init(TAPE_KIND_CLOCK, &c);
	is_int(tape_writer_put(w, TAPE_KIND_CLOCK, &c, NULL), TAPE_E_BUG,
	    "record without what it must have");
	is_int((int)tape_writer_records(w), 0, "nothing is counted");
	is_str(b.data, HEADER, "nor written");
	tape_err_clear(&err);
	is_int(tape_writer_close(w, &err), TAPE_E_BUG, "close before the end");
	is_str(
	    err.text, "stream closed before its segment was ended", "is said");
	tape_buf_release(&b);
	tape_writer_abort(NULL);
}

/* A writer into b, whose second output is fd. */
static struct tape_writer *
open_tee(struct tape_buf *b, int fd)
{
	struct tape_out_opts opts = { .level = 1, .flush_bytes = 10 };
	struct tape_writer *w = open_buf(b, 1);
	struct tape_out *second;
	struct tape_err err = { 0 };

	if (tape_out_open_fd(&second, fd, "pipe", &opts, &err) != TAPE_OK)
		abort();
	tape_writer_tee(w, second);
	return w;
}

static void
test_tee(void)
{
	struct tape_buf b, got;
	struct tape_writer *w;
	struct tape_err err = { 0 };
	ssize_t n;
	int fd[2];

	if (pipe(fd) != 0)
		abort();
	w = open_tee(&b, fd[1]);
	write_whole(w, &b);
	is_int(tape_writer_close(w, &err), TAPE_OK, "close both");
	tape_buf_init(&got, CAP);
	(void)tape_buf_reserve(&got, 8192);
	n = read(fd[0], got.data, 8192);
	got.len = n > 0 ? (size_t)n : 0;
	holds(&got, WHOLE, "second output");
	(void)close(fd[0]);
	tape_buf_release(&got);
	tape_buf_release(&b);
}

static void
test_broken_tee(void)
{
	struct tape_buf b;
	struct tape_writer *w;
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	int fd[2];

	(void)signal(SIGPIPE, SIG_IGN);
	for (int when = 0; when < 4; when++) {
		if (pipe(fd) != 0)
			abort();
		w = open_tee(&b, fd[1]);
		if (when == 0)
			(void)close(fd[0]);
		is_int(tape_writer_header(w, &h, &err), TAPE_OK, "header");
		if (when == 1)
			(void)close(fd[0]);
		is_int(put_clock(w, 1, &err), TAPE_OK, "record");
		if (when == 2)
			(void)close(fd[0]);
		is_int(tape_writer_flush(w, &err), TAPE_OK, "flush");
		is_int(tape_writer_end(w, TAPE_ENDING_COMPLETE, &err), TAPE_OK,
		    "end");
		if (when == 3)
			(void)close(fd[0]);
		is_int(
		    tape_writer_close(w, &err), TAPE_OK, "the first goes on");
		holds(&b,
		    HEADER
		    "{\"kind\":\"clock\",\"t_ns\":1,\"offset_ns\":7}\n"
		    "{\"kind\":\"end\",\"records\":1,\"status\":\"complete\"}"
		    "\n",
		    "first output");
		tape_buf_release(&b);
	}
	w = open_tee(&b, open("/dev/full", O_WRONLY));
	is_int(tape_writer_header(w, &h, &err), TAPE_E_IO,
	    "another failure of the second is one");
	is_int(err.sys, ENOSPC, "with its reason");
	tape_writer_abort(w);
	tape_buf_release(&b);
}

/* The reader of the second is there, and takes nothing. */
static void
test_slow_tee(void)
{
	struct tape_out_opts opts = { .level = 0, .flush_bytes = 10 };
	struct tape_header h = some_header();
	struct tape_buf b;
	struct tape_writer *w = open_buf(&b, 1);
	struct tape_out *second;
	struct tape_err err = { 0 };
	int fd[2];
	int64_t n = 0;

	opts.patience.stall_ns = 20000000;
	if (pipe(fd) != 0 ||
	    tape_out_open_fd(&second, fd[1], "pipe", &opts, &err) != TAPE_OK)
		abort();
	tape_writer_tee(w, second);
	is_int(tape_writer_header(w, &h, &err), TAPE_OK, "header");
	ok(!tape_writer_tee_news(w, &err), "nothing to tell");
	while (!tape_writer_tee_news(w, &err) && n < 100000)
		if (put_clock(w, ++n, &err) != TAPE_OK)
			break;
	ok(n < 100000, "it is given up, which is news");
	is_int(err.sys, ETIMEDOUT, "for this reason");
	is_str(err.name, "pipe", "of whom");
	ok(!tape_writer_tee_news(w, &err), "once");
	tape_err_clear(&err);
	is_int(put_clock(w, ++n, &err), TAPE_OK, "the first goes on");
	is_int(tape_writer_end(w, TAPE_ENDING_COMPLETE, &err), TAPE_OK, "end");
	ok(tape_writer_bytes(w) == b.len, "bytes are what was written");
	ok(tape_writer_text_bytes(w) > tape_writer_bytes(w), "of more text");
	is_int(tape_writer_close(w, &err), TAPE_OK, "close");
	(void)close(fd[0]);
	tape_buf_release(&b);
}

static void
test_full_device(void)
{
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	struct tape_writer *w;
	struct tape_out *out;
	int fd = open("/dev/full", O_WRONLY);

	if (tape_out_open_fd(&out, fd, "full", NULL, &err) != TAPE_OK ||
	    tape_writer_open(&w, out, TAPE_FORMAT_WIRE, &err) != TAPE_OK)
		abort();
	is_int(tape_writer_header(w, &h, &err), TAPE_E_IO, "a full device");
	is_str(err.name, "full", "is named");
	is_int(tape_writer_close(w, NULL), TAPE_E_IO, "still at close");
}

/* A killed writer leaves all frames that it ended, and what it flushed. */
static void
killed_writer(const char *path)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	struct tape_writer *w;
	struct tape_out *out;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	enum tape_status st;

	if (tape_out_open_fd(&out, fd, path, &opts, &err) != TAPE_OK ||
	    tape_writer_open(&w, out, TAPE_FORMAT_WIRE, &err) != TAPE_OK)
		_exit(1);
	st = tape_writer_header(w, &h, &err);
	for (int64_t i = 1; i <= 1000 && st == TAPE_OK; i++) {
		st = put_clock(w, i, &err);
		if (st == TAPE_OK && i == 400)
			st = tape_writer_end_frame(w, &err);
		if (st == TAPE_OK && i == 700)
			st = tape_writer_flush(w, &err);
	}
	(void)raise(SIGKILL);
	_exit(1);
}

static void
test_kill(void)
{
	struct tape_reader_opts opts = { .formats = TAPE_FORMAT_WIRE,
		.allow_truncated = true };
	char path[] = "/tmp/tape-writer-XXXXXX";
	const char *paths[] = { path };
	struct tape_err err = { 0 };
	struct tape_reader *r;
	struct tape_record rec;
	int64_t clocks = 0, wrong = 0, counted = -1;
	int fd = mkstemp(path);
	pid_t pid = fd < 0 ? -1 : fork();
	enum tape_status st;

	if (pid == 0)
		killed_writer(path);
	ok(pid > 0 && waitpid(pid, NULL, 0) == pid, "a writer is killed");
	tape_record_init(&rec);
	st = tape_reader_open(&r, paths, 1, &opts, &err);
	while (st == TAPE_OK) {
		st = tape_reader_next(r, &rec, &err);
		if (st == TAPE_OK && rec.kind == TAPE_KIND_CLOCK)
			wrong += rec.u.clock.t_ns != ++clocks;
		else if (st == TAPE_OK && rec.kind == TAPE_KIND_END)
			counted = rec.u.end.records;
	}
	is_int(st, TAPE_EOF, "its file is read %s", err.text);
	is_int(wrong, 0, "in order");
	is_int(clocks, 700, "all that was flushed");
	is_int(counted, 700, "and that is said");
	is_int(tape_reader_ending(r), TAPE_ENDING_FAILED, "as failed");
	tape_reader_free(r);
	tape_record_release(&rec);
	(void)unlink(path);
	(void)close(fd);
}

static void
put_exchange(struct tape_writer *w, enum tape_kind kind, const char *id)
{
	struct tape_exchange x;
	struct tape_err err = { 0 };

	tape_schema_init(kind, &x);
	x.t.x = 7;
	x.t.run = 1;
	x.t.id = tape_str_of(id);
	x.t.attempt = 1;
	x.t.start_ns = 100;
	x.t.end_ns = 250;
	if (kind == TAPE_KIND_PART)
		x.seq = 0;
	is_int(tape_writer_put(w, kind, &x, &err), TAPE_OK, "written %s",
	    err.text);
}

/* The index at the end of b, whose length it returns. */
static size_t
last_index(const struct tape_buf *b, struct tape_index *head,
    struct tape_index_scan *scan)
{
	struct tape_err err = { 0 };
	size_t len = tape_index_tail(b->data + b->len - 4);

	is_int(tape_index_parse(b->data + b->len - len, len, head, scan, &err),
	    TAPE_OK, "an index frame %s", err.text);
	return len;
}

static void
test_index(void)
{
	struct tape_out_opts opts = { .level = 1, .index = true };
	static const char raw[] = "{\"kind\":\"exchange\",\"x\":8,\"run\":1,"
				  "\"id\":\"b\",\"attempt\":1,\"start_ns\":5}";
	struct tape_record rec = { .kind = TAPE_KIND_EXCHANGE,
		.line = tape_str_make(raw, sizeof(raw) - 1) };
	struct tape_header h = some_header();
	struct tape_index head;
	struct tape_index_scan scan;
	struct tape_index_entry e;
	struct tape_err err = { 0 };
	struct tape_writer *w;
	struct tape_out *out;
	struct tape_buf b;

	tape_buf_init(&b, CAP);
	if (tape_out_open_buf(&out, &b, &opts, &err) != TAPE_OK ||
	    tape_writer_open(&w, out, TAPE_FORMAT_WIRE, &err) != TAPE_OK)
		abort();
	is_int(tape_writer_header(w, &h, &err), TAPE_OK, "header");
	put_exchange(w, TAPE_KIND_PART, "a");
	is_int(put_clock(w, 1, &err), TAPE_OK, "no entry");
	put_exchange(w, TAPE_KIND_EXCHANGE, "a");
	is_int(tape_writer_end_frame(w, &err), TAPE_OK, "a frame");
	(void)last_index(&b, &head, &scan);
	is_int(head.marks, TAPE_INDEX_BEGINS, "a segment begins there");
	is_int(head.lines, 4, "with its header");
	is_int(tape_index_next(&scan, &e, &err), TAPE_OK, "a part");
	ok(e.kind == 1 && e.x == 7 && !e.has_times &&
		e.id_hash == tape_index_hash("a", 1),
	    "is found by x and id");
	is_int(tape_index_next(&scan, &e, &err), TAPE_OK, "an exchange");
	ok(e.kind == 2 && e.x == 7 && e.start_ns == 100 && e.end_ns == 250,
	    "has times, too");
	is_int(tape_index_next(&scan, &e, &err), TAPE_EOF, "no more");
	is_int(tape_writer_pass(w, &rec, &err), TAPE_OK, "undecoded");
	is_int(tape_writer_end(w, TAPE_ENDING_COMPLETE, &err), TAPE_OK, "end");
	(void)last_index(&b, &head, &scan);
	is_int(head.marks, TAPE_INDEX_ENDS | TAPE_INDEX_PARTIAL,
	    "has no entry, which is said");
	is_int(tape_writer_close(w, &err), TAPE_OK, "close");
	tape_buf_release(&b);
}

static enum tape_status
try_all(uint64_t nth)
{
	struct tape_header h = some_header();
	struct tape_err err = { 0 };
	struct tape_writer *w = NULL;
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, CAP);
	(void)tape_mem_fail_at(nth);
	st = tape_out_open_buf(&out, &b, NULL, &err);
	if (st == TAPE_OK)
		st = tape_writer_open(&w, out, TAPE_FORMAT_WIRE, &err);
	if (st == TAPE_OK)
		st = tape_writer_header(w, &h, &err);
	if (st == TAPE_OK)
		st = put_clock(w, 1, &err);
	if (st == TAPE_OK)
		st = tape_writer_end(w, TAPE_ENDING_COMPLETE, &err);
	if (st == TAPE_OK)
		st = tape_writer_close(w, &err);
	else
		tape_writer_abort(w);
	(void)tape_mem_fail_at(0);
	tape_buf_release(&b);
	return st;
}

static void
test_no_memory(void)
{
	uint64_t nth = 1;
	enum tape_status st = TAPE_E_NOMEM;

	while (nth < 100 && st == TAPE_E_NOMEM)
		st = try_all(nth++);
	is_int(st, TAPE_OK, "out of memory, then not");
	ok(nth > 5 && nth < 100, "after %d allocations", (int)nth);
}

int
main(void)
{
	test_segment(0);
	test_segment(1);
	test_misuse();
	test_tee();
	test_broken_tee();
	test_slow_tee();
	test_full_device();
	test_kill();
	test_index();
	test_no_memory();
	return done_testing();
}
