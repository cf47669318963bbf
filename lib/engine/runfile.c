/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/runfile.h"

#include "base/fdio.h"
#include "base/mem.h"
#include "base/tmpfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10)

void
tape_runfile_init(struct tape_runfile *f, const char *dir)
{
	f->dir = dir;
	f->fd = -1;
	f->size = 0;
	tape_buf_init(&f->tail, TAPE_CAP_LINE + CHUNK);
}

void
tape_runfile_release(struct tape_runfile *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
	f->size = 0;
	tape_buf_release(&f->tail);
}

static enum tape_status
name_it(struct tape_err *err)
{
	return tape_err_at(err, "a temporary file", 0);
}

enum tape_status
tape_runfile_flush(struct tape_runfile *f, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (f->tail.len == 0)
		return TAPE_OK;
	if (f->fd < 0)
		st = tape_tmpfile_open(&f->fd, f->dir, err);
	if (st != TAPE_OK)
		return st;
	st = tape_fdio_write(f->fd, f->tail.data, f->tail.len, err);
	tape_buf_clear(&f->tail);
	return st == TAPE_OK ? st : name_it(err);
}

enum tape_status
tape_runfile_append(
    struct tape_runfile *f, const void *p, size_t len, struct tape_err *err)
{
	if (tape_buf_add(&f->tail, p, len) != TAPE_OK)
		return tape_buf_status(&f->tail, err);
	f->size += len;
	return f->tail.len < CHUNK ? TAPE_OK : tape_runfile_flush(f, err);
}

enum tape_status
tape_runfile_cursor_open(struct tape_runfile_cursor *c,
    const struct tape_runfile *f, uint64_t at, uint64_t end, size_t chunk,
    struct tape_err *err)
{
	*c = (struct tape_runfile_cursor){
		.file = f, .at = at, .end = end, .size = chunk
	};
	c->data = tape_mem_realloc(NULL, chunk, 1);
	return c->data == NULL ? tape_err_nomem(err) : TAPE_OK;
}

void
tape_runfile_cursor_release(struct tape_runfile_cursor *c)
{
	tape_mem_free(c->data);
	*c = (struct tape_runfile_cursor){ 0 };
}

/* Makes at least len bytes stand from pos on. */
static enum tape_status
fill(struct tape_runfile_cursor *c, size_t len, struct tape_err *err)
{
	const uint64_t left = c->end - c->at;
	size_t want, got = 0;
	enum tape_status st;

	memmove(c->data, c->data + c->pos, c->len - c->pos);
	c->len -= c->pos;
	c->pos = 0;
	if (len > c->size &&
	    tape_mem_grow((void **)&c->data, &c->size, len, 1) != 0)
		return tape_err_nomem(err);
	want = c->size - c->len;
	if (want > left)
		want = (size_t)left;
	st = tape_fdio_pread(
	    c->file->fd, c->data + c->len, want, c->at, &got, err);
	if (st == TAPE_OK && (got < want || c->len + got < len))
		st = tape_err_sys(err, EIO, "cannot read");
	c->at += got;
	c->len += got;
	return st == TAPE_OK ? st : name_it(err);
}

enum tape_status
tape_runfile_take(struct tape_runfile_cursor *c, size_t len, const char **p,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (c->pos == c->len && c->at == c->end)
		return TAPE_EOF;
	if (c->len - c->pos < len)
		st = fill(c, len, err);
	if (st != TAPE_OK)
		return st;
	*p = c->data + c->pos;
	c->pos += len;
	return TAPE_OK;
}
