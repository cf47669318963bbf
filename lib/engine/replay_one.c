/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run. */
#include "engine/replay_impl.h"

#include "base/mem.h"
#include "engine/replay_text.h"

#include <time.h>

#define PROGRESS_NS (200 * TAPE_NS_PER_MS)
#define WAIT_NS     (100 * TAPE_NS_PER_MS)
#define SAMPLE_NS   (200 * TAPE_NS_PER_MS)
/* From the plan's beginning to its first send: the first body is ready. */
#define LEAD_NS (10 * TAPE_NS_PER_MS)

size_t
tape_replay_slots(
    const struct tape_replay_opts *o, const struct tape_spool_info *info)
{
	return o->concurrency == 0 && !info->timed ? 1 : (size_t)o->concurrency;
}

uint64_t
tape_replay_count(
    const struct tape_replay_opts *o, const struct tape_spool_info *info)
{
	if (o->requests > 0)
		return o->requests;
	return o->cycle || !info->ended ? UINT64_MAX : info->requests;
}

static void
show_progress(struct tape_replay *r, const struct tape_replay_run_state *s)
{
	struct tape_replay_progress *p = &r->progress;
	struct tape_loops_live l;
	int64_t now = tape_clock_now_ns(r->clock);

	if (r->o->calls.progress == NULL || now < r->progress_ns)
		return;
	r->progress_ns = now + PROGRESS_NS;
	tape_loops_live(r->loops, &l);
	p->elapsed_ns = now - s->base_ns;
	p->sent = l.sent;
	p->open = l.running;
	p->done = l.done;
	p->failed = l.failed;
	p->reads = l.reads;
	p->late_p99_ns = l.late_p99_ns;
	r->o->calls.progress(r->o->calls.arg, p);
}

static void
sample_memory(struct tape_replay *r, struct tape_replay_run_state *s)
{
	struct tape_loops_live l;
	int64_t now = tape_clock_now_ns(r->clock);

	if (now < s->sample_ns)
		return;
	s->sample_ns = now + SAMPLE_NS;
	tape_loops_live(r->loops, &l);
	tape_footprint_add(&s->memory, tape_footprint_resident(), l.running);
}

/* What the end of a stage means for what comes after it. */
static enum tape_status
settle(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_err *err)
{
	const struct tape_loop_stats *t = tape_loops_stats(r->loops);
	const struct tape_err *why = tape_loops_error(r->loops);

	s->stop = t->stop;
	r->result->answered += t->answered;
	r->result->reads += t->reads;
	if (t->stop == TAPE_LOOP_ABORTED)
		r->result->aborted = true;
	if (t->stop != TAPE_LOOP_ON && t->stop != TAPE_LOOP_DURATION)
		r->stop = true;
	if (t->stop != TAPE_LOOP_BROKEN || why->status == TAPE_OK)
		return TAPE_OK;
	if (err != NULL && err->status == TAPE_OK)
		*err = *why;
	return why->status;
}

static enum tape_status
play_stage(struct tape_replay *r, struct tape_replay_run_state *s,
    const struct tape_feed_plan *plan, struct tape_err *err)
{
	enum tape_status st;

	r->progress.warmup = !plan->stage.measured;
	r->progress.planned = plan->count;
	s->base_ns = plan->stage.rules.base_ns;
	st = tape_feed_begin(r->feed, plan, err);
	if (st != TAPE_OK)
		return st;
	while (st == TAPE_OK) {
		st = tape_feed_step(r->feed, WAIT_NS, err);
		show_progress(r, s);
		sample_memory(r, s);
	}
	/* It is drained, also after a failure. */
	if (plan->stage.measured)
		s->stats = tape_loops_stats(r->loops);
	return st == TAPE_EOF ? settle(r, s, err) : st;
}

static struct tape_feed_plan
plan_of(
    const struct tape_replay *r, struct tape_replay_run_state *s, size_t arm)
{
	const struct tape_replay_opts *o = r->o;
	struct tape_feed_plan p = {
		.course = s->course, .target = s->target, .form = o->form
	};

	p.form.model = tape_replay_model(r, arm);
	p.form.salt = s->salt;
	p.stage.grace_ns = o->grace_ns;
	p.stage.abort_after = o->abort_after;
	p.stage.attempts = o->attempts;
	p.stage.attempts.seed = o->seed;
	p.stage.max_open = o->max_open;
	p.stage.headers = o->headers;
	p.stage.headers_n = o->headers_n;
	p.stage.own = o->own;
	p.stage.own.salt = r->id_salt;
	p.stage.connections = o->connections;
	p.stage.rules.slots = tape_replay_slots(o, r->info);
	return p;
}

/* The last requests of the head start, which is the whole of a trace that is not
   streamed, as fast as they are answered, without regard to times and
   predecessors. */
/* Its prompts come again in the measured stage: a prefix cache must not know
   them.  Salts that are asked for are far below this bit. */
#define WARMUP_SALT 0x80000000u

static enum tape_status
warm_up(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_feed_plan plan, struct tape_err *err)
{
	plan.count =
	    r->o->warmup < r->info->head ? r->o->warmup : r->info->head;
	if (plan.count == 0)
		return TAPE_OK;
	plan.first = r->info->head - plan.count;
	if (!r->o->salt.given || r->o->salt.how != TAPE_REPLAY_SALT_NONE)
		plan.form.salt ^= WARMUP_SALT;
	if (plan.stage.rules.slots == 0)
		plan.stage.rules.slots = 1;
	plan.stage.rules.base_ns = tape_clock_now_ns(r->clock);
	return play_stage(r, s, &plan, err);
}

static enum tape_status
measure(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_feed_plan plan, struct tape_err *err)
{
	plan.count = s->planned;
	plan.once = !r->o->cycle;
	plan.follow = true;
	plan.stage.measured = true;
	plan.stage.duration_ns = r->o->duration_ns;
	plan.stage.rules.open = r->info->timed;
	plan.stage.rules.ramp_ns = r->o->ramp_ns;
	tape_loops_ready(r->loops);
	plan.stage.rules.base_ns = tape_clock_now_ns(r->clock) + LEAD_NS;
	s->start_ns = plan.stage.rules.base_ns;
	s->memory = (struct tape_footprint){ 0 };
	s->sample_ns = 0;
	return play_stage(r, s, &plan, err);
}

static void
add_up(struct tape_replay *r, const struct tape_loop_stats *s)
{
	struct tape_replay_result *t = r->result;

	t->sent += s->sent;
	t->done += s->done;
	t->failed += s->failed - s->cancelled;
	t->cancelled += s->cancelled;
	t->planned += s->planned;
	t->retried += s->retried;
}

static int64_t
process_cpu_ns(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * TAPE_NS_PER_S + ts.tv_nsec;
}

/* CPU times and the clock's counts, as marks before and after. */
static void
mark(struct tape_replay *r, struct tape_fidelity_input *in, int sign)
{
	struct tape_loops_cpu cpu;

	if (sign < 0)
		tape_loops_cpu_begin(r->loops);
	tape_loops_cpu(r->loops, &cpu);
	in->loop_cpu_ns = cpu.sum_ns;
	in->loop_max_ns = cpu.max_ns;
	in->spin_max_ns = cpu.max_spun_ns;
	in->writer_cpu_ns += sign * tape_sink_cpu_ns(r->sink);
	in->process_cpu_ns += sign * process_cpu_ns();
	in->wall_ns += sign * tape_clock_now_ns(r->clock);
	tape_sink_take_clock(r->sink, &in->clock);
}

static enum tape_status
judge(struct tape_replay *r, const struct tape_replay_run_state *s,
    struct tape_fidelity_input *in, struct tape_err *err)
{
	const struct tape_arrivals *arrivals[TAPE_LOOPS_MAX];
	struct tape_fidelity_text text;
	char line[TAPE_REPLAY_VERDICT];
	size_t n = tape_loops_used(r->loops);
	enum tape_status st;

	tape_sink_drain(r->sink);
	tape_sink_take_merged(r->sink, &in->merged);
	in->run = s->number;
	in->stats = s->stats;
	in->open = r->info->timed;
	in->capped = r->o->concurrency > 0;
	in->memory = s->memory;
	in->unstamped = r->o->http.http2                 ? "HTTP/2"
			: r->o->http.unix_socket != NULL ? "a Unix socket"
							 : NULL;
	in->hit_parked = tape_feed_hit_parked(r->feed);
	for (size_t i = 0; i < n; i++)
		arrivals[i] = tape_loop_arrivals(tape_loops_at(r->loops, i));
	st = in->open ? tape_arrivals_judge(arrivals, n, &in->law, err)
		      : TAPE_OK;
	if (st != TAPE_OK)
		return st;
	tape_fidelity_judge(&text, in);
	if (text.verdict > r->result->verdict)
		r->result->verdict = text.verdict;
	r->result->limited += text.verdict == TAPE_FIDELITY_LIMITED;
	if (text.verdict != TAPE_FIDELITY_SOUND && r->o->calls.warn != NULL)
		r->o->calls.warn(r->o->calls.arg,
		    tape_replay_verdict_text(&r->progress, &text, line));
	return tape_sink_record(r->sink, TAPE_KIND_FIDELITY, &text.rec, err);
}

static const struct tape_loop_stats nothing;

static void
set_up(struct tape_replay *r, struct tape_replay_run_state *s, size_t arm)
{
	const struct tape_replay_opts *o = r->o;

	s->number = (int64_t)++r->result->runs;
	s->target = &o->targets[arm];
	s->planned = tape_replay_count(o, r->info);
	s->salt = tape_replay_salt_of(o, s->round);
	r->courses[r->result->runs - 1] =
	    (struct tape_course){ .run = s->number,
		    .api = o->form.api->name,
		    .model = tape_replay_model(r, arm),
		    .target = s->target->shown,
		    .stream = o->form.stream,
		    .keep_bodies = o->keep_bodies };
	s->course = &r->courses[r->result->runs - 1];
	s->stats = &nothing;
	r->progress.run = r->result->runs;
	r->progress.arm = s->target->arm;
	r->progress.round = s->round;
}

/* The trace could not be played to its end: what was sent is kept. */
static enum tape_status
mind_cut(const struct tape_replay *r, struct tape_err *err)
{
	const struct tape_err *cut = tape_feed_cut(r->feed);

	if (cut->status != TAPE_OK && err != NULL && err->status == TAPE_OK)
		*err = *cut;
	return cut->status;
}

enum tape_status
tape_replay_one(struct tape_replay *r, size_t arm, int64_t round,
    int64_t position, struct tape_err *err)
{
	struct tape_replay_run_state *s = tape_mem_calloc(1, sizeof(*s));
	struct tape_fidelity_input in = { 0 };
	struct tape_feed_plan plan;
	enum tape_status st;

	if (s == NULL)
		return tape_err_nomem(err);
	s->round = round;
	s->position = position;
	tape_buf_init(&s->health, 65536);
	tape_buf_init(&s->served, 65536);
	set_up(r, s, arm);
	plan = plan_of(r, s, arm);
	st = tape_replay_record_start(r, s, err);
	if (st == TAPE_OK)
		st = warm_up(r, s, plan, err);
	if (st == TAPE_OK && !r->stop) {
		mark(r, &in, -1);
		st = measure(r, s, plan, err);
		mark(r, &in, 1);
		add_up(r, s->stats);
	}
	if (st == TAPE_OK)
		st = tape_replay_record_end(r, s, err);
	if (st == TAPE_OK)
		st = judge(r, s, &in, err);
	if (st == TAPE_OK)
		st = mind_cut(r, err);
	tape_buf_release(&s->health);
	tape_buf_release(&s->served);
	tape_mem_free(s);
	return st;
}
