/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run's report: from what was held of it to the sink. */
#include "base/mem.h"
#include "engine/reduce_state.h"

#include <stdlib.h>

/* With more groups of --by they are not taken together over runs. */
#define BETWEEN_GROUPS_MOST 1000

/* Failed requests that no later attempt replaced: now they count. */
static enum tape_status
settle_failed(struct tape_reduce *r, struct tape_err *err)
{
	struct tape_reduce_hand *h = r->hand;
	const struct tape_result *res = &r->again.u.result;
	enum tape_status st = TAPE_OK;
	size_t reason = 0;

	tape_reduce_hand_settle(h);
	for (size_t i = 0; i < h->failed_n && st == TAPE_OK; i++) {
		const struct tape_reduce_failed *f = &h->failed[i];

		st = tape_record_decode(&r->again,
		    h->failed_lines.data + f->line_at, f->line_len, err);
		if (st == TAPE_OK)
			st =
			    tape_failures_note(&h->failures, res, &reason, err);
		if (st != TAPE_OK)
			return st;
		if (!h->steady || tape_steady_counts(&h->cut, f->start_ns))
			tape_tally_fail(&h->groups[f->group].tally,
			    res->error.class, f->attempt,
			    tape_tally_began_ns(res), res->asked_input_tokens);
		tape_checks_fail(&h->checks, res->error.class, f->attempt);
		tape_failures_count(&h->failures, reason);
		r->counts.measured++;
		st = tape_reduce_emit(r, res, err);
	}
	return st;
}

/* Of the requests that were held those come into the tallies that count. */
static enum tape_status
settle_steady(struct tape_reduce *r, struct tape_err *err)
{
	struct tape_reduce_hand *h = r->hand;
	const struct tape_run *run = &h->start.rec.u.run;
	const bool closed =
	    h->start.present && tape_str_is(run->loop, "closed");
	struct tape_measured m;
	enum tape_status st;

	st = tape_steady_decide(&h->held,
	    closed ? run->concurrency : TAPE_ABSENT_I64, &h->cut, err);
	if (st == TAPE_OK)
		st = tape_steady_trends(&h->held, &h->cut, err);
	for (size_t i = 0; i < h->held.item_n && st == TAPE_OK; i++) {
		const struct tape_steady_item *held = &h->held.items[i];
		struct tape_tally *tally = &h->groups[held->group].tally;
		const double *gaps = tape_steady_back(&h->held, i, &m);

		if (!tape_steady_counts(&h->cut, m.result.start_ns))
			continue;
		if (m.cancelled)
			tape_tally_cancel(tally, &m.result);
		else
			st = tape_tally_add(tally, &m, gaps, held->gap_n, err);
	}
	tape_steady_release(&h->held);
	return st;
}

static enum tape_status
pass(struct tape_reduce *r, const struct tape_reduce_kept *k,
    struct tape_err *err)
{
	return !k->present || r->sink.pass == NULL
		   ? TAPE_OK
		   : r->sink.pass(r->sink.arg, &k->rec, err);
}

static enum tape_status
put_results(struct tape_reduce *r, struct tape_err *err)
{
	struct tape_record rec = { .kind = TAPE_KIND_RESULT };
	struct tape_sorter_key key;
	enum tape_status st = TAPE_OK;

	if (r->sink.result == NULL)
		return TAPE_OK;
	while (st == TAPE_OK) {
		st = tape_sorter_next(&r->hand->results, &key, &rec.line, err);
		if (st == TAPE_OK)
			st = r->sink.result(r->sink.arg, &rec, err);
	}
	return st == TAPE_EOF ? TAPE_OK : st;
}

/* The records of the run, and its results. */
static enum tape_status
put_records(struct tape_reduce *r, struct tape_err *err)
{
	enum tape_status st = pass(r, &r->hand->start, err);

	if (st == TAPE_OK)
		st = put_results(r, err);
	if (st == TAPE_OK)
		st = pass(r, &r->hand->fidelity, err);
	return st == TAPE_OK ? pass(r, &r->hand->end, err) : st;
}

static void
fill_run(const struct tape_reduce *r, struct tape_summarize_run *out)
{
	const struct tape_run *run = &r->hand->start.rec.u.run;

	memset(out, 0, sizeof(*out));
	out->run = r->hand->run;
	out->round = out->position = TAPE_ABSENT_I64;
	if (r->hand->start.present) {
		out->arm = run->arm;
		out->round = run->round;
		out->position = run->position;
		out->imported = run->client.p != NULL;
	}
	out->from = tape_str_of(tape_measure_from_name(r->opts.from));
	out->has_good = r->opts.slo.n > 0;
	out->infinite = r->opts.infinite;
	out->threads = r->opts.threads;
	out->first_ns = out->last_ns = TAPE_ABSENT_I64;
	for (size_t i = 0; i < r->hand->group_n; i++) {
		const struct tape_tally *t = &r->hand->groups[i].tally;

		if (t->first_ns != TAPE_ABSENT_I64 &&
		    (out->first_ns == TAPE_ABSENT_I64 ||
			t->first_ns < out->first_ns))
			out->first_ns = t->first_ns;
		if (t->last_ns != TAPE_ABSENT_I64 &&
		    (out->last_ns == TAPE_ABSENT_I64 ||
			t->last_ns > out->last_ns))
			out->last_ns = t->last_ns;
	}
	/* Up to where it drains as many came in as went out. */
	if (r->hand->steady && r->hand->cut.to_ns != TAPE_ABSENT_I64)
		out->last_ns = r->hand->cut.to_ns;
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct tape_reduce_group *x = a, *y = b;

	return tape_grouping_compare(
	    arg, tape_reduce_group_key(x), tape_reduce_group_key(y));
}

/* What other runs have, too, is kept for between; slices are of this run. */
static enum tape_status
put_set(struct tape_reduce *r, struct tape_str group, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (r->sink.set != NULL)
		st = r->sink.set(r->sink.arg, group, &r->set, err);
	if (st == TAPE_OK && r->sink.between != NULL &&
	    r->hand->start.present &&
	    (group.p == NULL || (r->opts.slice_ns == 0 &&
				    r->hand->group_n <= BETWEEN_GROUPS_MOST)))
		st = tape_between_add(&r->between, &r->hand->start.rec.u.run,
		    group, &r->set, err);
	return st;
}

/* The window of a group: the run's, or what of it lies in the slice. */
static struct tape_summarize_run
window_of(const struct tape_reduce *r, const struct tape_summarize_run *run,
    const struct tape_reduce_group *g)
{
	struct tape_summarize_run here = *run;
	const int64_t to_ns = g->from_ns + r->opts.slice_ns;

	here.sliced = r->opts.slice_ns > 0;
	if (!here.sliced || run->first_ns == TAPE_ABSENT_I64 ||
	    run->last_ns == TAPE_ABSENT_I64)
		return here;
	if (g->from_ns > here.first_ns)
		here.first_ns = g->from_ns;
	if (to_ns < here.last_ns)
		here.last_ns = to_ns;
	if (here.last_ns <= here.first_ns)
		here.first_ns = here.last_ns = TAPE_ABSENT_I64;
	return here;
}

static enum tape_status
put_groups(struct tape_reduce *r, const struct tape_summarize_run *run,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (r->opts.by == NULL)
		return TAPE_OK;
	if (r->hand->group_n > 1)
		qsort_r(r->hand->groups, r->hand->group_n,
		    sizeof(*r->hand->groups), by_key, &r->grouping);
	for (size_t i = 0; i < r->hand->group_n && st == TAPE_OK; i++) {
		struct tape_tally *tally = &r->hand->groups[i].tally;
		const struct tape_str key =
		    tape_reduce_group_key(&r->hand->groups[i]);
		const struct tape_summarize_run here =
		    window_of(r, run, &r->hand->groups[i]);

		st = tape_summarize(&here, key, &tally, 1, &r->set, err);
		if (st == TAPE_OK)
			st = put_set(r, key, err);
	}
	return st;
}

static enum tape_status
put_worst(
    struct tape_reduce *r, const char *line, size_t len, struct tape_err *err)
{
	enum tape_status st = tape_record_decode(&r->again, line, len, err);

	return st == TAPE_OK ? r->sink.worst(r->sink.arg, &r->again, err) : st;
}

static enum tape_status
put_all_worst(struct tape_reduce *r, struct tape_err *err)
{
	const struct tape_reduce_hand *h = r->hand;
	size_t n = h->failed_n;
	enum tape_status st = TAPE_OK;

	if (r->sink.worst == NULL)
		return TAPE_OK;
	for (size_t i = 0; i < h->worst.n && st == TAPE_OK; i++)
		st = put_worst(r, h->worst.rows[i].line.data,
		    h->worst.rows[i].line.len, err);
	if (n > r->opts.worst)
		n = r->opts.worst;
	for (size_t i = 0; i < n && st == TAPE_OK; i++)
		st = put_worst(r, h->failed_lines.data + h->failed[i].line_at,
		    h->failed[i].line_len, err);
	return st;
}

static enum tape_status
put_run(struct tape_reduce *r, const struct tape_summarize_run *run,
    enum tape_ending ending, const struct tape_checks_set *checks,
    const struct tape_reduce_outside *outside, struct tape_err *err)
{
	const struct tape_failures_run about = { .run = r->hand->run,
		.arm = run->arm,
		.requests = r->hand->checks.ok + r->hand->checks.failed };
	struct tape_failures_set failures;
	struct tape_reduce_run info = {
		.run = r->hand->run,
		.start = r->hand->start.present ? &r->hand->start.rec : NULL,
		.end = r->hand->end.present ? &r->hand->end.rec : NULL,
		.fidelity =
		    r->hand->fidelity.present ? &r->hand->fidelity.rec : NULL,
		.warmup = r->hand->warmup,
		.first_ns = run->first_ns,
		.last_ns = run->last_ns,
		.ending = ending,
		.slo = &r->opts.slo,
		.checks = checks->check,
		.check_count = checks->n,
		.kernel = r->hand->checks.kernel,
		.merged = r->hand->checks.merged,
		.user = r->hand->checks.user,
		.outside = outside,
		.steady = r->hand->steady ? &r->hand->cut : NULL,
	};
	enum tape_status st =
	    tape_failures_make(&r->hand->failures, &about, &failures, err);

	info.failures = failures.v;
	info.failure_count = failures.n;
	r->counts.checks_failed += checks->failed;
	r->counts.client_limited +=
	    info.fidelity != NULL &&
	    tape_str_is(info.fidelity->u.fidelity.verdict, "client-limited");
	if (st == TAPE_OK && r->sink.run != NULL)
		st = r->sink.run(r->sink.arg, &info, err);
	tape_failures_set_release(&failures);
	return st;
}

/* By the definitions of peers, beside ours of all requests. */
static enum tape_status
put_peers(struct tape_reduce *r, const struct tape_summarize_run *run,
    struct tape_err *err)
{
	struct tape_definitions_report report;
	enum tape_status st;

	if (r->hand->definitions == NULL || r->sink.peers == NULL)
		return TAPE_OK;
	st = tape_definitions_make(
	    r->hand->definitions, run, &r->set, &report, err);
	if (st != TAPE_OK)
		return st;
	st = r->sink.peers(r->sink.arg, &report, err);
	tape_definitions_report_release(&report);
	return st;
}

/* Summaries of all requests, with the checks that need them. */
static enum tape_status
put_total(struct tape_reduce *r, const struct tape_summarize_run *run,
    enum tape_ending ending, struct tape_err *err)
{
	static const struct tape_str none;
	struct tape_checks_run about = {
		.run = r->hand->run,
		.start =
		    r->hand->start.present ? &r->hand->start.rec.u.run : NULL,
		.end = r->hand->end.present ? &r->hand->end.rec.u.run : NULL,
		.fidelity = r->hand->fidelity.present
				? &r->hand->fidelity.rec.u.fidelity
				: NULL,
		.session = tape_str_make(r->session.data, r->session.len),
		.tools = tape_str_make(r->tools.data, r->tools.len),
		.warmup = r->hand->warmup,
		.history = &r->history,
	};
	struct tape_checks_set checks = { 0 };
	const struct tape_reduce_outside_run elsewhere = {
		.samples = r->opts.samples,
		.offline = r->opts.offline,
		.start = about.start,
		.run = run,
		.all = &r->set,
	};
	struct tape_reduce_outside outside = { 0 };
	struct tape_tally **tallies;
	enum tape_status st;

	tallies =
	    tape_mem_calloc(r->hand->group_n, sizeof(struct tape_tally *));
	if (tallies == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < r->hand->group_n; i++)
		tallies[i] = &r->hand->groups[i].tally;
	st = tape_summarize(run, none, tallies, r->hand->group_n, &r->set, err);
	tape_mem_free(tallies);
	if (st == TAPE_OK && r->hand->steady)
		st = tape_steady_mark(
		    &r->hand->cut, &r->set, &r->hand->cut_text, err);
	about.shared_ratio = r->set.shared_ratio;
	about.output_per_s =
	    r->set.summary[TAPE_METRIC_OUTPUT_TOKENS_PER_S].value;
	about.requests_per_s = r->set.summary[TAPE_METRIC_REQUESTS_PER_S].value;
	if (st == TAPE_OK)
		st = tape_reduce_outside_make(&outside, &elsewhere, err);
	about.observed = outside.observed ? &outside.set : NULL;
	about.engine = outside.native ? &outside.engine : NULL;
	if (st == TAPE_OK)
		st = tape_checks_make(&r->hand->checks, &about, &checks, err);
	if (st == TAPE_OK)
		st = put_run(r, run, ending, &checks, &outside, err);
	if (st == TAPE_OK)
		st = put_set(r, none, err);
	if (st == TAPE_OK)
		st = put_peers(r, run, err);
	tape_checks_set_release(&checks);
	tape_reduce_outside_release(&outside);
	return st;
}

enum tape_status
tape_reduce_report(
    struct tape_reduce *r, enum tape_ending ending, struct tape_err *err)
{
	struct tape_summarize_run run;
	enum tape_status st;

	st = r->hand->steady ? settle_steady(r, err) : TAPE_OK;
	if (st == TAPE_OK)
		st = settle_failed(r, err);
	if (st == TAPE_OK)
		st = put_records(r, err);
	fill_run(r, &run);
	if (st == TAPE_OK)
		st = put_total(r, &run, ending, err);
	if (st == TAPE_OK)
		st = put_groups(r, &run, err);
	if (st == TAPE_OK)
		st = put_all_worst(r, err);
	if (st == TAPE_OK && r->sink.done != NULL)
		st = r->sink.done(r->sink.arg, err);
	return st;
}

enum tape_status
tape_reduce_between(struct tape_reduce *r, struct tape_err *err)
{
	const bool aimed = r->aim.metric != TAPE_METRIC_COUNT;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < r->between.n && st == TAPE_OK; i++) {
		const struct tape_between_cell *c = &r->between.cells[i];
		const struct tape_reduce_between info = { .runs = c->n,
			.arm = tape_str_of(c->arm),
			.group = tape_str_make(c->group, c->group_len),
			.aim = &r->aim,
			.set = &r->set };

		if (c->n < 2 && !aimed)
			continue;
		st = tape_between_make(c, &r->aim, &r->set, err);
		if (st == TAPE_OK)
			st = r->sink.between(r->sink.arg, &info, err);
	}
	tape_between_clear(&r->between);
	return st;
}
