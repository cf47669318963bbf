/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/stream_raw.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "codec/stream_in.h"

#include <string.h>
#include <unistd.h>

void
tape_raw_init(struct tape_raw *r, const void *p, size_t len)
{
	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->p = len > 0 ? p : "";
	r->mem_len = len;
	r->read_max = TAPE_IN_CHUNK;
}

enum tape_status
tape_raw_open_fd(struct tape_raw *r, int fd, struct tape_err *err)
{
	r->buf = tape_mem_calloc(TAPE_IN_CHUNK, 1);
	if (r->buf == NULL)
		return tape_err_nomem(err);
	r->p = r->buf;
	r->fd = fd;
	return TAPE_OK;
}

enum tape_status
tape_raw_open_range(struct tape_raw *r, int fd, uint64_t from, uint64_t bytes,
    struct tape_err *err)
{
	enum tape_status st = tape_raw_open_fd(r, fd, err);

	r->ranged = true;
	r->from = from;
	r->left = bytes;
	return st;
}

void
tape_raw_release(struct tape_raw *r)
{
	if (r->fd > STDIN_FILENO && !r->ranged)
		(void)close(r->fd);
	tape_mem_free(r->buf);
	tape_raw_init(r, NULL, 0);
}

static enum tape_status
read_range(struct tape_raw *r, size_t room, size_t *got, struct tape_err *err)
{
	enum tape_status st;

	if (room > r->left)
		room = (size_t)r->left;
	st = tape_fdio_pread(r->fd, r->buf + r->len, room, r->from, got, err);
	r->from += *got;
	r->left -= *got;
	return st;
}

static enum tape_status
read_fd(struct tape_raw *r, size_t *got, struct tape_err *err)
{
	enum tape_status st;
	size_t room;

	if (r->pos > 0) {
		r->len -= r->pos;
		memmove(r->buf, r->buf + r->pos, r->len);
		r->pos = 0;
	}
	room = TAPE_IN_CHUNK - r->len;
	if (room > r->read_max)
		room = r->read_max;
	if (r->ranged)
		return read_range(r, room, got, err);
	if (r->idle != NULL && !tape_fdio_ready(r->fd)) {
		st = r->idle(r->idle_arg, err);
		if (st != TAPE_OK)
			return tape_err_set(err, st, "cannot flush the output");
	}
	if (r->wait != NULL && !tape_fdio_ready(r->fd)) {
		st = r->wait(r->wait_arg, r->fd, err);
		if (st != TAPE_OK)
			return tape_err_set(err, st, "nobody waits for it");
	}
	return tape_fdio_read(r->fd, r->buf + r->len, room, got, err);
}

enum tape_status
tape_raw_refill(struct tape_raw *r, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;
	size_t got;

	if (r->end)
		return TAPE_EOF;
	if (r->fd < 0) {
		got = r->mem_len - r->len;
		if (got > r->read_max)
			got = r->read_max;
	} else {
		st = read_fd(r, &got, err);
	}
	if (st != TAPE_OK)
		return st;
	if (got == 0) {
		r->end = true;
		return TAPE_EOF;
	}
	if (r->stamp != NULL)
		r->stamp(r->stamp_arg, got);
	r->len += got;
	r->bytes_read += got;
	return TAPE_OK;
}
