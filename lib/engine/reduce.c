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
	tape_buf_init(&r->line, TAPE_CAP_LINE);
	tape_buf_init(&r->session, TAPE_CAP_LINE);
	tape_buf_init(&r->tools, TAPE_CAP_LINE);
	if (r->opts.memory == 0)
		r->opts.memory = TAPE_REDUCE_MEMORY;
	tape_slices_init(&r->slices, opts->slice_ns);
	st = tape_slices_names(&r->slices, opts->by, &r->opts.by, err);
	if (st == TAPE_OK)
		st = tape_grouping_init(&r->grouping, r->opts.by, err);
	if (st == TAPE_OK)
		st = tape_between_aim_parse(opts->converge, &r->aim, err);
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
	if (r->in != NULL && r->in->of == 0)
		tape_reduce_set_free(r->in);
	for (size_t i = 0; i < r->waiting_n; i++)
		tape_reduce_set_free(r->waiting[i]);
	tape_mem_free(r->waiting);
	tape_idmap_release(&r->whole);
	tape_buf_release(&r->line);
	tape_buf_release(&r->session);
	tape_buf_release(&r->tools);
	tape_measure_release(&r->measure);
	tape_grouping_release(&r->grouping);
	tape_slices_release(&r->slices);
	tape_between_clear(&r->between);
	tape_checks_history_release(&r->history);
	tape_record_release(&r->again);
	tape_mem_free(r);
}

/* What the run in hand began with, or NULL. */
static const struct tape_run *
start_of(const struct tape_reduce *r)
{
	return r->hand->start.present ? &r->hand->start.rec.u.run : NULL;
}

/* The group of a request. */
static enum tape_status
find_group(struct tape_reduce *r, const struct tape_result *res, size_t *index,
    struct tape_err *err)
{
	const struct tape_run *run = start_of(r);
	const bool dated = run != NULL && run->start_ns != TAPE_ABSENT_I64;
	const int64_t begin = dated ? run->start_ns : 0;
	struct tape_str key, labels;
	int64_t from = 0;
	enum tape_status st;

	if (r->opts.slice_ns > 0)
		from = tape_slices_from(
		    &r->slices, begin, tape_tally_began_ns(res));
	st = tape_slices_label(
	    &r->slices, res->labels, from - begin, &labels, err);
	if (st == TAPE_OK)
		st = tape_grouping_key(&r->grouping, labels, run, &key, err);
	if (st == TAPE_OK)
		st = tape_reduce_hand_group(r->hand, key, index, err);
	if (st == TAPE_OK)
		r->hand->groups[*index].from_ns = from;
	return st;
}

enum tape_status
tape_reduce_emit(
    struct tape_reduce *r, const struct tape_result *res, struct tape_err *err)
{
	const struct tape_sorter_key key = { res->start_ns, tape_tally_key(res),
		res->attempt };
	enum tape_status st;

	r->counts.responses++;
	if (r->sink.result == NULL)
		return TAPE_OK;
	tape_buf_clear(&r->line);
	st = tape_record_encode(TAPE_KIND_RESULT, res, &r->line, err);
	return st == TAPE_OK ? tape_sorter_add(&r->hand->results, &key,
				   r->line.data, r->line.len, err)
			     : st;
}

/* Cancelled on purpose: what the plan was, so no failure. */
static enum tape_status
set_aside(struct tape_reduce *r, const struct tape_measured *m, size_t group,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (r->hand->steady)
		st = tape_steady_hold(&r->hand->held, m, NULL, 0, group, err);
	else
		tape_tally_cancel(&r->hand->groups[group].tally, &m->result);
	if (st != TAPE_OK)
		return st;
	tape_checks_cancel(&r->hand->checks, m);
	r->counts.measured++;
	return tape_reduce_emit(r, &m->result, err);
}

/* Into the tally, or held until it is known whether it counts. */
static enum tape_status
add_ok(struct tape_reduce *r, const struct tape_measured *m, size_t group,
    struct tape_err *err)
{
	const double *gaps = r->measure.gaps;
	const size_t n = r->measure.gap_n;

	return r->hand->steady
		   ? tape_steady_hold(&r->hand->held, m, gaps, n, group, err)
		   : tape_tally_add(
			 &r->hand->groups[group].tally, m, gaps, n, err);
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
		st = find_group(r, res, &group, err);
	if (st == TAPE_OK)
		st = tape_tally_fly(&r->hand->groups[group].tally, m, err);
	if (st == TAPE_OK && m->cancelled)
		return set_aside(r, m, group, err);
	if (st == TAPE_OK && !res->ok)
		return tape_reduce_hand_fail(r->hand, res, group, err);
	if (st == TAPE_OK)
		st = add_ok(r, m, group, err);
	if (st == TAPE_OK)
		st = tape_checks_add(&r->hand->checks, m, err);
	if (st == TAPE_OK)
		st = tape_worst_offer(&r->hand->worst, res, err);
	if (st == TAPE_OK)
		r->counts.measured++;
	return st == TAPE_OK ? tape_reduce_emit(r, res, err) : st;
}

/* What a result has of its run. */
static enum tape_status
join_run(struct tape_reduce *r, struct tape_result *res, struct tape_err *err)
{
	static const struct tape_str none;
	const struct tape_run *run = start_of(r);

	if (run != NULL) {
		res->arm = run->arm;
		res->round = run->round;
	}
	return tape_grouping_join(&r->grouping,
	    run == NULL ? none : run->labels, res->labels, &res->labels, err);
}

static enum tape_status
add_response(struct tape_reduce *r, const struct tape_response *resp,
    struct tape_err *err)
{
	const struct tape_run *run = start_of(r);
	struct tape_measured m;
	enum tape_status st;

	r->hand->responses++;
	r->measure.bare = run != NULL && tape_str_is(run->keep, "times");
	st = tape_measure_response(&r->measure, resp, &m, err);
	if (st == TAPE_OK && r->hand->definitions != NULL && m.measured)
		st = tape_definitions_add(r->hand->definitions, resp, &m, err);
	if (st == TAPE_OK)
		st = join_run(r, &m.result, err);
	if (st == TAPE_OK && r->hand->steady)
		st = tape_steady_fly(&r->hand->held, &m, err);
	if (st != TAPE_OK)
		return st;
	if (m.measured)
		return add_measured(r, &m, err);
	/* Of a warm-up, too, only the last attempt has a result. */
	if (resp->t.retry_ns != TAPE_ABSENT_I64)
		return TAPE_OK;
	r->hand->warmup++;
	return tape_reduce_emit(r, &m.result, err);
}

enum tape_status
tape_reduce_measured(struct tape_reduce *r, struct tape_measured *m,
    struct tape_f64s gaps, struct tape_err *err)
{
	enum tape_status st = tape_reduce_select(r, m->result.run, err);

	if (st == TAPE_OK)
		st = join_run(r, &m->result, err);
	if (st == TAPE_OK)
		r->hand->responses++;
	if (st == TAPE_OK)
		st = tape_measure_given_gaps(&r->measure, gaps, m, err);
	if (st != TAPE_OK)
		return st;
	if (m->measured)
		return add_measured(r, m, err);
	r->hand->warmup++;
	return tape_reduce_emit(r, &m->result, err);
}

/* A record about a run: kept for the report. */
static enum tape_status
about_run(struct tape_reduce *r, const struct tape_record *rec, int64_t run,
    struct tape_err *err)
{
	enum tape_status st = tape_reduce_select(r, run, err);

	return st == TAPE_OK ? tape_reduce_about(r, rec, err) : st;
}

enum tape_status
tape_reduce_record(
    struct tape_reduce *r, const struct tape_record *rec, struct tape_err *err)
{
	enum tape_status st;

	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return tape_reduce_begin(r, rec, err);
	case TAPE_KIND_END:
		return tape_reduce_end(
		    r, tape_ending_of(rec->u.end.status), err);
	case TAPE_KIND_RUN:
		return about_run(r, rec, rec->u.run.run, err);
	case TAPE_KIND_FIDELITY:
		return about_run(r, rec, rec->u.fidelity.run, err);
	case TAPE_KIND_RESPONSE:
		st = tape_reduce_select(r, rec->u.response.t.run, err);
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
	return tape_reduce_end(r, TAPE_ENDING_FAILED, err);
}

struct tape_reduce_counts
tape_reduce_counts(const struct tape_reduce *r)
{
	return r->counts;
}

const char *
tape_reduce_why_nothing(const struct tape_reduce_counts *c)
{
	if (c->responses > 0)
		return "no response in the input but those of the warm-up";
	if (c->live_events > 0)
		return "the input is a live stream: its events belong to no "
		       "request";
	return "no response in the input";
}

struct tape_str
tape_reduce_unknown_by(const struct tape_reduce *r)
{
	for (size_t i = 0; i < r->grouping.n; i++)
		if (!r->grouping.seen[i])
			return r->grouping.names[i];
	return tape_str_make(NULL, 0);
}
