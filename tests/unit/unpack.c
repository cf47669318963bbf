/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_unpack.h"

#include "base/buf.h"
#include "base/mem.h"
#include "unit/tap.h"

#include <stdlib.h>
#include <zlib.h>

#define TEXT "data: {\"a\":1}\n\ndata: {\"a\":2}\n\ndata: [DONE]\n\n"

static struct tape_err err;

static enum tape_status
collect(void *user, const char *bytes, size_t len, struct tape_err *e)
{
	struct tape_buf *b = user;

	(void)tape_buf_add(b, bytes, len);
	return tape_buf_status(b, e);
}

/* Compresses a text; flush_at: bytes behind which all is flushed, 0 none. */
static void
pack_z(struct tape_buf *out, int window_bits, const char *text, size_t len,
    size_t flush_at)
{
	z_stream z = { 0 };
	unsigned char dst[4096];
	const size_t ends[] = { flush_at, len };

	if (deflateInit2(
		&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	for (size_t i = 0, at = 0; i < 2; at = ends[i++]) {
		z.next_in = (unsigned char *)(uintptr_t)(text + at);
		z.avail_in = (unsigned)(ends[i] - at);
		do {
			z.next_out = dst;
			z.avail_out = sizeof(dst);
			if (i == 1 || flush_at > 0)
				(void)deflate(
				    &z, i == 1 ? Z_FINISH : Z_SYNC_FLUSH);
			(void)tape_buf_add(out, dst, sizeof(dst) - z.avail_out);
		} while (z.avail_out == 0);
	}
	(void)deflateEnd(&z);
}

static void
pack_zstd(struct tape_buf *out, const char *text, size_t len, size_t flush_at)
{
	struct tape_zstd_enc e = { 0 };
	const size_t ends[] = { flush_at, len };
	char dst[4096];

	if (tape_zstd_enc_open(&e, 19, &err) != TAPE_OK)
		return;
	for (size_t i = 0, at = 0; i < 2; at = ends[i++]) {
		struct tape_zstd_step s = { .src = text + at,
			.src_len = ends[i] - at,
			.dst = dst,
			.dst_size = sizeof(dst) };

		if (ends[i] == at)
			continue;
		do {
			if (tape_zstd_enc_step(&e,
				i == 1 ? TAPE_ZSTD_END : TAPE_ZSTD_FLUSH, &s,
				&err) != TAPE_OK)
				return;
			(void)tape_buf_add(out, dst, s.made);
			s.src += s.used;
			s.src_len -= s.used;
		} while (!s.ended);
	}
	tape_zstd_enc_release(&e);
}

static void
pack(struct tape_buf *out, enum tape_unpack_coding coding, const char *text,
    size_t len, size_t flush_at)
{
	if (coding == TAPE_UNPACK_ZSTD)
		pack_zstd(out, text, len, flush_at);
	else
		pack_z(out, coding == TAPE_UNPACK_GZIP ? 31 : 15, text, len,
		    flush_at);
}

/* Feeds in pieces of n bytes, each in a block of its own. */
static enum tape_status
feed(struct tape_unpack *u, const char *p, size_t len, size_t n)
{
	enum tape_status st = TAPE_OK;
	size_t m;

	for (size_t at = 0; at < len && st == TAPE_OK; at += m) {
		char *own;

		m = len - at < n ? len - at : n;
		own = malloc(m);
		if (own == NULL)
			return TAPE_E_NOMEM;
		memcpy(own, p + at, m);
		st = tape_unpack_feed(u, own, m, &err);
		free(own);
	}
	return st;
}

struct test {
	struct tape_unpack u;
	struct tape_buf in, out;
};

static void
test_init(struct test *t)
{
	tape_buf_init(&t->in, (size_t)64 << 20);
	tape_buf_init(&t->out, (size_t)64 << 20);
	tape_unpack_init(&t->u, collect, &t->out);
	tape_err_clear(&err);
}

static void
test_clear(struct test *t, enum tape_unpack_coding coding)
{
	tape_unpack_clear(&t->u, coding);
	tape_buf_clear(&t->out);
	tape_err_clear(&err);
}

static void
test_release(struct test *t)
{
	tape_unpack_release(&t->u);
	tape_buf_release(&t->in);
	tape_buf_release(&t->out);
}

static void
test_whole(struct test *t, enum tape_unpack_coding coding, const char *name)
{
	size_t bad = 0;

	tape_buf_clear(&t->in);
	pack(&t->in, coding, TEXT, strlen(TEXT), 0);
	for (size_t n = 1; n <= t->in.len; n++) {
		test_clear(t, coding);
		ok(tape_unpack_complete(&t->u) || n > 1, "nothing is whole");
		if (feed(&t->u, t->in.data, t->in.len, n) != TAPE_OK ||
		    strcmp(t->out.data, TEXT) != 0 ||
		    !tape_unpack_complete(&t->u) ||
		    t->u.in_bytes != t->in.len ||
		    t->u.out_bytes != strlen(TEXT))
			bad++;
	}
	is_int((int)bad, 0, "%s in pieces of any size", name);
	bad = 0;
	for (size_t n = 1; n < t->in.len; n++) {
		test_clear(t, coding);
		bad += feed(&t->u, t->in.data, n, n) != TAPE_OK;
		bad += tape_unpack_complete(&t->u);
		bad += strncmp(t->out.data, TEXT, t->out.len) != 0;
	}
	is_int((int)bad, 0, "cut off it is not complete");
}

/* What a flush has completed comes with the flush. */
static void
test_flush(struct test *t, enum tape_unpack_coding coding)
{
	struct tape_buf head;
	size_t len;

	tape_buf_init(&head, 4096);
	tape_buf_clear(&t->in);
	pack(&t->in, coding, TEXT, strlen(TEXT), 15);
	if (coding == TAPE_UNPACK_ZSTD) {
		/* where its block ends is not seen from outside */
		for (len = 1; len < t->in.len; len++) {
			test_clear(t, coding);
			(void)feed(&t->u, t->in.data, len, len);
			if (t->out.len >= 15)
				break;
		}
	} else {
		len = (size_t)((char *)memmem(
				   t->in.data, t->in.len, "\0\0\xff\xff", 4) -
			       t->in.data) +
		      4;
		test_clear(t, coding);
		(void)feed(&t->u, t->in.data, len, len);
	}
	is_str(t->out.data, "data: {\"a\":1}\n\n", "the first event is there");
	is_int(feed(&t->u, t->in.data + len, t->in.len - len, 1), TAPE_OK,
	    "and the rest comes");
	is_str(t->out.data, TEXT, "whole");
	tape_buf_release(&head);
}

static void
test_members(struct test *t)
{
	tape_buf_clear(&t->in);
	for (int i = 0; i < 3; i++)
		pack_z(&t->in, 31, "ab", 2, 0);
	test_clear(t, TAPE_UNPACK_GZIP);
	is_int(feed(&t->u, t->in.data, t->in.len, 7), TAPE_OK, "three members");
	is_str(t->out.data, "ababab", "are one text");
	is_int(feed(&t->u, "junk", 4, 4), TAPE_E_FORMAT, "junk is none");
	ok(t->u.failed, "so the data is at fault");
	is_str(err.text,
	    "the answer's gzip data is damaged: incorrect header check",
	    "in words");
	is_int(
	    tape_unpack_feed(&t->u, "x", 1, NULL), TAPE_E_FORMAT, "for good");
	tape_buf_clear(&t->in);
	pack_zstd(&t->in, "ab", 2, 0);
	pack_zstd(&t->in, "cd", 2, 0);
	test_clear(t, TAPE_UNPACK_ZSTD);
	is_int(feed(&t->u, t->in.data, t->in.len, 100), TAPE_OK, "two frames");
	is_str(t->out.data, "abcd", "too");
}

static void
test_raw_deflate(struct test *t)
{
	tape_buf_clear(&t->in);
	pack_z(&t->in, -15, TEXT, strlen(TEXT), 0);
	for (size_t n = 1; n < 4; n++) {
		test_clear(t, TAPE_UNPACK_DEFLATE);
		is_int(feed(&t->u, t->in.data, t->in.len, n), TAPE_OK,
		    "deflate without its header");
		is_str(t->out.data, TEXT, "is understood");
		ok(tape_unpack_complete(&t->u), "and ends");
	}
	is_int(feed(&t->u, "x", 1, 1), TAPE_E_FORMAT, "nothing follows it");
	is_str(err.text,
	    "the answer's deflate data is damaged: there is more behind its "
	    "end",
	    "in words");
	test_clear(t, TAPE_UNPACK_DEFLATE);
	is_int(feed(&t->u, "x", 1, 1), TAPE_OK, "one byte says nothing");
	ok(!tape_unpack_complete(&t->u), "but is not all");
}

static void
test_damage(struct test *t, enum tape_unpack_coding coding, const char *want)
{
	tape_buf_clear(&t->in);
	pack(&t->in, coding, TEXT, strlen(TEXT), 15);
	t->in.data[t->in.len - 2] ^= 1; /* in the checksum */
	for (size_t n = 1; n < 100; n += 98) {
		test_clear(t, coding);
		is_int(feed(&t->u, t->in.data, t->in.len, n), TAPE_E_FORMAT,
		    "a wrong checksum");
		ok(t->u.failed, "the data is at fault");
		is_str(t->out.data, TEXT, "what came before is there");
	}
	is_str(err.text, want, "in words");
	test_clear(t, coding);
	is_int(feed(&t->u, "<html></html>", 13, 13), TAPE_E_FORMAT,
	    "what is not compressed at all");
}

/* A few bytes that stand for very many. */
static void
test_bomb(struct test *t, enum tape_unpack_coding coding, const char *want)
{
	const size_t len = (size_t)48 << 20;
	char *zeros = calloc(1, len);

	if (zeros == NULL)
		return;
	tape_buf_clear(&t->in);
	pack(&t->in, coding, zeros, len, 0);
	free(zeros);
	test_clear(t, coding);
	is_int(feed(&t->u, t->in.data, t->in.len, 1000), TAPE_E_LIMIT,
	    "a bomb of %zu bytes", t->in.len);
	ok(t->u.failed, "the data is at fault");
	is_str(err.text, want, "in words");
	ok(t->out.len < (size_t)4 << 20, "after %zu bytes", t->out.len);
}

/* Data that only repeats itself a lot is none. */
static void
test_no_bomb(struct test *t)
{
	struct tape_buf text;

	tape_buf_init(&text, (size_t)16 << 20);
	for (int i = 0; i < 100000; i++)
		(void)tape_buf_add_fmt(&text,
		    "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,"
		    "\"delta\":{\"content\":\" %x\"}}]}\n\n",
		    (unsigned)i * 2654435761U);
	tape_buf_clear(&t->in);
	pack(&t->in, TAPE_UNPACK_GZIP, text.data, text.len, 0);
	test_clear(t, TAPE_UNPACK_GZIP);
	is_int(feed(&t->u, t->in.data, t->in.len, 4096), TAPE_OK,
	    "%zu bytes in %zu", text.len, t->in.len);
	ok(t->out.len == text.len &&
		memcmp(t->out.data, text.data, text.len) == 0,
	    "come out");
	tape_buf_release(&text);
}

/* A frame that asks for a window of 128 MiB. */
static void
test_window(struct test *t)
{
	static const char frame[] = { 0x28, (char)0xb5, 0x2f, (char)0xfd, 0,
		(char)0x88, 1, 0, 0 };

	test_clear(t, TAPE_UNPACK_ZSTD);
	is_int(feed(&t->u, frame, sizeof(frame), 100), TAPE_E_LIMIT,
	    "a window of 128 MiB");
	is_str(err.text,
	    "the answer's zstd data: compressed data needs a window larger "
	    "than 8 MiB",
	    "is refused");
}

static enum tape_status
stop(void *user, const char *bytes, size_t len, struct tape_err *e)
{
	(void)user;
	(void)bytes;
	(void)len;
	return tape_err_set(e, TAPE_E_DATA, "enough");
}

static void
test_stop(struct test *t, enum tape_unpack_coding coding)
{
	struct tape_unpack u;

	tape_buf_clear(&t->in);
	pack(&t->in, coding, TEXT, strlen(TEXT), 0);
	tape_unpack_init(&u, stop, NULL);
	tape_unpack_clear(&u, coding);
	tape_err_clear(&err);
	is_int(feed(&u, t->in.data, t->in.len, 100), TAPE_E_DATA,
	    "what the callback returns comes back");
	ok(!u.failed, "and the data is not at fault");
	is_int(tape_unpack_feed(&u, "x", 1, NULL), TAPE_E_DATA, "for good");
	tape_unpack_release(&u);
}

static void
test_memory(struct test *t)
{
	bool good = true;
	int failed = 0;

	tape_buf_clear(&t->in);
	pack(&t->in, TAPE_UNPACK_GZIP, TEXT, strlen(TEXT), 0);
	for (uint64_t n = 1; n < 100; n++) {
		enum tape_status st;

		test_release(t);
		test_init(t);
		pack(&t->in, TAPE_UNPACK_GZIP, TEXT, strlen(TEXT), 0);
		test_clear(t, TAPE_UNPACK_GZIP);
		(void)tape_mem_fail_at(n);
		st = feed(&t->u, t->in.data, t->in.len, 100);
		(void)tape_mem_fail_at(0);
		failed += st == TAPE_E_NOMEM;
		good = good && (st == TAPE_OK || st == TAPE_E_NOMEM);
		if (st == TAPE_OK)
			break;
	}
	ok(good && failed >= 4, "out of memory %d times", failed);
}

static void
test_names(void)
{
	is_int(tape_unpack_find(""), TAPE_UNPACK_NONE, "no header");
	is_int(tape_unpack_find("Identity"), TAPE_UNPACK_NONE, "identity");
	is_int(tape_unpack_find("GZIP"), TAPE_UNPACK_GZIP, "gzip");
	is_int(tape_unpack_find("x-gzip"), TAPE_UNPACK_GZIP, "its old name");
	is_int(tape_unpack_find("deflate"), TAPE_UNPACK_DEFLATE, "deflate");
	is_int(tape_unpack_find("zstd"), TAPE_UNPACK_ZSTD, "zstd");
	is_int(tape_unpack_find("br"), TAPE_UNPACK_UNKNOWN, "br");
	is_int(tape_unpack_find("gzip, gzip"), TAPE_UNPACK_UNKNOWN, "several");
}

int
main(void)
{
	struct test t;

	test_init(&t);
	test_whole(&t, TAPE_UNPACK_GZIP, "gzip");
	test_whole(&t, TAPE_UNPACK_DEFLATE, "deflate");
	test_whole(&t, TAPE_UNPACK_ZSTD, "zstd");
	test_flush(&t, TAPE_UNPACK_GZIP);
	test_flush(&t, TAPE_UNPACK_DEFLATE);
	test_flush(&t, TAPE_UNPACK_ZSTD);
	test_members(&t);
	test_raw_deflate(&t);
	test_damage(&t, TAPE_UNPACK_GZIP,
	    "the answer's gzip data is damaged: incorrect length check");
	test_damage(&t, TAPE_UNPACK_ZSTD,
	    "the answer's zstd data: compressed data fails its checksum");
	test_bomb(&t, TAPE_UNPACK_GZIP,
	    "the answer's gzip data unpacks to more than 256 times its size");
	test_bomb(&t, TAPE_UNPACK_ZSTD,
	    "the answer's zstd data unpacks to more than 256 times its size");
	test_no_bomb(&t);
	test_window(&t);
	test_stop(&t, TAPE_UNPACK_GZIP);
	test_stop(&t, TAPE_UNPACK_ZSTD);
	test_memory(&t);
	test_names();
	test_release(&t);
	return done_testing();
}
