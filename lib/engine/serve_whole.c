/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

#define WHOLE_STEP 256 /* events timed and said at a time */

/* The end of the body. */
static void
end_body(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	tape_serve_sum_up(r);
	*at = tape_serve_stamp_now(r);
	if (r->fault.kind != TAPE_SERVE_MALFORMED)
		tape_serve_text_end(&r->whole, &r->text, at);
}

static enum tape_status
put_whole(struct tape_serve_request *r)
{
	struct tape_buf *out = &r->whole;
	struct tape_serve_stamp at;
	char lines[TAPE_SERVE_LINES];
	enum tape_status st;
	size_t len;

	end_body(r, &at);
	len = out->len;
	st = out->status;
	if (st == TAPE_OK)
		st = tape_server_head(r->conn, 200,
		    tape_serve_lines(lines, &r->log, TAPE_SERVE_JSON),
		    TAPE_SERVER_LENGTH, len);
	if (r->fault.kind == TAPE_SERVE_TRUNCATE)
		len /= 2;
	if (st == TAPE_OK)
		st = tape_server_put(r->conn, out->data, len);
	if (st != TAPE_OK)
		return st;
	r->log.status = 200;
	r->log.events++;
	r->s->stats.events++;
	tape_serve_took(r, r->plan.output_tokens, &at);
	return TAPE_OK;
}

static void
error_whole(struct tape_serve_request *r)
{
	struct tape_buf *out = &r->s->out;
	char lines[TAPE_SERVE_LINES];

	r->log.status = 200;
	tape_serve_text_error(out, 500, TAPE_SERVE_FAULT_TEXT);
	(void)tape_server_reply(r->conn, 200,
	    tape_serve_lines(lines, &r->log, TAPE_SERVE_JSON), out->data,
	    out->len);
	tape_buf_clear(out);
	tape_serve_finish(
	    r, tape_serve_fault_name(TAPE_SERVE_ERROR_EVENT), r->due_ns);
}

static void
answer_whole(struct tape_serve_request *r)
{
	enum tape_serve_fault_kind kind = r->fault.kind;
	enum tape_status st;

	if (kind == TAPE_SERVE_ERROR_EVENT) {
		error_whole(r);
		return;
	}
	if (kind == TAPE_SERVE_RESET || kind == TAPE_SERVE_STALL ||
	    kind == TAPE_SERVE_BAD_CHUNK) {
		(void)tape_serve_strike(r);
		return;
	}
	st = put_whole(r);
	if (st == TAPE_OK && kind == TAPE_SERVE_TRUNCATE)
		(void)tape_serve_strike(r);
	else if (st == TAPE_OK)
		tape_serve_complete(r);
	else
		tape_serve_give_up(r, st);
}

/* The words of the next event. */
static void
say_event(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	uint64_t n = tape_serve_model_size(
	    &s->model, &r->plan, r->plan.output_tokens - r->timed);

	for (r->timed += n; n > 0; n--)
		tape_serve_say(&s->words, &r->plan.voice, &r->whole);
}

/* Does a part of an answer at a time, so that a long one stops nobody. */
void
tape_serve_tick_whole(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	int i, events = r->in_batch ? 1 : WHOLE_STEP;

	if (r->timed == 0) {
		r->text.dialect->begin(&r->whole, &r->text);
		say_event(r);
		events--;
	} else if (r->timed == r->plan.output_tokens) {
		answer_whole(r);
		return;
	}
	for (i = 0; i < events && r->timed < r->plan.output_tokens; i++) {
		if (!r->in_batch)
			tape_serve_add_ns(&r->due_ns,
			    tape_serve_model_gap_ns(&s->model, &r->plan));
		say_event(r);
	}
	if (!r->in_batch)
		tape_serve_arm(r);
	else if (r->timed == r->plan.output_tokens)
		answer_whole(r);
}
