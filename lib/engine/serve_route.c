/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

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

/* ---- routes ---- */

/* What is no dialect. */
struct route {
	const char *path;
	bool keyed; /* asks for the key */
	void (*serve)(struct tape_serve *s, struct tape_server_conn *c,
	    const struct tape_server_request *req, struct tape_serve_entry *e);
};

static const struct route routes[] = {
	{ "/v1/models", true, models },
	{ "/health", false, health },
	{ "/health/ready", false, health },
};

static bool
right_method(bool model, const char *method)
{
	if (model)
		return strcmp(method, "POST") == 0;
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

/* In the field of any dialect. */
static bool
right_key(const struct tape_serve *s, const struct tape_server_request *req)
{
	static const char scheme[] = "Bearer ";
	static const char *const fields[] = { "x-api-key", "x-goog-api-key",
		"api-key" };
	const char *given = tape_server_request_header(req, "authorization");
	size_t i;

	if (s->conf.api_key == NULL)
		return true;
	if (given != NULL && strncmp(given, scheme, sizeof(scheme) - 1) == 0 &&
	    strcmp(given + sizeof(scheme) - 1, s->conf.api_key) == 0)
		return true;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		given = tape_server_request_header(req, fields[i]);
		if (given != NULL && strcmp(given, s->conf.api_key) == 0)
			return true;
	}
	return false;
}

static void
serve_path(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e)
{
	struct tape_serve_asked asked = tape_serve_dialect_of(req->path);
	const struct route *route = NULL;
	size_t i;

	for (i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (strcmp(req->path, routes[i].path) == 0)
			route = &routes[i];
	if (route == NULL && asked.dialect == NULL) {
		refuse(s, c, e, 404, "no such path");
		return;
	}
	e->model = route == NULL;
	if (route != NULL) /* outlives the request */
		e->path = tape_str_of(route->path);
	if (!right_method(e->model, req->method))
		refuse(s, c, e, 405, "method not allowed for this path");
	else if ((route == NULL || route->keyed) && !right_key(s, req))
		refuse(s, c, e, 401, "no or wrong API key");
	else if (route != NULL)
		route->serve(s, c, req, e);
	else
		tape_serve_generate(s, c, req, e, &asked);
}

void
tape_serve_on_request(void *arg, struct tape_server_conn *c,
    const struct tape_server_request *req)
{
	struct tape_serve *s = arg;
	struct tape_serve_entry e;
	const struct tape_script_rule *rule = NULL;

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
	if (rule != NULL)
		tape_serve_act(s, c, &e, rule);
	else
		serve_path(s, c, req, &e);
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
