/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fdio.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP ((size_t)64 << 10)

enum tape_status
tape_fdio_guard(struct tape_err *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
			continue;
		int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
		if (got != fd)
			return tape_err_sys(err, got < 0 ? errno : EBADF,
			    "cannot open /dev/null");
	}
	return TAPE_OK;
}

static int
open_retrying(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
	while (fd < 0 && errno == EINTR);
	return fd;
}

enum tape_status
tape_fdio_open_read(const char *path, int *fd, struct tape_err *err)
{
	int got = open_retrying(path, O_RDONLY);
	struct stat sb;
	int why = 0;

	if (got < 0)
		return tape_err_sys(err, errno, "cannot open '%.200s'", path);
	if (fstat(got, &sb) != 0)
		why = errno;
	else if (S_ISDIR(sb.st_mode))
		why = EISDIR;
	if (why != 0) {
		(void)close(got);
		return tape_err_sys(err, why, "cannot open '%.200s'", path);
	}
	*fd = got;
	return TAPE_OK;
}

static enum tape_status
create(const char *path, int flags, int *fd, struct tape_err *err)
{
	int got = open_retrying(path, O_WRONLY | O_CREAT | flags);

	if (got < 0)
		return tape_err_sys(err, errno, "cannot create '%.200s'", path);
	*fd = got;
	return TAPE_OK;
}

enum tape_status
tape_fdio_open_write(const char *path, int *fd, struct tape_err *err)
{
	return create(path, O_TRUNC, fd, err);
}

enum tape_status
tape_fdio_open_new(const char *path, int *fd, struct tape_err *err)
{
	return create(path, O_EXCL, fd, err);
}

/* After EAGAIN: a descriptor somebody made non-blocking is waited for. */
static void
wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	(void)poll(&p, 1, -1);
}

enum tape_status
tape_fdio_read(int fd, void *p, size_t size, size_t *got, struct tape_err *err)
{
	ssize_t n;

	while ((n = read(fd, p, size)) < 0) {
		if (errno == EAGAIN)
			wait_for(fd, POLLIN);
		else if (errno != EINTR)
			return tape_err_sys(err, errno, "cannot read");
	}
	*got = (size_t)n;
	return TAPE_OK;
}

enum tape_status
tape_fdio_pread(int fd, void *p, size_t size, uint64_t offset, size_t *got,
    struct tape_err *err)
{
	ssize_t n = 1;

	*got = 0;
	while (*got < size && n != 0) {
		n = pread(
		    fd, (char *)p + *got, size - *got, (off_t)(offset + *got));
		if (n > 0)
			*got += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return tape_err_sys(err, errno, "cannot read");
	}
	return TAPE_OK;
}

enum tape_status
tape_fdio_write(int fd, const void *p, size_t len, struct tape_err *err)
{
	const char *at = p;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n >= 0) {
			at += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			wait_for(fd, POLLOUT);
		} else if (errno != EINTR) {
			return tape_err_sys(err, errno, "cannot write");
		}
	}
	return TAPE_OK;
}

static enum tape_status
out_of_patience(int sys, int64_t stall_ns, struct tape_err *err)
{
	enum tape_status st =
	    sys == EINTR ? tape_err_set(err, TAPE_E_IO,
			       "interrupted while its reader took nothing")
			 : tape_err_set(err, TAPE_E_IO,
			       "its reader took nothing for %g s",
			       (double)stall_ns / (double)TAPE_NS_PER_S);

	if (err != NULL && err->sys == 0)
		err->sys = sys;
	return st;
}

/* Waits for room since that time at most. */
static enum tape_status
wait_within(int fd, const struct tape_fdio_patience *patience, int64_t since_ns,
    struct tape_err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (poll(&p, 1, (int)(TAPE_FDIO_ASK_NS / TAPE_NS_PER_MS)) <= 0) {
		if (patience->enough != NULL && patience->enough())
			return out_of_patience(EINTR, 0, err);
		if (patience->stall_ns > 0 &&
		    tape_clock_now_ns(&tape_clock_system) - since_ns >=
			patience->stall_ns)
			return out_of_patience(
			    ETIMEDOUT, patience->stall_ns, err);
	}
	return TAPE_OK;
}

/* A pipe with any room takes so much without blocking. */
enum tape_status
tape_fdio_write_within(int fd, const void *p, size_t len,
    const struct tape_fdio_patience *patience, struct tape_err *err)
{
	int64_t since = tape_clock_now_ns(&tape_clock_system);
	const char *at = p;
	enum tape_status st;

	while (len > 0) {
		ssize_t n;

		st = wait_within(fd, patience, since, err);
		if (st != TAPE_OK)
			return st;
		n = write(fd, at, len < PIPE_BUF ? len : PIPE_BUF);
		if (n > 0) {
			at += n;
			len -= (size_t)n;
			since = tape_clock_now_ns(&tape_clock_system);
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return tape_err_sys(err, errno, "cannot write");
		}
	}
	return TAPE_OK;
}

bool
tape_fdio_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Reads to the end; one byte over the cap is asked for, to see that it is
   not there. */
static enum tape_status
read_all(int fd, size_t cap, struct tape_buf *b, struct tape_err *err)
{
	size_t got = 1;
	enum tape_status st;

	while (got > 0) {
		size_t want = cap - b->len < STEP ? cap - b->len + 1 : STEP;

		if (tape_buf_reserve(b, want) != TAPE_OK)
			return tape_buf_status(b, err);
		st = tape_fdio_read(fd, b->data + b->len, want, &got, err);
		if (st != TAPE_OK)
			return st;
		if (got > cap - b->len)
			return tape_err_set(err, TAPE_E_LIMIT,
			    "larger than the limit of %zu bytes", cap);
		b->len += got;
	}
	b->data[b->len] = '\0';
	return TAPE_OK;
}

enum tape_status
tape_fdio_slurp(
    const char *path, size_t cap, char **out, size_t *len, struct tape_err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct tape_buf b;
	int fd = STDIN_FILENO;
	enum tape_status st = TAPE_OK;

	if (!is_stdin)
		st = tape_fdio_open_read(path, &fd, err);
	if (st != TAPE_OK)
		return st;
	tape_buf_init(&b, cap < SIZE_MAX - 1 ? cap + 1 : SIZE_MAX - 1);
	st = read_all(fd, cap, &b, err);
	if (!is_stdin)
		(void)close(fd);
	if (st == TAPE_OK) {
		*out = tape_buf_detach(&b, len);
	} else {
		tape_buf_release(&b);
		if (err != NULL)
			(void)tape_err_at(err, path, 0);
	}
	return st;
}
