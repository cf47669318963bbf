/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint16_t
bound_port(int fd)
{
	struct sockaddr_storage ss = { 0 };
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len) != 0)
		return 0;
	memcpy(&in, &ss, sizeof(in));
	memcpy(&in6, &ss, sizeof(in6));
	return ntohs(ss.ss_family == AF_INET6 ? in6.sin6_port : in.sin_port);
}

static int
listen_on(const struct addrinfo *ai)
{
	int on = 1, saved;
	int fd = socket(
	    ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	saved = errno;
	(void)close(fd);
	errno = saved;
	return -1;
}

enum tape_status
tape_server_socket(const char *host, uint16_t port, int *fd_out,
    uint16_t *bound, struct tape_err *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char service[8];
	int fd, rc;

	(void)snprintf(service, sizeof(service), "%u", (unsigned)port);
	rc = getaddrinfo(host, service, &hints, &list);
	if (rc != 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    "cannot listen on %s: %s", host, gai_strerror(rc));
	fd = listen_on(list);
	rc = errno;
	freeaddrinfo(list);
	if (fd < 0)
		return tape_err_sys(err, rc, "cannot listen on %s port %u",
		    host, (unsigned)port);
	*fd_out = fd;
	if (bound != NULL)
		*bound = bound_port(fd);
	return TAPE_OK;
}

enum tape_status
tape_server_adopt(
    struct tape_server *srv, int fd, uint16_t *bound, struct tape_err *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (srv->listen_fd >= 0)
		return tape_err_set(err, TAPE_E_USAGE, "already listening");
	/* a blocking accept would stop the loop */
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    tape_server_watch_new(srv, fd, &srv->listen_fd) != 0)
		return tape_err_sys(err, errno, "cannot watch a socket");
	srv->listen_fd = fd;
	if (bound != NULL)
		*bound = bound_port(fd);
	return TAPE_OK;
}

enum tape_status
tape_server_listen(struct tape_server *srv, const char *host, uint16_t port,
    uint16_t *bound, struct tape_err *err)
{
	enum tape_status st;
	int fd = -1;

	if (srv->listen_fd >= 0)
		return tape_err_set(err, TAPE_E_USAGE, "already listening");
	st = tape_server_socket(host, port, &fd, NULL, err);
	if (st == TAPE_OK)
		st = tape_server_adopt(srv, fd, bound, err);
	if (st != TAPE_OK && fd >= 0)
		(void)close(fd);
	return st;
}
