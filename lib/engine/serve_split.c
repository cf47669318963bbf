/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An event in pieces.  The event is cut into chunks at drawn places, and each
 * write but the last holds back some of the bytes of its chunk, its framing
 * included; so a client meets the ends of writes anywhere.  The stamp is in the
 * last piece, made when that is sent.
 */
#include "engine/serve_play.h"

static void piece(void *arg);

static void
arm_piece(struct tape_serve_request *r)
{
	tape_serve_add_ns(&r->due_ns, r->s->conf.split.gap_ns);
	if (tape_server_at(r->s->http, &r->timer, r->due_ns, piece, r) !=
	    TAPE_OK)
		tape_server_reset(r->conn);
}

/* From 1 to n. */
static size_t
draw_up_to(struct tape_serve_request *r, size_t n)
{
	return 1 + tape_rng_mulhi(tape_rng_u32(&r->plan.cuts), (uint32_t)n);
}

/* One more piece, which is not the last one. */
static void
send_piece(struct tape_serve_request *r)
{
	struct tape_buf *rest = &r->pieces.rest;
	size_t before = tape_server_conn_pending(r->conn), chunk, n;
	enum tape_status st = rest->status;

	if (st == TAPE_OK) {
		n = draw_up_to(r, rest->len - 1);
		st = tape_server_put(r->conn, rest->data, n);
		tape_buf_consume(rest, n);
	}
	if (st == TAPE_OK) {
		chunk = tape_server_conn_pending(r->conn) - before;
		st = tape_server_flush_but(
		    r->conn, chunk - draw_up_to(r, chunk));
	}
	r->pieces.left--;
	if (st == TAPE_OK)
		arm_piece(r);
	else
		tape_serve_give_up(r, st);
}

void
tape_serve_split_end(struct tape_serve_request *r)
{
	struct tape_buf *rest = &r->pieces.rest, *out = &r->s->out;
	struct tape_serve_stamp at = tape_serve_stamp_now(r);
	enum tape_status st = rest->status;

	tape_server_cancel(r->s->http, &r->timer);
	at.seq = r->log.events;
	r->pieces.left = 0;
	if (st == TAPE_OK) {
		(void)tape_buf_add(out, rest->data, rest->len);
		tape_serve_text_stamp(out, &r->text, &at);
		tape_serve_took(r, r->pieces.tokens, &at);
		st = tape_serve_put_event(r);
	}
	tape_buf_clear(rest);
	tape_serve_sent(r, &at, st);
}

static void
piece(void *arg)
{
	struct tape_serve_request *r = arg;

	/* of a few bytes not every one can be a piece */
	if (r->pieces.left > 1 && r->pieces.rest.len > 1)
		send_piece(r);
	else
		tape_serve_split_end(r);
}

void
tape_serve_split(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	struct tape_buf *rest = &r->pieces.rest;
	uint64_t n = tape_serve_model_size(
	    &s->model, &r->plan, r->plan.output_tokens - r->tokens);

	if (rest->cap == 0)
		tape_buf_init(rest, TAPE_CAP_REQUEST);
	r->pieces.tokens = n;
	r->pieces.left = s->conf.split.writes;
	tape_serve_say_event(r, n, rest);
	send_piece(r);
}
