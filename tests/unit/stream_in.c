/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_in.h"

#include "base/buf.h"
#include "base/mem.h"
#include "codec/stream_out.h"
#include "unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define CAP ((size_t)64 << 20)

/* All lines of an input, each followed by LF, and how it ended. */
struct all {
	struct tape_buf text;
	uint64_t lines;
	enum tape_status st;
	bool unterminated;
	struct tape_err err;
};

static void
drain(struct all *a, struct tape_in *in)
{
	const char *line;
	size_t len;

	memset(a, 0, sizeof(*a));
	tape_buf_init(&a->text, CAP);
	while ((a->st = tape_in_line(in, &line, &len, &a->err)) == TAPE_OK) {
		(void)tape_buf_add(&a->text, line, len);
		(void)tape_buf_add_char(&a->text, '\n');
		a->lines++;
		a->unterminated = tape_in_unterminated(in);
	}
	if (tape_in_line_no(in) != a->lines)
		ok(false, "line numbers do not count lines");
}

static void
read_mem(struct all *a, const void *p, size_t len, size_t read_max)
{
	struct tape_err err = { 0 };
	struct tape_in *in;

	if (tape_in_open_mem(&in, p, len, "mem", &err) != TAPE_OK)
		abort();
	tape_in_set_read_max(in, read_max);
	drain(a, in);
	tape_in_free(in);
}

static bool
is_text(const struct all *a, const char *p, size_t len)
{
	return a->text.len == len && memcmp(a->text.data, p, len) == 0;
}

/* Appends text as one zstd frame. */
static void
add_frame(struct tape_buf *b, const char *text, size_t len)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_err err = { 0 };
	struct tape_out *out;

	if (tape_out_open_buf(&out, b, &opts, &err) != TAPE_OK ||
	    tape_out_write(out, text, len, &err) != TAPE_OK ||
	    tape_out_close(out, &err) != TAPE_OK)
		abort();
}

static void
test_plain(void)
{
	static const char text[] = "one\n\ntwo \0 2\nlast";
	struct all a;

	read_mem(&a, "", 0, TAPE_IN_CHUNK);
	is_int(a.st, TAPE_EOF, "empty input ends at once");
	is_int((int)a.lines, 0, "without a line");
	tape_buf_release(&a.text);
	for (size_t n = 1; n < 20; n++) {
		read_mem(&a, text, sizeof(text) - 1, n);
		ok(a.st == TAPE_EOF && a.lines == 4 && a.unterminated &&
			is_text(&a, "one\n\ntwo \0 2\nlast\n", sizeof(text)),
		    "plain lines, %zu bytes a read", n);
		tape_buf_release(&a.text);
	}
	read_mem(&a, "x\n", 2, TAPE_IN_CHUNK);
	ok(a.lines == 1 && !a.unterminated, "a last LF is seen");
	tape_buf_release(&a.text);
}

static void
test_concatenation(void)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 64, TAPE_IN_CHUNK };
	static const char skip[] = "\x5a\x2a\x4d\x18\x05\0\0\0(\xb5/\xfd\n";
	struct tape_buf b;
	struct all a;
	const char *want = "p1\np2 (\xb5/\xfd inside\n(p3\nz1\nz2\np4\nz3\n"
			   "z4 and plain on\nPp\nz5\nz6";

	tape_buf_init(&b, CAP);
	(void)tape_buf_add_str(&b, "p1\np2 (\xb5/\xfd inside\n(p3\n");
	add_frame(&b, "z1\nz2\n", 6);
	(void)tape_buf_add_str(&b, "p4\n");
	(void)tape_buf_add(&b, skip, 13);
	add_frame(&b, "z3\nz4", 5);
	(void)tape_buf_add_str(&b, " and plain on\nPp\n");
	add_frame(&b, "z5\nz", 4);
	add_frame(&b, "6", 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		read_mem(&a, b.data, b.len, sizes[i]);
		(void)tape_buf_add(&a.text, "", 1);
		is_int(
		    a.st, TAPE_EOF, "mixed parts, %zu bytes a read", sizes[i]);
		ok(a.unterminated, "the last line has no LF");
		a.text.data[a.text.len - 2] = '\0';
		is_str(a.text.data, want, "all lines are there");
		tape_buf_release(&a.text);
	}
	tape_buf_release(&b);
}

/* A file of several frames, some with flushes inside. */
#define MARKS 64
struct tape {
	struct tape_buf file;
	struct tape_buf text;
	size_t marks;
	struct {
		size_t bytes; /* of the file: from here on ... */
		size_t lines; /* ... so many lines must come out */
		bool frame_end;
	} mark[MARKS];
};

static void
set_mark(struct tape *t, size_t lines, bool frame_end)
{
	t->mark[t->marks].bytes = t->file.len;
	t->mark[t->marks].lines = lines;
	t->mark[t->marks++].frame_end = frame_end;
}

static void
make_tape(struct tape *t, size_t lines)
{
	struct tape_out_opts opts = { .level = 1 };
	struct tape_err err = { 0 };
	struct tape_out *out;
	enum tape_status st;

	memset(t, 0, sizeof(*t));
	tape_buf_init(&t->file, CAP);
	tape_buf_init(&t->text, CAP);
	st = tape_out_open_buf(&out, &t->file, &opts, &err);
	set_mark(t, 0, true);
	for (size_t i = 0; i < lines && st == TAPE_OK; i++) {
		size_t at = t->text.len;

		(void)tape_buf_add_fmt(
		    &t->text, "{\"n\":%zu,\"v\":%zu}\n", i, i * 7919 % 1009);
		st = tape_out_write(
		    out, t->text.data + at, t->text.len - at, &err);
		if (st != TAPE_OK || (i != 0 && i % 3 != 2))
			continue;
		if (i % 2 == 0)
			st = tape_out_end_frame(out, &err);
		else
			st = tape_out_flush(out, &err);
		set_mark(t, i + 1, i % 2 == 0);
	}
	if (st != TAPE_OK || tape_out_close(out, &err) != TAPE_OK)
		abort();
	set_mark(t, lines, true);
}

static void
release_tape(struct tape *t)
{
	tape_buf_release(&t->file);
	tape_buf_release(&t->text);
}

static bool
cut_is_right(const struct tape *t, size_t cut, size_t read_max)
{
	struct all a;
	size_t m = 0;
	enum tape_status want;
	bool good;

	while (m + 1 < t->marks && t->mark[m + 1].bytes <= cut)
		m++;
	want = t->mark[m].frame_end && t->mark[m].bytes == cut ? TAPE_EOF
							       : TAPE_E_TRUNC;
	if (cut == 1) /* a lone "(" */
		want = TAPE_EOF;
	read_mem(&a, t->file.data, cut, read_max);
	good = a.st == want && a.lines >= t->mark[m].lines &&
	       (cut == 1 || is_text(&a, t->text.data, a.text.len));
	if (want == TAPE_E_TRUNC)
		good = good &&
		       strcmp(a.err.text,
			   "compressed data stops inside a frame") == 0 &&
		       strcmp(a.err.name, "mem") == 0 &&
		       a.err.line == a.lines + 1;
	if (!good)
		printf("# cut %zu: status %d, %d lines of %zu, %s\n", cut, a.st,
		    (int)a.lines, t->mark[m].lines, a.err.text);
	tape_buf_release(&a.text);
	return good;
}

static void
test_cuts(void)
{
	struct tape t;
	size_t bad = 0;

	make_tape(&t, 40);
	for (size_t cut = 0; cut <= t.file.len; cut++) {
		bad += !cut_is_right(&t, cut, TAPE_IN_CHUNK);
		bad += !cut_is_right(&t, cut, 1 + cut % 9);
	}
	is_int((int)bad, 0,
	    "cut at each of %zu bytes: all that was flushed, then the error",
	    t.file.len);
	release_tape(&t);
}

/*
 * A flipped bit ends in an error, changes nothing, or (in a magic number, or
 * in the flag that says that there is a checksum) adds lines that no reader of
 * records takes.
 */
static bool
flip_is_seen(const struct tape *t, const char *file)
{
	struct tape_err err = { 0 };
	struct tape_in *in;
	const char *line;
	size_t len, pos = 0;
	enum tape_status st;
	bool seen = false, wrong = false;

	if (tape_in_open_mem(&in, file, t->file.len, "mem", &err) != TAPE_OK)
		abort();
	while ((st = tape_in_line(in, &line, &len, &err)) == TAPE_OK) {
		if (len < t->text.len - pos &&
		    memcmp(t->text.data + pos, line, len) == 0 &&
		    t->text.data[pos + len] == '\n')
			pos += len + 1;
		else if (len > 0 && line[0] == '{' && line[len - 1] == '}')
			wrong = true;
		else
			seen = true;
	}
	tape_in_free(in);
	return st < 0 || seen || (!wrong && pos == t->text.len);
}

static void
test_flips(void)
{
	struct tape t;
	size_t bad = 0;

	make_tape(&t, 20);
	for (size_t i = 0; i < t.file.len * 8; i++) {
		t.file.data[i / 8] ^= (char)(1U << i % 8);
		if (!flip_is_seen(&t, t.file.data)) {
			bad++;
			printf("# bit %zu of byte %zu\n", i % 8, i / 8);
		}
		t.file.data[i / 8] ^= (char)(1U << i % 8);
	}
	is_int((int)bad, 0, "each of %zu flipped bits is seen", t.file.len * 8);
	t.file.data[t.file.len - 1] ^= 1;
	{
		struct all a;

		read_mem(&a, t.file.data, t.file.len, TAPE_IN_CHUNK);
		is_int(a.st, TAPE_E_FORMAT, "a wrong checksum is an error");
		is_str(a.err.text, "compressed data fails its checksum",
		    "that says so");
		is_int((int)a.lines, 20, "after the lines");
		tape_buf_release(&a.text);
	}
	release_tape(&t);
}

static void
test_damaged_block(void)
{
	struct tape t;
	struct all a;

	make_tape(&t, 20);
	for (size_t m = 0; m + 1 < t.marks; m++) {
		char *p = t.file.data + t.mark[m].bytes;

		if (t.mark[m].frame_end)
			continue;
		*p ^= 6 ^ (*p & 6); /* the block type that is reserved */
		read_mem(&a, t.file.data, t.file.len, TAPE_IN_CHUNK);
		is_int(a.st, TAPE_E_FORMAT, "a damaged block");
		ok(a.lines == t.mark[m].lines &&
			is_text(&a, t.text.data, a.text.len),
		    "takes none of the %zu lines before it", t.mark[m].lines);
		tape_buf_release(&a.text);
		break;
	}
	release_tape(&t);
}

static void
test_window_bomb(void)
{
	static const char wide[] = "\x28\xb5\x2f\xfd\x00\x90\x01\0\0";
	static const char single[] =
	    "\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x01\0\0";
	struct all a;

	read_mem(&a, wide, sizeof(wide) - 1, TAPE_IN_CHUNK);
	is_int(a.st, TAPE_E_LIMIT, "a window of 256 MiB is refused");
	is_str(a.err.text, "compressed data needs a window larger than 128 MiB",
	    "in words");
	tape_buf_release(&a.text);
	read_mem(&a, single, sizeof(single) - 1, TAPE_IN_CHUNK);
	is_int(a.st, TAPE_E_LIMIT, "a frame of 1 TiB in one segment too");
	tape_buf_release(&a.text);
}

static void
test_long_lines(void)
{
	size_t len = (size_t)10 << 20;
	struct tape_buf plain, packed;
	struct all a;

	tape_buf_init(&plain, CAP);
	tape_buf_init(&packed, CAP);
	while (plain.len < len)
		(void)tape_buf_add_fmt(&plain, "%zx.", plain.len);
	(void)tape_buf_add_str(&plain, "\nshort\n");
	add_frame(&packed, plain.data, plain.len);
	read_mem(&a, plain.data, plain.len, TAPE_IN_CHUNK);
	ok(a.st == TAPE_EOF && a.lines == 2 &&
		is_text(&a, plain.data, plain.len),
	    "a plain line of 10 MiB");
	tape_buf_release(&a.text);
	read_mem(&a, packed.data, packed.len, TAPE_IN_CHUNK);
	ok(a.st == TAPE_EOF && a.lines == 2 &&
		is_text(&a, plain.data, plain.len),
	    "a compressed line of 10 MiB");
	tape_buf_release(&a.text);
	tape_buf_release(&plain);
	tape_buf_release(&packed);
}

static void
test_line_cap(void)
{
	struct tape_err err = { 0 };
	struct tape_in *in;
	const char *line;
	size_t len;
	enum tape_status st;

	st = tape_in_open_mem(&in, "0123456789\n0123456789a\n", 23, "m", &err);
	is_int(st, TAPE_OK, "open");
	tape_in_set_line_cap(in, 10);
	is_int(tape_in_line(in, &line, &len, &err), TAPE_OK,
	    "a line as long as the cap");
	is_int(
	    tape_in_line(in, &line, &len, &err), TAPE_E_LIMIT, "one byte more");
	is_str(err.text, "line longer than the limit of 10 bytes", "in words");
	is_int((int)err.line, 2, "with its number");
	tape_err_clear(&err);
	is_int(
	    tape_in_line(in, &line, &len, &err), TAPE_E_LIMIT, "and it stays");
	is_str(err.name, "m", "with name and all");
	tape_in_free(in);
}

/* A pipe that brings one byte a read: the idle hook puts it there. */
struct drip {
	int fd;
	const char *p;
	size_t len;
	size_t idles;
	size_t stamps;
	size_t bytes;
	enum tape_status st;
};

static enum tape_status
drip_idle(void *arg, struct tape_err *err)
{
	struct drip *d = arg;

	d->idles++;
	if (d->st != TAPE_OK)
		return tape_err_set(err, d->st, "told to fail");
	if (d->len == 0) {
		(void)close(d->fd);
		return TAPE_OK;
	}
	if (write(d->fd, d->p, 1) != 1)
		abort();
	d->p++;
	d->len--;
	return TAPE_OK;
}

static void
drip_stamp(void *arg, size_t bytes)
{
	struct drip *d = arg;

	d->stamps++;
	d->bytes += bytes;
}

static struct tape_in *
open_drip(struct drip *d, const char *p, size_t len)
{
	struct tape_err err = { 0 };
	struct tape_in *in;
	int fd[2];

	if (pipe(fd) != 0 ||
	    tape_in_open_fd(&in, fd[0], "pipe", &err) != TAPE_OK)
		abort();
	*d = (struct drip){ .fd = fd[1], .p = p, .len = len };
	tape_in_set_idle(in, drip_idle, d);
	tape_in_set_stamp(in, drip_stamp, d);
	return in;
}

static void
test_pipe(void)
{
	struct tape t;
	struct drip d;
	struct all a;
	struct tape_in *in;

	make_tape(&t, 12);
	(void)tape_buf_add_str(&t.file, "plain\n");
	(void)tape_buf_add_str(&t.text, "plain\n");
	in = open_drip(&d, t.file.data, t.file.len);
	drain(&a, in);
	ok(a.st == TAPE_EOF && is_text(&a, t.text.data, t.text.len),
	    "one byte a read(2)");
	is_int((int)d.idles, (int)t.file.len + 1, "idle before each read");
	is_int((int)d.stamps, (int)t.file.len, "a stamp after each");
	is_int((int)d.bytes, (int)t.file.len, "with its bytes");
	is_int((int)tape_in_bytes_read(in), (int)t.file.len, "all counted");
	tape_buf_release(&a.text);
	tape_in_free(in);
	in = open_drip(&d, "a\nb", 3);
	d.st = TAPE_E_IO;
	drain(&a, in);
	is_int(a.st, TAPE_E_IO, "a failing idle hook stops the reader");
	is_str(a.err.text, "told to fail", "with its own words");
	tape_buf_release(&a.text);
	(void)close(d.fd);
	tape_in_free(in);
	release_tape(&t);
}

static void
test_no_idle_when_ready(void)
{
	struct drip d;
	struct tape_in *in = open_drip(&d, "", 0);
	struct all a;

	if (write(d.fd, "x\ny\n", 4) != 4)
		abort();
	(void)close(d.fd);
	drain(&a, in);
	is_int((int)a.lines, 2, "two lines are ready");
	is_int((int)d.idles, 0, "so that nothing is idle");
	tape_buf_release(&a.text);
	tape_in_free(in);
}

static void
test_peek_and_read(void)
{
	struct tape_err err = { 0 };
	struct drip d;
	struct tape_in *in = open_drip(&d, "data: 1\n\nend", 12);
	char buf[64];
	const char *p;
	size_t len;

	is_int(tape_in_peek(in, 5, &p, &len, &err), TAPE_OK, "peek");
	ok(len == 5 && memcmp(p, "data:", 5) == 0, "five bytes");
	is_int((int)d.stamps, 5, "and no more reads than that takes");
	is_int(tape_in_read(in, buf, 2, &len, &err), TAPE_OK, "read two");
	ok(len == 2 && memcmp(buf, "da", 2) == 0, "from the start");
	is_int(tape_in_line(in, &p, &len, &err), TAPE_OK, "then a line");
	ok(len == 5 && memcmp(p, "ta: 1", 5) == 0, "from there");
	is_int(tape_in_read(in, buf, sizeof(buf), &len, &err), TAPE_OK,
	    "then bytes");
	ok(len == 1 && buf[0] == '\n', "of one read only");
	is_int(tape_in_peek(in, 50, &p, &len, &err), TAPE_OK, "peek far");
	ok(len == 3 && memcmp(p, "end", 3) == 0, "ends at the end");
	is_int(tape_in_read(in, buf, sizeof(buf), &len, &err), TAPE_OK,
	    "the rest");
	is_int(tape_in_read(in, buf, sizeof(buf), &len, &err), TAPE_EOF,
	    "the end");
	is_int(tape_in_peek(in, 1, &p, &len, &err), TAPE_EOF, "still");
	tape_in_free(in);
}

static void
test_open(void)
{
	struct tape_err err = { 0 };
	struct tape_in *in = NULL;
	const char *line;
	size_t len;
	int fd = open("/dev/null", O_WRONLY);

	is_int(tape_in_open_path(&in, "/nonexistent/x", &err), TAPE_E_IO,
	    "a missing file");
	is_int(err.sys, ENOENT, "is said");
	ok(in == NULL, "and nothing is open");
	tape_err_clear(&err);
	is_int(tape_in_open_path(&in, "-", &err), TAPE_OK, "stdin");
	is_str(tape_in_name(in), "-", "by its name");
	tape_in_free(in);
	ok(fcntl(0, F_GETFD) != -1, "stays open");
	is_int(tape_in_open_fd(&in, fd, "wrong", &err), TAPE_OK, "write-only");
	is_int(
	    tape_in_line(in, &line, &len, &err), TAPE_E_IO, "cannot be read");
	is_int(err.sys, EBADF, "with the system's reason");
	is_str(err.name, "wrong", "and the name");
	tape_in_free(in);
	ok(fcntl(fd, F_GETFD) == -1, "the descriptor is closed");
	tape_in_free(NULL);
}

static bool
try_all(const struct tape *t, uint64_t nth)
{
	struct tape_err err = { 0 };
	struct tape_in *in = NULL;
	const char *line;
	size_t len, lines = 0;
	int fd[2];
	enum tape_status st;

	if (pipe(fd) != 0 ||
	    write(fd[1], t->file.data, t->file.len) != (ssize_t)t->file.len)
		abort();
	(void)close(fd[1]);
	(void)tape_mem_fail_at(nth);
	st = tape_in_open_fd(&in, fd[0], "pipe", &err);
	if (st != TAPE_OK)
		(void)close(fd[0]);
	while (st == TAPE_OK) {
		st = tape_in_line(in, &line, &len, &err);
		lines += st == TAPE_OK;
	}
	(void)tape_mem_fail_at(0);
	tape_in_free(in);
	if (st == TAPE_EOF)
		return lines == 12;
	ok(st == TAPE_E_NOMEM && err.status == TAPE_E_NOMEM,
	    "allocation %d fails cleanly", (int)nth);
	return false;
}

static void
test_no_memory(void)
{
	struct tape t;
	uint64_t nth = 1;

	make_tape(&t, 12);
	while (nth < 50 && !try_all(&t, nth))
		nth++;
	ok(nth > 3 && nth < 50, "then all goes well");
	release_tape(&t);
}

int
main(void)
{
	test_plain();
	test_concatenation();
	test_cuts();
	test_flips();
	test_damaged_block();
	test_window_bomb();
	test_long_lines();
	test_line_cap();
	test_pipe();
	test_no_idle_when_ready();
	test_peek_and_read();
	test_open();
	test_no_memory();
	return done_testing();
}
