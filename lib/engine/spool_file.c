/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/spool_file.h"

#include "base/fdio.h"
#include "base/tmpfile.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define CHUNK ((size_t)64 << 10)

void
tape_spool_file_init(struct tape_spool_file *f)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
	tape_buf_init(&f->tail, TAPE_CAP_LINE + CHUNK);
	tape_buf_init(&f->ahead, CHUNK);
	/* On Linux it cannot fail without attributes. */
	(void)pthread_mutex_init(&f->lock, NULL);
}

enum tape_status
tape_spool_file_open(
    struct tape_spool_file *f, const char *dir, struct tape_err *err)
{
	return tape_tmpfile_open(&f->fd, dir, err);
}

void
tape_spool_file_release(struct tape_spool_file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
	tape_buf_release(&f->tail);
	tape_buf_release(&f->ahead);
	(void)pthread_mutex_destroy(&f->lock);
}

uint64_t
tape_spool_file_size(const struct tape_spool_file *f)
{
	return f->written + f->tail.len;
}

/* What is in the tail stays there, and can be read, until it is in the file. */
static enum tape_status
write_tail(struct tape_spool_file *f, struct tape_err *err)
{
	enum tape_status st =
	    tape_fdio_write(f->fd, f->tail.data, f->tail.len, err);

	if (st != TAPE_OK)
		return st;
	(void)pthread_mutex_lock(&f->lock);
	f->written += f->tail.len;
	tape_buf_clear(&f->tail);
	(void)pthread_mutex_unlock(&f->lock);
	return TAPE_OK;
}

enum tape_status
tape_spool_file_append(
    struct tape_spool_file *f, const void *p, size_t len, struct tape_err *err)
{
	enum tape_status st;

	(void)pthread_mutex_lock(&f->lock);
	st = tape_buf_add(&f->tail, p, len);
	(void)pthread_mutex_unlock(&f->lock);
	if (st != TAPE_OK)
		return tape_buf_status(&f->tail, err);
	return f->tail.len < CHUNK ? TAPE_OK : write_tail(f, err);
}

static enum tape_status
pread_all(int fd, uint64_t at, char *p, size_t len, struct tape_err *err)
{
	size_t got = 0;
	enum tape_status st = tape_fdio_pread(fd, p, len, at, &got, err);

	if (st == TAPE_OK && got < len)
		st = tape_err_sys(err, EIO, "cannot read");
	return st == TAPE_OK ? st : tape_err_at(err, "a temporary file", 0);
}

/* From the file proper, which has written bytes. */
static enum tape_status
read_file(struct tape_spool_file *f, uint64_t at, char *p, size_t len,
    uint64_t written, struct tape_err *err)
{
	uint64_t left = written - at;
	size_t want = left < CHUNK ? (size_t)left : CHUNK;
	enum tape_status st;

	if (len > CHUNK / 2)
		return pread_all(f->fd, at, p, len, err);
	if (at < f->ahead_at || at + len > f->ahead_at + f->ahead.len) {
		tape_buf_clear(&f->ahead);
		if (tape_buf_reserve(&f->ahead, want) != TAPE_OK)
			return tape_buf_status(&f->ahead, err);
		st = pread_all(f->fd, at, f->ahead.data, want, err);
		if (st != TAPE_OK)
			return st;
		f->ahead.len = want;
		f->ahead_at = at;
	}
	memcpy(p, f->ahead.data + (at - f->ahead_at), len);
	return TAPE_OK;
}

enum tape_status
tape_spool_file_read(struct tape_spool_file *f, uint64_t at, void *p,
    size_t len, struct tape_err *err)
{
	char *dst = p;
	size_t front = 0;
	uint64_t written;
	bool there;

	(void)pthread_mutex_lock(&f->lock);
	written = f->written;
	there = at + len <= written + f->tail.len;
	if (at < written)
		front = written - at < len ? (size_t)(written - at) : len;
	if (there && front < len)
		memcpy(dst + front, f->tail.data + (at + front - written),
		    len - front);
	(void)pthread_mutex_unlock(&f->lock);
	if (!there)
		return tape_err_set(
		    err, TAPE_E_BUG, "a temporary file is read past its end");
	return front == 0 ? TAPE_OK
			  : read_file(f, at, dst, front, written, err);
}
