/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "codec/json_write.h"
#include "engine/serve_play.h"

#include <inttypes.h>
#include <stdio.h>

#define MODEL_BYTES 256

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

static enum tape_status
name_model(struct tape_serve_request *r, struct tape_str model)
{
	struct tape_json_writer w;
	struct tape_err err = { 0 };

	if (model.len > MODEL_BYTES)
		model.len = 0;
	if (model.len == 0 || r->ask.model.len > 0)
		return TAPE_OK;
	tape_json_write_init(&w, &r->ask.model);
	tape_json_write_str(&w, NULL, model.p, model.len);
	if (tape_json_write_finish(&w, &err) == TAPE_E_BUG)
		tape_buf_clear(&r->ask.model); /* it is not UTF-8 */
	return r->ask.model.status;
}

static void
set_text(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	struct tape_serve_text *t = &r->text;
	const struct tape_buf *name =
	    r->ask.model.len > 0 ? &r->ask.model : &s->name;

	(void)snprintf(t->id, sizeof(t->id), "%s%016" PRIx64, t->dialect->id,
	    tape_serve_mix(tape_serve_mix(s->conf.seed, 1), r->log.n));
	t->wall_ns = tape_clock_wall_ns(s->conf.clock);
	t->model = tape_str_make(name->data, name->len);
	t->finish = r->plan.finish;
	t->tell_usage = r->ask.usage;
	t->usage.prompt_tokens = r->plan.prompt_tokens;
	tape_buf_init(&r->whole, TAPE_SERVE_OUT_BYTES);
}

/* A long prompt is being counted: others' tokens are due meanwhile.  The
   request is not planned yet, so that none of this touches it. */
static void
breathe(void *arg)
{
	tape_server_run_due(arg);
}

static void
shape(struct tape_serve_request *r, const struct tape_serve_dialect *d)
{
	struct tape_serve *s = r->s;

	r->text.dialect = d;
	tape_serve_ask_init(&r->ask, &d->shape,
	    s->conf.prefix_blocks > 0 ? (uint32_t)s->conf.prefix_tokens : 0);
	r->ask.prompt.breathe = breathe;
	r->ask.prompt.breathe_arg = s->http;
}

/* What the body asks for, in the dialect of the path or another of that. */
static enum tape_status
parse(struct tape_serve_request *r, const struct tape_server_request *req,
    const struct tape_serve_dialect *d, struct tape_err *err)
{
	struct tape_err other = { 0 };
	enum tape_status st;

	shape(r, d);
	st = tape_serve_ask_parse(
	    &r->ask, &r->s->json, req->body, req->body_bytes, err);
	if (st != TAPE_E_FORMAT || d->instead == NULL)
		return st;
	tape_serve_ask_release(&r->ask);
	shape(r, d->instead);
	st = tape_serve_ask_parse(
	    &r->ask, &r->s->json, req->body, req->body_bytes, &other);
	if (st == TAPE_OK)
		tape_err_clear(err);
	return st;
}

/* The body says what is wanted; TAPE_OK when it makes sense. */
static enum tape_status
plan(struct tape_serve_request *r, const struct tape_server_request *req,
    const struct tape_serve_asked *asked, struct tape_err *err)
{
	struct tape_serve *s = r->s;
	enum tape_status st = parse(r, req, asked->dialect, err);

	if (st == TAPE_OK)
		st = tape_serve_model_plan(
		    &s->model, &r->ask, s->n_asks, &r->plan, err);
	if (st == TAPE_OK && name_model(r, asked->model) != TAPE_OK)
		st = tape_err_nomem(err);
	if (st != TAPE_OK)
		return st;
	r->ask.stream = r->ask.stream || asked->stream;
	set_text(r);
	r->log.stream = r->ask.stream;
	r->log.prompt_tokens = r->plan.prompt_tokens;
	r->fault = tape_serve_fault_choose(s->conf.faults, s->conf.n_faults,
	    s->conf.seed, r->plan.key, s->n_asks);
	return TAPE_OK;
}

void
tape_serve_generate(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e,
    const struct tape_serve_asked *asked)
{
	struct tape_serve_request *r = tape_serve_take(s, c, e);
	struct tape_err err = { 0 };
	enum tape_status st;

	s->n_asks++;
	if (r == NULL)
		return;
	st = plan(r, req, asked, &err);
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
