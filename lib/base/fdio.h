/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fdio: file descriptors without surprises: EINTR, short counts, close-on-exec,
 * and descriptors 0 to 2 always open.
 */
#ifndef TAPE_BASE_FDIO_H
#define TAPE_BASE_FDIO_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Opens /dev/null on those of 0, 1, 2 that are closed, the wrong way round, so
 * that nothing else gets their numbers and using them fails with EBADF instead
 * of losing data.  First call of main.
 */
enum tape_status tape_fdio_guard(struct tape_err *err) TAPE_NODISCARD;

/* Opens for reading, close-on-exec; directories are refused.  *fd is the
   caller's. */
enum tape_status tape_fdio_open_read(
    const char *path, int *fd, struct tape_err *err) TAPE_NODISCARD;

/* Creates or truncates for writing, mode 0666 and umask, close-on-exec. */
enum tape_status tape_fdio_open_write(
    const char *path, int *fd, struct tape_err *err) TAPE_NODISCARD;

/* The same for a file that is not there yet: EEXIST when it is, also as a link
   to nothing. */
enum tape_status tape_fdio_open_new(
    const char *path, int *fd, struct tape_err *err) TAPE_NODISCARD;

/* One read over EINTR and EAGAIN: *got bytes, 0 at end of file. */
enum tape_status tape_fdio_read(int fd, void *p, size_t size, size_t *got,
    struct tape_err *err) TAPE_NODISCARD;

/* Up to size bytes from there, fewer only at the end of the file; the offset of
   fd stays. */
enum tape_status tape_fdio_pread(int fd, void *p, size_t size, uint64_t offset,
    size_t *got, struct tape_err *err) TAPE_NODISCARD;

/* All bytes, or an error.  EPIPE is an error with sys EPIPE.  A non-blocking
   descriptor is waited for. */
enum tape_status tape_fdio_write(
    int fd, const void *p, size_t len, struct tape_err *err) TAPE_NODISCARD;

/* How long writing to a reader that takes nothing is kept up. */
struct tape_fdio_patience {
	int64_t stall_ns; /* without progress; 0 for ever */
	/* Asked every TAPE_FDIO_ASK_NS while nothing goes on; NULL: never. */
	bool (*enough)(void);
};

#define TAPE_FDIO_ASK_NS INT64_C(100000000)

/*
 * The same with bounded patience, to a pipe or a socket.  When it runs out, sys
 * is ETIMEDOUT, or EINTR when enough said so.  The descriptor stays blocking,
 * since others may share it: the bound holds as long as nobody else writes to
 * it.
 */
enum tape_status tape_fdio_write_within(int fd, const void *p, size_t len,
    const struct tape_fdio_patience *patience,
    struct tape_err *err) TAPE_NODISCARD;

/* True when a read would return now (data or end of file). */
bool tape_fdio_ready(int fd);

/* Whole file into a caller-owned, NUL-terminated block of at most cap bytes
   (TAPE_E_LIMIT beyond).  "-" reads standard input. */
enum tape_status tape_fdio_slurp(const char *path, size_t cap, char **out,
    size_t *len, struct tape_err *err) TAPE_NODISCARD;

#endif
