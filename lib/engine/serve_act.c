/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

#define WRITES        64                  /* of one turn */
#define PENDING_BYTES ((size_t)256 << 10) /* then the client has to read */
#define POLL_NS       TAPE_NS_PER_MS      /* and is looked at so often */

static void tick(void *arg);

/* tick is called at due_ns. */
static void
arm(struct tape_serve_request *r)
{
	if (tape_server_at(r->s->http, &r->timer, r->due_ns, tick, r) !=
	    TAPE_OK)
		tape_server_reset(r->conn);
}

static void
leave(struct tape_serve_request *r, const char *outcome)
{
	tape_serve_finish(r, outcome, tape_server_now_ns(r->s->http));
}

/* All steps are done. */
static void
end(struct tape_serve_request *r)
{
	if (r->act.rule->framing == TAPE_SCRIPT_RAW)
		tape_server_close(r->conn);
	else if (tape_server_end(r->conn) != TAPE_OK)
		return; /* on_close will say why */
	leave(r, "complete");
}

static size_t
write_bytes(
    const struct tape_serve_act *act, const struct tape_script_step *step)
{
	size_t at = (size_t)(act->sent % step->len), n = step->len - at;

	if (act->write < step->n_reads && step->reads[act->write] < n)
		n = step->reads[act->write];
	if (step->each > 0 && step->each < n)
		n = step->each;
	if (n > step->bytes - act->sent)
		n = (size_t)(step->bytes - act->sent);
	return n;
}

/* The next write of a step that sends. */
static enum tape_status
send_some(struct tape_serve_request *r, const struct tape_script_step *step)
{
	struct tape_serve_act *act = &r->act;
	const char *p = step->data + act->sent % step->len;
	size_t n = write_bytes(act, step);
	enum tape_status st;

	if (act->rule->framing == TAPE_SCRIPT_RAW)
		st = tape_server_raw(r->conn, p, n);
	else
		st = tape_server_send(r->conn, p, n);
	act->sent += n;
	act->write++;
	return st;
}

static void
next_step(struct tape_serve_act *act)
{
	act->step++;
	act->sent = act->write = 0;
}

/* True when the turn goes on with no wait. */
static bool
do_send(struct tape_serve_request *r, const struct tape_script_step *step)
{
	enum tape_status st;

	if (tape_server_conn_pending(r->conn) > PENDING_BYTES) {
		r->due_ns = tape_server_now_ns(r->s->http) + POLL_NS;
		arm(r);
		return false;
	}
	st = send_some(r, step);
	if (st != TAPE_OK) {
		tape_serve_give_up(r, st);
		return false;
	}
	if (r->act.sent == step->bytes) {
		next_step(&r->act);
		return true;
	}
	if (step->ns == 0)
		return true;
	tape_serve_add_ns(&r->due_ns, step->ns);
	arm(r);
	return false;
}

static void
do_stall(struct tape_serve_request *r, const struct tape_script_step *step)
{
	if (r->act.write++ == 0) {
		(void)tape_server_flush(r->conn);
		tape_serve_add_ns(&r->due_ns, step->ns);
		arm(r);
	} else {
		tape_server_close(r->conn);
		leave(r, "stall");
	}
}

/* True when the turn goes on. */
static bool
do_step(struct tape_serve_request *r, const struct tape_script_step *step)
{
	switch (step->verb) {
	case TAPE_SCRIPT_SEND:
		return do_send(r, step);
	case TAPE_SCRIPT_WAIT:
		(void)tape_server_flush(r->conn); /* the head, if need be */
		next_step(&r->act);
		tape_serve_add_ns(&r->due_ns, step->ns);
		arm(r);
		return false;
	case TAPE_SCRIPT_CLOSE:
		tape_server_close(r->conn);
		leave(r, "close");
		return false;
	case TAPE_SCRIPT_RESET:
		tape_server_reset(r->conn);
		leave(r, "reset");
		return false;
	case TAPE_SCRIPT_STALL:
		do_stall(r, step);
		return false;
	}
	return false;
}

static void
tick(void *arg)
{
	struct tape_serve_request *r = arg;
	int i;

	for (i = 0; i < WRITES; i++) {
		if (r->act.step == r->act.rule->n_steps) {
			end(r);
			return;
		}
		if (!do_step(r, &r->act.rule->steps[r->act.step]))
			return;
	}
	/* others' turn */
	r->due_ns = tape_server_now_ns(r->s->http);
	arm(r);
}

static enum tape_status
head(struct tape_serve_request *r)
{
	static const enum tape_server_mode modes[] = {
		[TAPE_SCRIPT_CHUNKED] = TAPE_SERVER_CHUNKED,
		[TAPE_SCRIPT_LENGTH] = TAPE_SERVER_LENGTH,
		[TAPE_SCRIPT_UNTIL_CLOSE] = TAPE_SERVER_UNTIL_CLOSE,
	};
	const struct tape_script_rule *rule = r->act.rule;

	if (rule->framing == TAPE_SCRIPT_RAW)
		return TAPE_OK;
	r->log.status = rule->status;
	return tape_server_head(r->conn, rule->status,
	    rule->headers != NULL ? rule->headers : "", modes[rule->framing],
	    rule->length);
}

void
tape_serve_act(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e, const struct tape_script_rule *rule)
{
	struct tape_serve_request *r = tape_serve_take(s, c, e);
	enum tape_status st;

	if (r == NULL)
		return;
	r->act.rule = rule;
	r->due_ns = e->t_in_ns;
	st = head(r);
	if (st == TAPE_OK)
		arm(r);
	else
		tape_serve_give_up(r, st);
}
