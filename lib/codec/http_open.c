/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_plain.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <curl/curl.h>

/* A relative number of milliseconds, -1 for none; only noted here. */
static int
on_timer(CURLM *multi, long timeout_ms, void *arg)
{
	struct tape_http *h = arg;

	(void)multi;
	if (timeout_ms < 0)
		h->curl_due_ns = INT64_MAX;
	else
		h->curl_due_ns = tape_http_after_ns(tape_clock_now_ns(h->clock),
		    (int64_t)timeout_ms * TAPE_NS_PER_MS);
	return 0;
}

static enum tape_status
open_multi(struct tape_http *h, struct tape_err *err)
{
	CURLMcode c = CURLM_OK;

	h->global = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
	if (h->global)
		h->multi = curl_multi_init();
	if (h->multi == NULL)
		return tape_err_nomem(err);
	c = (CURLMcode)tape_http_sock_install(h);
	if (c == CURLM_OK)
		c = curl_multi_setopt(
		    h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	if (c == CURLM_OK)
		c = curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	if (c == CURLM_OK)
		c = curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS,
		    (long)(h->keep + TAPE_HTTP_KEEP_MARGIN));
	if (c != CURLM_OK)
		return tape_err_set(
		    err, TAPE_E_IO, "libcurl: %s", curl_multi_strerror(c));
	return TAPE_OK;
}

static enum tape_status
open_epoll(struct tape_http *h, struct tape_err *err)
{
	struct epoll_event ev = { .events = EPOLLIN };

	h->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (h->epoll_fd < 0)
		return tape_err_sys(err, errno, "cannot open epoll");
	h->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (h->wake_fd < 0)
		return tape_err_sys(err, errno, "cannot open eventfd");
	ev.data.u64 = TAPE_HTTP_WAKE_ID;
	if (epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, h->wake_fd, &ev) != 0)
		return tape_err_sys(err, errno, "cannot watch eventfd");
	return TAPE_OK;
}

enum tape_status
tape_http_open(struct tape_http **out, const struct tape_http_opts *opts,
    const struct tape_http_calls *calls, void *arg, struct tape_err *err)
{
	struct tape_http *h = tape_mem_calloc(1, sizeof(*h));
	enum tape_status st;

	*out = NULL;
	if (h == NULL)
		return tape_err_nomem(err);
	h->calls = calls;
	h->arg = arg;
	h->epoll_fd = h->wake_fd = -1;
	h->curl_due_ns = INT64_MAX;
	tape_http_peek_none(h);
	st = tape_http_pool_open(h, err);
	if (st == TAPE_OK)
		st = tape_http_opts_copy(h, opts, err);
	if (st == TAPE_OK)
		st = open_epoll(h, err);
	if (st == TAPE_OK)
		st = open_multi(h, err);
	if (st != TAPE_OK) {
		tape_http_free(h);
		return st;
	}
	*out = h;
	return TAPE_OK;
}

static void
free_list(struct tape_http_xfer *x)
{
	while (x != NULL) {
		struct tape_http_xfer *next = x->next;

		tape_http_plain_drop(x);
		tape_http_easy_discard(x);
		x = next;
	}
}

void
tape_http_free(struct tape_http *h)
{
	if (h == NULL)
		return;
	free_list(h->running_list);
	free_list(h->idle_list);
	free_list(h->own_list);
	(void)curl_multi_cleanup(h->multi);
	for (size_t i = 0; i < h->templates; i++)
		tape_http_template_drop(h, h->template[i]);
	tape_http_pool_free(h);
	if (h->global)
		curl_global_cleanup();
	if (h->wake_fd >= 0)
		(void)close(h->wake_fd);
	if (h->epoll_fd >= 0)
		(void)close(h->epoll_fd);
	tape_mem_free(h->sock);
	tape_mem_free(h->heap);
	tape_mem_free(h->room);
	tape_http_opts_release(h);
	tape_mem_free(h);
}

const struct tape_http_clock_stats *
tape_http_clock_stats(const struct tape_http *h)
{
	return &h->times.stats;
}

char *
tape_http_version_text(char dst[TAPE_HTTP_VERSION_TEXT])
{
	const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

	(void)snprintf(dst, TAPE_HTTP_VERSION_TEXT, "libcurl/%s %s", v->version,
	    v->ssl_version != NULL ? v->ssl_version : "without-tls");
	return dst;
}
