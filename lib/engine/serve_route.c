/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "engine/serve_play.h"

#include <inttypes.h>
#include <stdio.h>

const char *
tape_serve_lines(char dst[TAPE_SERVE_LINES], const struct tape_serve_entry *e,
    const char *headers)
{
	(void)snprintf(
	    dst, TAPE_SERVE_LINES, "%sx-request-id: %s\r\n", headers, e->id);
	return dst;
}

void
tape_serve_error(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e, int status, const char *message,
    const char *headers)
{
	char lines[TAPE_SERVE_LINES], more[128];

	(void)snprintf(more, sizeof(more), "%s%s", TAPE_SERVE_JSON, headers);
	e->status = status;
	tape_buf_clear(&s->out);
	tape_serve_text_error(&s->out, status, message);
	(void)tape_server_reply(c, status, tape_serve_lines(lines, e, more),
	    s->out.data, s->out.len);
	tape_buf_clear(&s->out);
}

/* An answer with an error, and its line in the log. */
static void
refuse(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e, int status, const char *message)
{
	const char *headers = "";

	if (status == 401)
		headers = "www-authenticate: Bearer\r\n";
	else if (status == 405)
		headers = e->model ? "allow: POST\r\n" : "allow: GET, HEAD\r\n";
	tape_serve_error(s, c, e, status, message, headers);
	tape_serve_record(s, e, "refused");
}

static void
answer(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e)
{
	char lines[TAPE_SERVE_LINES];

	(void)tape_server_reply(c, 200,
	    tape_serve_lines(lines, e, TAPE_SERVE_JSON), s->out.data,
	    s->out.len);
	tape_buf_clear(&s->out);
	e->status = 200;
	tape_serve_record(s, e, "complete");
}

static void
health(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e)
{
	(void)req;
	(void)tape_buf_add_str(&s->out, "{\"status\":\"ok\"}\n");
	answer(s, c, e);
}

static void
models(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e)
{
	(void)req;
	tape_serve_text_models(
	    &s->out, tape_str_make(s->name.data, s->name.len), s->created_s);
	answer(s, c, e);
}

/* ---- chats and completions ---- */

/* The answer that a fault gives instead of one. */
static void
fault_at_once(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	int status = 429;

	if (r->fault.kind == TAPE_SERVE_CLOSE)
		tape_server_close(r->conn);
	else {
		if (r->fault.kind != TAPE_SERVE_429)
			status = r->fault.kind == TAPE_SERVE_500 ? 500 : 503;
		tape_serve_error(s, r->conn, &r->log, status,
		    TAPE_SERVE_FAULT_TEXT,
		    status == 500 ? "" : "retry-after: 1\r\n");
	}
	tape_serve_finish(r, tape_serve_fault_name(r->fault.kind),
	    tape_server_now_ns(s->http));
}

static void
set_text(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	const struct tape_buf *name =
	    r->ask.model.len > 0 ? &r->ask.model : &s->name;

	r->text.chat = r->ask.chat;
	(void)snprintf(r->text.id, sizeof(r->text.id), "%s-%016" PRIx64,
	    r->ask.chat ? "chatcmpl" : "cmpl",
	    tape_serve_mix(tape_serve_mix(s->conf.seed, 1), r->log.n));
	r->text.created_s = tape_clock_wall_ns(s->conf.clock) / TAPE_NS_PER_S;
	r->text.model = tape_str_make(name->data, name->len);
}

/* The body says what is wanted; TAPE_OK when it makes sense. */
static enum tape_status
plan(struct tape_serve_request *r, const struct tape_server_request *req,
    struct tape_err *err)
{
	struct tape_serve *s = r->s;
	enum tape_status st = tape_serve_ask_parse(
	    &r->ask, &s->json, req->body, req->body_bytes, err);

	if (st == TAPE_OK)
		st = tape_serve_model_plan(
		    &s->model, &r->ask, s->n_asks, &r->plan, err);
	if (st != TAPE_OK)
		return st;
	set_text(r);
	r->log.stream = r->ask.stream;
	r->log.prompt_tokens = r->plan.prompt_tokens;
	r->fault = tape_serve_fault_choose(s->conf.faults, s->conf.n_faults,
	    s->conf.seed, r->plan.key, s->n_asks);
	return TAPE_OK;
}

/* A long prompt is being counted: others' tokens are due meanwhile.  The
   request is not planned yet, so that none of this touches it. */
static void
breathe(void *arg)
{
	tape_server_run_due(arg);
}

static void
generate(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e,
    bool chat)
{
	struct tape_serve_request *r = tape_mem_calloc(1, sizeof(*r));
	struct tape_err err = { 0 };
	enum tape_status st;

	s->n_asks++;
	if (r == NULL) {
		refuse(s, c, e, 500, "out of memory");
		return;
	}
	r->s = s;
	r->conn = c;
	r->log = *e;
	tape_serve_ask_init(&r->ask, chat,
	    s->conf.prefix_blocks > 0 ? (uint32_t)s->conf.prefix_tokens : 0);
	r->ask.prompt.breathe = breathe;
	r->ask.prompt.breathe_arg = s->http;
	tape_server_conn_set(c, r);
	st = plan(r, req, &err);
	if (st != TAPE_OK) {
		tape_serve_error(s, c, &r->log, st == TAPE_E_NOMEM ? 500 : 400,
		    err.text, "");
		tape_serve_finish(r, "refused", r->log.t_in_ns);
	} else if (r->fault.kind >= TAPE_SERVE_429 &&
		   r->fault.kind <= TAPE_SERVE_CLOSE)
		fault_at_once(r);
	else
		tape_serve_play(r);
}

static void
chats(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e)
{
	generate(s, c, req, e, true);
}

static void
completions(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e)
{
	generate(s, c, req, e, false);
}

/* ---- routes ---- */

struct route {
	const char *path;
	bool model; /* a chat or completion: POST, else GET or HEAD */
	bool keyed; /* asks for the key */
	void (*serve)(struct tape_serve *s, struct tape_server_conn *c,
	    const struct tape_server_request *req, struct tape_serve_entry *e);
};

static const struct route routes[] = {
	{ "/v1/chat/completions", true, true, chats },
	{ "/v1/completions", true, true, completions },
	{ "/v1/models", false, true, models },
	{ "/health", false, false, health },
	{ "/health/ready", false, false, health },
};

static bool
right_method(const struct route *route, const char *method)
{
	if (route->model)
		return strcmp(method, "POST") == 0;
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool
right_key(const struct tape_serve *s, const struct tape_server_request *req)
{
	static const char scheme[] = "Bearer ";
	const char *given = tape_server_request_header(req, "authorization");

	if (s->conf.api_key == NULL)
		return true;
	return given != NULL &&
	       strncmp(given, scheme, sizeof(scheme) - 1) == 0 &&
	       strcmp(given + sizeof(scheme) - 1, s->conf.api_key) == 0;
}

void
tape_serve_on_request(void *arg, struct tape_server_conn *c,
    const struct tape_server_request *req)
{
	struct tape_serve *s = arg;
	struct tape_serve_entry e;
	const struct tape_script_rule *rule = NULL;
	const struct route *route = NULL;
	size_t i;

	tape_serve_entry_init(&e);
	e.t_in_ns = tape_server_now_ns(s->http);
	e.n = ++s->n_seen;
	e.conn = tape_server_conn_id(c);
	e.path = tape_str_of(req->path);
	tape_serve_entry_set_id(
	    &e, tape_server_request_header(req, "x-request-id"));
	if (s->conf.script != NULL)
		rule =
		    tape_script_match(s->conf.script, req->method, req->path);
	if (rule != NULL) {
		tape_serve_act(s, c, &e, rule);
		return;
	}
	for (i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (strcmp(req->path, routes[i].path) == 0)
			route = &routes[i];
	if (route == NULL) {
		refuse(s, c, &e, 404, "no such path");
		return;
	}
	e.path = tape_str_of(route->path); /* outlives the request */
	e.model = route->model;
	if (!right_method(route, req->method))
		refuse(s, c, &e, 405, "method not allowed for this path");
	else if (route->keyed && !right_key(s, req))
		refuse(s, c, &e, 401, "no or wrong API key");
	else
		route->serve(s, c, req, &e);
}

void
tape_serve_on_bad(
    void *arg, struct tape_server_conn *c, int status, const char *why)
{
	struct tape_serve *s = arg;
	struct tape_serve_entry e;

	tape_serve_entry_init(&e);
	e.t_in_ns = tape_server_now_ns(s->http);
	e.n = ++s->n_seen;
	e.conn = tape_server_conn_id(c);
	tape_serve_entry_set_id(&e, NULL);
	refuse(s, c, &e, status, why);
}

void
tape_serve_on_close(
    void *arg, struct tape_server_conn *c, enum tape_server_end why)
{
	static const char *const outcomes[] = {
		[TAPE_SERVER_END_OURS] = "failed",
		[TAPE_SERVER_END_PEER] = "client-closed",
		[TAPE_SERVER_END_ERROR] = "client-closed",
		[TAPE_SERVER_END_IDLE] = "slow-client",
		[TAPE_SERVER_END_STOPPED] = "stopped",
	};
	struct tape_serve *s = arg;
	struct tape_serve_request *r = tape_server_conn_user(c);

	if (r == NULL)
		return;
	tape_serve_finish(r,
	    r->log.outcome[0] != '\0' ? r->log.outcome : outcomes[why],
	    tape_server_now_ns(s->http));
}
