/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Batch cadence.  Members of the batch are in the order in which they got their
 * slots.  While one of them decodes, a step is due an ITL after the step before
 * it; when none does, it is due when the first member has waited for its first
 * token long enough.  A step gives an event to each member that was there when
 * it began and is due by then.  The burst of a large batch takes milliseconds:
 * it goes on a slice at a time, so that requests are read meanwhile.
 */
#include "engine/serve_play.h"

#define SLICE 32 /* members of a step that are served at a time */

static void step(void *arg);

static void
arm_step(struct tape_serve *s)
{
	/* without memory for the timer, all would wait for ever */
	if (tape_server_at(
		s->http, &s->batch.timer, s->batch.due_ns, step, s) == TAPE_OK)
		return;
	(void)tape_err_nomem(&s->err);
	s->failed = true;
	tape_server_stop(s->http);
}

/* Sees to the step after the one that has just ended. */
static void
plan_step(struct tape_serve *s)
{
	struct tape_serve_batch *b = &s->batch;
	struct tape_serve_request *r;
	int64_t due_ns = INT64_MAX;

	if (b->first == NULL)
		return;
	if (b->decoding > 0) {
		tape_serve_add_ns(
		    &b->due_ns, tape_serve_model_step_ns(&s->model));
		arm_step(s);
		return;
	}
	for (r = b->first; r != NULL; r = r->next)
		if (r->due_ns < due_ns)
			due_ns = r->due_ns;
	b->due_ns = due_ns;
	arm_step(s);
}

/* The member's turn in the step in hand; it may be gone on return. */
static void
serve_member(struct tape_serve *s, struct tape_serve_request *r)
{
	struct tape_serve_batch *b = &s->batch;

	if (r->joined == b->steps || r->due_ns > b->due_ns)
		return;
	if (!r->decodes) {
		r->decodes = true;
		b->decoding++;
	}
	r->due_ns = b->due_ns;
	tape_serve_tick(r);
}

static void
step(void *arg)
{
	struct tape_serve *s = arg;
	struct tape_serve_batch *b = &s->batch;
	struct tape_serve_request *r;
	int i;

	if (!b->stepping) {
		b->stepping = true;
		b->steps++;
		b->at = b->first;
	}
	for (i = 0; i < SLICE && b->at != NULL; i++) {
		r = b->at;
		b->at = r->next;
		serve_member(s, r);
	}
	if (b->at != NULL) {
		arm_step(s);
		return;
	}
	b->stepping = false;
	plan_step(s);
}

void
tape_serve_batch_join(struct tape_serve_request *r)
{
	struct tape_serve *s = r->s;
	struct tape_serve_batch *b = &s->batch;

	r->in_batch = true;
	r->joined = b->stepping ? b->steps : 0;
	r->next = NULL;
	r->prev = b->last;
	if (b->last != NULL)
		b->last->next = r;
	else
		b->first = r;
	b->last = r;
	/* the end of a step plans the next one by itself */
	if (b->stepping || b->decoding > 0)
		return;
	if (b->first == r || r->due_ns < b->due_ns) {
		b->due_ns = r->due_ns;
		arm_step(s);
	}
}

void
tape_serve_batch_leave(struct tape_serve_request *r)
{
	struct tape_serve_batch *b = &r->s->batch;

	if (!r->in_batch)
		return;
	if (b->at == r)
		b->at = r->next;
	if (r->prev != NULL)
		r->prev->next = r->next;
	else
		b->first = r->next;
	if (r->next != NULL)
		r->next->prev = r->prev;
	else
		b->last = r->prev;
	r->prev = r->next = NULL;
	r->in_batch = false;
	if (r->decodes)
		b->decoding--;
	r->decodes = false;
}
