/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A flight in the network loop: launched, read, finished. */
#include "engine/loop_impl.h"

#include "base/hash.h"
#include "base/mem.h"

/* Whether the feeder should hurry: it has little ahead. */
static bool
hungry(const struct tape_loop *l)
{
	return tape_sched_waiting(&l->sched) < TAPE_LOOP_HUNGRY;
}

void
tape_loop_link(struct tape_loop *l, struct tape_flight *f)
{
	f->x = (int64_t)((uint64_t)l->opts.index << 32 | l->next_x++);
	f->prev = NULL;
	f->next = l->open;
	if (l->open != NULL)
		l->open->prev = f;
	l->open = f;
	l->open_n++;
}

static void
unlink_open(struct tape_loop *l, struct tape_flight *f)
{
	if (f->prev != NULL)
		f->prev->next = f->next;
	else
		l->open = f->next;
	if (f->next != NULL)
		f->next->prev = f->prev;
	l->open_n--;
}

/* The body's memory is not needed any more. */
static void
body_is_out(struct tape_loop *l, struct tape_flight *f)
{
	if (!f->sending)
		return;
	f->sending = false;
	l->sending -= f->bytes;
	/* It may have to be sent again. */
	if (!f->course->keep_bodies && l->stage.attempts.retries == 0)
		tape_flight_drop_body(f);
}

/* A success ends a row of failures, in whichever loop. */
static void
count_row(struct tape_loop *l, bool failed)
{
	atomic_ullong *row = &l->common->failures;

	if (failed)
		(void)atomic_fetch_add(row, 1);
	else if (atomic_load_explicit(row, memory_order_relaxed) > 0)
		atomic_store(row, 0);
}

static bool
is_planned(const struct tape_flight *f)
{
	return f->cutting && f->class == TAPE_HTTP_CANCELLED;
}

static void
count_end(struct tape_loop *l, const struct tape_flight *f)
{
	struct tape_loop_stats *s = &l->stats;

	if (f->state.end_ns > s->last_end_ns)
		s->last_end_ns = f->state.end_ns;
	if (is_planned(f)) {
		s->planned++;
		return;
	}
	if (f->class == TAPE_HTTP_NONE) {
		s->done++;
		count_row(l, false);
		return;
	}
	s->failed++;
	s->cancelled += f->class == TAPE_HTTP_CANCELLED;
	if (f->doomed)
		s->doomed++;
	else if (f->class != TAPE_HTTP_CANCELLED)
		count_row(l, true);
}

void
tape_loop_publish(struct tape_loop *l)
{
	atomic_store_explicit(
	    &l->live.running, (long long)l->open_n, memory_order_relaxed);
	atomic_store_explicit(
	    &l->live.sent, l->stats.sent, memory_order_relaxed);
	atomic_store_explicit(
	    &l->live.done, l->stats.done, memory_order_relaxed);
	atomic_store_explicit(
	    &l->live.failed, l->stats.failed, memory_order_relaxed);
	atomic_store_explicit(
	    &l->live.reads, l->stats.reads, memory_order_relaxed);
}

/* It was the last attempt. */
static void
settle(struct tape_loop *l, const struct tape_flight *f)
{
	/* Whoever waited for one that the user gave up goes on. */
	struct tape_note note = { .kind = TAPE_NOTE_DONE,
		.ok = f->class == TAPE_HTTP_NONE || is_planned(f),
		.loop = l->opts.index,
		.key = f->key,
		.t_ns = f->state.end_ns };
	struct tape_err err = { 0 };

	count_end(l, f);
	if (tape_sched_done(&l->sched, f->state.end_ns, &err) != TAPE_OK)
		tape_loop_break(l, &err);
	tape_loop_tell(
	    l, &note, f->followed || (l->stage.ends_urgent && hungry(l)));
}

void
tape_loop_finished(struct tape_loop *l, struct tape_flight *f)
{
	body_is_out(l, f);
	unlink_open(l, f);
	tape_loop_cut_never(l, f);
	if (!tape_loop_retry(l, f))
		settle(l, f);
	if (!f->course->keep_bodies)
		tape_flight_drop_body(f);
	tape_loop_publish(l);
	tape_loop_hand_on(l, tape_flight_last(f));
}

static void
count_start(struct tape_loop *l, const struct tape_flight *f)
{
	struct tape_loop_stats *s = &l->stats;

	tape_hist_add(&s->late, f->start_ns - f->turn.could_ns);
	s->retried += f->attempt == 2;
	s->retries += f->attempt > 1;
	if (f->attempt > 1)
		return;
	if (s->sent++ == 0) {
		s->first_due_ns = f->turn.due_ns;
		s->first_start_ns = f->start_ns;
	}
	s->last_due_ns = f->turn.due_ns;
	s->last_start_ns = f->start_ns;
	tape_arrivals_add(
	    &l->arrivals, f->turn.seq, f->turn.due_ns, f->start_ns);
}

/* It ends before it began. */
static void
fail_now(struct tape_loop *l, struct tape_flight *f, const char *cause,
    const char *message)
{
	tape_flight_fail(f, TAPE_HTTP_CLIENT, cause, message, tape_loop_now(l));
	tape_loop_finished(l, f);
}

/* Each pass over a trace has conversations of its own, in each run, and in its
   warm-up. */
static uint64_t
session_key(const struct tape_flight *f)
{
	const int64_t whose[] = { f->pass, f->course->run, f->measured };

	return tape_hash_add(
	    tape_hash_add(TAPE_HASH_START, whose, sizeof(whose)), f->session.p,
	    f->session.len);
}

static void
set_connection(const struct tape_loop *l, const struct tape_flight *f,
    struct tape_http_request *req)
{
	req->conn = l->stage.connections;
	if (req->conn != TAPE_HTTP_SESSION)
		return;
	if (f->session.p == NULL)
		req->conn = TAPE_HTTP_FRESH;
	else
		req->session = session_key(f);
}

static void
set_lines(const struct tape_loop *l, struct tape_flight *f,
    struct tape_own_lines_text *t, struct tape_http_request *req)
{
	const struct tape_own_lines *own = &l->stage.own;

	if (own->id != NULL)
		(void)tape_own_lines_id(own->salt, f->x, f->request_id);
	tape_own_lines_fill(t, own, f->session, f->request_id);
	req->more = t->line;
	req->more_n = t->n;
}

void
tape_loop_launch(struct tape_loop *l, struct tape_flight *f)
{
	struct tape_note note = { .kind = TAPE_NOTE_STARTED,
		.loop = l->opts.index,
		.bytes = f->bytes };
	struct tape_http_request req = { .url = f->url,
		.headers = l->stage.headers,
		.headers_n = l->stage.headers_n,
		.body = f->body,
		.body_bytes = f->bytes,
		.user = f };
	struct tape_own_lines_text own;
	struct tape_err err = { 0 };

	set_connection(l, f, &req);
	if (f->attempt == 1)
		tape_loop_tell(l, &note, hungry(l));
	tape_loop_link(l, f);
	if (f->doomed) {
		f->start_ns = tape_loop_now(l);
		fail_now(l, f, "predecessor",
		    "a request that it had to wait for failed");
		return;
	}
	set_lines(l, f, &own, &req);
	f->sending = true;
	l->sending += f->bytes;
	if (l->net.start(l->net.self, &req, &f->xfer, &f->start_ns, &err) !=
	    TAPE_OK) {
		f->start_ns = tape_loop_now(l);
		count_start(l, f);
		fail_now(l, f,
		    err.status == TAPE_E_NOMEM ? "memory" : "internal",
		    err.text);
		return;
	}
	f->piece_ns = f->start_ns;
	count_start(l, f);
	tape_loop_publish(l);
}

void
tape_loop_sweep(struct tape_loop *l, int64_t now_ns)
{
	for (struct tape_flight *f = l->open; f != NULL; f = f->next) {
		struct tape_piece *p;

		if (!tape_flight_ripe(f, now_ns))
			continue;
		p = tape_flight_cut(f, now_ns);
		if (p != NULL)
			tape_loop_hand_on(l, p);
	}
	atomic_store_explicit(&l->live.late_p99_ns,
	    tape_hist_quantile(&l->stats.late, 0.99), memory_order_relaxed);
}

static void
busy(struct tape_loop *l, int64_t since_ns)
{
	if (l->busy_ns == 0)
		l->busy_ns = since_ns;
}

static void
on_sent(void *arg, void *user)
{
	body_is_out(arg, user);
	tape_loop_cut_later(arg, user);
}

static void
on_head(void *arg, void *user, const struct tape_http_head *head)
{
	struct tape_loop *l = arg;
	struct tape_flight *f = user;

	busy(l, head->t_ns);
	l->stats.answered++;
	f->state.status = head->status;
	tape_flight_head(f, head->t_ns, head->lag_ns);
}

static void
on_header(void *arg, void *user, const char *name, size_t name_len,
    const char *value, size_t value_len)
{
	(void)arg;
	tape_flight_header(user, name, name_len, value, value_len);
}

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct tape_loop *l = arg;
	struct tape_flight *f = user;

	busy(l, read->t_ns);
	if (read->first) {
		l->stats.reads++;
		atomic_store_explicit(
		    &l->live.reads, l->stats.reads, memory_order_relaxed);
		if (read->lag_ns >= 0)
			tape_hist_add(&l->stats.lag, read->lag_ns);
		if (tape_flight_ripe(f, read->t_ns)) {
			struct tape_piece *p = tape_flight_cut(f, read->t_ns);

			if (p != NULL)
				tape_loop_hand_on(l, p);
		}
	}
	tape_flight_read(f, read);
	if (f->broken)
		l->net.cancel(l->net.self, f->xfer);
}

static void
on_finish(void *arg, void *user, const struct tape_http_result *result)
{
	struct tape_loop *l = arg;
	struct tape_flight *f = user;

	busy(l, tape_loop_now(l));
	tape_flight_finish(f, result);
	if (is_planned(f))
		f->cause = "planned";
	tape_loop_finished(l, f);
}

const struct tape_http_calls tape_loop_calls = {
	.sent = on_sent,
	.head = on_head,
	.header = on_header,
	.read = on_read,
	.finish = on_finish,
};
