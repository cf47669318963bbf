/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_out.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_group.h"
#include "codec/stream_zstd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct tape_out {
	char *name;
	int fd; /* -1: sink */
	struct tape_buf *sink;
	struct tape_out_opts opts;
	struct tape_zstd_enc enc;
	bool indexed;
	struct tape_group group; /* when indexed */
	char *chunk;             /* to be written */
	size_t chunk_len;
	uint64_t frame_bytes; /* text in the frame in hand */
	uint64_t held_bytes;  /* text since the last flush */
	uint64_t bytes_in;
	uint64_t bytes_out;
	uint64_t frames;
	struct tape_err err; /* the first failure */
};

static enum tape_status
open_any(struct tape_out **dst, const char *name,
    const struct tape_out_opts *opts, struct tape_err *err)
{
	struct tape_out *out = tape_mem_calloc(1, sizeof(*out));
	enum tape_status st = TAPE_OK;

	*dst = NULL;
	if (out == NULL)
		return tape_err_nomem(err);
	out->fd = -1;
	if (opts != NULL)
		out->opts = *opts;
	out->indexed = out->opts.index && out->opts.level != 0;
	tape_group_init(&out->group);
	out->name = tape_mem_strdup(name);
	out->chunk = tape_mem_calloc(TAPE_OUT_CHUNK, 1);
	if (out->name == NULL || out->chunk == NULL)
		st = tape_err_nomem(err);
	if (st == TAPE_OK && out->opts.level != 0)
		st = tape_zstd_enc_open(&out->enc, out->opts.level, err);
	if (st != TAPE_OK)
		tape_out_abort(out);
	else
		*dst = out;
	return st;
}

enum tape_status
tape_out_open_fd(struct tape_out **dst, int fd, const char *name,
    const struct tape_out_opts *opts, struct tape_err *err)
{
	enum tape_status st = open_any(dst, name, opts, err);

	if (st == TAPE_OK)
		(*dst)->fd = fd;
	return st;
}

enum tape_status
tape_out_open_buf(struct tape_out **dst, struct tape_buf *buf,
    const struct tape_out_opts *opts, struct tape_err *err)
{
	enum tape_status st = open_any(dst, "memory", opts, err);

	if (st == TAPE_OK)
		(*dst)->sink = buf;
	return st;
}

static void
release(struct tape_out *out)
{
	tape_zstd_enc_release(&out->enc);
	tape_group_release(&out->group);
	tape_mem_free(out->chunk);
	tape_mem_free(out->name);
	tape_mem_free(out);
}

void
tape_out_abort(struct tape_out *out)
{
	if (out == NULL)
		return;
	if (out->fd > STDERR_FILENO)
		(void)close(out->fd);
	release(out);
}

/* Hands the first failure, if there is one, on to the caller. */
static enum tape_status
report(struct tape_out *out, struct tape_err *err)
{
	if (out->err.status == TAPE_OK)
		return TAPE_OK;
	(void)tape_err_at(&out->err, out->name, 0);
	if (err != NULL && err->status == TAPE_OK)
		*err = out->err;
	return out->err.status;
}

static enum tape_status
write_fd(struct tape_out *out, const void *p, size_t len)
{
	const struct tape_fdio_patience *bound = &out->opts.patience;

	if (bound->stall_ns == 0 && bound->enough == NULL)
		return tape_fdio_write(out->fd, p, len, &out->err);
	return tape_fdio_write_within(out->fd, p, len, bound, &out->err);
}

static enum tape_status
put(struct tape_out *out, const void *p, size_t len)
{
	enum tape_status st;

	if (len == 0)
		return TAPE_OK;
	if (out->sink == NULL)
		st = write_fd(out, p, len);
	else if (tape_buf_add(out->sink, p, len) != TAPE_OK)
		st = tape_buf_status(out->sink, &out->err);
	else
		st = TAPE_OK;
	if (st == TAPE_OK)
		out->bytes_out += len;
	return st;
}

static enum tape_status
put_chunk(struct tape_out *out)
{
	size_t len = out->chunk_len;

	out->chunk_len = 0;
	return put(out, out->chunk, len);
}

static enum tape_status
add_plain(struct tape_out *out, const char *p, size_t len)
{
	enum tape_status st = TAPE_OK;

	if (len > TAPE_OUT_CHUNK - out->chunk_len)
		st = put_chunk(out);
	if (st != TAPE_OK)
		return st;
	if (len >= TAPE_OUT_CHUNK)
		return put(out, p, len);
	memcpy(out->chunk + out->chunk_len, p, len);
	out->chunk_len += len;
	return TAPE_OK;
}

/* Runs the encoder until it took all, and for flush and end gave all. */
static enum tape_status
encode(struct tape_out *out, enum tape_zstd_op op, const char *p, size_t len)
{
	struct tape_zstd_step s = { .src = p, .src_len = len };
	enum tape_status st = TAPE_OK;
	bool done = false;

	while (st == TAPE_OK && !done) {
		if (out->chunk_len == TAPE_OUT_CHUNK)
			st = put_chunk(out);
		if (st != TAPE_OK)
			break;
		s.dst = out->chunk + out->chunk_len;
		s.dst_size = TAPE_OUT_CHUNK - out->chunk_len;
		st = tape_zstd_enc_step(&out->enc, op, &s, &out->err);
		if (st != TAPE_OK)
			break;
		if (out->indexed)
			tape_group_stored(&out->group, s.dst, s.made);
		out->chunk_len += s.made;
		s.src += s.used;
		s.src_len -= s.used;
		done = op == TAPE_ZSTD_MORE ? s.src_len == 0 : s.ended;
	}
	return st;
}

enum tape_status
tape_out_flush(struct tape_out *out, struct tape_err *err)
{
	enum tape_status st = out->err.status;

	if (st == TAPE_OK && out->opts.level != 0 && out->held_bytes > 0)
		st = encode(out, TAPE_ZSTD_FLUSH, "", 0);
	if (st == TAPE_OK)
		(void)put_chunk(out);
	out->held_bytes = 0;
	return report(out, err);
}

/* Behind a frame: the index of its group, if that is over. */
static enum tape_status
add_index(struct tape_out *out, bool last)
{
	const char *index;
	size_t len;

	tape_group_frame(
	    &out->group, out->bytes_out + out->chunk_len, last, &index, &len);
	return add_plain(out, index, len);
}

static enum tape_status
end_frame(struct tape_out *out, bool last, struct tape_err *err)
{
	const bool open = out->opts.level != 0 && out->frame_bytes > 0;
	enum tape_status st = out->err.status;

	if (st == TAPE_OK && open)
		st = encode(out, TAPE_ZSTD_END, "", 0);
	if (st == TAPE_OK && out->indexed && (open || last))
		st = add_index(out, last);
	if (st == TAPE_OK)
		(void)put_chunk(out);
	out->frame_bytes = 0;
	out->held_bytes = 0;
	return report(out, err);
}

enum tape_status
tape_out_end_frame(struct tape_out *out, struct tape_err *err)
{
	return end_frame(out, false, err);
}

void
tape_out_note(struct tape_out *out, const struct tape_index_entry *e)
{
	if (out->indexed)
		tape_group_note(&out->group, e);
}

void
tape_out_mark(struct tape_out *out, unsigned marks)
{
	out->group.head.marks |= marks;
}

enum tape_status
tape_out_write(
    struct tape_out *out, const void *p, size_t len, struct tape_err *err)
{
	enum tape_status st = out->err.status;

	if (st != TAPE_OK || len == 0)
		return report(out, err);
	if (out->opts.level == 0) {
		st = add_plain(out, p, len);
	} else {
		if (out->frame_bytes == 0)
			out->frames++;
		st = encode(out, TAPE_ZSTD_MORE, p, len);
	}
	if (st != TAPE_OK)
		return report(out, err);
	out->bytes_in += len;
	out->frame_bytes += len;
	out->held_bytes += len;
	if ((out->indexed && tape_group_line(&out->group, len)) ||
	    (out->opts.frame_bytes > 0 &&
		out->frame_bytes >= out->opts.frame_bytes))
		return tape_out_end_frame(out, err);
	if (out->opts.flush_bytes > 0 &&
	    out->held_bytes >= out->opts.flush_bytes)
		return tape_out_flush(out, err);
	return TAPE_OK;
}

/* Some file systems report a failed write only at close(2). */
static void
close_fd(struct tape_out *out)
{
	int fd = out->fd;

	if (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	else if (fd < 0)
		return;
	if (fd < 0 || (close(fd) != 0 && errno != EINTR))
		(void)tape_err_sys(&out->err, errno, "cannot close");
}

enum tape_status
tape_out_close(struct tape_out *out, struct tape_err *err)
{
	enum tape_status st = end_frame(out, true, err);

	close_fd(out);
	if (st == TAPE_OK)
		st = report(out, err);
	release(out);
	return st;
}

uint64_t
tape_out_bytes_in(const struct tape_out *out)
{
	return out->bytes_in;
}

uint64_t
tape_out_bytes_out(const struct tape_out *out)
{
	return out->bytes_out;
}

uint64_t
tape_out_frames(const struct tape_out *out)
{
	return out->frames;
}
