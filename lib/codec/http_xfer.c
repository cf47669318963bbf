/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"

#include <string.h>

#include <curl/curl.h>

/* A server that was about to close a kept connection does so within this time
   of a request; later it closes because of the request. */
#define STALE_NS TAPE_NS_PER_S

static void
link_running(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	x->prev = NULL;
	x->next = h->running_list;
	if (x->next != NULL)
		x->next->prev = x;
	h->running_list = x;
	h->running++;
}

static void
unlink_running(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (x->prev != NULL)
		x->prev->next = x->next;
	else
		h->running_list = x->next;
	if (x->next != NULL)
		x->next->prev = x->prev;
	h->running--;
}

static enum tape_status
add_error(CURLMcode code, struct tape_err *err)
{
	if (code == CURLM_OUT_OF_MEMORY)
		return tape_err_nomem(err);
	return tape_err_set(err,
	    code == CURLM_RECURSIVE_API_CALL ? TAPE_E_BUG : TAPE_E_IO,
	    "cannot start a transfer: %s", curl_multi_strerror(code));
}

static void
fill_record(struct tape_http_xfer *x, const struct tape_http_request *req)
{
	struct tape_http_result *r = &x->result;

	x->user = req->user;
	x->tls = strncmp(x->template->full, "https:", 6) == 0;
	x->body_bytes = req->body != NULL ? req->body_bytes : 0;
	x->limits = tape_http_limits(&req->timeouts, &x->h->timeouts);
	r->conn_ns = r->sent_ns = r->head_ns = r->end_ns = -1;
	r->dns_ns = r->connect_ns = r->tls_ns = r->head_lag_ns = -1;
	r->remote_addr = x->remote;
	r->tls = x->tls_text;
	r->message = x->message;
	r->start_ns = tape_clock_now_ns(x->h->clock);
	x->floor_ns = r->start_ns;
	x->total_end_ns = tape_http_after_ns(r->start_ns, x->limits.total_ns);
}

/* To whoever sends it. */
static enum tape_status
hand_on(struct tape_http_xfer *x, struct tape_err *err)
{
	CURLMcode code;

	if (x->own.on) {
		tape_http_plain_add(x);
		return TAPE_OK;
	}
	code = curl_multi_add_handle(x->h->multi, x->easy);
	x->in_multi = code == CURLM_OK;
	return x->in_multi ? TAPE_OK : add_error(code, err);
}

static enum tape_status
check_more(const struct tape_http_request *req, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (req->more_n > TAPE_HTTP_OWN_LINES)
		return tape_err_set(err, TAPE_E_USAGE,
		    "more than %d header lines of one request",
		    TAPE_HTTP_OWN_LINES);
	for (size_t i = 0; i < req->more_n && st == TAPE_OK; i++)
		st = tape_http_template_check_line(req->more[i], i + 1, err);
	return st;
}

enum tape_status
tape_http_start(struct tape_http *h, const struct tape_http_request *req,
    struct tape_http_xfer **out, int64_t *start_ns, struct tape_err *err)
{
	struct tape_http_template *t;
	struct tape_http_xfer *x;
	enum tape_status st;
	int64_t limit_ns;

	st = tape_http_template_get(h, req, &t, err);
	if (st == TAPE_OK)
		st = check_more(req, err);
	if (st != TAPE_OK)
		return st;
	if (!tape_http_deadline_reserve(h))
		return tape_err_nomem(err);
	if (req->conn == TAPE_HTTP_SESSION && t->origin == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "no connection for each session with TLS, a proxy or "
		    "HTTP/2");
	x = t->origin != NULL ? tape_http_plain_get(h, t, req)
			      : tape_http_easy_get(h, t, req);
	if (x == NULL)
		return tape_err_nomem(err);
	fill_record(x, req);
	st = hand_on(x, err);
	if (st != TAPE_OK) {
		tape_http_easy_discard(x);
		return st;
	}
	link_running(x);
	limit_ns = tape_http_after_ns(x->result.start_ns, x->limits.connect_ns);
	tape_http_deadline_add(
	    x, limit_ns < x->total_end_ns ? limit_ns : x->total_end_ns);
	if (out != NULL)
		*out = x;
	if (start_ns != NULL)
		*start_ns = x->result.start_ns;
	return TAPE_OK;
}

void
tape_http_xfer_end(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	x->done = true;
	x->next_done = NULL;
	if (h->done_tail != NULL)
		h->done_tail->next_done = x;
	else
		h->done_head = x;
	h->done_tail = x;
}

void
tape_http_xfer_break(
    struct tape_http_xfer *x, enum tape_http_class class, const char *cause)
{
	if (x->done)
		return;
	x->broke = true;
	x->result.class = class;
	x->result.cause = cause;
	x->result.end_ns = tape_clock_now_ns(x->h->clock);
	tape_http_xfer_end(x);
}

bool
tape_http_xfer_is_stale(const struct tape_http_xfer *x)
{
	int64_t now_ns = tape_clock_now_ns(x->h->clock);

	return !x->told_sent || now_ns - x->result.sent_ns < STALE_NS;
}

void
tape_http_xfer_lost(struct tape_http_xfer *x)
{
	tape_http_xfer_break(x, TAPE_HTTP_RESET,
	    tape_http_xfer_is_stale(x) ? "stale-connection" : "closed");
}

void
tape_http_xfer_done(struct tape_http_xfer *x, int code)
{
	if (x->done)
		return;
	if (x->own.on && code == CURLE_OK) {
		tape_http_plain_adopt(x);
		return;
	}
	x->code = code;
	x->result.end_ns = tape_http_wire_time_ns(x);
	tape_http_xfer_end(x);
}

void
tape_http_xfer_expire(struct tape_http_xfer *x, int64_t now_ns)
{
	const char *cause = "idle";

	if (x->phase == TAPE_HTTP_CONNECTING && x->own.conn != NULL)
		tape_http_conn_doubt(x->own.conn->origin);
	if (now_ns >= x->total_end_ns)
		cause = "total";
	else if (x->phase == TAPE_HTTP_CONNECTING)
		cause = "connect-timeout";
	else if (x->phase == TAPE_HTTP_WAITING)
		cause = x->told_sent ? "first-byte" : "send";
	tape_http_xfer_break(x, TAPE_HTTP_TIMEOUT, cause);
}

void
tape_http_cancel(struct tape_http *h, struct tape_http_xfer *x)
{
	(void)h;
	tape_http_xfer_break(x, TAPE_HTTP_CANCELLED, "cancelled");
}

void
tape_http_cancel_all(struct tape_http *h)
{
	for (struct tape_http_xfer *x = h->running_list; x; x = x->next)
		tape_http_cancel(h, x);
}

/* libcurl counts from its own start of the transfer, each up to the end of the
   step, and leaves 0 where there was none. */
void
tape_http_xfer_steps(struct tape_http_xfer *x)
{
	struct tape_http_result *r = &x->result;
	curl_off_t dns_us = 0, connect_us = 0, tls_us = 0;

	if (r->reused)
		return;
	(void)curl_easy_getinfo(x->easy, CURLINFO_NAMELOOKUP_TIME_T, &dns_us);
	(void)curl_easy_getinfo(x->easy, CURLINFO_CONNECT_TIME_T, &connect_us);
	(void)curl_easy_getinfo(x->easy, CURLINFO_APPCONNECT_TIME_T, &tls_us);
	if (dns_us > 0)
		r->dns_ns = dns_us * TAPE_NS_PER_US;
	if (dns_us > 0 && connect_us >= dns_us)
		r->connect_ns = (connect_us - dns_us) * TAPE_NS_PER_US;
	if (connect_us > 0 && tls_us >= connect_us)
		r->tls_ns = (tls_us - connect_us) * TAPE_NS_PER_US;
}

/* What was followed was not told, and one that leads nowhere is not either. */
static void
note_redirects(struct tape_http_xfer *x)
{
	long n = 0, status = 0;

	if (!x->h->follow)
		return;
	(void)curl_easy_getinfo(x->easy, CURLINFO_REDIRECT_COUNT, &n);
	(void)curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	x->result.redirects = (int)n;
	if (x->result.status == 0)
		x->result.status = (int)status;
}

/* Out of every list before the callback, which may start and cancel. */
static void
finish(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (!x->own.on) {
		tape_http_xfer_steps(x);
		note_redirects(x);
	}
	tape_http_error_fill(x);
	tape_http_plain_drop(x);
	tape_http_deadline_remove(x);
	unlink_running(x);
	h->calls->finish(h->arg, x->user, &x->result);
	if (x->own.on)
		tape_http_plain_keep(x);
	else if (x->broke || x->code != CURLE_OK)
		tape_http_easy_discard(x);
	else
		tape_http_easy_keep(x);
}

void
tape_http_xfer_reap(struct tape_http *h)
{
	/* What finish adds by cancelling is done, too. */
	while (h->done_head != NULL) {
		struct tape_http_xfer *x = h->done_head;

		h->done_head = x->next_done;
		if (h->done_head == NULL)
			h->done_tail = NULL;
		finish(x);
	}
}
