/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/replay.h"

#include "base/mem.h"
#include "base/urgency.h"
#include "engine/replay_impl.h"

#include <sched.h>
#include <stdio.h>

/* Spinning costs so much of a CPU for each planned send. */
#define SPIN_MOST_NS (300 * TAPE_NS_PER_US)
/* Where feeder and writer, and perhaps the server, need the same CPU. */
#define SPIN_MOST_ALONE_NS (60 * TAPE_NS_PER_US)

#define INSECURE                                                               \
 "--insecure: no certificate is checked, so whoever is in between can "        \
 "read and change what is sent, the key too"

bool
tape_replay_interrupted(const struct tape_replay *r)
{
	return r->o->calls.interrupts != NULL && r->o->calls.interrupts() > 0;
}

static void
warn(const struct tape_replay *r, const char *text)
{
	if (r->o->calls.warn != NULL)
		r->o->calls.warn(r->o->calls.arg, text);
}

/* The most that spinning may take on what this process may run on. */
static int64_t
spin_most_ns(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) == 0 &&
	    CPU_COUNT(&set) == 1)
		return SPIN_MOST_ALONE_NS;
	return SPIN_MOST_NS;
}

/* A network for loop i. */
static enum tape_status
open_http(struct tape_replay *r, size_t i, struct tape_err *err)
{
	size_t n = tape_loops_n(r->loops);
	struct tape_loop *loop = tape_loops_at(r->loops, i);
	struct tape_http_opts ho = r->o->http;
	struct tape_transport net;
	enum tape_status st;

	ho.clock = r->clock;
	ho.max_connections = (r->o->concurrency + n - 1) / n;
	st = tape_http_open(&r->http[i], &ho, &tape_loop_calls, loop, err);
	if (st != TAPE_OK)
		return st;
	net = tape_transport_of_http(r->http[i]);
	tape_loop_use(loop, &net);
	return TAPE_OK;
}

static enum tape_status
open_net(struct tape_replay *r, struct tape_err *err)
{
	struct tape_loop_opts lo = { .clock = r->clock,
		.sink = r->sink,
		.post = r->post,
		.spin_ns = r->o->spin_ns,
		.spin_most_ns = spin_most_ns(),
		.interrupts = r->o->calls.interrupts };
	size_t n = r->o->threads;
	enum tape_status st = tape_loops_open(&r->loops, n, &lo, err);

	if (st == TAPE_OK) {
		r->http = tape_mem_calloc(n, sizeof(struct tape_http *));
		if (r->http == NULL)
			st = tape_err_nomem(err);
	}
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = open_http(r, i, err);
	if (st == TAPE_OK)
		st = tape_feed_open(
		    &r->feed, r->spool, r->loops, r->post, r->clock, err);
	if (st == TAPE_OK)
		st = tape_loops_start(r->loops, err);
	if (st == TAPE_OK && r->o->calls.on_interrupt != NULL)
		r->o->calls.on_interrupt(
		    (void (*)(void *))tape_loops_wake, r->loops);
	return st;
}

static enum tape_status
open_prober(struct tape_replay *r, struct tape_err *err)
{
	struct tape_prober_opts po = { .http = r->o->http,
		.headers = r->o->headers,
		.headers_n = r->o->headers_n,
		.interrupts = r->o->calls.interrupts };

	return tape_prober_open(&r->prober, &po, err);
}

static enum tape_status
open_all(
    struct tape_replay *r, struct tape_writer *writer, struct tape_err *err)
{
	struct tape_sink_opts so = { .writer = writer,
		.clock = r->clock,
		.epoch_ns = r->epoch_ns,
		.secrets = r->o->secrets,
		.keep = r->o->keep,
		.first_failure = r->o->calls.first_failure,
		.warn = r->o->calls.warn,
		.arg = r->o->calls.arg };
	enum tape_status st = tape_post_open(&r->post, err);

	r->models = tape_mem_calloc(r->o->targets_n, sizeof(*r->models));
	r->courses = tape_mem_calloc(
	    r->o->targets_n * r->o->rounds, sizeof(*r->courses));
	r->arms = tape_mem_calloc(r->o->targets_n, sizeof(*r->arms));
	r->sources =
	    tape_mem_calloc(r->o->http.sources_n + 1, sizeof(*r->sources));
	if (r->models == NULL || r->courses == NULL || r->arms == NULL ||
	    r->sources == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < r->o->http.sources_n; i++)
		r->sources[i] = tape_str_of(r->o->http.sources[i]);
	for (size_t i = 0; i < r->o->targets_n; i++) {
		tape_buf_init(&r->models[i], 65536);
		r->arms[i] = tape_str_of(r->o->targets[i].arm);
	}
	if (st == TAPE_OK)
		st = tape_sink_open(&r->sink, &so, err);
	if (st == TAPE_OK)
		st = tape_sink_start(r->sink, err);
	if (st == TAPE_OK)
		st = open_prober(r, err);
	if (st == TAPE_OK)
		st = open_net(r, err);
	return st;
}

static enum tape_status
close_all(struct tape_replay *r, enum tape_status st, struct tape_err *err)
{
	enum tape_status sink_st;
	size_t loops = r->loops == NULL ? 0 : tape_loops_n(r->loops);

	if (r->o->calls.on_interrupt != NULL)
		r->o->calls.on_interrupt(NULL, NULL);
	tape_feed_free(r->feed);
	tape_loops_free(r->loops);
	for (size_t i = 0; r->http != NULL && i < loops; i++)
		tape_http_free(r->http[i]);
	tape_mem_free(r->http);
	/* A loss of the output is the cause of what came after it. */
	if (r->sink != NULL && tape_sink_failed(r->sink))
		tape_err_clear(err);
	sink_st = tape_sink_close(r->sink, err);
	tape_post_free(r->post);
	tape_prober_free(r->prober);
	for (size_t i = 0; r->models != NULL && i < r->o->targets_n; i++)
		tape_buf_release(&r->models[i]);
	tape_mem_free(r->models);
	tape_mem_free(r->arms);
	tape_mem_free(r->sources);
	tape_mem_free(r->courses);
	return sink_st != TAPE_OK ? sink_st : st;
}

const char *
tape_replay_model(const struct tape_replay *r, size_t arm)
{
	if (r->o->model != NULL)
		return r->o->model;
	return r->models[arm].len == 0 ? NULL : r->models[arm].data;
}

/* All servers of a deployment. */
static enum tape_status
wait_for(struct tape_replay *r, const struct tape_target *t,
    const struct tape_prober_ready *ready, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < tape_target_count(t) && st == TAPE_OK; i++)
		st = tape_prober_wait(
		    r->prober, tape_target_at(t, i), ready, err);
	return st;
}

/* Every deployment is there, and has a model to ask for. */
static enum tape_status
prepare_targets(struct tape_replay *r, struct tape_err *err)
{
	const struct tape_replay_opts *o = r->o;
	struct tape_prober_ready ready = { .path = o->ready_path,
		.api = o->form.api,
		.model = o->model,
		.extra = o->form.extra,
		.body_template = o->form.body_template,
		.max_tokens_field = o->form.max_tokens_field,
		.timeout_ns = o->ready_timeout_ns,
		.waiting = o->calls.warn,
		.arg = o->calls.arg };
	bool ask = o->model == NULL && r->info->bodies < r->info->requests &&
		   !o->form.modelless;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < o->targets_n && st == TAPE_OK; i++)
		if (o->wait_ready)
			st = wait_for(r, &o->targets[i], &ready, err);
	for (size_t i = 0; i < o->targets_n && st == TAPE_OK && ask; i++)
		st = tape_prober_model(
		    r->prober, &o->targets[i], &r->models[i], err);
	for (size_t i = 0; i < o->targets_n && st == TAPE_OK; i++)
		st = tape_replay_ask_server(r, i, err);
	if (st == TAPE_OK || !tape_replay_interrupted(r))
		return st;
	tape_err_clear(err);
	return TAPE_EOF;
}

/* Between runs. */
static void
cool_down(const struct tape_replay *r)
{
	int64_t until = tape_clock_now_ns(r->clock) + r->o->cooldown_ns;
	int64_t now;

	while ((now = tape_clock_now_ns(r->clock)) < until &&
	       !tape_replay_interrupted(r))
		tape_clock_sleep_until_ns(
		    r->clock, now + (until - now < 50 * TAPE_NS_PER_MS
					    ? until - now
					    : 50 * TAPE_NS_PER_MS));
}

static enum tape_status
play_round(struct tape_replay *r, const struct tape_plan *plan, size_t round,
    struct tape_err *err)
{
	bool labelled = plan->arms > 1 || plan->rounds > 1;
	size_t arm[TAPE_PLAN_ARMS];
	enum tape_status st = TAPE_OK;

	tape_plan_round(plan, round, arm);
	for (size_t i = 0; i < plan->arms && st == TAPE_OK && !r->stop; i++) {
		int64_t position = labelled ? (int64_t)i + 1 : TAPE_ABSENT_I64;
		int64_t number = labelled          ? (int64_t)round + 1
				 : r->o->round > 0 ? (int64_t)r->o->round
						   : TAPE_ABSENT_I64;

		if (r->result->runs > 0)
			cool_down(r);
		if (tape_replay_interrupted(r))
			r->stop = true;
		else
			st = tape_replay_one(r, arm[i], number, position, err);
	}
	return st;
}

/* A name that was given twice by mistake is one arm, not two. */
static void
say_servers(const struct tape_replay *r)
{
	char text[128];

	for (size_t i = 0; i < r->o->targets_n; i++) {
		const struct tape_target *t = &r->o->targets[i];

		if (t->arm == NULL || t->more_n == 0)
			continue;
		(void)snprintf(text, sizeof(text),
		    "arm %s: requests go to %zu URLs in turn", t->arm,
		    tape_target_count(t));
		warn(r, text);
	}
}

static enum tape_status
play(struct tape_replay *r, struct tape_err *err)
{
	const struct tape_replay_opts *o = r->o;
	struct tape_plan plan = { o->order, o->seed, o->targets_n, o->rounds };
	enum tape_status st = prepare_targets(r, err);

	if (st == TAPE_EOF)
		return TAPE_OK;
	say_servers(r);
	if (o->http.insecure && o->calls.error != NULL)
		o->calls.error(o->calls.arg, INSECURE);
	if (o->rounds > 1 && r->info->verbatim > 0)
		warn(r, "prompts given as text are the same in every round: a "
			"prefix cache makes later rounds faster");
	r->progress.runs = o->rounds * o->targets_n;
	for (size_t k = 0; k < o->rounds && st == TAPE_OK && !r->stop; k++)
		st = play_round(r, &plan, k, err);
	return st;
}

static enum tape_ending
ending_of(const struct tape_replay *r, enum tape_status st)
{
	if (st != TAPE_OK)
		return TAPE_ENDING_FAILED;
	if (r->result->interrupted && r->info->ending == TAPE_ENDING_COMPLETE)
		return TAPE_ENDING_INTERRUPTED;
	return r->info->ending;
}

enum tape_status
tape_replay_run(const struct tape_replay_opts *o, struct tape_spool *spool,
    struct tape_writer *writer, int64_t epoch_ns,
    struct tape_replay_result *result, struct tape_err *err)
{
	struct tape_replay r = { .o = o,
		.spool = spool,
		.info = tape_spool_info(spool),
		.clock = &tape_clock_system,
		.epoch_ns = epoch_ns,
		.id_salt = tape_own_lines_salt(),
		.result = result };
	enum tape_status st;

	*result = (struct tape_replay_result){ .interrupted =
						   tape_replay_interrupted(&r),
		.ending = TAPE_ENDING_INTERRUPTED };
	if (result->interrupted)
		return TAPE_OK;
	st = open_all(&r, writer, err);
	if (st == TAPE_OK) {
		/* The loops have threads of their own by now, with the urgency
		   they found: what makes requests for them is to be in nobody's
		   way. */
		tape_urgency_lower();
		st = play(&r, err);
	}
	result->interrupted = tape_replay_interrupted(&r);
	result->ending = ending_of(&r, st);
	if (r.info->late_segments > 0 && o->calls.error != NULL)
		o->calls.error(o->calls.arg,
		    "segments of the trace began behind its head start: "
		    "what made them is not in the header");
	return close_all(&r, st, err);
}
