/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failio: makes the Nth I/O call of a program fail; tests/cli/README.md says
 * how it is used.  FAILIO=OP:N:ERRNO, OP one of read, pread, write, close, fsync;
 * N! instead of N fails only that call.  Standard error never fails, so that the
 * program can say what happened.  FAILIO_MARK names a file to create then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *op = "";
static unsigned long nth;
static bool once;
static int why = EIO;
static atomic_ulong calls;

ssize_t __read_chk(int fd, void *p, size_t len, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t len, off_t at, size_t room);

static void __attribute__((constructor)) set_up(void)
{
	static char spec[64];
	const char *env = getenv("FAILIO");
	char *number, *name;

	if (env == NULL || strlen(env) >= sizeof(spec))
		return;
	memcpy(spec, env, strlen(env) + 1);
	number = strchr(spec, ':');
	if (number == NULL)
		return;
	*number++ = '\0';
	nth = strtoul(number, &name, 10);
	once = *name == '!';
	name = strchr(name, ':');
	if (name != NULL && strcmp(name, ":ENOSPC") == 0)
		why = ENOSPC;
	else if (name != NULL && strcmp(name, ":EPIPE") == 0)
		why = EPIPE;
	op = spec;
}

static void
mark(void)
{
	const char *path = getenv("FAILIO_MARK");
	int fd = path != NULL ? open(path, O_WRONLY | O_CREAT, 0666) : -1;

	(void)fd; /* closing it would count */
}

static bool
fails(const char *name, int fd)
{
	unsigned long n;

	if (nth == 0 || fd == STDERR_FILENO || strcmp(op, name) != 0)
		return false;
	n = atomic_fetch_add(&calls, 1) + 1;
	if (once ? n != nth : n < nth)
		return false;
	if (n == nth)
		mark();
	errno = why;
	return true;
}

static void *
next(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL)
		abort();
	return p;
}

ssize_t
read(int fd, void *p, size_t len)
{
	ssize_t (*real)(int, void *, size_t);

	if (fails("read", fd))
		return -1;
	*(void **)&real = next("read");
	return real(fd, p, len);
}

ssize_t
__read_chk(int fd, void *p, size_t len, size_t room)
{
	if (len > room)
		abort();
	return read(fd, p, len);
}

ssize_t
pread(int fd, void *p, size_t len, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t);

	if (fails("pread", fd))
		return -1;
	*(void **)&real = next("pread");
	return real(fd, p, len, at);
}

ssize_t
__pread_chk(int fd, void *p, size_t len, off_t at, size_t room)
{
	if (len > room)
		abort();
	return pread(fd, p, len, at);
}

ssize_t
write(int fd, const void *p, size_t len)
{
	ssize_t (*real)(int, const void *, size_t);

	if (fails("write", fd))
		return -1;
	*(void **)&real = next("write");
	return real(fd, p, len);
}

/* As the kernel does it: the descriptor is gone, also when close fails. */
int
close(int fd)
{
	int (*real)(int);
	bool bad = fails("close", fd);
	int rc;

	*(void **)&real = next("close");
	rc = real(fd);
	if (!bad)
		return rc;
	errno = why;
	return -1;
}

int
fsync(int fd)
{
	int (*real)(int);

	if (fails("fsync", fd))
		return -1;
	*(void **)&real = next("fsync");
	return real(fd);
}
