/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define KEEPALIVE_S 60 /* as libcurl has it */

void
tape_http_conn_hold(struct tape_http_conn *c, struct tape_http_xfer *x)
{
	c->x = x;
	x->own.conn = c;
	c->taken = x->own.mode == TAPE_HTTP_SESSION;
	c->session = x->own.session;
	memcpy(x->remote, c->origin->text, sizeof(x->remote));
	x->result.remote_port = (int)c->origin->port;
	x->result.local_port = c->local_port;
}

static void
learn_local(struct tape_http_conn *c)
{
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(a);
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (getsockname(c->fd, (struct sockaddr *)&a, &len) != 0)
		return;
	memcpy(&in, &a, sizeof(in));
	memcpy(&in6, &a, sizeof(in6));
	if (a.ss_family == AF_INET)
		c->local_port = ntohs(in.sin_port);
	else if (a.ss_family == AF_INET6)
		c->local_port = ntohs(in6.sin6_port);
}

/* A record for the socket, which is closed without one. */
static struct tape_http_conn *
make(struct tape_http_xfer *x, int fd)
{
	struct tape_http *h = x->h;
	struct tape_http_conn *c = tape_mem_calloc(1, sizeof(*c));

	if (c == NULL) {
		(void)tape_http_sock_close(h, fd);
		tape_http_plain_fail(
		    x, TAPE_HTTP_CLIENT, "memory", "Out of memory");
		return NULL;
	}
	c->h = h;
	c->fd = fd;
	c->origin = x->template->origin;
	c->origin->refs++;
	h->sock[fd].conn = c;
	h->sock[fd].x = NULL;
	tape_http_conn_hold(c, x);
	return c;
}

void
tape_http_conn_close(struct tape_http_conn *c)
{
	struct tape_http *h = c->h;

	if (c->x != NULL)
		c->x->own.conn = NULL;
	h->sock[c->fd].conn = NULL;
	(void)tape_http_sock_close(h, c->fd);
	tape_http_pool_drop(h, c->origin);
	tape_mem_free(c);
}

bool
tape_http_conn_watch(struct tape_http_conn *c, bool writing)
{
	struct tape_http_sock *s = &c->h->sock[c->fd];
	uint32_t events = c->connecting ? 0U : (uint32_t)EPOLLIN;

	if (writing)
		events |= EPOLLOUT;
	if (s->set == events || tape_http_sock_watch(c->h, c->fd, s, events))
		return true;
	if (c->x != NULL)
		tape_http_plain_fail(c->x, TAPE_HTTP_CLIENT,
		    errno == ENOMEM || errno == ENOSPC ? "memory" : "internal",
		    "Cannot watch a socket: %s", strerror(errno));
	return false;
}

bool
tape_http_conn_is_quiet(const struct tape_http_conn *c)
{
	char byte;

	return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN;
}

/* What is known only once it is open. */
static void
opened(struct tape_http_conn *c)
{
	c->connecting = false;
	learn_local(c);
	if (c->x != NULL)
		tape_http_conn_hold(c, c->x);
}

/* libcurl has chosen among the addresses of a name: the next connections go
   there at once. */
static void
learn_remote(struct tape_http_origin *o, int fd)
{
	socklen_t len = sizeof(o->addr);

	if (o->numeric ||
	    getpeername(fd, (struct sockaddr *)&o->addr, &len) != 0)
		return;
	o->addr_len = len;
	o->doubted = false;
	(void)getnameinfo((const struct sockaddr *)&o->addr, len, o->text,
	    sizeof(o->text), NULL, 0, NI_NUMERICHOST);
}

bool
tape_http_conn_adopt(struct tape_http_xfer *x, int fd)
{
	struct tape_http_conn *c = make(x, fd);

	if (c == NULL)
		return false;
	learn_remote(c->origin, fd);
	opened(c);
	return tape_http_conn_watch(c, false);
}

static void
set_options(int fd)
{
	const int on = 1, seconds = KEEPALIVE_S;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(
	    fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	(void)setsockopt(
	    fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
}

/* An address that the caller chose; false with errno. */
static bool
bind_source(struct tape_http *h, int fd)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	const char *source;
	bool bound;

	if (h->sources_n == 0)
		return true;
	source = h->sources[h->source_at++ % h->sources_n];
	if (getaddrinfo(source, NULL, &hints, &found) != 0) {
		errno = EADDRNOTAVAIL;
		return false;
	}
	bound = bind(fd, found->ai_addr, found->ai_addrlen) == 0;
	freeaddrinfo(found);
	return bound;
}

/* This side has not what a connection needs; its address is as good as ever. */
static bool
is_local(int why)
{
	return why == EMFILE || why == ENFILE || why == EADDRNOTAVAIL ||
	       why == ENOMEM || why == ENOBUFS;
}

void
tape_http_conn_doubt(struct tape_http_origin *o)
{
	o->doubted = !o->numeric;
}

static void
fail_connect(struct tape_http_xfer *x, int why)
{
	struct tape_http_origin *o = x->template->origin;
	int64_t took_ns =
	    tape_clock_now_ns(x->h->clock) - x->own.connect_from_ns;
	const char *cause;
	enum tape_http_class class = tape_http_error_connect(why, &cause);

	if (!is_local(why))
		tape_http_conn_doubt(o);
	if (class == TAPE_HTTP_CLIENT)
		tape_http_plain_fail(x, class, cause,
		    "No socket for a connection: %s", strerror(why));
	else if (x->h->unix_socket != NULL)
		tape_http_plain_fail(x, class, cause,
		    "Failed to connect to %s: %s", x->h->unix_socket,
		    why == EAGAIN ? "its queue of connections is full"
				  : strerror(why));
	else
		tape_http_plain_fail(x, class, cause,
		    "Failed to connect to %s port %d after %d ms: "
		    "Couldn't connect to server",
		    o->host, (int)o->port, (int)(took_ns / TAPE_NS_PER_MS));
}

static int
open_socket(struct tape_http *h, const struct tape_http_origin *o)
{
	const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int fd = socket(o->addr.ss_family, type, 0);

	if (fd < 0 && tape_http_pool_spare(h, errno))
		fd = socket(o->addr.ss_family, type, 0);
	if (fd < 0)
		return -1;
	if (!tape_http_sock_room(h, fd)) {
		(void)close(fd);
		errno = ENOMEM;
		return -1;
	}
	tape_http_sock_opened(h, fd);
	set_options(fd);
	return fd;
}

bool
tape_http_conn_open(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;
	struct tape_http_origin *o = x->template->origin;
	struct tape_http_conn *c;
	int fd, why;

	x->own.connect_from_ns = tape_clock_now_ns(h->clock);
	fd = open_socket(h, o);
	if (fd < 0) {
		fail_connect(x, errno);
		return false;
	}
	c = make(x, fd);
	if (c == NULL)
		return false;
	c->connecting = true;
	why = 0;
	if (!bind_source(h, fd) ||
	    (connect(fd, (const struct sockaddr *)&o->addr, o->addr_len) != 0 &&
		errno != EINPROGRESS))
		why = errno;
	if (why == 0)
		return tape_http_conn_watch(c, true);
	fail_connect(x, why);
	return false;
}

bool
tape_http_conn_opened(struct tape_http_conn *c)
{
	struct tape_http_xfer *x = c->x;
	int why = 0;
	socklen_t len = sizeof(why);

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &why, &len) != 0)
		why = errno;
	if (why != 0) {
		fail_connect(x, why);
		return false;
	}
	x->result.dns_ns = 0;
	x->result.connect_ns =
	    tape_clock_now_ns(c->h->clock) - x->own.connect_from_ns;
	opened(c);
	return tape_http_conn_watch(c, false);
}
