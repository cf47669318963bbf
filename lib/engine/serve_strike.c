/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

/* ---- faults ---- */

static bool
in_mid_answer(enum tape_serve_fault_kind kind)
{
	return kind >= TAPE_SERVE_RESET && kind <= TAPE_SERVE_BAD_CHUNK;
}

bool
tape_serve_fault_comes(const struct tape_serve_request *r)
{
	return in_mid_answer(r->fault.kind) && !r->struck &&
	       (r->tokens >= r->fault.after ||
		   r->tokens >= r->plan.output_tokens);
}

static void
stalled(void *arg)
{
	struct tape_serve_request *r = arg;

	tape_server_close(r->conn);
	tape_serve_finish(r, tape_serve_fault_name(TAPE_SERVE_STALL),
	    tape_server_now_ns(r->s->http));
}

static void
stall(struct tape_serve_request *r)
{
	int64_t until_ns = tape_server_now_ns(r->s->http);

	tape_serve_batch_leave(r);
	tape_serve_add_ns(&until_ns, r->s->conf.stall_ns);
	if (tape_server_at(r->s->http, &r->timer, until_ns, stalled, r) !=
	    TAPE_OK)
		tape_server_reset(r->conn);
}

static enum tape_status
put_error(struct tape_serve_request *r)
{
	tape_serve_text_fail(&r->s->out, &r->text, 500, TAPE_SERVE_FAULT_TEXT);
	return tape_serve_put_event(r);
}

bool
tape_serve_strike(struct tape_serve_request *r)
{
	enum tape_serve_fault_kind kind = r->fault.kind;
	enum tape_status st = TAPE_OK;

	r->struck = true;
	if (kind == TAPE_SERVE_MALFORMED) {
		tape_serve_text_cut(&r->s->out, &r->text);
		st = tape_serve_put_event(r);
		if (st != TAPE_OK)
			tape_serve_give_up(r, st);
		return st == TAPE_OK;
	}
	if (kind == TAPE_SERVE_STALL) {
		stall(r);
		return false;
	}
	if (kind == TAPE_SERVE_RESET)
		tape_server_reset(r->conn);
	else if (kind == TAPE_SERVE_TRUNCATE)
		tape_server_close(r->conn);
	else if (kind == TAPE_SERVE_BAD_CHUNK) {
		(void)tape_server_raw(r->conn, "no number\r\n", 11);
		tape_server_close(r->conn);
	} else {
		st = put_error(r);
		if (st == TAPE_OK)
			st = tape_serve_put_done(r);
		if (st == TAPE_OK)
			st = tape_server_end(r->conn);
	}
	if (st == TAPE_OK)
		tape_serve_finish(r, tape_serve_fault_name(kind), r->due_ns);
	else
		tape_serve_give_up(r, st);
	return false;
}
