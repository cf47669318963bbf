/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/compare_load.h"

#include "base/clock.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* A segment of a stream, while it is read. */
struct segment {
	struct tape_str run_id;
	int64_t epoch_ns;
	size_t first_run; /* in the set */
};

static enum tape_status
keep(struct tape_compare_set *set, struct tape_str from, struct tape_str *to,
    struct tape_err *err)
{
	to->p = NULL;
	to->len = 0;
	if (from.p == NULL)
		return TAPE_OK;
	to->p = tape_arena_dup(&set->arena, from.p, from.len);
	to->len = from.len;
	return to->p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static enum tape_status
begin_segment(struct tape_compare_set *set, const struct tape_header *h,
    struct segment *seg, struct tape_err *err)
{
	char iso[64];

	if (h->epoch.len >= sizeof(iso))
		return tape_err_set(err, TAPE_E_FORMAT, "epoch is not a time");
	memcpy(iso, h->epoch.p, h->epoch.len);
	iso[h->epoch.len] = '\0';
	seg->first_run = set->run_count;
	if (keep(set, h->run_id, &seg->run_id, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	return tape_clock_parse_iso(iso, &seg->epoch_ns, err);
}

/* Names the arms as they were given to trace-replay, which draws the order of
   runs: the first one met may be B's. */
static enum tape_status
name_arms(
    struct tape_compare_set *set, struct tape_strs arms, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (set->arms > 0)
		return TAPE_OK;
	for (size_t i = 0; i < arms.n && i < TAPE_COMPARE_ARMS; i++)
		if (st == TAPE_OK)
			st = keep(
			    set, arms.v[i], &set->arm_name[set->arms++], err);
	return st;
}

/* The arm of a label: 0, 1, or TAPE_COMPARE_ARMS for one not compared. */
static enum tape_status
find_arm(struct tape_compare_set *set, struct tape_str label, size_t *arm,
    struct tape_err *err)
{
	if (label.p == NULL)
		return tape_err_set(err, TAPE_E_DATA,
		    "run without arm label: use --a and --b, or trace-replay "
		    "--arm");
	for (*arm = 0; *arm < set->arms; ++*arm)
		if (tape_str_equal(set->arm_name[*arm], label))
			return TAPE_OK;
	if (set->arms == TAPE_COMPARE_ARMS)
		return TAPE_OK;
	return keep(set, label, &set->arm_name[set->arms++], err);
}

static struct tape_compare_run *
new_run(struct tape_compare_set *set)
{
	void *v = set->runs;
	struct tape_compare_run *run;

	if (tape_mem_grow(
		&v, &set->run_cap, set->run_count + 1, sizeof(*set->runs)) != 0)
		return NULL;
	set->runs = v;
	run = &set->runs[set->run_count++];
	memset(run, 0, sizeof(*run));
	run->gap_p99_ns = TAPE_ABSENT_F64;
	run->output_tokens_per_s = TAPE_ABSENT_F64;
	return run;
}

static enum tape_status
copy_conditions(struct tape_compare_set *set, struct tape_compare_run *run,
    const struct tape_run *r, struct tape_err *err)
{
	struct tape_str target = { NULL, 0 };
	enum tape_status st;

	if (r->targets.n > 0)
		target = r->targets.v[0];
	run->concurrency = r->concurrency;
	run->rate_per_s = r->rate_per_s;
	run->warmup = r->warmup;
	st = keep(set, target, &run->target, err);
	if (st == TAPE_OK)
		st = keep(set, r->model, &run->model, err);
	if (st == TAPE_OK)
		st = keep(set, r->api, &run->api, err);
	if (st == TAPE_OK)
		st = keep(set, r->extra, &run->extra, err);
	if (st == TAPE_OK)
		st = keep(set, r->trace_hash, &run->trace_hash, err);
	return st;
}

static enum tape_status
start_run(struct tape_compare_set *set, const struct segment *seg,
    const struct tape_run *r, size_t arm, struct tape_err *err)
{
	struct tape_compare_run *run;
	struct tape_str session = r->session.p ? r->session : seg->run_id;
	enum tape_status st = TAPE_OK;

	if (arm == TAPE_COMPARE_ANY_ARM) {
		st = name_arms(set, r->arms, err);
		if (st == TAPE_OK)
			st = find_arm(set, r->arm, &arm, err);
	}
	if (st != TAPE_OK)
		return st;
	run = new_run(set);
	if (run == NULL)
		return tape_err_nomem(err);
	if (arm >= TAPE_COMPARE_ARMS)
		set->skipped_runs++;
	run->arm = arm;
	run->run = r->run;
	run->round = r->round;
	run->position = r->position;
	run->start_ns =
	    seg->epoch_ns + (r->start_ns == TAPE_ABSENT_I64 ? 0 : r->start_ns);
	run->end_ns = run->start_ns;
	st = keep(set, session, &run->session, err);
	return st == TAPE_OK ? copy_conditions(set, run, r, err) : st;
}

/* The run of that number in this segment. */
static struct tape_compare_run *
find_run(struct tape_compare_set *set, const struct segment *seg, int64_t run)
{
	for (size_t i = set->run_count; i > seg->first_run; i--)
		if (set->runs[i - 1].run == run)
			return &set->runs[i - 1];
	return NULL;
}

static double
log_or_nan(double ns)
{
	return ns > 0 && isfinite(ns) ? log(ns) : TAPE_ABSENT_F64;
}

static double
from_i64(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

static enum tape_status
add_request(struct tape_compare_set *set, struct tape_compare_run *run,
    const struct tape_result *r, struct tape_err *err)
{
	struct tape_compare_request *q;
	void *v = run->requests;

	if (tape_mem_grow(
		&v, &run->request_cap, run->request_count + 1, sizeof(*q)) != 0)
		return tape_err_nomem(err);
	run->requests = v;
	q = &run->requests[run->request_count++];
	q->log_value[TAPE_COMPARE_TTFT] = log_or_nan(from_i64(r->ttft_ns));
	q->log_value[TAPE_COMPARE_TPOT] = log_or_nan(r->tpot_ns);
	q->log_value[TAPE_COMPARE_LATENCY] =
	    log_or_nan(from_i64(r->latency_ns));
	q->output_tokens = r->tokens.output;
	for (size_t i = 0; i < TAPE_COMPARE_VALUES; i++)
		q->repeats[i] = isnan(q->log_value[i]) ? 0U : 1U;
	return keep(set, r->id, &q->id, err);
}

static enum tape_status
add_result(struct tape_compare_set *set, const struct segment *seg,
    const struct tape_result *r, struct tape_err *err)
{
	struct tape_compare_run *run = find_run(set, seg, r->run);

	if (run == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "result of run %" PRId64 ", which was not announced",
		    r->run);
	if (run->arm >= TAPE_COMPARE_ARMS || tape_str_is(r->stage, "warmup"))
		return TAPE_OK;
	if (r->ok != 1) {
		run->failed++;
		return TAPE_OK;
	}
	run->n++;
	return add_request(set, run, r, err);
}

static void
add_summary(struct tape_compare_set *set, const struct segment *seg,
    const struct tape_summary *s)
{
	struct tape_compare_run *run = find_run(set, seg, s->run);

	if (run == NULL || s->group.p != NULL)
		return;
	if (tape_str_is(s->metric, "gap"))
		run->gap_p99_ns = s->quantiles.p99;
	if (tape_str_is(s->metric, "output_tokens_per_s"))
		run->output_tokens_per_s = s->value;
}

static enum tape_status
add_run(struct tape_compare_set *set, const struct segment *seg,
    const struct tape_run *r, size_t arm, struct tape_err *err)
{
	struct tape_compare_run *run;

	if (tape_str_is(r->at, "start"))
		return start_run(set, seg, r, arm, err);
	run = find_run(set, seg, r->run);
	if (run == NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "end of run %" PRId64 " without its start", r->run);
	run->ended = true;
	if (r->end_ns != TAPE_ABSENT_I64)
		run->end_ns = seg->epoch_ns + r->end_ns;
	return TAPE_OK;
}

static enum tape_status
take(struct tape_compare_set *set, struct segment *seg,
    const struct tape_record *rec, size_t arm, struct tape_err *err)
{
	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return begin_segment(set, &rec->u.header, seg, err);
	case TAPE_KIND_RUN:
		return add_run(set, seg, &rec->u.run, arm, err);
	case TAPE_KIND_RESULT:
		return add_result(set, seg, &rec->u.result, err);
	case TAPE_KIND_SUMMARY:
		add_summary(set, seg, &rec->u.summary);
		return TAPE_OK;
	default:
		return TAPE_OK;
	}
}

enum tape_status
tape_compare_load(struct tape_compare_set *set, struct tape_reader *in,
    size_t arm, struct tape_err *err)
{
	struct segment seg = { { NULL, 0 }, 0, set->run_count };
	struct tape_record rec;
	enum tape_status st;

	tape_record_init(&rec);
	do {
		st = tape_reader_next(in, &rec, err);
		if (st == TAPE_OK) {
			st = take(set, &seg, &rec, arm, err);
			if (st != TAPE_OK)
				(void)tape_err_at(err, tape_reader_name(in),
				    tape_reader_line(in));
		}
	} while (st == TAPE_OK);
	tape_record_release(&rec);
	return st == TAPE_EOF ? TAPE_OK : st;
}

static int
by_id(const void *a, const void *b)
{
	const struct tape_compare_request *x = a, *y = b;
	size_t n = x->id.len < y->id.len ? x->id.len : y->id.len;
	int c = memcmp(x->id.p, y->id.p, n);

	if (c != 0)
		return c;
	return (x->id.len > y->id.len) - (x->id.len < y->id.len);
}

/* A total order, so that the order of the input does not show in a mean. */
static int
by_id_and_value(const void *a, const void *b)
{
	const struct tape_compare_request *x = a, *y = b;
	int c = by_id(a, b);

	return c != 0 ? c
		      : memcmp((const unsigned char *)x->log_value,
			    (const unsigned char *)y->log_value,
			    sizeof(x->log_value));
}

/* Repeats of an id are averaged in the log, so that each counts once. */
static void
merge_repeat(
    struct tape_compare_request *into, const struct tape_compare_request *one)
{
	for (size_t i = 0; i < TAPE_COMPARE_VALUES; i++) {
		unsigned n = into->repeats[i];

		if (one->repeats[i] == 0)
			continue;
		if (n == 0)
			into->log_value[i] = one->log_value[i];
		else
			into->log_value[i] +=
			    (one->log_value[i] - into->log_value[i]) / (n + 1);
		into->repeats[i] = n + 1;
	}
	if (into->output_tokens != TAPE_ABSENT_I64 &&
	    one->output_tokens != TAPE_ABSENT_I64)
		into->output_tokens += one->output_tokens;
}

static void
sort_run(struct tape_compare_run *run)
{
	size_t n = 0;

	if (run->request_count == 0)
		return;
	qsort(run->requests, run->request_count, sizeof(*run->requests),
	    by_id_and_value);
	for (size_t i = 1; i < run->request_count; i++) {
		if (by_id(&run->requests[n], &run->requests[i]) == 0)
			merge_repeat(&run->requests[n], &run->requests[i]);
		else
			run->requests[++n] = run->requests[i];
	}
	run->request_count = n + 1;
}

void
tape_compare_load_done(struct tape_compare_set *set)
{
	for (size_t i = 0; i < set->run_count; i++)
		sort_run(&set->runs[i]);
}

void
tape_compare_set_release(struct tape_compare_set *set)
{
	for (size_t i = 0; i < set->run_count; i++)
		tape_mem_free(set->runs[i].requests);
	tape_mem_free(set->runs);
	tape_arena_release(&set->arena);
	memset(set, 0, sizeof(*set));
}
