/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_conn.h"

#include "base/mem.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void
idle_check(void *arg)
{
	struct tape_server_conn *c = arg;
	struct tape_server *srv = c->srv;
	int64_t since = c->active_ns;

	if (c->state == TAPE_SERVER_LINGER && c->out.len == 0) {
		tape_server_conn_kill(c, TAPE_SERVER_END_OURS);
		return;
	}
	/* a handler may think for as long as it likes */
	if (c->state == TAPE_SERVER_ANSWERING && c->out.len == 0)
		since = srv->pass_ns;
	if (srv->pass_ns - since >= srv->conf.idle_ns ||
	    tape_server_at(srv, &c->idle, since + srv->conf.idle_ns, idle_check,
		c) != TAPE_OK)
		tape_server_conn_kill(c, TAPE_SERVER_END_IDLE);
}

void
tape_server_conn_watch(struct tape_server_conn *c)
{
	struct epoll_event ev = { .data.ptr = c };

	if (c->state == TAPE_SERVER_DEAD)
		return;
	if (!c->eof) {
		ev.events = EPOLLRDHUP;
		if (c->in.len < c->in.cap)
			ev.events |= EPOLLIN;
	}
	if (c->full)
		ev.events |= EPOLLOUT;
	if (ev.events == c->events)
		return;
	if (epoll_ctl(c->srv->epoll_fd, EPOLL_CTL_MOD, c->fd, &ev) == 0)
		c->events = ev.events;
	else
		tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
}

void
tape_server_conn_open(struct tape_server *srv, int fd)
{
	struct tape_server_conn *c = tape_mem_calloc(1, sizeof(*c));
	int on = 1;

	if (c == NULL) {
		(void)close(fd);
		return;
	}
	c->srv = srv;
	c->fd = fd;
	c->id = ++srv->stats.conns;
	c->active_ns = srv->pass_ns;
	tape_server_parse_init(
	    &c->parse, srv->conf.head_cap_bytes, srv->conf.body_cap_bytes);
	tape_buf_init(&c->body, srv->conf.body_cap_bytes);
	tape_buf_init(&c->in, TAPE_SERVER_READ_BYTES);
	/* room for heads and the last chunk on top of the bodies' limit */
	tape_buf_init(&c->out, srv->conf.out_cap_bytes + 4 * TAPE_CAP_HEADERS);
	c->next = srv->conns;
	if (c->next != NULL)
		c->next->prev = c;
	srv->conns = c;
	srv->stats.open++;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->events = EPOLLIN;
	if (tape_server_watch_new(srv, fd, c) != 0 ||
	    tape_server_at(srv, &c->idle, c->active_ns + srv->conf.idle_ns,
		idle_check, c) != TAPE_OK) {
		tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
		return;
	}
	tape_server_conn_watch(c);
}

void
tape_server_conn_kill(struct tape_server_conn *c, enum tape_server_end why)
{
	struct tape_server *srv = c->srv;

	if (c->state == TAPE_SERVER_DEAD)
		return;
	c->state = TAPE_SERVER_DEAD;
	c->why = why;
	(void)close(c->fd);
	c->fd = -1;
	tape_server_cancel(srv, &c->idle);
	if (c->prev != NULL)
		c->prev->next = c->next;
	else
		srv->conns = c->next;
	if (c->next != NULL)
		c->next->prev = c->prev;
	srv->stats.open--;
	/* one that waits with input is found dead when its turn comes */
	if (!c->waiting) {
		c->todo = srv->dead;
		srv->dead = c;
	}
}

/* Says what is wrong and closes; a handler that does not answer is helped. */
static void
refuse(struct tape_server_conn *c)
{
	const struct tape_server_handler *h = &c->srv->conf.handler;
	const char *why = c->parse.bad_text;
	int status = c->parse.bad_status;

	c->srv->stats.bad++;
	c->last = true;
	if (c->began) { /* answered before the body went wrong */
		tape_server_conn_finish(c, true);
		return;
	}
	if (h->on_bad != NULL)
		h->on_bad(h->arg, c, status, why);
	else
		(void)tape_server_reply(c, status,
		    "content-type: text/plain\r\n", why, strlen(why));
	if (c->state == TAPE_SERVER_READING)
		tape_server_conn_finish(c, true);
}

static void
head_came(struct tape_server_conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const struct tape_server_handler *h = &c->srv->conf.handler;
	const struct tape_server_request *req = &c->parse.req;

	c->requests++;
	c->no_body = strcmp(req->method, "HEAD") == 0;
	c->streaming = h->on_head != NULL && h->on_head(h->arg, c, req);
	if (c->state != TAPE_SERVER_READING || c->began)
		return;
	if (req->expect_continue)
		(void)tape_server_raw(c, go_on, sizeof(go_on) - 1);
	else if (!c->streaming && req->length_bytes > 0)
		(void)tape_buf_reserve(&c->body, (size_t)req->length_bytes);
}

static void
body_came(struct tape_server_conn *c, const char *p, size_t len)
{
	const struct tape_server_handler *h = &c->srv->conf.handler;

	if (c->began)
		return; /* answered early: nobody wants it */
	if (c->streaming)
		h->on_body(h->arg, c, p, len);
	else if (tape_buf_add(&c->body, p, len) != TAPE_OK) {
		c->parse.bad_status = 500;
		c->parse.bad_text = "out of memory";
		refuse(c);
	}
}

static void
request_came(struct tape_server_conn *c)
{
	const struct tape_server_handler *h = &c->srv->conf.handler;
	struct tape_server_request *req = &c->parse.req;

	c->state = TAPE_SERVER_ANSWERING;
	c->srv->stats.requests++;
	if (c->began)
		return;
	req->body = c->body.data;
	req->body_bytes = c->body.len;
	h->on_request(h->arg, c, req);
}

/* Feeds the parser until a request is in hand or all is used. */
static size_t
consume(struct tape_server_conn *c, const char *p, size_t len)
{
	enum tape_server_part part = TAPE_SERVER_HEAD;
	const char *piece = NULL;
	size_t used = 0, n = 0;

	c->busy = true;
	while (c->state == TAPE_SERVER_READING && part != TAPE_SERVER_MORE) {
		part = tape_server_parse_next(
		    &c->parse, p, len, &used, &piece, &n);
		if (part == TAPE_SERVER_HEAD)
			head_came(c);
		else if (part == TAPE_SERVER_BODY)
			body_came(c, piece, n);
		else if (part == TAPE_SERVER_DONE)
			request_came(c);
		else if (part == TAPE_SERVER_BAD)
			refuse(c);
	}
	c->busy = false;
	return used;
}

static void
take(struct tape_server_conn *c, const char *p, size_t len)
{
	size_t used = 0;

	/* input of a connection that closes is thrown away */
	if (c->state == TAPE_SERVER_READING)
		used = consume(c, p, len);
	if (c->state == TAPE_SERVER_ANSWERING)
		(void)tape_buf_add(&c->in, p + used, len - used);
	if (c->in.status != TAPE_OK)
		tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
}

void
tape_server_conn_readable(struct tape_server_conn *c)
{
	struct tape_server *srv = c->srv;
	size_t room = c->in.cap - c->in.len;
	ssize_t n;

	if (room == 0)
		return;
	n = recv(c->fd, srv->buf,
	    room < sizeof(srv->buf) ? room : sizeof(srv->buf), 0);
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
		return;
	}
	if (n == 0) {
		tape_server_conn_eof(c);
		return;
	}
	c->active_ns = srv->pass_ns;
	take(c, srv->buf, (size_t)n);
}

void
tape_server_conn_eof(struct tape_server_conn *c)
{
	switch (c->state) {
	case TAPE_SERVER_READING:
		/* an answer may still be on its way out */
		if (c->out.len > 0) {
			c->eof = true;
			tape_server_conn_finish(c, false);
		} else
			tape_server_conn_kill(c, TAPE_SERVER_END_PEER);
		break;
	case TAPE_SERVER_ANSWERING:
		if (c->srv->conf.eof_cancels) {
			tape_server_conn_kill(c, TAPE_SERVER_END_PEER);
			break;
		}
		c->eof = true;
		c->last = c->last || c->in.len == 0;
		break;
	case TAPE_SERVER_CLOSING:
		c->eof = true;
		break;
	case TAPE_SERVER_LINGER:
		if (c->out.len > 0)
			c->eof = true;
		else
			tape_server_conn_kill(c, TAPE_SERVER_END_OURS);
		break;
	case TAPE_SERVER_DEAD:
		break;
	}
}

void
tape_server_conn_next(struct tape_server_conn *c)
{
	tape_server_parse_clear(&c->parse);
	/* one huge prompt must not stay with an idle connection */
	if (c->body.size > TAPE_SERVER_READ_BYTES)
		tape_buf_release(&c->body);
	tape_buf_clear(&c->body);
	c->state = TAPE_SERVER_READING;
	c->began = c->streaming = c->no_body = false;
	if (c->busy)
		return; /* the loop that called us goes on by itself */
	if (c->in.len > 0) {
		c->waiting = true;
		c->todo = c->srv->waiting;
		c->srv->waiting = c;
	} else if (c->eof)
		tape_server_conn_finish(c, false);
}

void
tape_server_conn_resume(struct tape_server_conn *c)
{
	size_t used;

	c->waiting = false;
	if (c->state == TAPE_SERVER_DEAD) {
		c->todo = c->srv->dead;
		c->srv->dead = c;
		return;
	}
	if (c->state != TAPE_SERVER_READING)
		return;
	used = consume(c, c->in.data, c->in.len);
	tape_buf_consume(&c->in, used);
	if (c->in.len == 0)
		tape_buf_release(&c->in);
	if (c->eof && c->state == TAPE_SERVER_READING)
		tape_server_conn_finish(c, false);
	tape_server_conn_watch(c);
}
