/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_conn.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#define LINGER_NS   TAPE_NS_PER_S      /* for a peer that still sends */
#define FRAME_BYTES 32                 /* at most, around a chunk */
#define KEEP_BYTES  ((size_t)64 << 10) /* of an emptied buffer */
#define LAST_CHUNK  "0\r\n\r\n"

static const char *
phrase(int status)
{
	static const struct {
		int status;
		const char *text;
	} known[] = {
		{ 200, "OK" },
		{ 204, "No Content" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 417, "Expectation Failed" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].status == status)
			return known[i].text;
	return "Status";
}

/* Our side is shut; the peer has LINGER_NS to stop sending. */
static bool
lingers(struct tape_server_conn *c)
{
	int64_t until_ns = tape_server_now_ns(c->srv) + LINGER_NS;

	return shutdown(c->fd, SHUT_WR) == 0 &&
	       tape_server_at(c->srv, &c->idle, until_ns, c->idle.fn, c) ==
		   TAPE_OK;
}

/* All that was buffered is out. */
static void
drained(struct tape_server_conn *c)
{
	if (c->out.size > KEEP_BYTES)
		tape_buf_release(&c->out);
	if (c->state == TAPE_SERVER_CLOSING ||
	    (c->state == TAPE_SERVER_LINGER && !lingers(c)))
		tape_server_conn_kill(c, TAPE_SERVER_END_OURS);
}

void
tape_server_conn_flush(struct tape_server_conn *c)
{
	tape_server_conn_flush_but(c, 0);
}

void
tape_server_conn_flush_but(struct tape_server_conn *c, size_t keep)
{
	ssize_t n;

	while (c->out.len > keep && !c->full && c->state != TAPE_SERVER_DEAD) {
		n = send(c->fd, c->out.data, c->out.len - keep, MSG_NOSIGNAL);
		if (n >= 0) {
			tape_buf_consume(&c->out, (size_t)n);
			c->active_ns = c->srv->pass_ns;
		} else if (errno == EAGAIN) {
			c->full = true;
			tape_server_conn_watch(c);
		} else if (errno != EINTR)
			tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
	}
	if (c->out.len == 0 && c->state != TAPE_SERVER_DEAD)
		drained(c);
}

void
tape_server_conn_finish(struct tape_server_conn *c, bool linger)
{
	if (c->state == TAPE_SERVER_DEAD)
		return;
	c->state = linger && !c->eof ? TAPE_SERVER_LINGER : TAPE_SERVER_CLOSING;
	tape_buf_release(&c->in);
	tape_server_conn_flush(c);
}

/* TAPE_OK when the connection has a request that is being answered. */
static enum tape_status
answering(const struct tape_server_conn *c)
{
	if (c->state != TAPE_SERVER_READING &&
	    c->state != TAPE_SERVER_ANSWERING)
		return TAPE_E_IO;
	return c->began ? TAPE_OK : TAPE_E_USAGE;
}

/* What could not be buffered whole would break the framing: give up. */
static enum tape_status
checked(struct tape_server_conn *c)
{
	enum tape_status st = c->out.status;

	if (st != TAPE_OK)
		tape_server_conn_kill(c, TAPE_SERVER_END_ERROR);
	return st;
}

enum tape_status
tape_server_head(struct tape_server_conn *c, int status, const char *headers,
    enum tape_server_mode mode, uint64_t length_bytes)
{
	const struct tape_server_request *req = &c->parse.req;
	enum tape_status st = answering(c);

	if (st == TAPE_E_IO)
		return st;
	if (c->began)
		return TAPE_E_USAGE;
	if (mode == TAPE_SERVER_CHUNKED && req->http_1_0)
		mode = TAPE_SERVER_UNTIL_CLOSE;
	if (mode == TAPE_SERVER_UNTIL_CLOSE || !req->keep_alive ||
	    c->state == TAPE_SERVER_READING || c->srv->stopping)
		c->last = true;
	c->began = true;
	c->mode = mode;
	c->left = length_bytes;
	(void)tape_buf_add_fmt(
	    &c->out, "HTTP/1.1 %d %s\r\n%s", status, phrase(status), headers);
	if (mode == TAPE_SERVER_LENGTH)
		(void)tape_buf_add_fmt(
		    &c->out, "content-length: %" PRIu64 "\r\n", length_bytes);
	else if (mode == TAPE_SERVER_CHUNKED)
		(void)tape_buf_add_str(
		    &c->out, "transfer-encoding: chunked\r\n");
	if (c->last)
		(void)tape_buf_add_str(&c->out, "connection: close\r\n");
	else if (req->http_1_0)
		(void)tape_buf_add_str(&c->out, "connection: keep-alive\r\n");
	(void)tape_buf_add_str(&c->out, "\r\n");
	return checked(c);
}

/* By hand: this is done for each event, and printf costs more than all the
   rest of it. */
static void
add_chunk_size(struct tape_buf *b, size_t len)
{
	char line[2 * sizeof(len) + 2];
	size_t at = sizeof(line) - 2;

	line[at] = '\r';
	line[at + 1] = '\n';
	do
		line[--at] = "0123456789abcdef"[len & 15];
	while ((len >>= 4) > 0);
	(void)tape_buf_add(b, line + at, sizeof(line) - at);
}

enum tape_status
tape_server_put(struct tape_server_conn *c, const void *p, size_t len)
{
	enum tape_status st = answering(c);

	if (st != TAPE_OK)
		return st;
	if (c->mode == TAPE_SERVER_LENGTH && len > c->left)
		return TAPE_E_USAGE;
	if (c->no_body || len == 0) {
		c->left -= c->mode == TAPE_SERVER_LENGTH ? len : 0;
		return TAPE_OK;
	}
	if (c->out.len > c->srv->conf.out_cap_bytes ||
	    len > c->srv->conf.out_cap_bytes - c->out.len)
		return TAPE_E_LIMIT;
	if (tape_buf_reserve(&c->out, len + FRAME_BYTES) != TAPE_OK)
		return checked(c);
	if (c->mode == TAPE_SERVER_CHUNKED)
		add_chunk_size(&c->out, len);
	(void)tape_buf_add(&c->out, p, len);
	if (c->mode == TAPE_SERVER_CHUNKED)
		(void)tape_buf_add(&c->out, "\r\n", 2);
	else if (c->mode == TAPE_SERVER_LENGTH)
		c->left -= len;
	return checked(c);
}

enum tape_status
tape_server_flush_but(struct tape_server_conn *c, size_t keep)
{
	if (c->state == TAPE_SERVER_DEAD)
		return TAPE_E_IO;
	tape_server_conn_flush_but(c, keep);
	return c->state == TAPE_SERVER_DEAD ? TAPE_E_IO : TAPE_OK;
}

enum tape_status
tape_server_flush(struct tape_server_conn *c)
{
	return tape_server_flush_but(c, 0);
}

enum tape_status
tape_server_send(struct tape_server_conn *c, const void *p, size_t len)
{
	enum tape_status st = tape_server_put(c, p, len);

	return st == TAPE_OK ? tape_server_flush(c) : st;
}

enum tape_status
tape_server_raw(struct tape_server_conn *c, const void *p, size_t len)
{
	if (answering(c) == TAPE_E_IO)
		return TAPE_E_IO;
	if (tape_buf_add(&c->out, p, len) != TAPE_OK)
		return checked(c);
	return tape_server_flush(c);
}

enum tape_status
tape_server_end(struct tape_server_conn *c)
{
	enum tape_status st = answering(c);

	if (st != TAPE_OK)
		return st;
	if (c->mode == TAPE_SERVER_CHUNKED && !c->no_body)
		(void)tape_buf_add_str(&c->out, LAST_CHUNK);
	st = checked(c);
	if (st != TAPE_OK)
		return st;
	if (c->state == TAPE_SERVER_READING)
		tape_server_conn_finish(c, true);
	else if (c->last || (c->mode == TAPE_SERVER_LENGTH && c->left > 0))
		tape_server_conn_finish(c, false);
	else {
		tape_server_conn_flush(c);
		if (c->state == TAPE_SERVER_DEAD)
			return TAPE_E_IO;
		tape_server_conn_next(c);
	}
	return TAPE_OK;
}

enum tape_status
tape_server_reply(struct tape_server_conn *c, int status, const char *headers,
    const void *body, size_t len)
{
	enum tape_status st =
	    tape_server_head(c, status, headers, TAPE_SERVER_LENGTH, len);

	if (st == TAPE_OK)
		st = tape_server_put(c, body, len);
	return st == TAPE_OK ? tape_server_end(c) : st;
}

void
tape_server_last(struct tape_server_conn *c)
{
	c->last = true;
}

void
tape_server_close(struct tape_server_conn *c)
{
	if (c->state == TAPE_SERVER_READING ||
	    c->state == TAPE_SERVER_ANSWERING)
		tape_server_conn_finish(c, c->state == TAPE_SERVER_READING);
}

void
tape_server_reset(struct tape_server_conn *c)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (c->state == TAPE_SERVER_DEAD)
		return;
	(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	tape_server_conn_kill(c, TAPE_SERVER_END_OURS);
}

uint64_t
tape_server_conn_id(const struct tape_server_conn *c)
{
	return c->id;
}

size_t
tape_server_conn_pending(const struct tape_server_conn *c)
{
	return c->out.len;
}

void
tape_server_conn_set(struct tape_server_conn *c, void *user)
{
	c->user = user;
}

void *
tape_server_conn_user(const struct tape_server_conn *c)
{
	return c->user;
}
