/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/tape_sink.h"

#include "base/mem.h"
#include "base/urgency.h"
#include "engine/sink_write.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

struct tape_sink {
	struct tape_sink_opts opts;
	struct tape_queue *queue;
	struct tape_sink_write write;
	pthread_t thread;
	bool running;
	atomic_bool failed;
	struct tape_err
	    err;           /* of the output; the thread's until it is joined */
	int64_t offset_ns; /* wall minus monotonic at the epoch */
	int64_t last_ns;   /* the same as of the last clock record, less it */
	int64_t tick_ns, flush_ns;
	bool dirty;
	bool took; /* the last step took something */
	pthread_mutex_t lock;
	struct tape_sink_clock clock; /* under lock */
	struct tape_merged merged;    /* likewise */
	atomic_ulong pushed, taken;
};

static void
fail(struct tape_sink *s, const struct tape_err *err)
{
	if (atomic_load(&s->failed))
		return;
	s->err = *err;
	atomic_store(&s->failed, true);
}

enum tape_status
tape_sink_open(struct tape_sink **out, const struct tape_sink_opts *opts,
    struct tape_err *err)
{
	struct tape_sink *s = tape_mem_calloc(1, sizeof(*s));
	enum tape_status st;
	int rc;

	if (s == NULL)
		return tape_err_nomem(err);
	s->opts = *opts;
	if (s->opts.clock == NULL)
		s->opts.clock = &tape_clock_system;
	st = tape_sink_write_open(&s->write, &s->opts, err);
	if (st == TAPE_OK)
		st = tape_queue_open(&s->queue,
		    opts->queue_items > 0 ? opts->queue_items
					  : TAPE_CAP_QUEUE_RECORDS,
		    opts->queue_bytes > 0 ? opts->queue_bytes
					  : TAPE_CAP_QUEUE_BYTES,
		    err);
	rc = st == TAPE_OK ? pthread_mutex_init(&s->lock, NULL) : 0;
	if (rc != 0)
		st = tape_err_sys(err, rc, "cannot set up the writer");
	if (st != TAPE_OK) {
		tape_queue_free(s->queue, NULL);
		tape_sink_write_release(&s->write);
		tape_mem_free(s);
		return st;
	}
	s->offset_ns = tape_clock_offset_ns(s->opts.clock, NULL);
	s->tick_ns = tape_clock_now_ns(s->opts.clock);
	s->flush_ns = s->tick_ns + TAPE_SINK_FLUSH_NS;
	*out = s;
	return TAPE_OK;
}

static void
free_piece(void *p)
{
	tape_piece_free(p);
}

/* Takes what is there, then lets more come: waking a thread for each piece
   would cost the network loop more than the piece. */
static void *
run(void *arg)
{
	struct tape_sink *s = arg;

	while (tape_sink_step(s, TAPE_NS_PER_S)) {
		if (!s->took)
			continue;
		while (s->took && tape_sink_step(s, 0))
			continue;
		tape_clock_sleep_until_ns(s->opts.clock,
		    tape_clock_now_ns(s->opts.clock) + TAPE_SINK_LULL_NS);
	}
	return NULL;
}

static void *
run_thread(void *arg)
{
	(void)prctl(PR_SET_NAME, "writer");
	tape_urgency_lower();
	return run(arg);
}

enum tape_status
tape_sink_start(struct tape_sink *s, struct tape_err *err)
{
	int rc = pthread_create(&s->thread, NULL, run_thread, s);

	if (rc != 0)
		return tape_err_sys(err, rc, "cannot start the writer");
	s->running = true;
	return TAPE_OK;
}

/* Whether the pipe beside the archive had to be given up. */
static void
mind_tee(struct tape_sink *s)
{
	struct tape_err why = { 0 };
	char text[sizeof(why.name) + sizeof(why.text) + 64];

	if (!tape_writer_tee_news(s->opts.writer, &why) || s->opts.warn == NULL)
		return;
	(void)snprintf(text, sizeof(text),
	    "%s: %s: it is given up, the archive goes on", why.name, why.text);
	s->opts.warn(s->opts.arg, text);
}

enum tape_status
tape_sink_close(struct tape_sink *s, struct tape_err *err)
{
	struct tape_err late = { 0 };
	enum tape_status st = TAPE_OK;

	if (s == NULL)
		return TAPE_OK;
	tape_queue_close(s->queue);
	if (s->running)
		(void)pthread_join(s->thread, NULL);
	else
		(void)run(s);
	if (!atomic_load(&s->failed) &&
	    tape_sink_write_end(&s->write, &late) != TAPE_OK)
		fail(s, &late);
	mind_tee(s);
	if (atomic_load(&s->failed)) {
		st = s->err.status;
		if (err != NULL && err->status == TAPE_OK)
			*err = s->err;
	}
	tape_queue_free(s->queue, free_piece);
	tape_sink_write_release(&s->write);
	(void)pthread_mutex_destroy(&s->lock);
	tape_mem_free(s);
	return st;
}

static void
count(struct tape_sink *s, const struct tape_piece *p)
{
	if (p->kind == TAPE_PIECE_LINE || !p->flight->measured)
		return;
	(void)pthread_mutex_lock(&s->lock);
	tape_merged_count(&s->merged, p);
	(void)pthread_mutex_unlock(&s->lock);
}

/* The clock record of this second. */
static enum tape_status
tick(struct tape_sink *s, struct tape_err *err)
{
	struct tape_tick t;
	int64_t width = 0;
	int64_t drift =
	    tape_clock_offset_ns(s->opts.clock, &width) - s->offset_ns;
	int64_t step =
	    drift > s->last_ns ? drift - s->last_ns : s->last_ns - drift;

	tape_schema_init(TAPE_KIND_CLOCK, &t);
	t.t_ns = tape_clock_now_ns(s->opts.clock) - s->opts.epoch_ns;
	t.offset_ns = drift;
	t.width_ns = width;
	if (step > TAPE_SINK_STEP_NS)
		t.step = true;
	s->last_ns = drift;
	(void)pthread_mutex_lock(&s->lock);
	s->clock.steps += step > TAPE_SINK_STEP_NS;
	if (step > s->clock.step_max_ns)
		s->clock.step_max_ns = step;
	if (width > s->clock.width_max_ns)
		s->clock.width_max_ns = width;
	(void)pthread_mutex_unlock(&s->lock);
	return tape_writer_put(s->opts.writer, TAPE_KIND_CLOCK, &t, err);
}

/* What the clock asks for. */
static enum tape_status
keep_time(struct tape_sink *s, struct tape_err *err)
{
	int64_t now = tape_clock_now_ns(s->opts.clock);
	enum tape_status st = TAPE_OK;

	if (now >= s->tick_ns) {
		st = tick(s, err);
		if (st == TAPE_OK)
			st = tape_writer_end_frame(s->opts.writer, err);
		s->tick_ns += TAPE_SINK_TICK_NS;
		if (s->tick_ns <= now)
			s->tick_ns = now + TAPE_SINK_TICK_NS;
		s->flush_ns = now + TAPE_SINK_FLUSH_NS;
		s->dirty = false;
	}
	if (st == TAPE_OK && now >= s->flush_ns) {
		if (s->dirty)
			st = tape_writer_flush(s->opts.writer, err);
		s->dirty = false;
		s->flush_ns = now + TAPE_SINK_FLUSH_NS;
	}
	return st;
}

bool
tape_sink_step(struct tape_sink *s, int64_t timeout_ns)
{
	struct tape_err err = { 0 };
	enum tape_status st = TAPE_OK;
	int64_t now = tape_clock_now_ns(s->opts.clock);
	int64_t until =
	    s->dirty && s->flush_ns < s->tick_ns ? s->flush_ns : s->tick_ns;
	struct tape_piece *p;
	bool closed = false;

	if (timeout_ns > until - now)
		timeout_ns = until > now ? until - now : 0;
	p = tape_queue_pop(s->queue, timeout_ns, &closed);
	s->took = p != NULL;
	if (p != NULL && !atomic_load(&s->failed)) {
		count(s, p);
		st = tape_sink_write_piece(&s->write, p, &err);
		s->dirty = true;
	}
	tape_piece_free(p);
	if (s->took)
		atomic_fetch_add(&s->taken, 1);
	if (st == TAPE_OK && !closed && !atomic_load(&s->failed))
		st = keep_time(s, &err);
	if (st != TAPE_OK)
		fail(s, &err);
	mind_tee(s);
	return !closed;
}

void
tape_sink_piece(struct tape_sink *s, struct tape_piece *p, int64_t *stalled_ns)
{
	if (tape_queue_push(s->queue, p, tape_piece_weight(p), stalled_ns))
		atomic_fetch_add(&s->pushed, 1);
	else
		tape_piece_free(p);
}

enum tape_status
tape_sink_record(struct tape_sink *s, enum tape_kind kind, const void *record,
    struct tape_err *err)
{
	struct tape_buf b;
	struct tape_piece *p = NULL;
	enum tape_status st;

	tape_buf_init(&b, TAPE_CAP_LINE);
	st = tape_record_encode(kind, record, &b, err);
	if (st == TAPE_OK) {
		p = tape_piece_line((int)kind, b.data, b.len);
		if (p == NULL)
			st = tape_err_nomem(err);
	}
	tape_buf_release(&b);
	if (p != NULL)
		tape_sink_piece(s, p, NULL);
	return st;
}

void
tape_sink_drain(struct tape_sink *s)
{
	unsigned long last = atomic_load(&s->pushed);

	while (atomic_load(&s->taken) < last) {
		if (!s->running)
			(void)tape_sink_step(s, 0);
		else
			tape_clock_sleep_until_ns(
			    s->opts.clock, tape_clock_now_ns(s->opts.clock) +
					       TAPE_SINK_LULL_NS);
	}
}

void
tape_sink_take_merged(struct tape_sink *s, struct tape_merged *out)
{
	(void)pthread_mutex_lock(&s->lock);
	*out = s->merged;
	s->merged = (struct tape_merged){ 0 };
	(void)pthread_mutex_unlock(&s->lock);
}

bool
tape_sink_failed(const struct tape_sink *s)
{
	return atomic_load(&s->failed);
}

void
tape_sink_take_clock(struct tape_sink *s, struct tape_sink_clock *out)
{
	(void)pthread_mutex_lock(&s->lock);
	*out = s->clock;
	s->clock = (struct tape_sink_clock){ 0 };
	(void)pthread_mutex_unlock(&s->lock);
}

int64_t
tape_sink_cpu_ns(struct tape_sink *s)
{
	struct timespec ts;
	clockid_t id;

	if (!s->running || pthread_getcpuclockid(s->thread, &id) != 0 ||
	    clock_gettime(id, &ts) != 0)
		return 0;
	return (int64_t)ts.tv_sec * TAPE_NS_PER_S + ts.tv_nsec;
}
