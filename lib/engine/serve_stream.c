/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

#define WHOLE_STEP 256 /* gaps drawn at a time for a whole answer */

struct tape_serve_stamp
tape_serve_stamp_now(const struct tape_serve_request *r)
{
	struct tape_serve_stamp st = { .on = r->s->conf.stamp };

	st.t_ns = tape_server_now_ns(r->s->http);
	st.late_ns = st.t_ns - r->due_ns;
	return st;
}

/* The event in the scratch buffer, as a chunk of its own. */
enum tape_status
tape_serve_put_event(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	enum tape_status st = s->out.status;

	if (st == TAPE_OK)
		st = tape_server_put(r->conn, s->out.data, s->out.len);
	tape_buf_clear(&s->out);
	r->log.events++;
	s->stats.events++;
	return st;
}

enum tape_status
tape_serve_put_role(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	if (!r->ask.chat)
		return TAPE_OK;
	at->seq = r->log.events;
	tape_serve_text_role(&r->s->out, &r->text, at);
	return tape_serve_put_event(r);
}

/* ---- events ---- */

static void
took(struct tape_serve_request *r, const struct tape_serve_stamp *at)
{
	struct tape_serve_entry *log = &r->log;

	tape_hist_add(&r->s->stats.late, at->late_ns);
	if (log->t_first_ns == TAPE_ABSENT_I64)
		log->t_first_ns = at->t_ns;
	log->t_last_ns = at->t_ns;
	log->due_last_ns = r->due_ns;
	if (log->late_max_ns == TAPE_ABSENT_I64 ||
	    at->late_ns > log->late_max_ns)
		log->late_max_ns = at->late_ns;
}

static enum tape_status
put_token(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	struct tape_str word = tape_serve_word(
	    &r->s->vocab, tape_serve_model_word(&r->plan), r->tokens == 0);

	at->seq = r->log.events;
	tape_serve_text_token(&r->s->out, &r->text, word, r->tokens == 0, at);
	r->tokens++;
	r->log.output_tokens++;
	r->s->stats.tokens++;
	took(r, at);
	return tape_serve_put_event(r);
}

static struct tape_serve_usage
usage(const struct tape_serve_request *r)
{
	struct tape_serve_usage u = {
		.prompt_tokens = r->plan.prompt_tokens,
		.cached_tokens = r->plan.cached_tokens,
		.output_tokens = r->plan.output_tokens,
	};

	return u;
}

enum tape_status
tape_serve_put_done(struct tape_serve_request *r)
{
	(void)tape_buf_add_str(&r->s->out, "data: [DONE]\n\n");
	return tape_serve_put_event(r);
}

/* All that follows the last token, in one write. */
static enum tape_status
put_tail(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	struct tape_serve_usage u = usage(r);
	enum tape_status st;

	at->seq = r->log.events;
	tape_serve_text_finish(&r->s->out, &r->text, r->plan.finish, at);
	st = tape_serve_put_event(r);
	if (st == TAPE_OK && r->ask.usage) {
		at->seq = r->log.events;
		tape_serve_text_usage(&r->s->out, &r->text, &u, at);
		st = tape_serve_put_event(r);
	}
	return st == TAPE_OK ? tape_serve_put_done(r) : st;
}

/* The answer is complete in the connection's buffer. */
static void
complete(struct tape_serve_request *r)
{
	bool stale = r->fault.kind == TAPE_SERVE_STALE;
	const char *outcome = r->fault.kind == TAPE_SERVE_MALFORMED || stale
				  ? tape_serve_fault_name(r->fault.kind)
				  : "complete";

	if (stale) /* after the head, so that nobody is told */
		tape_server_last(r->conn);
	if (tape_server_end(r->conn) != TAPE_OK)
		return; /* on_close will say why */
	tape_serve_finish(r, outcome, r->due_ns);
}

/* ---- answers that are not streamed ---- */

/* The body, in the scratch buffer. */
static void
write_whole(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	struct tape_buf *out = &r->s->out;
	struct tape_serve_usage u = usage(r);
	struct tape_str word;
	uint64_t i;

	tape_serve_text_begin(out, &r->text);
	for (i = 0; i < r->plan.output_tokens; i++) {
		word = tape_serve_word(
		    &r->s->vocab, tape_serve_model_word(&r->plan), i == 0);
		if (i > 0)
			(void)tape_buf_add_char(out, ' ');
		(void)tape_buf_add(out, word.p, word.len);
	}
	*at = tape_serve_stamp_now(r);
	if (r->fault.kind != TAPE_SERVE_MALFORMED)
		tape_serve_text_end(out, &r->text, r->plan.finish, &u, at);
}

static enum tape_status
put_whole(struct tape_serve_request *r)
{
	struct tape_buf *out = &r->s->out;
	struct tape_serve_stamp at;
	char lines[TAPE_SERVE_LINES];
	enum tape_status st;
	size_t len;

	write_whole(r, &at);
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
	tape_buf_clear(out);
	if (st != TAPE_OK)
		return st;
	r->log.status = 200;
	r->log.events++;
	r->log.output_tokens = r->plan.output_tokens;
	r->s->stats.events++;
	r->s->stats.tokens += r->plan.output_tokens;
	took(r, &at);
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
		complete(r);
	else
		tape_serve_give_up(r, st);
}

/* Draws the gaps a step at a time, so that a long answer stops nobody. */
static void
tick_whole(struct tape_serve_request *r)
{
	int i;

	if (r->tokens == 0)
		r->tokens = 1;
	else if (r->tokens == r->plan.output_tokens) {
		answer_whole(r);
		return;
	}
	for (i = 0; i < WHOLE_STEP && r->tokens < r->plan.output_tokens; i++) {
		tape_serve_add_ns(&r->due_ns,
		    tape_serve_model_gap_ns(&r->s->model, &r->plan));
		r->tokens++;
	}
	if (r->plan.output_tokens == 1)
		answer_whole(r);
	else
		tape_serve_arm(r);
}

/* ---- streams ---- */

static void
send_token(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	struct tape_serve_stamp at = tape_serve_stamp_now(r);
	enum tape_status st = TAPE_OK;
	bool last = r->tokens + 1 == r->plan.output_tokens;

	if (r->tokens == 0 && s->conf.role == TAPE_SERVE_ROLE_FIRST)
		st = tape_serve_put_role(r, &at);
	if (st == TAPE_OK)
		st = put_token(r, &at);
	if (st == TAPE_OK && last && s->conf.tail_ns == 0 &&
	    !tape_serve_fault_comes(r)) {
		st = put_tail(r, &at);
		if (st == TAPE_OK) {
			complete(r);
			return;
		}
	}
	if (st == TAPE_OK)
		st = tape_server_flush(r->conn);
	if (st != TAPE_OK) {
		tape_serve_give_up(r, st);
		return;
	}
	tape_serve_add_ns(
	    &r->due_ns, last ? s->conf.tail_ns
			     : tape_serve_model_gap_ns(&s->model, &r->plan));
	tape_serve_arm(r);
}

/* Something of the request is due. */
void
tape_serve_tick(void *arg)
{
	struct tape_serve_request *r = arg;
	struct tape_serve_stamp at;
	enum tape_status st;

	if (!r->ask.stream) {
		tick_whole(r);
		return;
	}
	if (tape_serve_fault_comes(r) && !tape_serve_strike(r))
		return;
	if (r->tokens < r->plan.output_tokens) {
		send_token(r);
		return;
	}
	at = tape_serve_stamp_now(r);
	st = put_tail(r, &at);
	if (st == TAPE_OK)
		complete(r);
	else
		tape_serve_give_up(r, st);
}
