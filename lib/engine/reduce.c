/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "engine/reduce_state.h"

#include <inttypes.h>

enum tape_status
tape_reduce_open(struct tape_reduce **out, const struct tape_reduce_opts *opts,
    const struct tape_reduce_sink *sink, struct tape_err *err)
{
	struct tape_reduce *r = tape_mem_calloc(1, sizeof(*r));
	struct tape_measure_opts measure = { .from = opts->from,
		.user_clock = opts->user_clock };
	enum tape_status st;

	if (r == NULL)
		return tape_err_nomem(err);
	r->opts = *opts;
	r->sink = *sink;
	measure.gap_stats = (struct tape_measure_gaps_opts){
		.quantiles = sink->result != NULL || !opts->basic ||
			     opts->slo.n > 0 || opts->worst > 0,
		.stall_ratio = opts->stall_ratio,
		.first_ns = tape_slo_bound(&opts->slo, TAPE_METRIC_TTFT),
		.gap_ns = tape_slo_bound(&opts->slo, TAPE_METRIC_TPOT),
	};
	tape_measure_init(&r->measure, &measure);
	tape_record_init(&r->again);
	st = tape_grouping_init(&r->grouping, opts->by, err);
	if (st != TAPE_OK) {
		tape_reduce_free(r);
		return st;
	}
	*out = r;
	return TAPE_OK;
}

void
tape_reduce_free(struct tape_reduce *r)
{
	if (r == NULL)
		return;
	tape_reduce_hand_free(r->hand);
	tape_idmap_release(&r->reported);
	tape_measure_release(&r->measure);
	tape_grouping_release(&r->grouping);
	tape_checks_history_release(&r->history);
	tape_record_release(&r->again);
	tape_mem_free(r);
}

/* Reports the run in hand, which then is none. */
static enum tape_status
report(struct tape_reduce *r, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (r->hand != NULL) {
		st = tape_reduce_report(r, err);
		r->counts.late_samples = 0;
	}
	tape_reduce_hand_free(r->hand);
	r->hand = NULL;
	return st;
}

/* Makes that run the one in hand. */
static enum tape_status
select_run(struct tape_reduce *r, int64_t run, struct tape_err *err)
{
	const uint64_t key = tape_idmap_mix(0, (uint64_t)run);
	enum tape_status st;

	if (r->hand != NULL && r->hand->run == run)
		return TAPE_OK;
	st = report(r, err);
	if (st == TAPE_OK && tape_idmap_get(&r->reported, key, NULL))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a record of run %" PRId64 " after another run had begun",
		    run);
	if (st == TAPE_OK)
		st = tape_idmap_add(&r->reported, key, 0, err);
	if (st == TAPE_OK)
		st = tape_reduce_hand_open(&r->hand, r, run, err);
	if (st != TAPE_OK)
		return st;
	tape_grouping_restart(&r->grouping);
	r->counts.runs++;
	return TAPE_OK;
}

/* What the run in hand began with, or NULL. */
static const struct tape_run *
start_of(const struct tape_reduce *r)
{
	return r->hand->start.present ? &r->hand->start.rec.u.run : NULL;
}

/* The group of a request with these labels. */
static enum tape_status
find_group(struct tape_reduce *r, struct tape_str labels, size_t *index,
    struct tape_err *err)
{
	struct tape_str key;
	enum tape_status st;

	st = tape_grouping_key(&r->grouping, labels, start_of(r), &key, err);
	return st == TAPE_OK ? tape_reduce_hand_group(r->hand, key, index, err)
			     : st;
}

static enum tape_status
emit(struct tape_reduce *r, const struct tape_result *res, struct tape_err *err)
{
	r->counts.responses++;
	return r->sink.result == NULL ? TAPE_OK
				      : r->sink.result(r->sink.arg, res, err);
}

/* Cancelled on purpose: what the plan was, so no failure. */
static enum tape_status
set_aside(struct tape_reduce *r, const struct tape_measured *m, size_t group,
    struct tape_err *err)
{
	tape_tally_cancel(&r->hand->groups[group].tally, &m->result);
	tape_checks_cancel(&r->hand->checks, m);
	r->counts.measured++;
	return emit(r, &m->result, err);
}

static enum tape_status
add_measured(
    struct tape_reduce *r, struct tape_measured *m, struct tape_err *err)
{
	struct tape_result *res = &m->result;
	size_t group = 0;
	enum tape_status st;

	if (r->opts.slo.n > 0)
		res->good = tape_slo_met(&r->opts.slo, res);
	st = tape_reduce_hand_attempt(r->hand, res, err);
	if (st == TAPE_OK)
		st = tape_checks_attempt(&r->hand->checks, m, err);
	if (st == TAPE_OK)
		st = find_group(r, res->labels, &group, err);
	if (st == TAPE_OK)
		st = tape_tally_fly(&r->hand->groups[group].tally, m, err);
	if (st == TAPE_OK && m->cancelled)
		return set_aside(r, m, group, err);
	if (st == TAPE_OK && !res->ok)
		return tape_reduce_hand_fail(r->hand, res, group, err);
	if (st == TAPE_OK)
		st = tape_tally_add(&r->hand->groups[group].tally, m,
		    r->measure.gaps, r->measure.gap_n, err);
	if (st == TAPE_OK)
		st = tape_checks_add(&r->hand->checks, m, err);
	if (st == TAPE_OK)
		st = tape_worst_offer(&r->hand->worst, res, err);
	if (st == TAPE_OK)
		r->counts.measured++;
	return st == TAPE_OK ? emit(r, res, err) : st;
}

static enum tape_status
add_response(struct tape_reduce *r, const struct tape_response *resp,
    struct tape_err *err)
{
	static const struct tape_str none;
	const struct tape_run *run = start_of(r);
	struct tape_measured m;
	enum tape_status st;

	r->measure.bare = run != NULL && tape_str_is(run->keep, "times");
	st = tape_measure_response(&r->measure, resp, &m, err);
	if (st == TAPE_OK)
		st = tape_grouping_join(&r->grouping,
		    run == NULL ? none : run->labels, resp->t.labels,
		    &m.result.labels, err);
	if (st != TAPE_OK)
		return st;
	if (run != NULL) {
		m.result.arm = run->arm;
		m.result.round = run->round;
	}
	if (m.measured)
		return add_measured(r, &m, err);
	/* Of a warm-up, too, only the last attempt has a result. */
	if (resp->t.retry_ns != TAPE_ABSENT_I64)
		return TAPE_OK;
	r->hand->warmup++;
	return emit(r, &m.result, err);
}

static enum tape_status
pass(struct tape_reduce *r, const struct tape_record *rec, struct tape_err *err)
{
	return r->sink.pass == NULL ? TAPE_OK
				    : r->sink.pass(r->sink.arg, rec, err);
}

/* A record about a run: kept for the report, and passed on. */
static enum tape_status
about_run(struct tape_reduce *r, const struct tape_record *rec, int64_t run,
    struct tape_err *err)
{
	struct tape_reduce_kept *k;
	enum tape_status st = select_run(r, run, err);

	if (st != TAPE_OK)
		return st;
	if (rec->kind == TAPE_KIND_FIDELITY)
		k = &r->hand->fidelity;
	else
		k = tape_str_is(rec->u.run.at, "start") ? &r->hand->start
							: &r->hand->end;
	st = tape_reduce_keep(k, rec, err);
	return st == TAPE_OK ? pass(r, rec, err) : st;
}

static enum tape_ending
ending_of(struct tape_str status)
{
	for (int e = TAPE_ENDING_COMPLETE; e < TAPE_ENDING_FAILED; e++)
		if (tape_str_is(status, tape_ending_name((enum tape_ending)e)))
			return (enum tape_ending)e;
	return TAPE_ENDING_FAILED;
}

static enum tape_status
begin_segment(struct tape_reduce *r, const struct tape_header *header,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	r->ending = TAPE_ENDING_COMPLETE;
	tape_idmap_release(&r->reported);
	if (r->opts.samples != NULL)
		st = tape_samples_begin(r->opts.samples, header, NULL, err);
	if (st == TAPE_OK && r->sink.begin != NULL)
		st = r->sink.begin(r->sink.arg, header, err);
	r->in_segment = st == TAPE_OK;
	return st;
}

static enum tape_status
end_segment(
    struct tape_reduce *r, enum tape_ending ending, struct tape_err *err)
{
	enum tape_status st;

	if (!r->in_segment)
		return TAPE_OK;
	r->ending = ending;
	st = report(r, err);
	r->in_segment = false;
	if (st != TAPE_OK || r->sink.end == NULL)
		return st;
	return r->sink.end(r->sink.arg, ending, err);
}

enum tape_status
tape_reduce_record(
    struct tape_reduce *r, const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st;

	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return begin_segment(r, &rec->u.header, err);
	case TAPE_KIND_END:
		return end_segment(r, ending_of(rec->u.end.status), err);
	case TAPE_KIND_RUN:
		return about_run(r, rec, rec->u.run.run, err);
	case TAPE_KIND_FIDELITY:
		return about_run(r, rec, rec->u.fidelity.run, err);
	case TAPE_KIND_RESPONSE:
		st = select_run(r, rec->u.response.t.run, err);
		return st == TAPE_OK ? add_response(r, &rec->u.response, err)
				     : st;
	case TAPE_KIND_SAMPLE:
		r->counts.late_samples += r->counts.runs > 0;
		return r->opts.samples == NULL
			   ? TAPE_OK
			   : tape_samples_add(
				 r->opts.samples, &rec->u.sample, err);
	case TAPE_KIND_EVENT:
		r->counts.live_events++;
		return TAPE_OK;
	default:
		return TAPE_OK;
	}
}

enum tape_status
tape_reduce_cut(struct tape_reduce *r, struct tape_err *err)
{
	return end_segment(r, TAPE_ENDING_FAILED, err);
}

struct tape_reduce_counts
tape_reduce_counts(const struct tape_reduce *r)
{
	return r->counts;
}
