/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread of a source whose pages are asked for. */
#include "base/url.h"
#include "codec/http.h"
#include "engine/reading_impl.h"
#include "engine/telemetry_impl.h"

#include <stdio.h>

#define LOOK_NS (50 * TAPE_NS_PER_MS)

struct asker {
	struct tape_telemetry_thread *t;
	struct tape_http *http;
	struct tape_buf page;
	int64_t t_ns; /* of its first byte; -1 none yet */
	bool done;
	struct tape_err why;
};

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct asker *a = arg;

	(void)user;
	if (a->t_ns < 0)
		a->t_ns = read->t_ns;
	(void)tape_buf_add(&a->page, read->data, read->len);
}

static void
on_finish(void *arg, void *user, const struct tape_http_result *r)
{
	struct asker *a = arg;

	(void)user;
	a->done = true;
	if (r->class != TAPE_HTTP_NONE)
		(void)tape_err_set(&a->why, TAPE_E_IO, "%s", r->message);
}

static const struct tape_http_calls calls = {
	.read = on_read,
	.finish = on_finish,
};

static void
ask(struct asker *a)
{
	const struct tape_http_request req = { .url = a->t->source->what,
		.conn = TAPE_HTTP_POOLED };
	struct tape_http_xfer *x = NULL;

	tape_buf_clear(&a->page);
	tape_err_clear(&a->why);
	a->t_ns = -1;
	a->done = false;
	if (tape_http_start(a->http, &req, &x, NULL, &a->why) != TAPE_OK)
		return;
	while (!a->done) {
		if (atomic_load(&a->t->all->stop))
			tape_http_cancel(a->http, x);
		if (tape_http_poll(a->http,
			tape_clock_now_ns(&tape_clock_system) + LOOK_NS,
			&a->why) != TAPE_OK)
			return;
	}
}

/* Which page it is: of several, each has its own. */
static void
name_page(struct tape_reading *r, const char *url)
{
	static const char scheme[] = "http://", path[] = "/metrics";
	struct tape_buf text;
	struct tape_str s;

	tape_buf_init(&text, TAPE_TELEMETRY_LINE);
	if (tape_url_redact(url, &text) == TAPE_OK) {
		s = tape_str_make(text.data, text.len);
		(void)tape_reading_skip(&s, scheme);
		if (s.len > sizeof(path) - 1 &&
		    memcmp(s.p + s.len - sizeof(path) + 1, path,
			sizeof(path) - 1) == 0)
			s.len -= sizeof(path) - 1;
		(void)snprintf(
		    r->device, sizeof(r->device), "%.*s", (int)s.len, s.p);
	}
	tape_buf_release(&text);
}

static void
take_page(struct asker *a)
{
	const struct tape_telemetry_opts *o = a->t->all->o;
	struct tape_err err = { 0 };

	if (a->why.status == TAPE_OK && a->t_ns < 0)
		(void)tape_err_set(&a->why, TAPE_E_IO, "an empty page");
	if (a->why.status != TAPE_OK ||
	    tape_buf_status(&a->page, &a->why) != TAPE_OK) {
		tape_telemetry_missed(a->t, &a->why);
		return;
	}
	if (tape_reading_prometheus(&a->t->reading,
		tape_str_make(a->page.data, a->page.len), o->patterns,
		o->patterns_n, &err) == TAPE_OK) {
		name_page(&a->t->reading, a->t->source->what);
		tape_telemetry_put(a->t, a->t_ns);
	} else
		tape_telemetry_bad(a->t, &err);
}

/* At absolute deadlines; those that have passed are left out. */
static void
ask_on(struct asker *a)
{
	struct tape_telemetry *all = a->t->all;
	int64_t next = tape_clock_now_ns(&tape_clock_system);
	int64_t now;

	while (!atomic_load(&all->stop)) {
		ask(a);
		if (atomic_load(&all->stop))
			return;
		take_page(a);
		now = tape_clock_now_ns(&tape_clock_system);
		next += all->o->every_ns;
		if (next < now)
			next +=
			    (now - next) / all->o->every_ns * all->o->every_ns +
			    all->o->every_ns;
		tape_telemetry_sleep(all, next);
	}
}

void *
tape_telemetry_pages(void *thread)
{
	const int64_t limit = TAPE_TELEMETRY_ASK_NS;
	const struct tape_http_opts opts = { .timeouts = { limit, limit, limit,
						 limit },
		.user_clock = true,
		.user_agent = "llmtape" };
	struct asker a = { .t = thread };
	struct tape_telemetry *all = a.t->all;

	tape_buf_init(&a.page, TAPE_TELEMETRY_PAGE);
	if (tape_http_open(&a.http, &opts, &calls, &a, &a.why) == TAPE_OK)
		ask_on(&a);
	else
		tape_telemetry_missed(a.t, &a.why);
	tape_http_free(a.http);
	tape_buf_release(&a.page);
	(void)pthread_mutex_lock(&all->lock);
	all->running--;
	(void)pthread_cond_broadcast(&all->changed);
	(void)pthread_mutex_unlock(&all->lock);
	return NULL;
}
