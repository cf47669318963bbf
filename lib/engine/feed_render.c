/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request of the trace to what is sent. */
#include "base/hash.h"
#include "base/mem.h"
#include "engine/feed_impl.h"

struct tape_api_ask
tape_feed_ask(
    const struct tape_feed_form *form, const struct tape_request *request)
{
	return (struct tape_api_ask){ .input = &request->input,
		.vocabs = form->vocabs,
		.salt = form->salt,
		.model = tape_str_of(form->model),
		.stream = form->stream,
		.usage = form->usage,
		.output_tokens = request->output_tokens,
		.max_tokens_field = form->max_tokens_field,
		.form = form->body_template,
		.params = request->params,
		.extra = form->extra,
		.model_given = form->model_given,
		.drop = form->rules.drop,
		.drop_n = form->rules.drop_n };
}

enum tape_status
tape_feed_render(const struct tape_feed_form *form,
    const struct tape_target *target, const struct tape_request *request,
    struct tape_buf *out, char **url, struct tape_err *err)
{
	const struct tape_api_ask ask = tape_feed_ask(form, request);
	enum tape_status st = tape_server_rules_check(
	    &form->rules, form->api, &ask, request->id, err);

	if (st == TAPE_OK)
		st = tape_api_render(form->api, &ask, out, err);
	return st == TAPE_OK
		   ? tape_target_url_of(target, form->api, &ask, url, err)
		   : st;
}

void
tape_feed_place(struct tape_feed *f, struct tape_flight *flight,
    const struct tape_order_item *item)
{
	flight->turn.ready_ns = item->ready_ns;
	flight->doomed = item->doomed;
	/* Whoever names it is told at once, if there is anybody at all. */
	flight->followed = item->named && f->info->waiting > 0;
	if (!item->doomed)
		return;
	tape_flight_drop_body(flight);
	flight->bytes = 0;
}

static enum tape_status
pick_server(struct tape_feed *f, const struct tape_request *r,
    struct tape_flight *flight, const struct tape_target **server,
    struct tape_err *err)
{
	size_t i;
	enum tape_status st = tape_spread_pick(
	    &f->spread, r->session, (uint64_t)flight->pass, &i, err);

	*server = tape_target_at(f->plan.target, i);
	flight->target = (*server)->shown;
	return st;
}

static enum tape_status
add_body(struct tape_feed *f, const struct tape_request *r,
    struct tape_flight *flight, struct tape_err *err)
{
	const struct tape_target *server;
	enum tape_status st;

	if (f->plan.form.model == NULL && !f->plan.form.modelless &&
	    r->input.body.p == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "it is the first that is no whole body, and so far behind "
		    "that no model was asked for: give --model");
	st = pick_server(f, r, flight, &server, err);
	if (st != TAPE_OK)
		return st;
	tape_buf_clear(&f->body);
	st = tape_feed_render(
	    &f->plan.form, server, r, &f->body, &flight->url, err);
	if (st != TAPE_OK)
		return st;
	flight->body = tape_mem_dup(f->body.data, f->body.len);
	if (flight->body == NULL)
		return tape_err_nomem(err);
	flight->bytes = f->body.len;
	flight->hash =
	    tape_hash_add(TAPE_HASH_START, f->body.data, f->body.len);
	return TAPE_OK;
}

/* Time from the beginning of one pass to that of the next: the trace's length
   and one mean gap. */
static int64_t
pass_start(const struct tape_spool_info *i, uint64_t pass)
{
	int64_t len = i->last_t_ns - i->first_t_ns;

	if (pass == 0 || i->requests < 2)
		return 0;
	return (int64_t)pass * (len + len / (int64_t)(i->requests - 1));
}

enum tape_status
tape_feed_make(struct tape_feed *f, const struct tape_order_item *item,
    const struct tape_request *r, struct tape_flight **out,
    struct tape_err *err)
{
	uint64_t pass = tape_feed_pass(f, item->seq);
	struct tape_flight *flight = NULL;
	enum tape_status st = tape_flight_open(&flight, f->plan.course, r, err);

	if (st != TAPE_OK)
		return st;
	flight->turn.seq = item->seq;
	flight->turn.t_ns = r->t_ns;
	if (r->t_ns != TAPE_ABSENT_I64)
		flight->turn.t_ns =
		    r->t_ns - f->info->first_t_ns + pass_start(f->info, pass);
	flight->key = item->seq;
	flight->pass = (int64_t)pass;
	flight->measured = f->plan.stage.measured;
	flight->cancels =
	    flight->measured &&
	    tape_attempts_cancels(&f->plan.stage.attempts, item->seq);
	tape_feed_place(f, flight, item);
	if (!flight->doomed)
		st = add_body(f, r, flight, err);
	if (st != TAPE_OK) {
		tape_flight_free(flight);
		return st;
	}
	*out = flight;
	return TAPE_OK;
}
