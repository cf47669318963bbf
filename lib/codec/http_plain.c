/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>

#define LOOKUP_EACH_NS TAPE_NS_PER_S /* of a name whose address failed */

void
tape_http_plain_fail(struct tape_http_xfer *x, enum tape_http_class class,
    const char *cause, const char *fmt, ...)
{
	va_list ap;

	if (x->done)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(x->message, sizeof(x->message), fmt, ap);
	va_end(ap);
	tape_http_xfer_break(x, class, cause);
}

static struct tape_http_xfer *
get_bare(struct tape_http *h, struct tape_http_template *t)
{
	struct tape_http_xfer *x = h->own_list;
	struct tape_buf line = { .cap = 0 };

	if (x != NULL) {
		h->own_list = x->next;
		h->own_idle--;
		line = x->own.answer.line;
	} else {
		x = tape_mem_calloc(1, sizeof(*x));
		if (x == NULL)
			return NULL;
	}
	/* All but the texts, which are long and begin empty. */
	memset(x, 0, offsetof(struct tape_http_xfer, message));
	x->message[0] = '\0';
	x->h = h;
	x->template = t;
	x->own.answer.line = line;
	t->refs++;
	return x;
}

static bool
is_known(const struct tape_http_origin *o)
{
	return o->addr_len > 0 && !o->doubted;
}

/*
 * Whether a start can do without libcurl.  A name that was not resolved yet
 * needs it; one whose address failed is resolved anew by one request a second,
 * since each resolving costs a thread and a handle.
 */
static bool
needs_no_lookup(struct tape_http_origin *o, int64_t now_ns)
{
	if (o->addr_len == 0 || is_known(o))
		return is_known(o);
	if (now_ns < o->lookup_ns)
		return true;
	o->lookup_ns = now_ns + LOOKUP_EACH_NS;
	return false;
}

struct tape_http_xfer *
tape_http_plain_get(struct tape_http *h, struct tape_http_template *t,
    const struct tape_http_request *req)
{
	struct tape_http_xfer *x;

	if (needs_no_lookup(t->origin, tape_clock_now_ns(h->clock))) {
		x = get_bare(h, t);
	} else {
		x = tape_http_easy_get(h, t, req);
		if (x != NULL && !tape_http_easy_connect_only(x)) {
			tape_http_easy_discard(x);
			x = NULL;
		}
	}
	if (x == NULL)
		return NULL;
	x->own.on = true;
	x->own.mode = req->conn;
	x->own.session = req->session;
	x->own.body = req->body;
	if (!tape_http_request_more(x, req)) {
		tape_http_easy_discard(x);
		return NULL;
	}
	return x;
}

void
tape_http_plain_add(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	tape_http_request_length(x);
	x->own.pending = true;
	x->own.next = NULL;
	x->own.prev = h->pending_tail;
	if (h->pending_tail != NULL)
		h->pending_tail->own.next = x;
	else
		h->pending_head = x;
	h->pending_tail = x;
}

static void
unlink_pending(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (!x->own.pending)
		return;
	if (x->own.prev != NULL)
		x->own.prev->own.next = x->own.next;
	else
		h->pending_head = x->own.next;
	if (x->own.next != NULL)
		x->own.next->own.prev = x->own.prev;
	else
		h->pending_tail = x->own.prev;
	x->own.pending = false;
}

static void
launch(struct tape_http_xfer *x)
{
	CURLMcode code;

	if (tape_http_pool_take(x) != NULL) {
		tape_http_talk_begin(x);
		return;
	}
	if (x->easy == NULL || is_known(x->template->origin)) {
		(void)tape_http_conn_open(x);
		return;
	}
	code = curl_multi_add_handle(x->h->multi, x->easy);
	if (code != CURLM_OK)
		tape_http_plain_fail(x, TAPE_HTTP_CLIENT,
		    code == CURLM_OUT_OF_MEMORY ? "memory" : "internal", "%s",
		    curl_multi_strerror(code));
	x->in_multi = code == CURLM_OK;
}

void
tape_http_plain_launch(struct tape_http *h)
{
	while (h->pending_head != NULL) {
		struct tape_http_xfer *x = h->pending_head;

		unlink_pending(x);
		h->event++;
		if (!x->done)
			launch(x);
	}
}

/*
 * A descriptor of our own for the socket that libcurl has connected; -1: x has
 * failed.  epoll knows the socket by both, so libcurl's is taken out while it is
 * open.
 */
static int
take_socket(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;
	curl_socket_t theirs = CURL_SOCKET_BAD;
	int fd;

	(void)curl_easy_getinfo(x->easy, CURLINFO_ACTIVESOCKET, &theirs);
	if (theirs == CURL_SOCKET_BAD) {
		tape_http_plain_fail(x, TAPE_HTTP_CONNECT, "failed",
		    "The connection closed at once");
		return -1;
	}
	fd = fcntl(theirs, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 && tape_http_pool_spare(h, errno))
		fd = fcntl(theirs, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && tape_http_sock_room(h, fd)) {
		tape_http_sock_unwatch(h, theirs, &h->sock[theirs]);
		return fd;
	}
	tape_http_plain_fail(x, TAPE_HTTP_CLIENT,
	    fd < 0 ? "descriptors" : "memory", "No descriptor: %s",
	    strerror(fd < 0 ? errno : ENOMEM));
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

void
tape_http_plain_adopt(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;
	int fd;

	tape_http_xfer_steps(x);
	fd = take_socket(x);
	/* libcurl closes what it still has of the connection. */
	(void)curl_multi_remove_handle(h->multi, x->easy);
	x->in_multi = false;
	if (fd < 0)
		return;
	tape_http_sock_opened(h, fd);
	if (tape_http_conn_adopt(x, fd))
		tape_http_talk_begin(x);
}

void
tape_http_plain_drop(struct tape_http_xfer *x)
{
	unlink_pending(x);
	if (x->in_multi)
		(void)curl_multi_remove_handle(x->h->multi, x->easy);
	x->in_multi = false;
	if (x->own.conn != NULL)
		tape_http_conn_close(x->own.conn);
}

void
tape_http_plain_keep(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (x->easy != NULL || h->own_idle >= h->keep) {
		tape_http_easy_discard(x);
		return;
	}
	tape_http_easy_clear(x);
	tape_http_template_drop(h, x->template);
	x->template = NULL;
	tape_http_answer_trim(&x->own.answer);
	x->next = h->own_list;
	h->own_list = x;
	h->own_idle++;
}
