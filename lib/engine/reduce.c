/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/reduce_state.h"

#include <inttypes.h>

/* Groups of one run; each has a tally of its own. */
#define GROUPS_MAX 100000

/* Records of failed requests held at a time. */
#define FAILED_CAP ((size_t)4 << 30)

static void
kept_init(struct tape_reduce_kept *k)
{
	k->present = false;
	tape_buf_init(&k->line, TAPE_CAP_LINE);
	tape_record_init(&k->rec);
}

static void
kept_release(struct tape_reduce_kept *k)
{
	tape_buf_release(&k->line);
	tape_record_release(&k->rec);
}

static enum tape_status
keep(struct tape_reduce_kept *k, const struct tape_record *rec,
    struct tape_err *err)
{
	enum tape_status st;

	tape_buf_clear(&k->line);
	(void)tape_buf_add(&k->line, rec->line.p, rec->line.len);
	st = tape_buf_status(&k->line, err);
	if (st == TAPE_OK)
		st =
		    tape_record_decode(&k->rec, k->line.data, k->line.len, err);
	k->present = st == TAPE_OK;
	return st;
}

enum tape_status
tape_reduce_open(struct tape_reduce **out, const struct tape_reduce_opts *opts,
    const struct tape_reduce_sink *sink, struct tape_err *err)
{
	struct tape_reduce *r = tape_mem_calloc(1, sizeof(*r));
	struct tape_measure_opts measure = { .from = opts->from,
		.user_clock = opts->user_clock,
		.gap_quantiles = sink->result != NULL };
	enum tape_status st;

	if (r == NULL)
		return tape_err_nomem(err);
	r->opts = *opts;
	r->sink = *sink;
	tape_measure_init(&r->measure, &measure);
	kept_init(&r->start);
	kept_init(&r->end);
	kept_init(&r->fidelity);
	tape_checks_init(&r->checks);
	tape_buf_init(&r->failed_lines, FAILED_CAP);
	tape_record_init(&r->again);
	st = tape_grouping_init(&r->grouping, opts->by, err);
	if (st == TAPE_OK)
		st = tape_worst_init(
		    &r->worst, opts->worst, opts->worst_by, err);
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
	tape_reduce_reset(r);
	tape_mem_free(r->groups);
	tape_mem_free(r->failed);
	tape_idmap_release(&r->reported);
	tape_measure_release(&r->measure);
	tape_grouping_release(&r->grouping);
	tape_worst_release(&r->worst);
	tape_checks_history_release(&r->history);
	kept_release(&r->start);
	kept_release(&r->end);
	kept_release(&r->fidelity);
	tape_buf_release(&r->failed_lines);
	tape_record_release(&r->again);
	tape_mem_free(r);
}

void
tape_reduce_reset(struct tape_reduce *r)
{
	r->open = false;
	r->start.present = r->end.present = r->fidelity.present = false;
	r->warmup = 0;
	for (size_t i = 0; i < r->group_n; i++) {
		tape_tally_release(&r->groups[i].tally);
		tape_mem_free(r->groups[i].key);
	}
	r->group_n = 0;
	r->failed_n = 0;
	tape_idmap_release(&r->group_map);
	tape_idmap_release(&r->failed_map);
	tape_buf_release(&r->failed_lines);
	tape_buf_init(&r->failed_lines, FAILED_CAP);
	tape_checks_release(&r->checks);
	tape_failures_release(&r->failures);
	tape_worst_clear(&r->worst);
	tape_grouping_restart(&r->grouping);
}

/* Makes that run the one in hand. */
static enum tape_status
select_run(struct tape_reduce *r, int64_t run, struct tape_err *err)
{
	const uint64_t key = tape_idmap_mix(0, (uint64_t)run);
	enum tape_status st = TAPE_OK;

	if (r->open && r->run == run)
		return TAPE_OK;
	if (r->open)
		st = tape_reduce_report(r, err);
	if (st == TAPE_OK && tape_idmap_get(&r->reported, key, NULL))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a record of run %" PRId64 " after another run had begun",
		    run);
	if (st == TAPE_OK)
		st = tape_idmap_add(&r->reported, key, 0, err);
	if (st != TAPE_OK)
		return st;
	r->open = true;
	r->run = run;
	r->counts.runs++;
	return TAPE_OK;
}

static enum tape_status
new_group(struct tape_reduce *r, struct tape_str key, uint64_t digest,
    size_t *index, struct tape_err *err)
{
	struct tape_reduce_group *g;
	char *copy = NULL;

	if (r->group_n == GROUPS_MAX)
		return tape_err_set(err, TAPE_E_LIMIT,
		    "more than %d groups: --by names a label with too many "
		    "values",
		    GROUPS_MAX);
	if (tape_mem_grow((void **)&r->groups, &r->group_cap, r->group_n + 1,
		sizeof(*g)) != 0)
		return tape_err_nomem(err);
	if (tape_idmap_add(&r->group_map, digest, r->group_n, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	if (key.p != NULL) {
		copy = tape_mem_dup(key.p, key.len);
		if (copy == NULL)
			return tape_err_nomem(err);
	}
	g = &r->groups[r->group_n];
	g->key = copy;
	g->key_len = key.len;
	tape_tally_init(&g->tally);
	*index = r->group_n++;
	return TAPE_OK;
}

/* The group of a request with these labels. */
static enum tape_status
find_group(struct tape_reduce *r, struct tape_str labels, size_t *index,
    struct tape_err *err)
{
	const struct tape_run *run =
	    r->start.present ? &r->start.rec.u.run : NULL;
	struct tape_str key;
	uint64_t digest, found;
	enum tape_status st;

	st = tape_grouping_key(&r->grouping, labels, run, &key, err);
	if (st != TAPE_OK)
		return st;
	digest = key.p == NULL ? 0 : tape_idmap_key(key.p, key.len);
	while (tape_idmap_get(&r->group_map, digest, &found)) {
		if (key.p == NULL ||
		    tape_str_equal(
			tape_reduce_group_key(&r->groups[found]), key)) {
			*index = (size_t)found;
			return TAPE_OK;
		}
		digest = tape_idmap_mix(digest, 1);
	}
	return new_group(r, key, digest, index, err);
}

static uint64_t
request_key(const struct tape_result *res)
{
	return tape_idmap_mix(
	    tape_idmap_key(res->id.p, res->id.len), (uint64_t)res->pass);
}

/* A later attempt came: the failed one before it does not count. */
static void
supersede(struct tape_reduce *r, const struct tape_result *res)
{
	const uint64_t key = request_key(res);
	uint64_t i;

	if (!tape_idmap_get(&r->failed_map, key, &i))
		return;
	r->failed[i].superseded = true;
	tape_idmap_remove(&r->failed_map, key);
}

/* Holds a failed result until the report. */
static enum tape_status
hold(struct tape_reduce *r, const struct tape_result *res, size_t group,
    struct tape_err *err)
{
	struct tape_reduce_failed *f;
	const struct tape_str class = res->error.class;
	const uint64_t key = request_key(res);
	size_t n = class.len;
	enum tape_status st = TAPE_OK;

	if (tape_mem_grow((void **)&r->failed, &r->failed_cap, r->failed_n + 1,
		sizeof(*f)) != 0)
		return tape_err_nomem(err);
	f = &r->failed[r->failed_n];
	memset(f, 0, sizeof(*f));
	f->group = group;
	f->attempt = res->attempt;
	f->start_ns = tape_tally_began_ns(res);
	if (n >= sizeof(f->class))
		n = tape_utf8_cut(class.p, sizeof(f->class) - 1);
	memcpy(f->class, class.p, n);
	f->line_at = r->failed_lines.len;
	if (r->sink.result != NULL || r->opts.worst > 0)
		st = tape_record_encode(
		    TAPE_KIND_RESULT, res, &r->failed_lines, err);
	if (st != TAPE_OK)
		return st;
	f->line_len = r->failed_lines.len - f->line_at;
	st = tape_failures_note(&r->failures, res, &f->reason, err);
	if (st == TAPE_OK && !tape_idmap_get(&r->failed_map, key, NULL))
		st = tape_idmap_add(&r->failed_map, key, r->failed_n, err);
	if (st == TAPE_OK)
		r->failed_n++;
	return st;
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
	tape_tally_cancel(&r->groups[group].tally, &m->result);
	tape_checks_cancel(&r->checks, m);
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
	if (res->attempt > 1)
		supersede(r, res);
	st = tape_checks_attempt(&r->checks, m, err);
	if (st == TAPE_OK)
		st = find_group(r, res->labels, &group, err);
	if (st == TAPE_OK && m->cancelled)
		return set_aside(r, m, group, err);
	if (st == TAPE_OK && !res->ok)
		return hold(r, res, group, err);
	if (st == TAPE_OK)
		st = tape_tally_add(&r->groups[group].tally, m, r->measure.gaps,
		    r->measure.gap_n, err);
	if (st == TAPE_OK)
		st = tape_checks_add(&r->checks, m, err);
	if (st == TAPE_OK)
		st = tape_worst_offer(&r->worst, res, err);
	if (st == TAPE_OK)
		r->counts.measured++;
	return st == TAPE_OK ? emit(r, res, err) : st;
}

static enum tape_status
add_response(struct tape_reduce *r, const struct tape_response *resp,
    struct tape_err *err)
{
	static const struct tape_str none;
	const struct tape_run *run =
	    r->start.present ? &r->start.rec.u.run : NULL;
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
	r->warmup++;
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
    struct tape_reduce_kept *k, struct tape_err *err)
{
	enum tape_status st = select_run(r, run, err);

	if (st == TAPE_OK)
		st = keep(k, rec, err);
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
	if (r->sink.begin != NULL)
		st = r->sink.begin(r->sink.arg, header, err);
	r->in_segment = st == TAPE_OK;
	return st;
}

static enum tape_status
end_segment(
    struct tape_reduce *r, enum tape_ending ending, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (!r->in_segment)
		return TAPE_OK;
	r->ending = ending;
	if (r->open)
		st = tape_reduce_report(r, err);
	r->in_segment = false;
	if (st != TAPE_OK || r->sink.end == NULL)
		return st;
	return r->sink.end(r->sink.arg, ending, err);
}

enum tape_status
tape_reduce_record(
    struct tape_reduce *r, const struct tape_record *rec, struct tape_err *err)
{
	const struct tape_run *run = &rec->u.run;
	enum tape_status st;

	switch (rec->kind) {
	case TAPE_KIND_HEADER:
		return begin_segment(r, &rec->u.header, err);
	case TAPE_KIND_END:
		return end_segment(r, ending_of(rec->u.end.status), err);
	case TAPE_KIND_RUN:
		return about_run(r, rec, run->run,
		    tape_str_is(run->at, "start") ? &r->start : &r->end, err);
	case TAPE_KIND_FIDELITY:
		return about_run(
		    r, rec, rec->u.fidelity.run, &r->fidelity, err);
	case TAPE_KIND_RESPONSE:
		st = select_run(r, rec->u.response.t.run, err);
		return st == TAPE_OK ? add_response(r, &rec->u.response, err)
				     : st;
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
