/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_out.h"

#include "base/mem.h"
#include "codec/stream_in.h"
#include "unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define CAP ((size_t)64 << 20)

/* A line whose length and content depend on i. */
static void
make_line(struct tape_buf *b, size_t i)
{
	tape_buf_clear(b);
	(void)tape_buf_add_fmt(b, "{\"i\":%zu,\"v\":\"", i);
	for (size_t k = 0; k < i * 37 % 257; k++)
		(void)tape_buf_add_fmt(b, "%zx", (i + k) * 2654435761U);
	(void)tape_buf_add_str(b, "\"}\n");
}

/* Whole lines in p, or -1 when they are not those from line first on. */
static int
count_lines(const char *p, size_t len, size_t first, enum tape_status *st)
{
	struct tape_err err = { 0 };
	struct tape_buf want;
	struct tape_in *in;
	const char *line;
	size_t n;
	int got = 0;

	tape_buf_init(&want, CAP);
	if (tape_in_open_mem(&in, p, len, "mem", &err) != TAPE_OK)
		abort();
	while ((*st = tape_in_line(in, &line, &n, &err)) == TAPE_OK) {
		make_line(&want, first + (size_t)got);
		if (n + 1 != want.len || memcmp(line, want.data, n) != 0) {
			got = -1;
			break;
		}
		got++;
	}
	tape_in_free(in);
	tape_buf_release(&want);
	return got;
}

static enum tape_status
write_lines(struct tape_out *out, size_t from, size_t to, uint64_t *bytes)
{
	struct tape_err err = { 0 };
	struct tape_buf b;
	enum tape_status st = TAPE_OK;

	tape_buf_init(&b, CAP);
	for (size_t i = from; i < to && st == TAPE_OK; i++) {
		make_line(&b, i);
		st = tape_out_write(out, b.data, b.len, &err);
		*bytes += b.len;
	}
	tape_buf_release(&b);
	return st;
}

static void
round_trip(int level, size_t frame_bytes)
{
	struct tape_out_opts opts = { .level = level,
		.frame_bytes = frame_bytes };
	struct tape_err err = { 0 };
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st;
	uint64_t bytes = 0, frames;

	tape_buf_init(&b, CAP);
	is_int(tape_out_open_buf(&out, &b, &opts, &err), TAPE_OK,
	    "open, level %d, frames of %zu", level, frame_bytes);
	is_int(write_lines(out, 0, 1000, &bytes), TAPE_OK, "write");
	is_int(tape_out_flush(out, &err), TAPE_OK, "flush");
	is_int((int)tape_out_bytes_in(out), (int)bytes, "counts the text");
	is_int((int)tape_out_bytes_out(out), (int)b.len, "and what it wrote");
	frames = tape_out_frames(out);
	is_int(tape_out_close(out, &err), TAPE_OK, "close");
	is_int(count_lines(b.data, b.len, 0, &st), 1000, "all comes back");
	is_int(st, TAPE_EOF, "and ends");
	if (level == 0)
		is_int((int)b.len, (int)bytes, "plain is plain");
	if (frame_bytes > 0)
		ok(frames > bytes / (frame_bytes + 5000) &&
			frames <= bytes / frame_bytes + 1,
		    "%d frames", (int)frames);
	else
		is_int((int)frames, level == 0 ? 0 : 1, "frames");
	tape_buf_release(&b);
}

/* What is there after a flush, a frame's end, a byte count. */
static void
test_policies(int level)
{
	struct tape_out_opts opts = { .level = level, .flush_bytes = 20000 };
	struct tape_err err = { 0 };
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st;
	uint64_t bytes = 0;
	size_t at;

	tape_buf_init(&b, CAP);
	st = tape_out_open_buf(&out, &b, &opts, &err);
	ok(st == TAPE_OK && write_lines(out, 0, 3, &bytes) == TAPE_OK,
	    "three lines, level %d", level);
	is_int((int)b.len, 0, "are held");
	is_int(tape_out_flush(out, &err), TAPE_OK, "until flushed");
	is_int(count_lines(b.data, b.len, 0, &st), 3, "then they are there");
	is_int(st, level == 0 ? TAPE_EOF : TAPE_E_TRUNC, "in an open frame");
	at = b.len;
	is_int(tape_out_flush(out, &err), TAPE_OK, "flush again");
	is_int((int)b.len, (int)at, "writes nothing");
	is_int(tape_out_end_frame(out, &err), TAPE_OK, "end the frame");
	is_int(count_lines(b.data, b.len, 0, &st), 3, "three lines");
	is_int(st, TAPE_EOF, "in a whole frame");
	at = b.len;
	is_int(tape_out_end_frame(out, &err), TAPE_OK, "end it again");
	is_int((int)b.len, (int)at, "makes no empty frame");
	is_int(write_lines(out, 3, 100, &bytes), TAPE_OK, "more lines");
	ok(count_lines(b.data + at, b.len - at, 3, &st) > 10,
	    "flushed by size, and decodable alone");
	is_int((int)tape_out_frames(out), level == 0 ? 0 : 2, "frames");
	is_int(tape_out_close(out, &err), TAPE_OK, "close");
	is_int(count_lines(b.data, b.len, 0, &st), 100, "all is there");
	tape_buf_release(&b);
}

static void
test_nothing_written(void)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_err err = { 0 };
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, CAP);
	st = tape_out_open_buf(&out, &b, &opts, &err);
	ok(st == TAPE_OK && tape_out_close(out, &err) == TAPE_OK, "no write");
	is_int((int)b.len, 0, "no output");
	opts.level = 23;
	is_int(tape_out_open_buf(&out, &b, &opts, &err), TAPE_E_USAGE,
	    "no such level");
	is_str(
	    err.text, "compression level 23 is outside -7 to 22", "in words");
	tape_buf_release(&b);
}

static void
test_full_device(int level)
{
	struct tape_out_opts opts = { .level = level };
	struct tape_err err = { 0 };
	struct tape_out *out;
	uint64_t bytes = 0;
	int fd = open("/dev/full", O_WRONLY);
	enum tape_status st = tape_out_open_fd(&out, fd, "full", &opts, &err);

	is_int(st, TAPE_OK, "open /dev/full, level %d", level);
	is_int(write_lines(out, 0, 3, &bytes), TAPE_OK, "held in memory");
	is_int(tape_out_flush(out, &err), TAPE_E_IO, "a flush fails");
	is_int(err.sys, ENOSPC, "with the reason");
	is_str(err.name, "full", "and the name");
	is_int(write_lines(out, 0, 1, &bytes), TAPE_E_IO, "writes do then");
	tape_err_clear(&err);
	is_int(tape_out_close(out, &err), TAPE_E_IO, "and close too");
	is_int(err.sys, ENOSPC, "with the same reason");
	fd = open("/dev/full", O_WRONLY);
	st = tape_out_open_fd(&out, fd, "full", &opts, &err);
	ok(st == TAPE_OK && write_lines(out, 0, 1, &bytes) == TAPE_OK,
	    "a line is held");
	is_int(tape_out_close(out, NULL), TAPE_E_IO, "until close fails");
	ok(fcntl(fd, F_GETFD) == -1, "which closes all the same");
}

static void
test_broken_pipe(void)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_err err = { 0 };
	struct tape_out *out;
	uint64_t bytes = 0;
	int fd[2];
	enum tape_status st;

	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe(fd) != 0)
		abort();
	st = tape_out_open_fd(&out, fd[1], "-", &opts, &err);
	(void)close(fd[0]);
	ok(st == TAPE_OK && write_lines(out, 0, 2, &bytes) == TAPE_OK,
	    "a pipe without a reader");
	is_int(tape_out_end_frame(out, &err), TAPE_E_IO, "fails");
	is_int(err.sys, EPIPE, "as such");
	tape_out_abort(out);
	ok(fcntl(fd[1], F_GETFD) == -1, "abort closes");
	tape_out_abort(NULL);
}

static void
test_close(void)
{
	struct tape_err err = { 0 };
	struct tape_out *out;
	int fd = open("/dev/null", O_WRONLY);

	is_int(tape_out_open_fd(&out, fd, "gone", NULL, &err), TAPE_OK, "open");
	(void)close(fd);
	is_int(tape_out_close(out, &err), TAPE_E_IO, "close(2) is checked");
	is_int(err.sys, EBADF, "with its reason");
	tape_err_clear(&err);
	is_int(tape_out_open_fd(&out, 1, "-", NULL, &err), TAPE_OK, "stdout");
	is_int(tape_out_close(out, &err), TAPE_OK, "closes");
	ok(fcntl(1, F_GETFD) != -1, "and stays open");
}

static bool
try_all(uint64_t nth)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_err err = { 0 };
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st, end;

	tape_buf_init(&b, CAP);
	(void)tape_mem_fail_at(nth);
	st = tape_out_open_buf(&out, &b, &opts, &err);
	if (st == TAPE_OK) {
		st = tape_out_write(out, "x\n", 2, &err);
		end = tape_out_close(out, &err);
		st = st != TAPE_OK ? st : end;
	}
	(void)tape_mem_fail_at(0);
	tape_buf_release(&b);
	if (st == TAPE_OK)
		return true;
	ok(st == TAPE_E_NOMEM && err.status == st,
	    "allocation %d fails cleanly", (int)nth);
	return false;
}

static void
test_no_memory(void)
{
	uint64_t nth = 1;
	struct tape_err err = { 0 };
	struct tape_out *out;
	struct tape_buf b;
	enum tape_status st;

	while (nth < 50 && !try_all(nth))
		nth++;
	ok(nth > 3 && nth < 50, "then all goes well");
	tape_buf_init(&b, 3);
	st = tape_out_open_buf(&out, &b, NULL, &err);
	ok(st == TAPE_OK && tape_out_write(out, "abcd", 4, &err) == TAPE_OK,
	    "more than the buffer takes");
	is_int(tape_out_close(out, &err), TAPE_E_LIMIT, "is said");
	tape_buf_release(&b);
}

int
main(void)
{
	static const int levels[] = { 0, 1, 3, 19, -5 };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		round_trip(levels[i], 0);
	round_trip(1, 30000);
	round_trip(19, 100000);
	test_policies(0);
	test_policies(1);
	test_nothing_written();
	test_full_device(0);
	test_full_device(1);
	test_broken_pipe();
	test_close();
	test_no_memory();
	return done_testing();
}
