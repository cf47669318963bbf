/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nostamp: a system that gives no receive times.  NOSTAMP=refuse: the socket
 * option is refused; NOSTAMP=drop: it is accepted, and no time ever comes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int
is(const char *what)
{
	const char *env = getenv("NOSTAMP");

	return env != NULL && strcmp(env, what) == 0;
}

int
setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	static int (*real)(int, int, int, const void *, socklen_t);

	if (level == SOL_SOCKET && name == SO_TIMESTAMPNS && is("refuse")) {
		errno = ENOPROTOOPT;
		return -1;
	}
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "setsockopt");
	return real(fd, level, name, value, len);
}

ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	static ssize_t (*real)(int, struct msghdr *, int);
	ssize_t n;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "recvmsg");
	n = real(fd, m, flags);
	if (n >= 0 && is("drop"))
		m->msg_controllen = 0;
	return n;
}
