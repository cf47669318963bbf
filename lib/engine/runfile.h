/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runfile: sorted runs in a temporary file: written one behind the other, then
 * read all at a time, each from its beginning.
 *
 * The file is made by the first append, in the given folder, and has no name.
 */
#ifndef TAPE_ENGINE_RUNFILE_H
#define TAPE_ENGINE_RUNFILE_H

#include "base/buf.h"

struct tape_runfile {
	const char *dir; /* borrowed; NULL: /tmp */
	int fd;          /* -1: not made yet */
	uint64_t size;   /* of what was appended */
	struct tape_buf tail;
};

void tape_runfile_init(struct tape_runfile *f, const char *dir);
void tape_runfile_release(struct tape_runfile *f);

/* Errors of the system, as a full disk, name the file as temporary. */
enum tape_status tape_runfile_append(struct tape_runfile *f, const void *p,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Nothing is appended any more: what is held back goes into the file. */
enum tape_status tape_runfile_flush(
    struct tape_runfile *f, struct tape_err *err) TAPE_NODISCARD;

/* Reads from one place to another.  A zeroed one is at its end. */
struct tape_runfile_cursor {
	const struct tape_runfile *file;
	uint64_t at, end;
	char *data;
	size_t pos, len, size;
};

/* chunk: bytes of a read. */
enum tape_status tape_runfile_cursor_open(struct tape_runfile_cursor *c,
    const struct tape_runfile *f, uint64_t at, uint64_t end, size_t chunk,
    struct tape_err *err) TAPE_NODISCARD;
void tape_runfile_cursor_release(struct tape_runfile_cursor *c);

/* The next len bytes at *p, until the next call; TAPE_EOF when none is left. */
enum tape_status tape_runfile_take(struct tape_runfile_cursor *c, size_t len,
    const char **p, struct tape_err *err) TAPE_NODISCARD;

#endif
