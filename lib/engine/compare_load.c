/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_load.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/compare_conditions.h"
#include "engine/compare_device.h"
#include "engine/compare_origin.h"
#include "engine/compare_said.h"
#include "engine/compare_work.h"
#include "engine/measure.h"

#include <inttypes.h>

/* A segment of a stream, while it is read. */
struct segment {
	struct tape_str run_id;
	struct tape_str meta;
	struct tape_str boot;
	struct tape_str host;
	struct tape_str tool;
	int64_t epoch_ns;
	size_t first_run; /* in the set */
};

struct load {
	struct tape_compare_set *set;
	struct segment seg;
	size_t arm;       /* of all runs, or TAPE_COMPARE_ANY_ARM */
	size_t arm_first; /* in the set: the first run of that load */
	struct tape_err *err;
};

static enum tape_status
begin_segment(struct load *l, const struct tape_header *h)
{
	char iso[64];
	enum tape_status st;

	if (h->epoch.len >= sizeof(iso))
		return tape_err_set(
		    l->err, TAPE_E_FORMAT, "epoch is not a time");
	memcpy(iso, h->epoch.p, h->epoch.len);
	iso[h->epoch.len] = '\0';
	l->seg.first_run = l->set->run_count;
	st = tape_compare_keep(l->set, h->run_id, &l->seg.run_id, l->err);
	if (st == TAPE_OK)
		st = tape_compare_keep(l->set, h->meta, &l->seg.meta, l->err);
	if (st == TAPE_OK)
		st = tape_compare_keep(l->set, h->boot, &l->seg.boot, l->err);
	if (st == TAPE_OK)
		st = tape_compare_say_tools(
		    l->set, h->prov, &l->seg.tool, &l->seg.host, l->err);
	if (st == TAPE_OK)
		st = tape_compare_origin_add(l->set, h, l->err);
	return st == TAPE_OK
		   ? tape_clock_parse_iso(iso, &l->seg.epoch_ns, l->err)
		   : st;
}

/* The arm of a run, or TAPE_COMPARE_ARMS while it is open. */
static enum tape_status
find_arm(const struct load *l, struct tape_str label, size_t *arm)
{
	const struct tape_compare_set *set = l->set;
	const struct tape_compare_run *other = &set->runs[l->arm_first];

	*arm = l->arm;
	if (l->arm != TAPE_COMPARE_ANY_ARM) {
		if (set->run_count > l->arm_first &&
		    tape_compare_text_order(other->label, label) != 0)
			return tape_err_set(l->err, TAPE_E_DATA,
			    "run of arm '%.*s' in a file given for runs of "
			    "'%.*s'",
			    (int)label.len, label.p ? label.p : "",
			    (int)other->label.len,
			    other->label.p ? other->label.p : "");
		return TAPE_OK;
	}
	if (label.p == NULL && !set->aa)
		return tape_err_set(l->err, TAPE_E_DATA,
		    "run without arm label: use --a and --b, or trace-replay "
		    "--arm");
	for (*arm = 0; *arm < TAPE_COMPARE_ARMS; ++*arm)
		if (set->named && tape_str_equal(set->arm_name[*arm], label))
			break;
	return TAPE_OK;
}

/* The first list of arms tells which of two is the baseline. */
static enum tape_status
keep_arms(struct load *l, struct tape_strs arms)
{
	struct tape_str *v;
	enum tape_status st = TAPE_OK;

	if (arms.n < 2 || l->set->arms.n > 0)
		return TAPE_OK;
	v = tape_arena_alloc(&l->set->arena, arms.n, sizeof(*v));
	if (v == NULL)
		return tape_err_nomem(l->err);
	for (size_t i = 0; i < arms.n && st == TAPE_OK; i++)
		st = tape_compare_keep(l->set, arms.v[i], &v[i], l->err);
	l->set->arms = (struct tape_strs){ v, arms.n };
	return st;
}

/* A time of the segment on the wall clock. */
static enum tape_status
wall(const struct load *l, int64_t t_ns, int64_t *wall_ns)
{
	int64_t t = t_ns == TAPE_ABSENT_I64 ? 0 : t_ns;

	if (__builtin_add_overflow(l->seg.epoch_ns, t, wall_ns))
		return tape_err_set(
		    l->err, TAPE_E_FORMAT, "a time of the run is out of range");
	return TAPE_OK;
}

static struct tape_compare_run *
new_run(struct load *l, enum tape_status *st)
{
	struct tape_compare_set *set = l->set;
	void *v = set->runs;
	struct tape_compare_run *run;

	if (set->run_count == TAPE_COMPARE_RUNS_MAX) {
		*st = tape_err_set(l->err, TAPE_E_LIMIT, "more than %d runs",
		    TAPE_COMPARE_RUNS_MAX);
		return NULL;
	}
	if (tape_mem_grow(&v, &set->run_cap, set->run_count + 1,
		sizeof(*set->runs)) != 0) {
		*st = tape_err_nomem(l->err);
		return NULL;
	}
	set->runs = v;
	run = &set->runs[set->run_count++];
	memset(run, 0, sizeof(*run));
	return run;
}

static enum tape_status
start_run(struct load *l, const struct tape_run *r)
{
	struct tape_compare_run *run;
	size_t arm;
	enum tape_status st;

	st = find_arm(l, r->arm, &arm);
	if (st == TAPE_OK)
		st = keep_arms(l, r->arms);
	if (st != TAPE_OK)
		return st;
	run = new_run(l, &st);
	if (run == NULL)
		return st;
	run->arm = arm;
	run->run = r->run;
	run->round = r->round;
	run->position = r->position;
	run->gap_p99_ns = run->output_tokens_per_s = TAPE_ABSENT_F64;
	run->good_ratio = TAPE_ABSENT_F64;
	for (size_t i = 0; i < TAPE_COMPARE_VALUES; i++)
		run->level[i] = (struct tape_compare_level){ 0, TAPE_ABSENT_F64,
			TAPE_ABSENT_F64, TAPE_ABSENT_F64, TAPE_ABSENT_F64,
			TAPE_ABSENT_F64 };
	tape_compare_device_init(run);
	st = wall(l, r->start_ns, &run->start_ns);
	run->end_ns = run->start_ns;
	if (st == TAPE_OK)
		st = tape_compare_keep(l->set, r->arm, &run->label, l->err);
	if (st == TAPE_OK)
		st = tape_compare_keep(l->set, r->labels, &run->tags, l->err);
	if (st == TAPE_OK)
		st = tape_compare_keep(l->set,
		    r->session.p ? r->session : l->seg.run_id, &run->session,
		    l->err);
	run->boot = l->seg.boot;
	run->host = l->seg.host;
	run->conditions.meta = l->seg.meta;
	run->conditions.said[TAPE_COMPARE_SAID_TOOL] = l->seg.tool;
	return st == TAPE_OK ? tape_compare_keep_conditions(
				   l->set, r, &run->conditions, l->err)
			     : st;
}

/* The run of that number in this segment. */
static struct tape_compare_run *
find_run(const struct load *l, int64_t run)
{
	for (size_t i = l->set->run_count; i > l->seg.first_run; i--)
		if (l->set->runs[i - 1].run == run)
			return &l->set->runs[i - 1];
	return NULL;
}

static enum tape_status
end_run(struct load *l, const struct tape_run *r)
{
	struct tape_compare_run *run = find_run(l, r->run);
	enum tape_status st;

	if (run == NULL)
		return tape_err_set(l->err, TAPE_E_FORMAT,
		    "end of run %" PRId64 " without its start", r->run);
	run->ending = TAPE_COMPARE_ENDED;
	if (tape_str_is(r->stop, "interrupted"))
		run->ending = TAPE_COMPARE_INTERRUPTED;
	if (tape_str_is(r->stop, "aborted"))
		run->ending = TAPE_COMPARE_ABORTED;
	st = tape_compare_complete_conditions(
	    l->set, r, &run->conditions, l->err);
	if (st != TAPE_OK || r->end_ns == TAPE_ABSENT_I64)
		return st;
	return wall(l, r->end_ns, &run->end_ns);
}

static enum tape_status
add_run(struct load *l, const struct tape_run *r)
{
	if (tape_str_is(r->at, "start"))
		return start_run(l, r);
	if (tape_str_is(r->at, "end"))
		return end_run(l, r);
	return tape_err_set(l->err, TAPE_E_FORMAT,
	    "a run record is neither at its start nor at its end");
}

/* A time that is there and not positive is counted: it forbids a verdict. */
static double
log_time(double ns, struct tape_compare_doubts *doubts)
{
	if (isnan(ns))
		return TAPE_ABSENT_F64;
	if (ns > 0)
		return log(ns);
	doubts->bad_times++;
	return TAPE_ABSENT_F64;
}

static double
from_i64(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

static void
count_tokens(
    const struct tape_result *r, double output, struct tape_compare_doubts *d)
{
	double events = from_i64(r->token_events);

	if (output > 0 && tape_str_is(r->tokens.source, "events"))
		d->from_events++;
	else if (output > 0 && events > 0) {
		d->events += events;
		d->tokens += output;
	}
}

static enum tape_status
add_request(
    struct load *l, struct tape_compare_run *run, const struct tape_result *r)
{
	struct tape_compare_doubts *d = &run->doubts;
	struct tape_compare_request *q;
	void *v = run->requests;

	if (tape_mem_grow(
		&v, &run->request_cap, run->request_count + 1, sizeof(*q)) != 0)
		return tape_err_nomem(l->err);
	run->requests = v;
	q = &run->requests[run->request_count++];
	q->log_value[TAPE_COMPARE_TTFT] = log_time(from_i64(r->ttft_ns), d);
	q->log_value[TAPE_COMPARE_LATENCY] =
	    log_time(from_i64(r->latency_ns), d);
	if (r->tpot_ns == 0)
		d->instant++;
	q->log_value[TAPE_COMPARE_TPOT] =
	    log_time(r->tpot_ns == 0 ? TAPE_ABSENT_F64 : r->tpot_ns, d);
	q->output_tokens = from_i64(r->tokens.output);
	q->input_tokens = from_i64(r->tokens.input);
	q->text = r->text_sha256.p == NULL
		      ? 0
		      : tape_hash_add(TAPE_HASH_START, r->text_sha256.p,
			    r->text_sha256.len);
	count_tokens(r, q->output_tokens, d);
	tape_compare_add_answer(&run->answers, r);
	return tape_compare_keep(l->set, r->id, &q->id, l->err);
}

static enum tape_status
add_result(struct load *l, const struct tape_result *r)
{
	struct tape_compare_run *run = find_run(l, r->run);

	if (run == NULL)
		return tape_err_set(l->err, TAPE_E_FORMAT,
		    "result of run %" PRId64 ", which was not announced",
		    r->run);
	if (tape_str_is(r->stage, "warmup") ||
	    (l->set->named && run->arm >= TAPE_COMPARE_ARMS))
		return TAPE_OK;
	if (tape_measure_is_planned(&r->error))
		return TAPE_OK;
	if (r->ok != 1) {
		run->failed++;
		return TAPE_OK;
	}
	run->n++;
	if (run->conditions.from.p == NULL) {
		enum tape_status st = tape_compare_keep(
		    l->set, r->from, &run->conditions.from, l->err);

		if (st != TAPE_OK)
			return st;
	}
	return add_request(l, run, r);
}

/* Of a run that another tool has measured, where it states its summary only:
   that stands for what the requests would come to. */
static void
take_stated(struct tape_compare_run *run, const struct tape_summary *s)
{
	static const char *const metrics[TAPE_COMPARE_VALUES] = {
		[TAPE_COMPARE_TTFT] = "ttft",
		[TAPE_COMPARE_TPOT] = "tpot",
		[TAPE_COMPARE_LATENCY] = "latency",
	};

	for (size_t i = 0; i < s->flags.n; i++)
		run->stated |= tape_str_is(s->flags.v[i], "stated");
	if (!run->stated || s->n <= 0)
		return;
	if (s->n > run->n && tape_str_is(s->metric, "requests_per_s"))
		run->n = s->n;
	run->failed = s->failed;
	for (size_t i = 0; i < TAPE_COMPARE_VALUES; i++)
		if (tape_str_is(s->metric, metrics[i]))
			run->level[i] = (struct tape_compare_level){
				.n = (size_t)s->n,
				.median = s->quantiles.p50,
				.mean = s->mean,
				.p90 = s->quantiles.p90,
				.p95 = s->quantiles.p95,
				.p99 = s->quantiles.p99,
			};
}

static void
add_summary(const struct load *l, const struct tape_summary *s)
{
	struct tape_compare_run *run = find_run(l, s->run);

	/* Nor those by another tool's definitions, or of several runs. */
	if (run == NULL || s->group.p != NULL || s->definitions.p != NULL ||
	    s->n_runs != TAPE_ABSENT_I64)
		return;
	take_stated(run, s);
	if (tape_str_is(s->metric, "gap"))
		run->gap_p99_ns = s->quantiles.p99;
	if (tape_str_is(s->metric, "output_tokens_per_s"))
		run->output_tokens_per_s = s->value;
	if (tape_str_is(s->metric, "good_ratio"))
		run->good_ratio = s->value;
}

static void
add_check(const struct load *l, const struct tape_check *c)
{
	struct tape_compare_run *run = find_run(l, c->run);

	if (run != NULL && c->group.p == NULL && tape_str_is(c->status, "fail"))
		run->doubts.checks_failed++;
}

static void
add_fidelity(const struct load *l, const struct tape_fidelity *f)
{
	struct tape_compare_run *run = find_run(l, f->run);

	if (run != NULL && !tape_str_is(f->verdict, "sound"))
		run->doubts.client = true;
}

static enum tape_status
take(struct load *l, const struct tape_record *rec)
{
	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return begin_segment(l, &rec->u.header);
	case TAPE_KIND_RUN:
		return add_run(l, &rec->u.run);
	case TAPE_KIND_RESULT:
		return add_result(l, &rec->u.result);
	case TAPE_KIND_SUMMARY:
		add_summary(l, &rec->u.summary);
		return TAPE_OK;
	case TAPE_KIND_CHECK:
		add_check(l, &rec->u.check);
		return TAPE_OK;
	case TAPE_KIND_FIDELITY:
		add_fidelity(l, &rec->u.fidelity);
		return TAPE_OK;
	case TAPE_KIND_TELEMETRY:
		tape_compare_add_device(
		    find_run(l, rec->u.telemetry.run), &rec->u.telemetry);
		return TAPE_OK;
	case TAPE_KIND_ENGINE:
		return tape_compare_add_engine(l->set,
		    find_run(l, rec->u.engine.run), &rec->u.engine, l->err);
	default:
		return TAPE_OK;
	}
}

enum tape_status
tape_compare_load(struct tape_compare_set *set, struct tape_reader *in,
    size_t arm, struct tape_err *err)
{
	struct load l = {
		.set = set, .arm = arm, .arm_first = set->run_count, .err = err
	};
	struct tape_record rec;
	enum tape_status st;

	tape_record_init(&rec);
	do {
		st = tape_reader_next(in, &rec, err);
		if (st == TAPE_OK) {
			st = take(&l, &rec);
			if (st != TAPE_OK)
				(void)tape_err_at(err, tape_reader_name(in),
				    tape_reader_line(in));
		}
	} while (st == TAPE_OK);
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}
