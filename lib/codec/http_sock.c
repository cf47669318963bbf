/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libcurl says for each request that it wants a socket watched and then no
 * longer.  Only the second wish is put off until the socket really reports
 * something: on a kept connection the two system calls a request are saved.
 * That is safe for sockets opened here, since closing them passes here as well
 * and takes them out of epoll; others (the resolver's) are taken out at once.
 */
#include "codec/http_plain.h"

#include "base/mem.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

uint64_t
tape_http_sock_id(int fd, const struct tape_http_sock *s)
{
	return (uint64_t)s->serial << 32 | (uint32_t)fd;
}

bool
tape_http_sock_room(struct tape_http *h, int fd)
{
	void *p = h->sock;
	size_t old = h->sock_cap;
	size_t need = (size_t)fd + 1;

	if (need <= old)
		return true;
	if (tape_mem_grow(&p, &h->sock_cap, need, sizeof(*h->sock)) != 0)
		return false;
	h->sock = p;
	for (size_t i = old; i < h->sock_cap; i++)
		h->sock[i] = (struct tape_http_sock){ .serial = 0 };
	return true;
}

void
tape_http_sock_unwatch(struct tape_http *h, int fd, struct tape_http_sock *s)
{
	if (s->set != 0)
		(void)epoll_ctl(h->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	s->set = 0;
}

/* A descriptor that was closed behind our back and came back is known or
   unknown to epoll contrary to our record: the other call then works. */
bool
tape_http_sock_watch(
    struct tape_http *h, int fd, struct tape_http_sock *s, uint32_t events)
{
	struct epoll_event ev = { .events = events };
	int op = s->set == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

	ev.data.u64 = tape_http_sock_id(fd, s);
	if (epoll_ctl(h->epoll_fd, op, fd, &ev) != 0) {
		if (errno != EEXIST && errno != ENOENT)
			return false;
		op = op == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
		if (epoll_ctl(h->epoll_fd, op, fd, &ev) != 0)
			return false;
	}
	s->set = events;
	return true;
}

static struct tape_http_xfer *
owner(CURL *easy)
{
	char *x = NULL;

	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &x);
	return (struct tape_http_xfer *)(void *)x;
}

void
tape_http_sock_opened(struct tape_http *h, int fd)
{
	const int on = 1;
	struct tape_http_sock *s = &h->sock[fd];

	*s = (struct tape_http_sock){ .serial = s->serial + 1, .ours = true };
	if (!h->user_clock)
		tape_http_peek_ask(fd);
	/* A bound address then does not use up a port for all servers. */
	if (h->sources_n > 0)
		(void)setsockopt(
		    fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
}

int
tape_http_sock_close(struct tape_http *h, int fd)
{
	struct tape_http_sock *s = &h->sock[fd];

	*s = (struct tape_http_sock){ .serial = s->serial + 1 };
	return close(fd);
}

static int
on_watch(CURL *easy, curl_socket_t fd, int what, void *arg, void *unused)
{
	struct tape_http *h = arg;
	struct tape_http_sock *s;
	uint32_t events = 0;

	(void)unused;
	if (!tape_http_sock_room(h, fd)) {
		h->broken_errno = ENOMEM;
		return -1;
	}
	s = &h->sock[fd];
	s->x = owner(easy);
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		events |= EPOLLIN;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		events |= EPOLLOUT;
	s->watch = events;
	if (events == 0) {
		if (!s->ours)
			tape_http_sock_unwatch(h, fd, s);
		return 0;
	}
	if (events == s->set && s->ours)
		return 0;
	if (!tape_http_sock_watch(h, fd, s, events)) {
		h->broken_errno = errno;
		return -1;
	}
	return 0;
}

static curl_socket_t
on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *addr)
{
	struct tape_http_xfer *x = arg;
	struct tape_http *h = x->h;
	int fd;

	(void)purpose;
	/* The request went out already: this would be a second time. */
	if (x->ready && !x->moved) {
		tape_http_xfer_lost(x);
		return CURL_SOCKET_BAD;
	}
	fd =
	    socket(addr->family, addr->socktype | SOCK_CLOEXEC, addr->protocol);
	if (fd < 0 && tape_http_pool_spare(h, errno))
		fd = socket(addr->family, addr->socktype | SOCK_CLOEXEC,
		    addr->protocol);
	if (fd < 0) {
		x->open_errno = errno;
		return CURL_SOCKET_BAD;
	}
	if (!tape_http_sock_room(h, fd)) {
		x->open_errno = ENOMEM;
		(void)close(fd);
		return CURL_SOCKET_BAD;
	}
	tape_http_sock_opened(h, fd);
	return fd;
}

static int
on_close(void *arg, curl_socket_t fd)
{
	return tape_http_sock_close(arg, fd);
}

int
tape_http_sock_install(struct tape_http *h)
{
	CURLMcode code;

	code = curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_watch);
	if (code == CURLM_OK)
		code = curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	return (int)code;
}

int
tape_http_sock_setup(struct tape_http_xfer *x)
{
	CURL *e = x->easy;
	CURLcode c;

	c = curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_open);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, x);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	/* Connections outlive the handle that opened them. */
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_CLOSESOCKETDATA, x->h);
	return (int)c;
}

/* Of a socket with an error nothing is looked at: a look would take the error
   away. */
static void
begin_event(struct tape_http *h, const struct tape_http_sock *s, int fd,
    uint32_t events)
{
	h->event++;
	if (!h->user_clock && !h->http2 && s->ours && s->x != NULL &&
	    s->x->ready && (events & (EPOLLIN | EPOLLERR)) == EPOLLIN)
		tape_http_peek_begin(h, s->x, fd);
	else
		tape_http_peek_none(h);
}

int
tape_http_sock_action(struct tape_http *h, uint64_t id, uint32_t events)
{
	int fd = (int)(uint32_t)id;
	struct tape_http_sock *s = &h->sock[fd];
	int running, bits = 0;

	if (tape_http_sock_id(fd, s) != id)
		return CURLM_OK; /* closed earlier in this pass */
	if (s->conn != NULL) {
		h->event++;
		tape_http_talk_event(s->conn, events);
		return CURLM_OK;
	}
	if (s->watch == 0) {
		tape_http_sock_unwatch(h, fd, s);
		return CURLM_OK;
	}
	if ((events & (EPOLLIN | EPOLLHUP)) != 0)
		bits |= CURL_CSELECT_IN;
	if ((events & EPOLLOUT) != 0)
		bits |= CURL_CSELECT_OUT;
	if ((events & EPOLLERR) != 0)
		bits |= CURL_CSELECT_ERR;
	begin_event(h, s, fd, events);
	return (int)curl_multi_socket_action(h->multi, fd, bits, &running);
}
