/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raw_client: a client of bare sockets in the thread of the server that it
 * talks to, at port: while it waits it calls client_pump, in which the server
 * does what there is to do.
 */
#ifndef TAPE_UNIT_RAW_CLIENT_H
#define TAPE_UNIT_RAW_CLIENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint16_t port;
static void (*client_pump)(void);

static inline int
dial(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		printf("Bail out! connect: %s\n", strerror(errno));
		exit(1);
	}
	return fd;
}

static inline void
say(int fd, const char *p, size_t len)
{
	ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

	if (n != (ssize_t)len)
		printf("# short send of %zu: %zd\n", len, n);
}

#define SAY(fd, text) say((fd), (text), strlen(text))

/*
 * Pumps until the text has come, or the connection ended ("<eof>" or "<rst>"
 * is then added), or 2,000 rounds are over.  Returns all that came, in memory
 * that the next call uses again.
 */
static inline const char *
hear(int fd, const char *until)
{
	static char got[1 << 18];
	size_t len = 0;
	ssize_t n;
	int i;

	got[0] = '\0';
	for (i = 0; i < 2000 && strstr(got, until) == NULL; i++) {
		client_pump();
		n = recv(fd, got + len, sizeof(got) - len - 8, MSG_DONTWAIT);
		if (n > 0)
			len += (size_t)n;
		got[len] = '\0';
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			(void)usleep(i > 200 ? 500 : 0);
			continue;
		}
		if (n <= 0) {
			(void)strncat(got, n == 0 ? "<eof>" : "<rst>", 6);
			break;
		}
	}
	return got;
}

/* One request on a connection of its own, and all that comes back. */
static inline const char *
ask(const char *req, const char *until)
{
	const char *got;
	int fd = dial();

	SAY(fd, req);
	got = hear(fd, until);
	(void)close(fd);
	return got;
}

#endif
