/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_play.h"

#include "base/mem.h"

#include <stdio.h>

static void
enqueue(struct tape_serve *s, struct tape_serve_request *r)
{
	r->place = TAPE_SERVE_WAITING;
	r->prev = s->last;
	if (s->last != NULL)
		s->last->next = r;
	else
		s->first = r;
	s->last = r;
	s->n_waiting++;
}

static void
dequeue(struct tape_serve *s, struct tape_serve_request *r)
{
	if (r->prev != NULL)
		r->prev->next = r->next;
	else
		s->first = r->next;
	if (r->next != NULL)
		r->next->prev = r->prev;
	else
		s->last = r->prev;
	r->prev = r->next = NULL;
	r->place = TAPE_SERVE_NOWHERE;
	s->n_waiting--;
}

void
tape_serve_add_ns(int64_t *t_ns, int64_t more_ns)
{
	if (__builtin_add_overflow(*t_ns, more_ns, t_ns))
		*t_ns = INT64_MAX;
}

void
tape_serve_arm(struct tape_serve_request *r)
{
	if (tape_server_at(r->s->http, &r->timer, r->due_ns, tape_serve_tick,
		r) != TAPE_OK)
		tape_server_reset(r->conn);
}

void
tape_serve_give_up(struct tape_serve_request *r, enum tape_status st)
{
	tape_server_cancel(r->s->http, &r->timer);
	tape_serve_batch_leave(r);
	if (st == TAPE_E_IO) /* the peer is gone: on_close says how */
		return;
	r->log.outcome = st == TAPE_E_LIMIT ? "slow-client" : "failed";
	tape_server_reset(r->conn);
}

static void
start(struct tape_serve_request *r, int64_t at_ns)
{
	struct tape_serve *s = r->s;
	struct tape_serve_stamp now;
	enum tape_status st = TAPE_OK;

	r->place = TAPE_SERVE_RUNNING;
	s->n_running++;
	tape_serve_model_start(&s->model, &r->ask, &r->plan);
	r->log.cached_tokens = r->plan.cached_tokens;
	r->text.usage.cached_tokens = r->plan.cached_tokens;
	r->due_ns = at_ns;
	if (r->ask.stream && s->conf.role == TAPE_SERVE_ROLE_START) {
		now = tape_serve_stamp_now(r);
		st = tape_serve_put_role(r, &now);
		if (st == TAPE_OK)
			st = tape_server_flush(r->conn);
	}
	tape_serve_add_ns(&r->due_ns, r->plan.ttft_ns);
	if (st == TAPE_OK)
		tape_serve_begin(r);
	else
		tape_serve_give_up(r, st);
}

static void
fill_slots(struct tape_serve *s, int64_t at_ns)
{
	struct tape_serve_request *r;

	while ((r = s->first) != NULL &&
	       (s->conf.slots == 0 || s->n_running < s->conf.slots)) {
		dequeue(s, r);
		start(r, at_ns > r->log.t_in_ns ? at_ns : r->log.t_in_ns);
	}
}

void
tape_serve_finish(
    struct tape_serve_request *r, const char *outcome, int64_t at_ns)
{
	struct tape_serve *s = r->s;
	bool ran = r->place == TAPE_SERVE_RUNNING;

	tape_server_cancel(s->http, &r->timer);
	tape_serve_batch_leave(r);
	if (r->place == TAPE_SERVE_WAITING)
		dequeue(s, r);
	if (ran)
		s->n_running--;
	tape_server_conn_set(r->conn, NULL);
	tape_serve_record(s, &r->log, outcome);
	tape_serve_ask_release(&r->ask);
	tape_buf_release(&r->pieces.rest);
	tape_buf_release(&r->whole);
	tape_mem_free(r->path);
	tape_mem_free(r);
	if (ran)
		fill_slots(s, at_ns);
}

struct tape_serve_request *
tape_serve_take(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e)
{
	struct tape_serve_request *r = tape_mem_calloc(1, sizeof(*r));
	char *path = tape_mem_dup(e->path.p, e->path.len);

	if (r == NULL || path == NULL) {
		tape_mem_free(r);
		tape_mem_free(path);
		tape_serve_error(s, c, e, 500, "out of memory", "");
		tape_serve_record(s, e, "refused");
		return NULL;
	}
	r->s = s;
	r->conn = c;
	r->log = *e;
	/* the request's own path ends with the answer, its log line later */
	r->path = path;
	r->log.path.p = path;
	tape_serve_ask_init(&r->ask, &tape_serve_chat.shape, 0);
	tape_server_conn_set(c, r);
	return r;
}

void
tape_serve_play(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	bool free_slot = s->conf.slots == 0 || s->n_running < s->conf.slots;
	char lines[TAPE_SERVE_LINES], type[128];
	enum tape_status st = TAPE_OK;

	if (!free_slot && s->n_waiting >= s->conf.queue) {
		s->stats.refused++;
		tape_serve_error(s, r->conn, &r->log, 429, "the queue is full",
		    "retry-after: 1\r\n");
		tape_serve_finish(r, "refused", r->log.t_in_ns);
		return;
	}
	if (r->ask.stream) {
		r->log.status = 200;
		(void)snprintf(type, sizeof(type),
		    "content-type: %s\r\ncache-control: no-cache\r\n",
		    r->text.dialect->type);
		st = tape_server_head(r->conn, 200,
		    tape_serve_lines(lines, &r->log, type), TAPE_SERVER_CHUNKED,
		    0);
		if (st == TAPE_OK)
			st = tape_server_flush(r->conn);
	}
	if (st != TAPE_OK) {
		tape_serve_give_up(r, st);
		return;
	}
	if (free_slot)
		start(r, r->log.t_in_ns);
	else
		enqueue(s, r);
}
