/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel keeps with the bytes of a socket when it got them, and says of
 * those that one call looks at when it got the last.  libcurl does not ask; so
 * just before it receives, the same bytes are looked at here, without taking
 * or copying them.
 *
 * In the clear it is known which bytes libcurl takes: as many as it asks for,
 * or all.  When what was looked at is used up, what it takes after that in the
 * same event has the time of a new look, if there may have been more, and else
 * none.  Over TLS only decrypted bytes are seen; there every receive is
 * followed by a look, and those of the same stamp belong together.
 */
#include "codec/http_loop.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* A TLS record is longer than what is in it. */
#define RECORD_BYTES ((size_t)18 << 10)

void
tape_http_peek_ask(int fd)
{
	const int on = 1;

	/* Where it is refused there are no stamps, which is seen there. */
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

static int64_t
stamp_of(struct msghdr *m)
{
	struct timespec ts;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		if (c->cmsg_level == SOL_SOCKET &&
		    c->cmsg_type == SCM_TIMESTAMPNS &&
		    c->cmsg_len >= CMSG_LEN(sizeof(ts))) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			return ts.tv_sec * TAPE_NS_PER_S + ts.tv_nsec;
		}
	return -1;
}

ssize_t
tape_http_peek_receive(
    int fd, void *room, size_t most, int flags, int64_t *wall_ns)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
	} control;
	struct iovec to = { .iov_base = room, .iov_len = most };
	struct msghdr m = { .msg_iov = &to,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	ssize_t n = recvmsg(fd, &m, flags | MSG_DONTWAIT);

	*wall_ns = n > 0 ? stamp_of(&m) : -1;
	return n;
}

/* Looks at what is there.  An error that the kernel tells is told but once:
   libcurl will only see the end. */
static void
look(struct tape_http *h)
{
	struct tape_http_peek *p = &h->peek;
	size_t room = h->buffer_bytes;
	ssize_t n;

	if (p->x->tls && room < RECORD_BYTES)
		room = RECORD_BYTES;
	p->covered = 0;
	p->full = false;
	n = tape_http_peek_receive(
	    p->fd, h->room, room, MSG_PEEK | MSG_TRUNC, &p->kernel_ns);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		p->x->lost_errno = errno;
	if (n <= 0)
		return;
	p->covered = (size_t)n;
	p->full = (size_t)n >= room;
}

void
tape_http_peek_begin(struct tape_http *h, struct tape_http_xfer *x, int fd)
{
	h->peek = (struct tape_http_peek){ .x = x, .fd = fd, .kernel_ns = -1 };
	look(h);
}

void
tape_http_peek_none(struct tape_http *h)
{
	h->peek = (struct tape_http_peek){ .x = NULL, .fd = -1 };
	h->peek.kernel_ns = -1;
}

bool
tape_http_peek_is_new(struct tape_http *h, size_t len)
{
	struct tape_http_peek *p = &h->peek;

	/* More than was there at the look: the rest came after it. */
	if (len > p->covered)
		p->kernel_ns = -1;
	return p->anew || len > p->covered;
}

void
tape_http_peek_took(struct tape_http *h, size_t len)
{
	struct tape_http_peek *p = &h->peek;
	int64_t before_ns = p->kernel_ns;

	p->anew = false;
	p->covered -= len < p->covered ? len : p->covered;
	if (p->x->tls) {
		look(h);
		p->anew = p->kernel_ns < 0 || p->kernel_ns != before_ns;
	} else if (p->covered == 0) {
		p->anew = true;
		if (p->full)
			look(h);
		else
			p->kernel_ns = -1;
	}
}
