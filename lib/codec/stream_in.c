/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_in.h"

#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_index.h"
#include "codec/stream_raw.h"
#include "codec/stream_zstd.h"

#include <string.h>
#include <unistd.h>

/*
 * Bytes go raw -> win, through the decoder or not.  win is text: delivered up
 * to pos, and without an LF from pos to scan.
 */
struct tape_in {
	char *name;
	struct tape_raw raw;
	enum { AT_START, IN_PLAIN, IN_ZSTD } part;
	bool after_frame; /* the last byte of text came from a frame */
	bool more_held;   /* the decoder may hold text already */
	bool unterminated;
	struct tape_zstd_dec dec;
	unsigned char frame_head[5]; /* of the frame in hand */
	uint64_t frame_used;         /* its bytes so far */
	struct tape_in_sums sums;
	struct tape_buf win;
	size_t pos;
	size_t scan;
	size_t line_cap;
	uint64_t line_no;
	struct tape_err err; /* the first failure */
};

static enum tape_status
open_any(struct tape_in **out, const void *p, size_t len, const char *name,
    struct tape_err *err)
{
	struct tape_in *in = tape_mem_calloc(1, sizeof(*in));

	*out = NULL;
	if (in == NULL)
		return tape_err_nomem(err);
	tape_raw_init(&in->raw, p, len);
	tape_buf_init(&in->win, 0);
	tape_in_set_line_cap(in, TAPE_CAP_LINE);
	in->name = tape_mem_strdup(name);
	if (in->name == NULL) {
		tape_in_free(in);
		return tape_err_nomem(err);
	}
	*out = in;
	return TAPE_OK;
}

enum tape_status
tape_in_open_fd(
    struct tape_in **out, int fd, const char *name, struct tape_err *err)
{
	enum tape_status st = open_any(out, NULL, 0, name, err);

	if (st != TAPE_OK)
		return st;
	st = tape_raw_open_fd(&(*out)->raw, fd, err);
	if (st != TAPE_OK) {
		tape_in_free(*out);
		*out = NULL;
	}
	return st;
}

enum tape_status
tape_in_open_range(struct tape_in **out, int fd, uint64_t from, uint64_t bytes,
    const char *name, struct tape_err *err)
{
	enum tape_status st = open_any(out, NULL, 0, name, err);

	if (st != TAPE_OK)
		return st;
	st = tape_raw_open_range(&(*out)->raw, fd, from, bytes, err);
	if (st != TAPE_OK) {
		tape_in_free(*out);
		*out = NULL;
	}
	return st;
}

enum tape_status
tape_in_open_path(struct tape_in **out, const char *path, struct tape_err *err)
{
	enum tape_status st;
	int fd;

	*out = NULL;
	if (strcmp(path, "-") == 0)
		return tape_in_open_fd(out, STDIN_FILENO, path, err);
	st = tape_fdio_open_read(path, &fd, err);
	if (st != TAPE_OK)
		return st;
	st = tape_in_open_fd(out, fd, path, err);
	if (st != TAPE_OK)
		(void)close(fd);
	return st;
}

enum tape_status
tape_in_open_mem(struct tape_in **out, const void *p, size_t len,
    const char *name, struct tape_err *err)
{
	return open_any(out, p, len, name, err);
}

void
tape_in_free(struct tape_in *in)
{
	if (in == NULL)
		return;
	tape_raw_release(&in->raw);
	tape_zstd_dec_release(&in->dec);
	tape_buf_release(&in->win);
	tape_mem_free(in->name);
	tape_mem_free(in);
}

static enum tape_status
cut_inside_frame(struct tape_in *in)
{
	return tape_err_set(
	    &in->err, TAPE_E_TRUNC, "compressed data stops inside a frame");
}

/* Makes room for len bytes of text behind what is in the window. */
static enum tape_status
make_room(struct tape_in *in, size_t len)
{
	size_t left = in->win.len - in->pos;

	/* Moving less than was delivered costs a byte at most one move, and
	   keeps the window small enough for the cache. */
	if (in->pos > 0 &&
	    (left <= in->pos || in->win.size - in->win.len < len)) {
		tape_buf_consume(&in->win, in->pos);
		in->scan -= in->pos;
		in->pos = 0;
	}
	if (tape_buf_reserve(&in->win, len) != TAPE_OK)
		return tape_buf_status(&in->win, &in->err);
	return TAPE_OK;
}

/* Decides what the next part is; TAPE_EOF when there is none. */
static enum tape_status
identify(struct tape_in *in)
{
	const char *p = in->raw.p + in->raw.pos;
	size_t n = in->raw.len - in->raw.pos;
	enum tape_status st;

	switch (tape_zstd_sniff(p, n)) {
	case TAPE_ZSTD_NO:
		in->part = IN_PLAIN;
		return TAPE_OK;
	case TAPE_ZSTD_YES:
		in->part = IN_ZSTD;
		in->frame_used = 0;
		if (in->dec.ctx == NULL)
			return tape_zstd_dec_open(&in->dec, &in->err);
		return TAPE_OK;
	case TAPE_ZSTD_SHORT:
		break;
	}
	st = tape_raw_refill(&in->raw, &in->err);
	if (st != TAPE_EOF || n == 0)
		return st;
	/* A lone "(" or "P" may be text; no text starts with 28 B5. */
	if (in->after_frame || (n > 1 && *p == 0x28))
		return cut_inside_frame(in);
	in->part = IN_PLAIN;
	return TAPE_OK;
}

/* How much is text before a line start that may be that of a frame. */
static size_t
plain_length(const char *p, size_t len)
{
	const char *lf;
	size_t n = 0;

	while (n < len) {
		lf = memchr(p + n, '\n', len - n);
		if (lf == NULL)
			return len;
		n = (size_t)(lf - p) + 1;
		if (n < len && tape_zstd_sniff(p + n, len - n) != TAPE_ZSTD_NO)
			break;
	}
	return n;
}

static enum tape_status
take_plain(struct tape_in *in)
{
	const char *p;
	size_t n;
	enum tape_status st;

	if (in->raw.pos == in->raw.len) {
		st = tape_raw_refill(&in->raw, &in->err);
		if (st != TAPE_OK)
			return st;
	}
	p = in->raw.p + in->raw.pos;
	n = in->raw.len - in->raw.pos;
	if (n > TAPE_IN_CHUNK)
		n = TAPE_IN_CHUNK;
	n = plain_length(p, n);
	st = make_room(in, n);
	if (st != TAPE_OK)
		return st;
	(void)tape_buf_add(&in->win, p, n);
	in->raw.pos += n;
	in->after_frame = false;
	if (p[n - 1] == '\n')
		in->part = AT_START;
	return TAPE_OK;
}

/* Bytes of the frame in hand were used; ended: they are its last. */
static void
count_frame(struct tape_in *in, const char *p, size_t len, bool ended)
{
	struct tape_in_sums *s = &in->sums;
	const unsigned char *h = in->frame_head;
	size_t had = (size_t)in->frame_used, room;

	if (had < sizeof(in->frame_head)) {
		room = sizeof(in->frame_head) - had;
		memcpy(in->frame_head + had, p, len < room ? len : room);
	}
	in->frame_used += len;
	if (!ended)
		return;
	if ((h[0] & 0xf0) != 0x50) {
		s->frames++;
		s->frame_bytes += in->frame_used;
		s->checked += (h[4] & 4) != 0; /* RFC 8878, 3.1.1.1.1.4 */
	} else if (h[0] == (TAPE_INDEX_MAGIC & 0xff)) {
		s->index_frames++;
		s->index_bytes += in->frame_used;
	} else {
		s->foreign_bytes += in->frame_used;
	}
	in->frame_used = 0;
}

static enum tape_status
take_zstd(struct tape_in *in)
{
	struct tape_zstd_step s = { 0 };
	enum tape_status st = TAPE_OK;
	bool end = false;

	if (in->raw.pos == in->raw.len && !in->more_held) {
		st = tape_raw_refill(&in->raw, &in->err);
		end = st == TAPE_EOF;
		if (st != TAPE_OK && !end)
			return st;
	}
	st = make_room(in, TAPE_ZSTD_BLOCK);
	if (st != TAPE_OK)
		return st;
	s.src = in->raw.p + in->raw.pos;
	s.src_len = in->raw.len - in->raw.pos;
	s.dst = in->win.data + in->win.len;
	s.dst_size = TAPE_ZSTD_BLOCK;
	st = tape_zstd_dec_step(&in->dec, &s, &in->err);
	if (st != TAPE_OK)
		return st;
	count_frame(in, s.src, s.used, s.ended);
	in->raw.pos += s.used;
	in->win.len += s.made;
	in->win.data[in->win.len] = '\0';
	in->more_held = s.made == s.dst_size;
	in->after_frame = true;
	if (s.ended) {
		in->part = AT_START;
		in->more_held = false;
	}
	return end && s.made == 0 && !s.ended ? cut_inside_frame(in) : TAPE_OK;
}

/* Adds at least one byte to the window, or says why not. */
static enum tape_status
more(struct tape_in *in)
{
	size_t had = in->win.len - in->pos;
	enum tape_status st = in->err.status;

	while (st == TAPE_OK && in->win.len - in->pos == had)
		switch (in->part) {
		case AT_START:
			st = identify(in);
			break;
		case IN_PLAIN:
			st = take_plain(in);
			break;
		case IN_ZSTD:
			st = take_zstd(in);
			break;
		}
	if (st < TAPE_OK)
		(void)tape_err_at(&in->err, in->name, in->line_no + 1);
	return st;
}

/* Hands a failure that more returned on to the caller. */
static enum tape_status
report(const struct tape_in *in, struct tape_err *err)
{
	if (err != NULL && err->status == TAPE_OK)
		*err = in->err;
	return in->err.status;
}

static enum tape_status
too_long(struct tape_in *in, struct tape_err *err)
{
	(void)tape_err_set(&in->err, TAPE_E_LIMIT,
	    "line longer than the limit of %zu bytes", in->line_cap);
	(void)tape_err_at(&in->err, in->name, in->line_no + 1);
	return report(in, err);
}

static enum tape_status
deliver(struct tape_in *in, const char **line, size_t *len, size_t end)
{
	*line = in->win.data + in->pos;
	*len = end - in->pos;
	in->line_no++;
	return TAPE_OK;
}

enum tape_status
tape_in_line(
    struct tape_in *in, const char **line, size_t *len, struct tape_err *err)
{
	const char *data, *lf;
	enum tape_status st;
	size_t end;

	for (;;) {
		data = in->win.data;
		lf = memchr(data + in->scan, '\n', in->win.len - in->scan);
		end = lf != NULL ? (size_t)(lf - data) : in->win.len;
		if (end - in->pos > in->line_cap)
			return too_long(in, err);
		if (lf != NULL) {
			st = deliver(in, line, len, end);
			in->pos = in->scan = end + 1;
			return st;
		}
		in->scan = end;
		st = more(in);
		if (st == TAPE_EOF && in->pos < in->win.len) {
			st = deliver(in, line, len, end);
			in->pos = in->scan = end;
			in->unterminated = true;
			return st;
		}
		if (st != TAPE_OK)
			return st == TAPE_EOF ? st : report(in, err);
	}
}

enum tape_status
tape_in_peek(struct tape_in *in, size_t want, const char **p, size_t *len,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (want > TAPE_IN_CHUNK)
		want = TAPE_IN_CHUNK;
	while (in->win.len - in->pos < want && st == TAPE_OK)
		st = more(in);
	*p = in->win.data + in->pos;
	*len = in->win.len - in->pos;
	if (*len > 0 || st == TAPE_OK)
		return TAPE_OK;
	return st == TAPE_EOF ? st : report(in, err);
}

enum tape_status
tape_in_read(
    struct tape_in *in, void *p, size_t size, size_t *got, struct tape_err *err)
{
	const char *src;
	size_t n;
	enum tape_status st = tape_in_peek(in, 1, &src, &n, err);

	*got = 0;
	if (st != TAPE_OK)
		return st;
	if (n > size)
		n = size;
	memcpy(p, src, n);
	in->pos += n;
	if (in->scan < in->pos)
		in->scan = in->pos;
	*got = n;
	return TAPE_OK;
}

bool
tape_in_unterminated(const struct tape_in *in)
{
	return in->unterminated;
}

uint64_t
tape_in_line_no(const struct tape_in *in)
{
	return in->line_no;
}

uint64_t
tape_in_bytes_read(const struct tape_in *in)
{
	return in->raw.bytes_read;
}

const struct tape_in_sums *
tape_in_sums(const struct tape_in *in)
{
	return &in->sums;
}

bool
tape_in_plain(const struct tape_in *in)
{
	return !in->after_frame;
}

const char *
tape_in_name(const struct tape_in *in)
{
	return in->name;
}

void
tape_in_set_stamp(
    struct tape_in *in, void (*fn)(void *arg, size_t bytes), void *arg)
{
	in->raw.stamp = fn;
	in->raw.stamp_arg = arg;
}

void
tape_in_set_idle(struct tape_in *in,
    enum tape_status (*fn)(void *arg, struct tape_err *err), void *arg)
{
	in->raw.idle = fn;
	in->raw.idle_arg = arg;
}

void
tape_in_set_wait(struct tape_in *in,
    enum tape_status (*fn)(void *arg, int fd, struct tape_err *err), void *arg)
{
	in->raw.wait = fn;
	in->raw.wait_arg = arg;
}

void
tape_in_set_line_cap(struct tape_in *in, size_t bytes)
{
	in->line_cap = bytes;
	in->win.cap = bytes + 2 * TAPE_IN_CHUNK;
}

void
tape_in_set_read_max(struct tape_in *in, size_t bytes)
{
	in->raw.read_max = bytes;
}
