/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/replay_loop.h"

#include "base/mem.h"
#include "base/urgency.h"
#include "engine/loop_impl.h"

#include <sys/prctl.h>
#include <time.h>

enum tape_status
tape_loop_open(struct tape_loop **out, const struct tape_loop_opts *opts,
    struct tape_err *err)
{
	struct tape_loop *l = tape_mem_calloc(1, sizeof(*l));
	enum tape_status st;

	if (l == NULL)
		return tape_err_nomem(err);
	l->opts = *opts;
	l->clock = opts->clock == NULL ? &tape_clock_system : opts->clock;
	l->common = opts->common == NULL ? &l->own : opts->common;
	l->cancel_ns = INT64_MAX;
	l->give_up_ns = INT64_MAX;
	l->base_ns = INT64_MIN;
	atomic_init(&l->asleep_ns, INT64_MIN);
	tape_sched_init(&l->sched);
	tape_sched_init(&l->again);
	st = tape_arrivals_open(&l->arrivals, err);
	if (st == TAPE_OK)
		st = tape_queue_open(&l->cues, TAPE_LOOP_CUES, SIZE_MAX, err);
	if (st != TAPE_OK) {
		tape_arrivals_release(&l->arrivals);
		tape_mem_free(l);
		return st;
	}
	*out = l;
	return TAPE_OK;
}

static void
free_cue(void *p)
{
	struct tape_loop_cue *c = p;

	tape_flight_free(c->flight);
	tape_mem_free(c);
}

void
tape_loop_free(struct tape_loop *l)
{
	if (l == NULL)
		return;
	if (l->running) {
		tape_queue_close(l->cues);
		/* So that the loop looks. */
		atomic_fetch_add(&l->given, 1);
		tape_loop_wake(l);
		(void)pthread_join(l->thread, NULL);
	}
	while (l->open != NULL) {
		struct tape_flight *f = l->open;

		l->open = f->next;
		tape_flight_free(f);
	}
	tape_loop_drop_waiting(l);
	tape_loop_free_retries(l);
	tape_loop_drop_out(l);
	tape_queue_free(l->cues, free_cue);
	tape_sched_release(&l->sched);
	tape_sched_release(&l->again);
	tape_arrivals_release(&l->arrivals);
	tape_mem_free(l);
}

void
tape_loop_use(struct tape_loop *l, const struct tape_transport *t)
{
	l->net = *t;
}

void
tape_loop_wake(struct tape_loop *l)
{
	l->net.wake(l->net.self);
}

static void *
run(void *arg)
{
	/* As seen by top -H. */
	(void)prctl(PR_SET_NAME, "network");
	tape_urgency_raise();
	tape_loop_measure(arg);
	while (tape_loop_step(arg))
		continue;
	return NULL;
}

enum tape_status
tape_loop_start(struct tape_loop *l, struct tape_err *err)
{
	int rc = pthread_create(&l->thread, NULL, run, l);

	if (rc != 0)
		return tape_err_sys(err, rc, "cannot start the network loop");
	l->running = true;
	return TAPE_OK;
}

static void
begin(struct tape_loop *l, const struct tape_stage *stage)
{
	/* Nothing but the time of an attempt holds it back. */
	static const struct tape_sched_rules at_once;

	memset(&l->stats, 0, sizeof(l->stats));
	tape_arrivals_clear(&l->arrivals);
	tape_loop_publish(l);
	atomic_store(&l->live.late_p99_ns, 0);
	l->stage = *stage;
	tape_sched_begin(&l->sched, &stage->rules);
	tape_sched_begin(&l->again, &at_once);
	l->active = true;
	l->stats.spin_ns = l->spin_ns;
	l->ending = false;
	l->cancelled = false;
	l->over = false;
	l->cancel_ns = INT64_MAX;
	l->give_up_ns = INT64_MAX;
	l->sweep_ns = tape_loop_now(l) + TAPE_LOOP_SWEEP_NS;
	if (l->broken)
		tape_loop_stop(l, TAPE_LOOP_BROKEN, tape_loop_now(l));
}

static void
take_flight(struct tape_loop *l, struct tape_flight *f)
{
	struct tape_err err = { 0 };

	if (l->stats.stop != TAPE_LOOP_ON) {
		tape_flight_free(f);
		return;
	}
	if (tape_sched_add(&l->sched, &f->turn, &err) == TAPE_OK)
		return;
	tape_flight_free(f);
	tape_loop_break(l, &err);
}

/* Most passes find that there are none, without a lock. */
static bool
has_cues(const struct tape_loop *l)
{
	return atomic_load(&l->given) != l->taken;
}

static void
take_cues(struct tape_loop *l)
{
	struct tape_loop_cue *c;
	bool closed = false;
	/* Looked at first: what came before the end was given by then. */
	bool end = atomic_load(&l->end_wanted);

	while (
	    has_cues(l) && (c = tape_queue_pop(l->cues, 0, &closed)) != NULL) {
		l->taken++;
		switch (c->kind) {
		case CUE_BEGIN:
			begin(l, &c->stage);
			/* Before, it may have been the old stage's. */
			end = atomic_load(&l->end_wanted);
			break;
		case CUE_FLIGHT:
			take_flight(l, c->flight);
			break;
		}
		tape_mem_free(c);
	}
	l->ending = l->active && end;
	l->quit = closed;
}

/* False when a limit of this side holds sends back. */
static bool
may_start(struct tape_loop *l)
{
	/* Of what was begun in its duration, attempts may follow. */
	if (l->stats.stop > TAPE_LOOP_DURATION || !l->active)
		return false;
	if (l->stage.max_open > 0 && l->open_n >= l->stage.max_open) {
		l->stats.hit_descriptors = true;
		return false;
	}
	if (l->sending >= TAPE_LOOP_SENDING) {
		l->stats.hit_bodies = true;
		return false;
	}
	return true;
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What may be sent now: attempts of what was begun first. */
static struct tape_turn *
take_turn(struct tape_loop *l, int64_t now_ns)
{
	struct tape_turn *t = tape_sched_take(&l->again, now_ns);

	return t != NULL ? t : tape_sched_take(&l->sched, now_ns);
}

/* Sends what is due; returns until when there is nothing to send. */
static int64_t
start_due(struct tape_loop *l)
{
	for (int i = 0; i < TAPE_LOOP_STARTS; i++) {
		int64_t at = least(tape_sched_deadline(&l->sched),
		    tape_sched_deadline(&l->again));
		int64_t now = tape_loop_now(l);
		struct tape_turn *t;

		if (at > now)
			return at;
		if (!may_start(l))
			return INT64_MAX;
		t = take_turn(l, now);
		if (t != NULL)
			tape_loop_launch(l, (struct tape_flight *)(void *)t);
	}
	return INT64_MIN;
}

static void
mind_drained(struct tape_loop *l)
{
	if (!l->active || !l->ending || l->open_n > 0 ||
	    tape_sched_waiting(&l->sched) > 0 ||
	    tape_sched_waiting(&l->again) > 0)
		return;
	tape_loop_flush(l);
	l->active = false;
	/* Behind the flag the feeder reads it, and a network may fail later. */
	l->err = l->why;
	if (atomic_fetch_sub(&l->common->undrained, 1) == 1)
		tape_post_flag(l->opts.post, TAPE_NOTE_DRAINED);
}

/* Without a network left: what is open fails here. */
static void
fail_open(struct tape_loop *l)
{
	while (l->open != NULL) {
		struct tape_flight *f = l->open;

		tape_flight_fail(f, TAPE_HTTP_CLIENT, "internal", l->why.text,
		    tape_loop_now(l));
		tape_loop_finished(l, f);
	}
}

static void
count_pass(struct tape_loop *l, int64_t now_ns)
{
	int64_t took = l->busy_ns == 0 ? 0 : now_ns - l->busy_ns;

	l->busy_ns = 0;
	if (!l->active)
		return;
	l->stats.passes++;
	l->stats.stalls += took > TAPE_LOOP_STALL_NS;
	if (took > l->stats.stall_max_ns)
		l->stats.stall_max_ns = took;
}

/* One that failed is not asked again: it may still name flights that are
   gone. */
static void
ask_network(struct tape_loop *l, int64_t until_ns)
{
	struct tape_err err = { 0 };
	enum tape_status st;

	if (l->dead) {
		tape_clock_sleep_until_ns(
		    l->clock, tape_loop_now(l) + TAPE_NS_PER_MS);
		return;
	}
	if (l->cancelled && l->open_n > 0 && tape_loop_now(l) >= l->give_up_ns)
		st = tape_err_set(&err, TAPE_E_BUG,
		    "the network does not end what was cancelled");
	else
		st = l->net.poll(l->net.self, until_ns, &err);
	if (st == TAPE_OK)
		return;
	l->dead = true;
	tape_loop_break(l, &err);
	fail_open(l);
}

/* Until when to sleep for a send at that time: a wake-up takes tens of
   microseconds, so be awake by then. */
static int64_t
sleep_end(const struct tape_loop *l, int64_t send_ns)
{
	if (send_ns == INT64_MAX || send_ns <= INT64_MIN + l->spin_ns)
		return send_ns;
	return send_ns - l->spin_ns;
}

/* What has to be done besides sending, in a pass that began then; returns the
   time of its end. */
static int64_t
look_after(struct tape_loop *l, int64_t began_ns)
{
	int64_t now;

	if (began_ns >= l->sweep_ns) {
		tape_loop_sweep(l, began_ns);
		l->sweep_ns = began_ns + TAPE_LOOP_SWEEP_NS;
	}
	mind_drained(l);
	now = tape_loop_now(l);
	count_pass(l, now);
	return now;
}

/* The network's turn; near: a send's time is within the margin. */
static void
wait(struct tape_loop *l, int64_t until_ns, bool near)
{
	int64_t now;

	atomic_store(&l->asleep_ns, until_ns);
	if (has_cues(l))
		until_ns = INT64_MIN;
	ask_network(l, until_ns);
	atomic_store(&l->asleep_ns, INT64_MIN);
	tape_loop_flush_if(l, near);
	now = tape_loop_now(l);
	if (l->busy_ns == 0) {
		l->busy_ns = now;
		if (near)
			tape_loop_count_spin(l, now - l->pass_ns);
	}
	l->pass_ns = now;
}

bool
tape_loop_step(struct tape_loop *l)
{
	int64_t began, send, until, now, cut;

	take_cues(l);
	if (l->quit)
		return false;
	began = tape_loop_now(l);
	tape_loop_mind_stops(l, began);
	cut = tape_loop_cut(l, began);
	send = start_due(l);
	until = sleep_end(l, send);
	now = look_after(l, began);
	until = least(until, cut);
	wait(l,
	    least(least(until, l->sweep_ns),
		least(l->cancel_ns, tape_loop_duration_end(l))),
	    send > now && until <= now);
	return true;
}

const struct tape_loop_stats *
tape_loop_stats(const struct tape_loop *l)
{
	return &l->stats;
}

const struct tape_arrivals *
tape_loop_arrivals(const struct tape_loop *l)
{
	return &l->arrivals;
}

struct tape_loop_live *
tape_loop_live(struct tape_loop *l)
{
	return &l->live;
}

const struct tape_err *
tape_loop_error(const struct tape_loop *l)
{
	return &l->err;
}

int64_t
tape_loop_cpu_ns(struct tape_loop *l)
{
	struct timespec ts;
	clockid_t id;

	if (!l->running || pthread_getcpuclockid(l->thread, &id) != 0 ||
	    clock_gettime(id, &ts) != 0)
		return 0;
	return (int64_t)ts.tv_sec * TAPE_NS_PER_S + ts.tv_nsec;
}
