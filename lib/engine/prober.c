/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/prober.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/json.h"

#include <stdio.h>
#include <strings.h>

#define BODY_BYTES ((size_t)4 << 20)
#define SHOWN      120

struct tape_prober {
	struct tape_prober_opts opts;
	struct tape_http *http; /* NULL with another network */
	struct tape_transport net;
	const struct tape_clock *clock;
	/* Of the question in hand. */
	bool done;
	int status;
	struct tape_buf body;
	char why[200];
};

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct tape_prober *p = arg;
	size_t room = BODY_BYTES - p->body.len;

	(void)user;
	(void)tape_buf_add(
	    &p->body, read->data, read->len < room ? read->len : room);
}

static void
on_finish(void *arg, void *user, const struct tape_http_result *r)
{
	struct tape_prober *p = arg;
	struct tape_err text = { 0 };

	(void)user;
	p->done = true;
	p->status = r->status;
	if (r->class != TAPE_HTTP_NONE && r->class != TAPE_HTTP_HTTP) {
		p->status = 0;
		(void)tape_err_set(&text, TAPE_E_IO, "%s", r->message);
	}
	memcpy(p->why, text.text, sizeof(p->why) - 1);
}

const struct tape_http_calls tape_prober_calls = {
	.read = on_read,
	.finish = on_finish,
};

enum tape_status
tape_prober_open(struct tape_prober **out, const struct tape_prober_opts *opts,
    struct tape_err *err)
{
	struct tape_prober *p = tape_mem_calloc(1, sizeof(*p));
	enum tape_status st;

	if (p == NULL)
		return tape_err_nomem(err);
	p->opts = *opts;
	p->clock = opts->clock == NULL ? &tape_clock_system : opts->clock;
	tape_buf_init(&p->body, BODY_BYTES);
	if (opts->net != NULL) {
		p->net = *opts->net;
		*out = p;
		return TAPE_OK;
	}
	st =
	    tape_http_open(&p->http, &p->opts.http, &tape_prober_calls, p, err);
	if (st != TAPE_OK) {
		tape_mem_free(p);
		return st;
	}
	p->net = tape_transport_of_http(p->http);
	*out = p;
	return TAPE_OK;
}

void
tape_prober_free(struct tape_prober *p)
{
	if (p == NULL)
		return;
	tape_http_free(p->http);
	tape_buf_release(&p->body);
	tape_mem_free(p);
}

static bool
interrupted(const struct tape_prober *p)
{
	return p->opts.interrupts != NULL && p->opts.interrupts() > 0;
}

/* The headers of requests; but what is read here must not be compressed. */
static void
add_headers(const struct tape_prober *p, const char *lines[TAPE_HTTP_HEADERS],
    struct tape_http_request *req)
{
	static const char name[] = "accept-encoding:";
	size_t i;

	for (i = 0; i < p->opts.headers_n && i < TAPE_HTTP_HEADERS; i++)
		lines[i] =
		    strncasecmp(p->opts.headers[i], name, sizeof(name) - 1) == 0
			? "Accept-Encoding: identity"
			: p->opts.headers[i];
	req->headers = lines;
	req->headers_n = i;
}

/* Asks and waits; then status is 0 when there was no answer, and why says
   so.  Failures are of this side only. */
static enum tape_status
ask(struct tape_prober *p, const struct tape_http_request *what,
    int64_t limit_ns, struct tape_err *err)
{
	struct tape_http_request req = *what;
	const char *lines[TAPE_HTTP_HEADERS];
	struct tape_http_xfer *x = NULL;
	enum tape_status st;

	add_headers(p, lines, &req);
	req.timeouts = (struct tape_http_timeouts){ limit_ns, limit_ns,
		limit_ns, limit_ns };
	req.conn = TAPE_HTTP_FRESH;
	tape_buf_clear(&p->body);
	p->done = false;
	p->status = 0;
	st = p->net.start(p->net.self, &req, &x, NULL, err);
	while (st == TAPE_OK && !p->done) {
		if (interrupted(p))
			p->net.cancel(p->net.self, x);
		st = p->net.poll(p->net.self,
		    tape_clock_now_ns(p->clock) + TAPE_NS_PER_S / 10, err);
	}
	return st;
}

static enum tape_status
get(struct tape_prober *p, const struct tape_target *t, const char *path,
    int64_t limit_ns, struct tape_err *err)
{
	char *url = tape_target_url(t, tape_str_of(path), false);
	struct tape_http_request req = { .url = url };
	enum tape_status st =
	    url == NULL ? tape_err_nomem(err) : ask(p, &req, limit_ns, err);

	tape_mem_free(url);
	return st;
}

enum tape_status
tape_prober_snapshot(struct tape_prober *p, const struct tape_target *t,
    const char *path, struct tape_buf *text, struct tape_probe *out,
    struct tape_err *err)
{
	enum tape_status st = get(p, t, path, TAPE_PROBER_SNAPSHOT_NS, err);
	size_t n = p->body.len;

	if (st != TAPE_OK || p->status == 0)
		return st;
	if (n > TAPE_PROBER_SNAPSHOT_BYTES)
		n = tape_utf8_cut(p->body.data, TAPE_PROBER_SNAPSHOT_BYTES);
	(void)tape_utf8_repair(text, p->body.data, n);
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '\0')
			text->data[i] = '?';
	out->status = p->status;
	out->body = tape_str_make(text->data, text->len);
	return tape_buf_status(text, err);
}

enum tape_status
tape_prober_get(struct tape_prober *p, const struct tape_target *t,
    const char *path, struct tape_str *body, struct tape_err *err)
{
	enum tape_status st = get(p, t, path, TAPE_PROBER_SNAPSHOT_NS, err);

	*body = tape_str_make(NULL, 0);
	if (st == TAPE_OK && p->status / 100 == 2 && p->body.len > 0)
		*body = tape_str_make(p->body.data, p->body.len);
	return st;
}

/* data[0].id of the answer in hand. */
static bool
first_model(struct tape_prober *p, struct tape_buf *name)
{
	struct tape_json r;
	struct tape_json_token t;
	bool inside = false; /* data */

	tape_json_init(&r);
	tape_json_open(&r, p->body.data, p->body.len, TAPE_JSON_FOREIGN);
	while (name->len == 0 && tape_json_next(&r, &t, NULL) == TAPE_OK &&
	       t.type != TAPE_JSON_END) {
		if (t.depth == 0 ||
		    (inside && t.depth == 2 && t.type == TAPE_JSON_OBJECT))
			continue;
		if (t.depth == 1 && t.type == TAPE_JSON_ARRAY_END)
			inside = false;
		else if (t.depth == 1 && t.type == TAPE_JSON_ARRAY &&
			 tape_json_key_is(&t, "data"))
			inside = true;
		else if (inside && t.depth == 3 && t.type == TAPE_JSON_STRING &&
			 tape_json_key_is(&t, "id"))
			(void)tape_buf_add(name, t.str, t.len);
		else if (tape_json_skip(&r, NULL, NULL, NULL) != TAPE_OK)
			break;
	}
	tape_json_release(&r);
	return name->len > 0;
}

/* What came instead of what was hoped for. */
static enum tape_status
disappointed(const struct tape_prober *p, const struct tape_target *t,
    const char *what, struct tape_err *err)
{
	if (p->status == 0)
		return tape_err_set(
		    err, TAPE_E_IO, "%s: %s: %s", t->shown, what, p->why);
	return tape_err_set(err, TAPE_E_IO, "%s: %s: HTTP %d: %.*s", t->shown,
	    what, p->status, p->body.len < SHOWN ? (int)p->body.len : SHOWN,
	    p->body.data);
}

static enum tape_status
ask_model(struct tape_prober *p, const struct tape_target *t, int64_t limit_ns,
    struct tape_buf *name, struct tape_err *err)
{
	enum tape_status st = get(p, t, "/v1/models", limit_ns, err);

	if (st != TAPE_OK)
		return st;
	if (p->status / 100 == 2 && first_model(p, name))
		return tape_buf_status(name, err);
	return disappointed(
	    p, t, "cannot learn the model's name (--model gives it)", err);
}

enum tape_status
tape_prober_model(struct tape_prober *p, const struct tape_target *t,
    struct tape_buf *name, struct tape_err *err)
{
	return ask_model(p, t, TAPE_PROBER_ASK_NS, name, err);
}

static enum tape_status
ask_for_a_token(struct tape_prober *p, const struct tape_target *t,
    const struct tape_prober_ready *ready, const char *model,
    struct tape_err *err)
{
	struct tape_input input = { .text = tape_str_of("Hello") };
	struct tape_api_ask what = { .input = &input,
		.model = tape_str_of(model),
		.output_tokens = 1,
		.max_tokens_field = ready->max_tokens_field,
		.form = ready->body_template,
		.extra = ready->extra };
	struct tape_http_request req = { 0 };
	struct tape_buf body;
	char *url = NULL;
	enum tape_status st =
	    tape_target_url_of(t, ready->api, &what, &url, err);

	tape_buf_init(&body, TAPE_CAP_REQUEST);
	if (st == TAPE_OK)
		st = tape_api_render(ready->api, &what, &body, err);
	if (st == TAPE_E_USAGE) {
		tape_err_clear(err);
		st = tape_err_set(err, TAPE_E_USAGE,
		    "the API %s has no short request to wait with: give "
		    "--wait-ready=PATH",
		    ready->api->name);
	}
	if (st == TAPE_OK) {
		req.url = url;
		req.body = body.data;
		req.body_bytes = body.len;
		st = ask(p, &req, ready->timeout_ns, err);
	}
	tape_mem_free(url);
	tape_buf_release(&body);
	return st;
}

static enum tape_status
try_once(struct tape_prober *p, const struct tape_target *t,
    const struct tape_prober_ready *ready, struct tape_buf *model,
    struct tape_err *err)
{
	const char *name = ready->model;
	int64_t limit = ready->timeout_ns < TAPE_PROBER_ASK_NS
			    ? ready->timeout_ns
			    : TAPE_PROBER_ASK_NS;
	enum tape_status st = TAPE_OK;

	if (ready->path != NULL)
		st = get(p, t, ready->path, limit, err);
	else if (name == NULL && model->len == 0 &&
		 tape_api_has_model(ready->api, ready->body_template))
		st = ask_model(p, t, limit, model, err);
	if (st == TAPE_OK && ready->path == NULL)
		st = ask_for_a_token(
		    p, t, ready, name == NULL ? model->data : name, err);
	if (st == TAPE_OK && p->status / 100 != 2)
		st = disappointed(p, t, "not ready", err);
	return st;
}

static void
say_waiting(struct tape_prober_ready *ready, const struct tape_err *why)
{
	char text[sizeof(why->text) + 16];

	if (ready->waiting == NULL)
		return;
	(void)snprintf(text, sizeof(text), "waiting for %s", why->text);
	ready->waiting(ready->arg, text);
	ready->waiting = NULL;
}

enum tape_status
tape_prober_wait(struct tape_prober *p, const struct tape_target *t,
    const struct tape_prober_ready *ready, struct tape_err *err)
{
	const struct tape_clock *clock = p->clock;
	int64_t now = tape_clock_now_ns(clock);
	int64_t until = now + ready->timeout_ns;
	int64_t pause = TAPE_PROBER_PAUSE_LEAST_NS;
	struct tape_prober_ready now_ready = *ready;
	struct tape_err last = { 0 };
	struct tape_buf model;
	enum tape_status st = TAPE_E_IO;

	tape_buf_init(&model, 65536);
	while (st == TAPE_E_IO && now < until && !interrupted(p)) {
		tape_err_clear(&last);
		now_ready.timeout_ns = until - now;
		st = try_once(p, t, &now_ready, &model, &last);
		if (st != TAPE_E_IO)
			break;
		say_waiting(&now_ready, &last);
		tape_clock_sleep_until_ns(
		    clock, tape_clock_now_ns(clock) + pause);
		now = tape_clock_now_ns(clock);
		pause = pause < TAPE_PROBER_PAUSE_NS / 2 ? 2 * pause
							 : TAPE_PROBER_PAUSE_NS;
	}
	tape_buf_release(&model);
	if (st != TAPE_OK && interrupted(p))
		return TAPE_EOF;
	if (st != TAPE_OK && err != NULL && err->status == TAPE_OK)
		*err = last;
	return st;
}
