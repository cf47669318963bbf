/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

struct tape_serve_stamp
tape_serve_stamp_now(const struct tape_serve_request *r)
{
	struct tape_serve_stamp st = { .on = r->s->conf.stamp };

	st.t_ns = tape_server_now_ns(r->s->http);
	st.late_ns = st.t_ns - r->due_ns;
	return st;
}

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

/* The events that lead to the first token, or all that follow the last one. */
static enum tape_status
put_around(struct tape_serve_request *r, struct tape_serve_stamp *at,
    bool (*add)(struct tape_buf *b, const struct tape_serve_text *t, unsigned i,
	const struct tape_serve_stamp *s))
{
	enum tape_status st = TAPE_OK;
	unsigned i;

	for (i = 0; st == TAPE_OK; i++) {
		at->seq = r->text.seq = r->log.events;
		if (!add(&r->s->out, &r->text, i, at))
			break;
		st = tape_serve_put_event(r);
	}
	return st;
}

enum tape_status
tape_serve_put_role(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	return put_around(r, at, tape_serve_text_lead);
}

/* ---- events ---- */

void
tape_serve_took(struct tape_serve_request *r, uint64_t tokens,
    const struct tape_serve_stamp *at)
{
	struct tape_serve_entry *log = &r->log;

	r->tokens += tokens;
	log->output_tokens += tokens;
	r->s->stats.tokens += tokens;
	tape_hist_add(&r->s->stats.late, at->late_ns);
	if (log->t_first_ns == TAPE_ABSENT_I64) {
		log->t_first_ns = at->t_ns;
		if (r->ask.stream)
			log->due_first_ns = r->due_ns;
	}
	log->t_last_ns = at->t_ns;
	log->due_last_ns = r->due_ns;
	if (log->late_max_ns == TAPE_ABSENT_I64 ||
	    at->late_ns > log->late_max_ns)
		log->late_max_ns = at->late_ns;
}

void
tape_serve_say_event(
    struct tape_serve_request *r, uint64_t tokens, struct tape_buf *out)
{
	struct tape_serve_text *t = &r->text;
	uint64_t all = r->tokens + tokens;
	size_t at;

	t->usage.output_tokens = all;
	t->last = all == r->plan.output_tokens;
	t->seq = r->log.events;
	tape_serve_text_say(out, t);
	at = out->len;
	for (; tokens > 0; tokens--)
		tape_serve_say(&r->s->words, &r->plan.voice, out);
	if (t->dialect->keeps) {
		(void)tape_buf_add(&r->whole, out->data + at, out->len - at);
		t->kept = tape_str_make(r->whole.data, r->whole.len);
	}
	tape_serve_text_said(out, t);
	t->index++;
}

static enum tape_status
put_tokens(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	struct tape_serve *s = r->s;
	uint64_t n = tape_serve_model_size(
	    &s->model, &r->plan, r->plan.output_tokens - r->tokens);

	at->seq = r->log.events;
	tape_serve_say_event(r, n, &s->out);
	tape_serve_text_stamp(&s->out, &r->text, at);
	tape_serve_took(r, n, at);
	return tape_serve_put_event(r);
}

void
tape_serve_sum_up(struct tape_serve_request *r)
{
	struct tape_serve_text *t = &r->text;
	int64_t first_ns = r->log.t_first_ns;

	t->usage.output_tokens = r->plan.output_tokens;
	if (first_ns == TAPE_ABSENT_I64) /* not streamed: no time in between */
		first_ns = tape_server_now_ns(r->s->http);
	else
		t->output_ns = r->log.t_last_ns - first_ns;
	t->prompt_ns = first_ns - r->log.t_in_ns;
}

enum tape_status
tape_serve_put_done(struct tape_serve_request *r)
{
	const char *done = r->text.dialect->done;

	if (done == NULL)
		return TAPE_OK;
	(void)tape_buf_add_str(&r->s->out, done);
	return tape_serve_put_event(r);
}

/* All that follows the last token, in one write. */
static enum tape_status
put_tail(struct tape_serve_request *r, struct tape_serve_stamp *at)
{
	tape_serve_sum_up(r);
	return put_around(r, at, tape_serve_text_tail);
}

void
tape_serve_complete(struct tape_serve_request *r)
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

/* ---- when ---- */

static bool
batched(const struct tape_serve_request *r)
{
	return r->s->conf.cadence == TAPE_SERVE_BATCH;
}

/* Events that are to share a write wait for the last of them: sets how many,
   and moves event_ns there.  gaps is how many have passed already. */
static void
plan_write(struct tape_serve_request *r, uint64_t gaps)
{
	struct tape_serve *s = r->s;

	r->merge = tape_serve_model_merge(
	    &s->model, &r->plan, r->plan.output_tokens - r->tokens);
	r->steps = r->merge;
	if (!batched(r))
		for (; gaps < r->merge; gaps++)
			tape_serve_add_ns(&r->event_ns,
			    tape_serve_model_gap_ns(&s->model, &r->plan));
}

void
tape_serve_begin(struct tape_serve_request *r)
{
	r->event_ns = r->due_ns;
	if (r->ask.stream)
		plan_write(r, 1);
	r->due_ns = r->event_ns;
	r->log.due_first_ns = r->due_ns;
	if (batched(r))
		tape_serve_batch_join(r);
	else
		tape_serve_arm(r);
}

/* What comes after a write. */
static void
go_on(struct tape_serve_request *r)
{
	if (r->tokens == r->plan.output_tokens) {
		tape_serve_batch_leave(r);
		tape_serve_add_ns(&r->due_ns, r->s->conf.tail_ns);
		tape_serve_arm(r);
		return;
	}
	plan_write(r, 0);
	if (batched(r))
		return;
	/* the pieces of one event may take longer than the time to the next */
	if (r->due_ns < r->event_ns)
		r->due_ns = r->event_ns;
	tape_serve_arm(r);
}

void
tape_serve_sent(struct tape_serve_request *r, struct tape_serve_stamp *at,
    enum tape_status st)
{
	bool last = r->tokens == r->plan.output_tokens;

	if (st == TAPE_OK && last && r->s->conf.tail_ns == 0 &&
	    !tape_serve_fault_comes(r)) {
		st = put_tail(r, at);
		if (st == TAPE_OK) {
			tape_serve_complete(r);
			return;
		}
	}
	if (st == TAPE_OK)
		st = tape_server_flush(r->conn);
	if (st == TAPE_OK)
		go_on(r);
	else
		tape_serve_give_up(r, st);
}

static void
send_tokens(struct tape_serve_request *r)
{
	struct tape_serve_stamp at = tape_serve_stamp_now(r);
	enum tape_status st = TAPE_OK;
	uint64_t i;

	if (r->tokens == 0 && r->s->conf.role == TAPE_SERVE_ROLE_FIRST)
		st = tape_serve_put_role(r, &at);
	if (st == TAPE_OK && r->s->conf.split.writes > 1) {
		tape_serve_split(r);
		return;
	}
	for (i = 0; st == TAPE_OK && i < r->merge; i++)
		st = put_tokens(r, &at);
	tape_serve_sent(r, &at, st);
}

static void
send_tail(struct tape_serve_request *r)
{
	struct tape_serve_stamp at = tape_serve_stamp_now(r);
	enum tape_status st = put_tail(r, &at);

	if (st == TAPE_OK)
		tape_serve_complete(r);
	else
		tape_serve_give_up(r, st);
}

void
tape_serve_tick(void *arg)
{
	struct tape_serve_request *r = arg;

	if (!r->ask.stream) {
		tape_serve_tick_whole(r);
		return;
	}
	if (r->pieces.left > 0) {
		/* a step of the batch came before the last piece */
		tape_serve_split_end(r);
		return;
	}
	if (r->in_batch && --r->steps > 0)
		return;
	r->event_ns = r->due_ns;
	if (tape_serve_fault_comes(r) && !tape_serve_strike(r))
		return;
	if (r->tokens < r->plan.output_tokens)
		send_tokens(r);
	else
		send_tail(r);
}
