/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"
#include "codec/http_split.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

/* What ends a connection: nothing more comes on it.  On a kept one, before any
   byte of an answer, the server may just have closed it; the request may have
   been heeded or not, and is not sent again. */
static void
lost(struct tape_http_xfer *x, enum tape_http_class class, const char *cause,
    const char *why)
{
	if (x->result.reused && !x->own.answer.any &&
	    tape_http_xfer_is_stale(x))
		tape_http_xfer_break(x, TAPE_HTTP_RESET, "stale-connection");
	else if (x->own.send_errno != 0)
		tape_http_plain_fail(x, TAPE_HTTP_SEND, "rst",
		    "The request could not be sent: %s",
		    strerror(x->own.send_errno));
	else
		tape_http_plain_fail(x, class, cause, "%s", why);
}

static void
bad(struct tape_http_xfer *x, const struct tape_http_item *item)
{
	tape_http_plain_fail(x,
	    strcmp(item->cause, "memory") == 0 ? TAPE_HTTP_CLIENT
					       : TAPE_HTTP_TRUNCATED,
	    item->cause, "%s", item->why);
}

/* The answer is whole.  The connection is kept unless something is left over,
   or the request itself is not out. */
static void
complete(struct tape_http_xfer *x, bool leftover)
{
	struct tape_http_conn *c = x->own.conn;

	x->result.end_ns = x->event_ns;
	x->own.conn = NULL;
	c->x = NULL;
	if (leftover || !x->told_sent || x->own.mode == TAPE_HTTP_FRESH ||
	    x->template->closes || !tape_http_answer_keeps(&x->own.answer))
		tape_http_conn_close(c);
	else
		tape_http_pool_give(c);
	tape_http_xfer_end(x);
}

/* The pieces of a body move together, so that a read is one call. */
static void
gather(struct tape_str *body, char *room, const struct tape_str *piece)
{
	if (body->len == 0)
		*body = *piece;
	else if (body->p + body->len == piece->p)
		body->len += piece->len;
	else {
		memmove(
		    room + (body->p - room) + body->len, piece->p, piece->len);
		body->len += piece->len;
	}
}

/* Bytes have come; their time is taken. */
static void
take(struct tape_http_xfer *x, char *data, size_t n)
{
	const char *p = data, *end = data + n;
	struct tape_str body = { data, 0 };
	struct tape_http_item item;
	enum tape_http_kind kind;

	do {
		kind = tape_http_answer_next(&x->own.answer, &p, end, &item);
		if (kind == TAPE_HTTP_BODY_BYTES) {
			gather(&body, data, &item.data);
			continue;
		}
		if (body.len > 0)
			tape_http_tell_body(x, body.p, body.len);
		body.len = 0;
		if (x->done)
			return;
		if (kind == TAPE_HTTP_STATUS)
			tape_http_tell_head(x, item.status, item.version);
		else if (kind == TAPE_HTTP_FIELD)
			tape_http_tell_field(x, item.name, item.data);
		else if (kind == TAPE_HTTP_BAD)
			bad(x, &item);
		else if (kind == TAPE_HTTP_END)
			complete(x, p != end);
	} while (kind != TAPE_HTTP_MORE && !x->done);
}

static void
ended(struct tape_http_xfer *x)
{
	struct tape_http_item item;

	tape_http_tell_time(x, -1);
	if (tape_http_answer_eof(&x->own.answer, &item) == TAPE_HTTP_END)
		complete(x, true);
	else
		lost(x,
		    x->own.answer.any ? TAPE_HTTP_TRUNCATED : TAPE_HTTP_RESET,
		    item.cause, item.why);
}

static void
failed_receive(struct tape_http_xfer *x)
{
	if (errno != EAGAIN && errno != EINTR)
		lost(x, TAPE_HTTP_RESET, errno == ECONNRESET ? "rst" : "closed",
		    "The connection was reset");
}

/* Whether those that come next in this pass may have waited for long. */
static void
mind_lateness(const struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (x->event_lag_ns > TAPE_HTTP_LATE_NS ||
	    x->event_ns - h->woken_ns > TAPE_HTTP_LATE_NS)
		h->late = true;
}

/*
 * Takes at most so much of what was all there at seen_ns, by the kernel's clock;
 * a later stamp is that of bytes which have joined it since.  What comes again
 * in the same event and has the same stamp was one segment, and is one read.
 * False: that was all.
 */
static bool
receive_some(struct tape_http_xfer *x, size_t most, int64_t seen_ns, bool again)
{
	struct tape_http *h = x->h;
	int64_t wall_ns = -1;
	int fd = x->own.conn->fd;
	ssize_t n;

	if (h->user_clock)
		n = recv(fd, h->room, most, MSG_DONTWAIT);
	else
		n = tape_http_peek_receive(fd, h->room, most, 0, &wall_ns);
	if (n < 0) {
		failed_receive(x);
	} else if (n == 0) {
		ended(x);
	} else {
		if (wall_ns > seen_ns)
			wall_ns = seen_ns;
		if (!again || wall_ns < 0 || wall_ns != h->wall_ns)
			tape_http_tell_time(x, wall_ns);
		h->wall_ns = wall_ns;
		mind_lateness(x);
		take(x, h->room, (size_t)n);
	}
	return n > 0 && !x->done;
}

/* Several events may wait, and each is to have its own time. */
static void
receive_by_events(struct tape_http_xfer *x)
{
	size_t cut[TAPE_HTTP_SPLIT_CUTS], n, from = 0;
	struct tape_http *h = x->h;
	int64_t seen_ns;
	ssize_t got = tape_http_peek_receive(x->own.conn->fd, h->room,
	    TAPE_HTTP_SPLIT_BYTES + 1, MSG_PEEK, &seen_ns);

	if (got < 0) {
		failed_receive(x);
		return;
	}
	if (got == 0 || (size_t)got > TAPE_HTTP_SPLIT_BYTES || seen_ns < 0) {
		(void)receive_some(x, h->room_bytes, INT64_MAX, false);
		return;
	}
	n = tape_http_split_find(h->room, (size_t)got, cut);
	for (size_t i = 0; i < n; i++) {
		if (!receive_some(x, cut[i] - from, seen_ns, i > 0))
			return;
		from = cut[i];
	}
}

static void
receive(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (h->late && !h->user_clock)
		receive_by_events(x);
	else
		(void)receive_some(x, h->room_bytes, INT64_MAX, false);
}

/*
 * So much of a body goes out in one pass.  A megabyte at once would hold up the
 * sends and reads of all others by as long as it takes to copy it into the
 * kernel, and on loopback to receive it there, too.
 */
#define SEND_MOST  ((size_t)64 << 10)
#define SEND_PARTS 4

/* What is to go out next, of head, own lines, length line and body. */
static int
parts(struct tape_http_xfer *x, struct iovec *v)
{
	const struct iovec all[] = {
		{ x->template->head, x->template->head_len },
		{ x->own.more, x->own.more_len },
		{ x->own.length, x->own.length_len },
		{ (void *)(uintptr_t)x->own.body, x->body_bytes },
	};
	size_t room = SEND_MOST;
	size_t skip = x->own.out;
	int n = 0;

	for (size_t i = 0; i < SEND_PARTS; i++) {
		if (skip >= all[i].iov_len) {
			skip -= all[i].iov_len;
			continue;
		}
		v[n].iov_base = (char *)all[i].iov_base + skip;
		v[n].iov_len = all[i].iov_len - skip;
		if (v[n].iov_len > room)
			v[n].iov_len = room;
		room -= v[n++].iov_len;
		skip = 0;
		if (room == 0)
			break;
	}
	return n;
}

static void
count_out(struct tape_http_xfer *x, size_t n)
{
	size_t head =
	    x->template->head_len + x->own.more_len + x->own.length_len;

	x->own.out += n;
	x->result.sent_ns = tape_clock_now_ns(x->h->clock);
	if (x->own.out > head)
		x->result.body_up_bytes = x->own.out - head;
}

/*
 * Sends what may go out in this pass.  After an error the answer may still be
 * read: a server that refuses a body says so before it goes.
 */
static void
send_rest(struct tape_http_xfer *x)
{
	struct tape_http_conn *c = x->own.conn;
	struct iovec v[SEND_PARTS];
	struct msghdr m = { .msg_iov = v };
	bool went = false;

	while (!x->told_sent && x->own.send_errno == 0) {
		ssize_t n;

		m.msg_iovlen = (size_t)parts(x, v);
		if (m.msg_iovlen == 0) {
			tape_http_tell_sent(x);
			break;
		}
		if (went) {
			(void)tape_http_conn_watch(c, true);
			return;
		}
		n = sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN) {
			(void)tape_http_conn_watch(c, true);
			return;
		}
		if (n < 0 && (errno == ENOBUFS || errno == ENOMEM)) {
			/* The connection lives: nothing else would end x. */
			tape_http_plain_fail(x, TAPE_HTTP_CLIENT, "memory",
			    "The request could not be sent: %s",
			    strerror(errno));
			return;
		}
		if (n < 0 && errno != EINTR)
			x->own.send_errno = errno;
		else if (n > 0)
			count_out(x, (size_t)n);
		went = n > 0;
	}
	if (!x->done)
		(void)tape_http_conn_watch(c, false);
}

void
tape_http_talk_begin(struct tape_http_xfer *x)
{
	tape_http_tell_ready(x, x->own.conn->used);
	tape_http_answer_begin(
	    &x->own.answer, strcmp(x->template->method, "HEAD") == 0);
	send_rest(x);
}

void
tape_http_talk_event(struct tape_http_conn *c, uint32_t events)
{
	struct tape_http_xfer *x = c->x;

	if (x == NULL) {
		/* The server closes it, or says what nobody asked for. */
		tape_http_pool_remove(c);
		tape_http_conn_close(c);
		return;
	}
	if (x->done)
		return;
	if (c->connecting) {
		if (tape_http_conn_opened(c))
			tape_http_talk_begin(x);
		return;
	}
	if ((events & EPOLLOUT) != 0)
		send_rest(x);
	if (!x->done && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0)
		receive(x);
}
