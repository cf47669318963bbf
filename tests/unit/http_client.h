/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_client: what the tests of codec/http do with it: start, run to the end,
 * and keep all that the callbacks said, checking their order.
 */
#ifndef TAPE_UNIT_HTTP_CLIENT_H
#define TAPE_UNIT_HTTP_CLIENT_H

#include "codec/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_READS 64

struct got {
	struct tape_http_xfer *x;
	int64_t start_ns;
	int heads, sents, finishes;
	int head_status;
	int64_t head_t_ns;
	char fields[2048]; /* "name=value;" */
	char body[1024];
	size_t body_len;
	int reads, callbacks;
	int64_t read_ns[KEEP_READS];
	int64_t kernel_ns; /* of the last read */
	int lagged;        /* reads with a kernel time */
	bool order;        /* no callback came where it must not */
	bool cancel_in_read;
	char *wipe; /* emptied when it was sent: it is not to be read again */
	struct tape_http *h;
	struct tape_http_result r;
	char cause[32], message[256], remote[64], tls[64];
};

static struct tape_err err;

static void
on_sent(void *arg, void *user)
{
	struct got *g = user;

	(void)arg;
	if (g->sents++ > 0 || g->finishes > 0)
		g->order = false;
	if (g->wipe != NULL)
		g->wipe[0] = '\0';
}

static void
on_head(void *arg, void *user, const struct tape_http_head *head)
{
	struct got *g = user;

	(void)arg;
	if (g->heads++ > 0 || g->reads > 0 || g->finishes > 0)
		g->order = false;
	g->head_status = head->status;
	g->head_t_ns = head->t_ns;
}

static void
on_field(void *arg, void *user, const char *name, size_t name_len,
    const char *value, size_t value_len)
{
	struct got *g = user;
	size_t at = strlen(g->fields);

	(void)arg;
	if (g->heads != 1 || g->finishes > 0)
		g->order = false;
	if (at + name_len + value_len + 3 < sizeof(g->fields))
		(void)snprintf(g->fields + at, sizeof(g->fields) - at,
		    "%.*s=%.*s;", (int)name_len, name, (int)value_len, value);
}

/* When the read's last byte came, as far as is known. */
static int64_t
kernel_ns(const struct tape_http_read *read)
{
	return read->t_ns - (read->lag_ns > 0 ? read->lag_ns : 0);
}

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct got *g = user;

	(void)arg;
	if (g->heads != 1 || g->finishes > 0 || read->len == 0 ||
	    read->lag_ns < -1 || (g->reads == 0 && !read->first) ||
	    kernel_ns(read) < g->kernel_ns)
		g->order = false;
	g->kernel_ns = kernel_ns(read);
	g->lagged += read->first && read->lag_ns >= 0;
	g->callbacks++;
	if (read->first && g->reads < KEEP_READS)
		g->read_ns[g->reads] = read->t_ns;
	if (read->first)
		g->reads++;
	if (g->reads <= KEEP_READS && g->read_ns[g->reads - 1] != read->t_ns)
		g->order = false;
	if (g->body_len + read->len < sizeof(g->body))
		memcpy(g->body + g->body_len, read->data, read->len);
	g->body_len += read->len;
	if (g->cancel_in_read)
		tape_http_cancel(g->h, g->x);
}

static void
on_finish(void *arg, void *user, const struct tape_http_result *r)
{
	struct got *g = user;

	(void)arg;
	if (g->finishes++ > 0)
		g->order = false;
	g->r = *r;
	(void)snprintf(
	    g->cause, sizeof(g->cause), "%s", r->cause != NULL ? r->cause : "");
	(void)snprintf(g->message, sizeof(g->message), "%s", r->message);
	(void)snprintf(g->remote, sizeof(g->remote), "%s", r->remote_addr);
	(void)snprintf(g->tls, sizeof(g->tls), "%s", r->tls);
}

static const struct tape_http_calls calls = {
	.sent = on_sent,
	.head = on_head,
	.header = on_field,
	.read = on_read,
	.finish = on_finish,
};

__attribute__((unused)) static int64_t
now(void)
{
	return tape_clock_now_ns(&tape_clock_system);
}

/* Polls for so long. */
__attribute__((unused)) static void
pass(struct tape_http *h, int64_t ms)
{
	int64_t end_ns = now() + ms * TAPE_NS_PER_MS;

	while (now() < end_ns)
		(void)!tape_http_poll(h, end_ns, &err);
}

/* The tests are run twice: with requests framed here, and by libcurl. */
static bool over_libcurl;

__attribute__((unused)) static void
over_both(void (*test)(void))
{
	for (int i = 0; i < 2; i++) {
		over_libcurl = i == 1;
		printf("# %s\n", over_libcurl ? "by libcurl" : "framed here");
		test();
	}
}

__attribute__((unused)) static struct tape_http *
client_of(const struct tape_http_opts *opts, const struct tape_http_calls *of)
{
	struct tape_http_opts o = { .user_agent = NULL };
	struct tape_http *h;

	if (opts != NULL)
		o = *opts;
	o.libcurl_only |= over_libcurl;
	if (tape_http_open(&h, &o, of, NULL, &err) != TAPE_OK) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return h;
}

__attribute__((unused)) static struct tape_http *
client(const struct tape_http_opts *opts)
{
	return client_of(opts, &calls);
}

__attribute__((unused)) static struct got *
begin(struct tape_http *h, struct tape_http_request *req, int port,
    const char *path)
{
	struct got *g = calloc(1, sizeof(*g));
	char url[256];

	if (g == NULL)
		exit(1);
	g->order = true;
	g->h = h;
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
	if (req->url == NULL)
		req->url = url;
	req->user = g;
	if (tape_http_start(h, req, &g->x, &g->start_ns, &err) != TAPE_OK) {
		printf("Bail out! start: %s\n", err.text);
		exit(1);
	}
	if (req->url == url)
		req->url = NULL;
	return g;
}

/* All transfers to their end, at most 10 s. */
__attribute__((unused)) static void
drain(struct tape_http *h)
{
	int64_t end_ns =
	    tape_clock_now_ns(&tape_clock_system) + 10 * TAPE_NS_PER_S;

	while (tape_http_running(h) > 0 &&
	       tape_clock_now_ns(&tape_clock_system) < end_ns)
		if (tape_http_poll(h, end_ns, &err) != TAPE_OK) {
			printf("Bail out! poll: %s\n", err.text);
			exit(1);
		}
}

__attribute__((unused)) static struct got *
fetch(struct tape_http *h, int port, const char *path)
{
	struct tape_http_request req = { .url = NULL };
	struct got *g = begin(h, &req, port, path);

	drain(h);
	return g;
}

/* class/cause of a finished transfer, in a static buffer. */
__attribute__((unused)) static const char *
verdict(const struct got *g)
{
	static char text[64];

	(void)snprintf(text, sizeof(text), "%s/%s",
	    tape_http_class_text(g->r.class), g->cause);
	return g->finishes == 1 && g->order ? text : "no single finish";
}

#endif
