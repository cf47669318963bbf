/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/definitions.h"

#include "base/mem.h"
#include "engine/definitions_stat.h"
#include "engine/definitions_why.h"
#include "record/schema.h"

extern const struct tape_definitions_peer tape_definitions_aiperf,
    tape_definitions_vllm, tape_definitions_sglang, tape_definitions_guidellm,
    tape_definitions_genai, tape_definitions_mlperf;

const struct tape_definitions_peer
    *const tape_definitions_table[TAPE_DEFINITIONS_PEERS] = {
	    [TAPE_DEFINITIONS_AIPERF] = &tape_definitions_aiperf,
	    [TAPE_DEFINITIONS_VLLM] = &tape_definitions_vllm,
	    [TAPE_DEFINITIONS_SGLANG] = &tape_definitions_sglang,
	    [TAPE_DEFINITIONS_GUIDELLM] = &tape_definitions_guidellm,
	    [TAPE_DEFINITIONS_GENAI] = &tape_definitions_genai,
	    [TAPE_DEFINITIONS_MLPERF] = &tape_definitions_mlperf,
    };

struct tape_definitions {
	unsigned peers;
	bool user_clock;
	struct tape_definitions_seen seen[TAPE_DEFINITIONS_PEERS];
};

enum tape_status
tape_definitions_parse(const char *name, unsigned *peers, struct tape_err *err)
{
	*peers = 0;
	if (name == NULL)
		return TAPE_OK;
	*peers = strcmp(name, "all") == 0 ? TAPE_DEFINITIONS_ALL : 0;
	for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS; i++)
		if (strcmp(name, tape_definitions_table[i]->name) == 0)
			*peers = 1U << i;
	return *peers != 0
		   ? TAPE_OK
		   : tape_err_set(err, TAPE_E_USAGE,
			 "--definitions %s is none of aiperf, vllm, sglang, "
			 "guidellm, genai-perf, mlperf, all",
			 name);
}

static bool
has(const struct tape_definitions *d, unsigned peer)
{
	return (d->peers & 1U << peer) != 0;
}

enum tape_status
tape_definitions_open(struct tape_definitions **out, unsigned peers,
    bool user_clock, struct tape_err *err)
{
	struct tape_definitions *d = tape_mem_calloc(1, sizeof(*d));

	if (d == NULL)
		return tape_err_nomem(err);
	d->peers = peers;
	d->user_clock = user_clock;
	for (size_t i = 0; i < TAPE_DEFINITIONS_PEERS; i++)
		tape_definitions_seen_init(&d->seen[i]);
	*out = d;
	return TAPE_OK;
}

void
tape_definitions_clear(struct tape_definitions *d)
{
	for (size_t i = 0; i < TAPE_DEFINITIONS_PEERS; i++)
		tape_definitions_seen_release(&d->seen[i]);
}

void
tape_definitions_free(struct tape_definitions *d)
{
	if (d == NULL)
		return;
	tape_definitions_clear(d);
	tape_mem_free(d);
}

enum tape_status
tape_definitions_add(struct tape_definitions *d,
    const struct tape_response *resp, const struct tape_measured *m,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (m->tokenless || m->result.token_events == TAPE_ABSENT_I64)
		return tape_err_set(err, TAPE_E_DATA,
		    "--definitions: of request %.*s no token is known: it was "
		    "kept as times, or is of an API without",
		    tape_str_shown(m->result.id, 64), m->result.id.p);
	for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS && st == TAPE_OK; i++)
		if (has(d, i))
			st = tape_definitions_see(&d->seen[i],
			    &tape_definitions_table[i]->rules, resp, m,
			    d->user_clock, err);
	return st;
}

static double
duration_of(const struct tape_definitions_peer *peer,
    const struct tape_definitions_seen *s)
{
	int64_t from = TAPE_ABSENT_I64, to = TAPE_ABSENT_I64;
	int64_t latest = TAPE_ABSENT_I64;

	if (s->n == 0)
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < s->n; i++) {
		const struct tape_definitions_view *v = &s->v[i];

		if (from == TAPE_ABSENT_I64 || v->start_ns < from)
			from = v->start_ns;
		if (peer->rules.window == TAPE_WINDOW_LAST) {
			if (v->start_ns >= latest)
				to = v->end_ns;
		} else if (v->end_ns > to) {
			to = v->end_ns;
		}
		latest = v->start_ns > latest ? v->start_ns : latest;
	}
	if (peer->rules.window == TAPE_WINDOW_WHOLE) {
		from = s->first_start_ns;
		to = s->last_end_ns == TAPE_ABSENT_I64 ? to : s->last_end_ns;
	}
	return to <= from ? TAPE_ABSENT_F64
			  : (double)(to - from) / TAPE_DEFINITIONS_S;
}

static void
total_up(const struct tape_definitions_peer *peer,
    const struct tape_definitions_seen *s, struct tape_definitions_totals *t)
{
	double latency_ns = 0; /* whole, so in any order the same */

	memset(t, 0, sizeof(*t));
	t->seen = s;
	t->ok = s->n;
	t->failed = s->failed;
	t->duration_s = duration_of(peer, s);
	t->whole_s = tape_definitions_whole(s);
	for (size_t i = 0; i < s->n; i++) {
		latency_ns += tape_definitions_latency(&s->v[i]);
		if (s->v[i].input > 0)
			t->input += (double)s->v[i].input;
		if (s->v[i].output > 0)
			t->output += (double)s->v[i].output;
	}
	t->latency_s = latency_ns / TAPE_DEFINITIONS_S;
}

static enum tape_status
collect(const struct tape_definitions_metric *m,
    const struct tape_definitions_seen *s, struct tape_definitions_values *x,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	if (m->kind == TAPE_KIND_OF_GAPS) {
		for (size_t i = 0; i < s->gap_n && st == TAPE_OK; i++)
			st = tape_definitions_values_add(
			    x, s->gaps[i] / m->unit_size, 1, false, err);
		return st;
	}
	for (size_t i = 0; i < s->n && st == TAPE_OK; i++) {
		const double v = m->of(&s->v[i]) / m->unit_size;

		if (isnan(v))
			continue;
		st = tape_definitions_values_add(x, v,
		    m->weight == NULL ? 1 : m->weight(&s->v[i]),
		    m->weight != NULL, err);
	}
	return st;
}

static enum tape_status
describe(const struct tape_definitions_peer *peer,
    const struct tape_definitions_metric *m,
    const struct tape_definitions_seen *seen, struct tape_summary *s,
    struct tape_err *err)
{
	struct tape_definitions_values x = { 0 };
	uint64_t n = 0;
	enum tape_status st;

	if (m->kind == TAPE_KIND_OF_RATE)
		st = tape_definitions_rate(m, seen, &x, &n, err);
	else
		st = collect(m, seen, &x, err);
	if (st == TAPE_OK)
		st = tape_definitions_describe(
		    &x, peer->quantile, peer->whole, s, err);
	if (m->kind == TAPE_KIND_OF_RATE)
		s->n = (int64_t)n;
	tape_definitions_values_release(&x);
	return st;
}

static void
begin(const struct tape_summarize_run *run,
    const struct tape_definitions_peer *peer,
    const struct tape_definitions_metric *m, uint64_t failed,
    struct tape_summary *s)
{
	tape_schema_init(TAPE_KIND_SUMMARY, s);
	s->run = run->run;
	s->arm = run->arm;
	s->round = run->round;
	s->position = run->position;
	s->definitions = tape_str_of(peer->name);
	s->metric = tape_str_of(m->name);
	s->unit = tape_str_of(m->unit);
	s->failed = (int64_t)failed;
}

static enum tape_status
add_row(struct tape_definitions_report *out, enum tape_definitions_id id,
    const struct tape_definitions_metric *m,
    const struct tape_definitions_totals *t,
    const struct tape_summarize_run *run, struct tape_err *err)
{
	const struct tape_definitions_peer *peer = tape_definitions_table[id];
	struct tape_definitions_row *row;
	enum tape_status st = TAPE_OK;

	if (tape_mem_grow((void **)&out->rows, &out->row_cap, out->row_n + 1,
		sizeof(*out->rows)) != 0)
		return tape_err_nomem(err);
	row = &out->rows[out->row_n++];
	row->peer = id;
	row->metric = m;
	begin(run, peer, m, t->failed, &row->summary);
	if (m->kind != TAPE_KIND_OF_RUN)
		return describe(peer, m, t->seen, &row->summary, err);
	row->summary.n = (int64_t)t->ok;
	row->summary.value = m->over(t);
	if (!isfinite(row->summary.value))
		row->summary.value = TAPE_ABSENT_F64;
	return st;
}

enum tape_status
tape_definitions_make(struct tape_definitions *d,
    const struct tape_summarize_run *run, const struct tape_summarize_set *ours,
    struct tape_definitions_report *out, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	memset(out, 0, sizeof(*out));
	out->peers = d->peers;
	out->ours = ours;
	for (unsigned i = 0; i < TAPE_DEFINITIONS_PEERS && st == TAPE_OK; i++) {
		const struct tape_definitions_peer *peer =
		    tape_definitions_table[i];
		struct tape_definitions_totals t;

		if (!has(d, i))
			continue;
		total_up(peer, &d->seen[i], &t);
		for (size_t k = 0; k < peer->metric_n && st == TAPE_OK; k++)
			st = add_row(out, (enum tape_definitions_id)i,
			    &peer->metrics[k], &t, run, err);
		if (st == TAPE_OK)
			st = tape_definitions_why(
			    out, (enum tape_definitions_id)i, &d->seen[i], err);
	}
	if (st != TAPE_OK)
		tape_definitions_report_release(out);
	return st;
}

void
tape_definitions_report_release(struct tape_definitions_report *r)
{
	tape_mem_free(r->rows);
	tape_mem_free(r->reasons);
	memset(r, 0, sizeof(*r));
}

const struct tape_definitions_row *
tape_definitions_row(const struct tape_definitions_report *r,
    enum tape_definitions_id peer, enum tape_definitions_what what)
{
	for (size_t i = 0; i < r->row_n; i++)
		if (r->rows[i].peer == peer && r->rows[i].metric->what == what)
			return &r->rows[i];
	return NULL;
}

double
tape_definitions_value(
    const struct tape_summary *s, enum tape_definitions_stat stat)
{
	switch (stat) {
	case TAPE_STAT_MEAN:
		return s->mean;
	case TAPE_STAT_SD:
		return s->sd;
	case TAPE_STAT_MIN:
		return s->min;
	case TAPE_STAT_MAX:
		return s->max;
	case TAPE_STAT_P50:
		return s->quantiles.p50;
	case TAPE_STAT_P75:
		return s->quantiles.p75;
	case TAPE_STAT_P90:
		return s->quantiles.p90;
	case TAPE_STAT_P95:
		return s->quantiles.p95;
	case TAPE_STAT_P99:
		return s->quantiles.p99;
	case TAPE_STAT_P999:
		return s->quantiles.p999;
	}
	return TAPE_ABSENT_F64;
}
