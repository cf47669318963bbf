/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records around a run. */
#include "engine/replay_impl.h"

static const char *const connections[] = { [TAPE_HTTP_POOLED] = "pooled",
	[TAPE_HTTP_FRESH] = "never",
	[TAPE_HTTP_SESSION] = "session" };

static const char *
stop_text(const struct tape_replay *r, const struct tape_replay_run_state *s)
{
	switch (s->stop) {
	case TAPE_LOOP_DURATION:
		return "duration";
	case TAPE_LOOP_INTERRUPTED:
		return "interrupted";
	case TAPE_LOOP_ABORTED:
	case TAPE_LOOP_BROKEN:
		return "aborted";
	case TAPE_LOOP_ON:
		break;
	}
	if (tape_feed_cut(r->feed)->status != TAPE_OK)
		return "aborted";
	/* Nothing was left to send, but the grace ran out. */
	if (r->o->duration_ns > 0 && s->stats->cancelled > 0)
		return "duration";
	return r->o->requests > 0 ? "requests" : "complete";
}

double
tape_replay_rate_per_s(const struct tape_spool_info *i)
{
	int64_t span = i->last_t_ns - i->first_t_ns;

	if (!i->timed || i->requests < 2 || span <= 0)
		return TAPE_ABSENT_F64;
	return (double)(i->requests - 1) * 1e9 / (double)span;
}

static int64_t
or_absent(uint64_t v)
{
	return v == 0 || v > INT64_MAX ? TAPE_ABSENT_I64 : (int64_t)v;
}

/* What is known of the trace, which at the end may be more. */
static void
fill_trace(struct tape_replay *r, struct tape_replay_run_state *s)
{
	const struct tape_replay_opts *o = r->o;
	const struct tape_spool_info *i = r->info;
	struct tape_run *rec = &s->rec;

	s->planned = tape_replay_count(o, i);
	if (i->ended)
		rec->rate_per_s = tape_replay_rate_per_s(i);
	if (s->planned != UINT64_MAX) {
		rec->requests = or_absent(s->planned);
		if (i->ended)
			rec->passes = (int64_t)((s->planned + i->requests - 1) /
						i->requests);
		else if (!o->cycle)
			rec->passes = 1;
	}
	if (i->reusing > 0 || i->waiting > 0)
		rec->reuse = 1;
	else if (i->ended)
		rec->reuse = 0;
	if (i->ended)
		rec->trace_hash = tape_str_of(i->hash);
}

/* What does not change between the two. */
static void
fill(struct tape_replay *r, struct tape_replay_run_state *s)
{
	const struct tape_replay_opts *o = r->o;
	const struct tape_http_timeouts *t = &o->http.timeouts;
	uint64_t head = r->info->head;
	struct tape_run *rec = &s->rec;

	tape_schema_init(TAPE_KIND_RUN, rec);
	rec->run = s->number;
	rec->arm = tape_str_of(s->target->arm);
	if (rec->arm.p != NULL)
		rec->arms = (struct tape_strs){ r->arms, o->targets_n };
	rec->round = s->round;
	rec->position = s->position;
	rec->session = tape_str_of(o->session);
	rec->targets =
	    (struct tape_strs){ s->shown, tape_target_count(s->target) };
	for (size_t i = 0; i < rec->targets.n; i++)
		s->shown[i] = tape_str_of(tape_target_at(s->target, i)->shown);
	rec->api = tape_str_of(s->course->api);
	rec->model = tape_str_of(s->course->model);
	rec->stream = o->form.stream;
	rec->loop = tape_str_of(r->info->timed ? "open" : "closed");
	rec->concurrency = or_absent(tape_replay_slots(o, r->info));
	if (o->ramp_ns > 0)
		rec->ramp_ns = o->ramp_ns;
	rec->threads = (int64_t)o->threads;
	rec->connections = tape_str_of(connections[o->connections]);
	if (o->http.sources_n > 0)
		rec->sources =
		    (struct tape_strs){ r->sources, o->http.sources_n };
	if (o->http.insecure)
		rec->insecure = 1;
	rec->warmup = (int64_t)(o->warmup < head ? o->warmup : head);
	rec->extra = o->form.extra;
	rec->body_template = o->form.body_template;
	rec->pointers = o->form.pointers;
	rec->seed = (int64_t)o->seed;
	rec->salt = s->salt;
	rec->keep = tape_str_of(tape_keep_name(o->keep));
	rec->labels = o->labels;
	rec->timeouts = (struct tape_timeouts){ t->connect_ns, t->first_byte_ns,
		t->idle_ns, t->total_ns };
	rec->grace_ns = o->grace_ns;
	rec->retry_max = or_absent(o->attempts.retries);
	if (o->attempts.cancel_ratio > 0) {
		rec->cancel_ratio = o->attempts.cancel_ratio;
		rec->cancel_after_ns = o->attempts.cancel_after_ns;
	}
	fill_trace(r, s);
}

/* The server about itself, unless the user is in a hurry. */
static enum tape_status
snapshot(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_err *err)
{
	struct tape_probe none = { TAPE_ABSENT_I64, { NULL, 0 } };
	enum tape_status st;

	s->rec.health = none;
	s->rec.models = none;
	tape_buf_clear(&s->health);
	tape_buf_clear(&s->served);
	if (tape_replay_interrupted(r))
		return TAPE_OK;
	st = tape_prober_snapshot(
	    r->prober, s->target, "/health", &s->health, &s->rec.health, err);
	if (st == TAPE_OK)
		st = tape_prober_snapshot(r->prober, s->target, "/v1/models",
		    &s->served, &s->rec.models, err);
	return st;
}

enum tape_status
tape_replay_record_start(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_err *err)
{
	enum tape_status st;

	fill(r, s);
	st = snapshot(r, s, err);
	if (st != TAPE_OK)
		return st;
	s->rec.at = tape_str_of("start");
	s->rec.start_ns = tape_clock_now_ns(r->clock) - r->epoch_ns;
	return tape_sink_record(r->sink, TAPE_KIND_RUN, &s->rec, err);
}

/* When all that was wanted of the trace has been sent, its end may have been read
   without anybody having looked. */
static enum tape_status
see_end(struct tape_replay *r, struct tape_err *err)
{
	bool there;

	return tape_spool_look(r->spool, 0, &there, err);
}

enum tape_status
tape_replay_record_end(struct tape_replay *r, struct tape_replay_run_state *s,
    struct tape_err *err)
{
	const struct tape_loop_stats *t = s->stats;
	int64_t end =
	    t->last_end_ns > 0 ? t->last_end_ns : tape_clock_now_ns(r->clock);
	enum tape_status st = snapshot(r, s, err);

	if (st != TAPE_OK)
		return st;
	st = see_end(r, err);
	if (st != TAPE_OK)
		return st;
	fill_trace(r, s);
	s->rec.at = tape_str_of("end");
	s->rec.measure_ns =
	    s->start_ns > 0 ? s->start_ns - r->epoch_ns : TAPE_ABSENT_I64;
	s->rec.end_ns = end - r->epoch_ns;
	s->rec.sent = t->sent;
	s->rec.done = t->done;
	s->rec.failed = t->failed;
	s->rec.cancelled = t->cancelled;
	if (r->o->attempts.cancel_ratio > 0)
		s->rec.planned_cancelled = t->planned;
	if (r->o->attempts.retries > 0) {
		s->rec.retried = t->retried;
		s->rec.retries = t->retries;
	}
	if (s->planned != UINT64_MAX)
		s->rec.unsent = (int64_t)s->planned - t->sent - t->doomed;
	s->rec.stop = tape_str_of(stop_text(r, s));
	return tape_sink_record(r->sink, TAPE_KIND_RUN, &s->rec, err);
}
