/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/measure.h"

#include "api/api.h"
#include "base/mem.h"
#include "engine/stamp_head.h"
#include "record/schema.h"

/* No sum of three such times overflows; 36 years. */
#define TIME_MAX (INT64_C(1) << 60)

/* What one walk over the events finds. */
struct walk {
	size_t n;
	int64_t first, second, last; /* token events, from start_ns */
	int64_t answer;              /* the first content behind reasoning */
	bool reasoned;
	size_t choices;        /* with token events */
	size_t kernel, merged; /* by clock */
	size_t blurred;        /* of the merged */
	size_t reads;          /* that brought them */
	int64_t read_ns;       /* the last of these */
	size_t lags;           /* events whose lag is known */
	int64_t lag_sum, lag_max;
};

const char *
tape_measure_from_name(enum tape_measure_from from)
{
	switch (from) {
	case TAPE_MEASURE_FROM_DUE:
		return "due";
	case TAPE_MEASURE_FROM_SENT:
		return "sent";
	case TAPE_MEASURE_FROM_START:
		break;
	}
	return "start";
}

void
tape_measure_init(struct tape_measure *m, const struct tape_measure_opts *opts)
{
	memset(m, 0, sizeof(*m));
	m->opts = *opts;
}

void
tape_measure_release(struct tape_measure *m)
{
	tape_mem_free(m->gaps);
	tape_token_gaps_release(&m->tokens);
	tape_measure_gaps_release(&m->stats);
	memset(m, 0, sizeof(*m));
}

static bool
out_of_range(int64_t t)
{
	return t != TAPE_ABSENT_I64 && (t > TIME_MAX || t < -TIME_MAX);
}

/* The arrays fit each other, and no time can overflow a sum. */
static enum tape_status
check(const struct tape_response *resp, struct tape_err *err)
{
	const struct tape_events *e = &resp->events;
	const struct tape_transfer *t = &resp->t;
	const size_t n = e->t_ns.n;

	if (e->class.len != n || e->clk.len != n ||
	    (e->lag_ns.v != NULL && e->lag_ns.n != n) ||
	    (e->choice.v != NULL && e->choice.n != n) ||
	    (e->out_tokens.v != NULL && e->out_tokens.n != n))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "events of request %.*s are arrays of different lengths",
		    tape_str_shown(t->id, 64), t->id.p);
	if (out_of_range(t->start_ns) || out_of_range(t->due_ns) ||
	    out_of_range(t->could_ns) || out_of_range(t->sent_ns) ||
	    out_of_range(t->origin_due_ns) ||
	    out_of_range(t->origin_start_ns) || out_of_range(t->end_ns) ||
	    out_of_range(t->head_ns) || out_of_range(t->head_lag_ns))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "a time of request %.*s is out of range",
		    tape_str_shown(t->id, 64), t->id.p);
	return TAPE_OK;
}

static int64_t
time_of(const struct tape_measure *m, const struct tape_events *e, size_t i)
{
	int64_t t = e->t_ns.v[i];

	if (m->opts.user_clock && e->lag_ns.v != NULL && e->lag_ns.v[i] > 0 &&
	    e->lag_ns.v[i] < TIME_MAX && t < TIME_MAX)
		t += e->lag_ns.v[i];
	return t;
}

/* Notes the token event i at t in w. */
static void
note(struct walk *w, char class, int64_t t)
{
	if (w->n == 0)
		w->first = t;
	else if (w->n == 1)
		w->second = t;
	if (class == 'g' && !w->reasoned) {
		w->reasoned = true;
		w->answer = TAPE_ABSENT_I64;
	}
	if (class == 'c' && w->answer == TAPE_ABSENT_I64)
		w->answer = t;
	w->last = t;
	w->n++;
}

static void
note_lag(struct walk *w, const struct tape_events *e, size_t i)
{
	const int64_t lag = e->lag_ns.v == NULL ? -1 : e->lag_ns.v[i];

	if (lag < 0 || lag > TIME_MAX)
		return;
	w->lags++;
	/* A sum of more than 36 years is nobody's. */
	w->lag_sum += lag < TIME_MAX - w->lag_sum ? lag : 0;
	if (lag > w->lag_max)
		w->lag_max = lag;
}

/* Of each choice the gaps are between its own events; those of a choice that
   no dialect has make none. */
static void
add_gap(struct tape_measure *m, const struct tape_events *e, size_t i,
    int64_t t, int64_t *choices, struct walk *w)
{
	const int64_t choice = e->choice.v == NULL ? 0 : e->choice.v[i];

	if (choice < 0 || choice >= TAPE_MEASURE_CHOICES)
		return;
	while (*choices <= choice)
		m->last[(*choices)++] = TAPE_ABSENT_I64;
	if (m->last[choice] != TAPE_ABSENT_I64)
		m->gaps[m->gap_n++] = (double)(t - m->last[choice]);
	else
		w->choices++;
	m->last[choice] = t;
}

/* Another token has come in the same read.  Servers send the last token along
   with what ends the answer: to share a read with that costs no token its
   time. */
static bool
is_blurred(const struct tape_events *e, size_t i)
{
	if (e->clk.p[i] != 'm')
		return false;
	for (size_t k = i + 1; k < e->t_ns.n && e->t_ns.v[k] == e->t_ns.v[i];
	     k++)
		if (tape_api_is_token(e->class.p[k]))
			return true;
	return false;
}

static enum tape_status
walk_events(struct tape_measure *m, const struct tape_response *resp,
    struct walk *w, struct tape_err *err)
{
	const struct tape_events *e = &resp->events;
	const size_t n = e->t_ns.n;
	int64_t choices = 0;

	m->gap_n = 0;
	if (n > m->gap_cap && tape_mem_grow((void **)&m->gaps, &m->gap_cap, n,
				  sizeof(*m->gaps)) != 0)
		return tape_err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		int64_t t;

		if (!m->bare && !tape_api_is_token(e->class.p[i]))
			continue;
		t = time_of(m, e, i);
		if (out_of_range(t) || t == TAPE_ABSENT_I64)
			return tape_err_set(err, TAPE_E_FORMAT,
			    "the time of an event is out of range");
		if (w->n == 0 || e->t_ns.v[i] != w->read_ns)
			w->reads++;
		w->read_ns = e->t_ns.v[i];
		note(w, e->class.p[i], t);
		w->kernel += e->clk.p[i] == 'k';
		w->merged += e->clk.p[i] == 'm';
		w->blurred += is_blurred(e, i);
		note_lag(w, e, i);
		if (!m->bare)
			add_gap(m, e, i, t, &choices, w);
	}
	return TAPE_OK;
}

struct timed {
	const struct tape_measure *m;
	const struct tape_events *e;
};

static int64_t
time_of_event(const void *arg, size_t i)
{
	const struct timed *t = arg;

	return time_of(t->m, t->e, i);
}

/* The times of events that bring no text have not been looked at yet. */
static enum tape_status
find_token_gaps(
    struct tape_measure *m, const struct tape_events *e, struct tape_err *err)
{
	const struct timed t = { m, e };

	for (size_t i = 0; i < e->t_ns.n; i++)
		if (out_of_range(e->t_ns.v[i]))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "the time of an event is out of range");
	return tape_token_gaps_find(&m->tokens, e, time_of_event, &t, err);
}

/* head_ns is by the kernel's clock where the lag is known. */
static int64_t
head_of(const struct tape_measure *m, const struct tape_transfer *t)
{
	if (m->opts.user_clock && t->head_ns != TAPE_ABSENT_I64 &&
	    t->head_lag_ns != TAPE_ABSENT_I64)
		return t->head_ns + t->head_lag_ns;
	return t->head_ns;
}

/* end_ns is a user time: the kernel's is that of the last read, if this was
   the one that completed the answer. */
static int64_t
end_of(const struct tape_measure *m, const struct tape_response *resp)
{
	const struct tape_events *e = &resp->events;
	const size_t n = e->t_ns.n;
	const int64_t end = resp->t.end_ns;
	int64_t lag;

	if (m->opts.user_clock || end == TAPE_ABSENT_I64 || n == 0 ||
	    e->lag_ns.v == NULL)
		return end;
	lag = e->lag_ns.v[n - 1];
	if (lag <= 0 || lag > TIME_MAX || out_of_range(e->t_ns.v[n - 1]) ||
	    resp->t.start_ns + e->t_ns.v[n - 1] + lag != end)
		return end;
	return end - lag;
}

static void
copy_fields(const struct tape_response *resp, struct tape_result *r)
{
	const struct tape_transfer *t = &resp->t;

	tape_schema_init(TAPE_KIND_RESULT, r);
	r->run = t->run;
	r->id = t->id;
	r->attempt = t->attempt;
	r->pass = t->pass;
	r->session = t->session;
	r->turn = t->turn;
	r->stage = t->stage;
	r->labels = t->labels;
	r->status = t->status;
	r->error = t->error;
	r->due_ns = t->due_ns;
	r->origin_due_ns = t->origin_due_ns;
	r->origin_start_ns = t->origin_start_ns;
	r->start_ns = t->start_ns;
	r->conn_ns = t->conn_ns;
	r->dns_ns = t->dns_ns;
	r->connect_ns = t->connect_ns;
	r->tls_ns = t->tls_ns;
	r->reused = t->reused;
	r->sent_ns = t->sent_ns;
	r->end_ns = t->end_ns;
	r->tokens = resp->tokens;
	r->kinds = resp->kinds;
	r->asked_output_tokens = t->req.output_tokens;
	r->asked_input_tokens = t->req.input_tokens;
	r->asked_bytes = t->req.bytes;
	r->finish = resp->finish;
	r->reads = resp->reads;
	r->bytes = resp->body_bytes;
	r->text_sha256 = resp->text_sha256;
	/* What a cap on concurrency cost is not the client's doing. */
	if (t->could_ns != TAPE_ABSENT_I64)
		r->late_ns = t->start_ns - t->could_ns;
	else if (t->due_ns != TAPE_ABSENT_I64)
		r->late_ns = t->start_ns - t->due_ns;
}

static void
fail(struct tape_result *r, const char *class, const char *cause,
    const char *message)
{
	r->error.class = tape_str_of(class);
	r->error.cause = tape_str_of(cause);
	r->error.message = tape_str_of(message);
}

/* Whether it succeeded; what came without an error of its own may get one. */
static void
judge(struct tape_result *r, bool empty)
{
	if (r->error.class.p == NULL) {
		if (r->status != TAPE_ABSENT_I64 && r->status >= 400)
			fail(r, "http", "status", NULL);
		else if (empty && r->asked_output_tokens != 0)
			fail(r, "unfinished", "empty", "no token came");
	}
	r->ok = r->error.class.p == NULL;
}

bool
tape_measure_is_planned(const struct tape_failure *e)
{
	return tape_str_is(e->class, "cancelled") &&
	       tape_str_is(e->cause, "planned");
}

/* Of a request that was sent again, its times count from the first attempt:
   the failures before are a part of what it took.  An attempt that fails may
   never have been sent, so the start stands for that. */
static int64_t
origin(const struct tape_result *r, enum tape_measure_from from)
{
	if (from == TAPE_MEASURE_FROM_DUE)
		return r->origin_due_ns != TAPE_ABSENT_I64 ? r->origin_due_ns
							   : r->due_ns;
	if (r->origin_start_ns != TAPE_ABSENT_I64)
		return r->origin_start_ns;
	return from == TAPE_MEASURE_FROM_SENT ? r->sent_ns : r->start_ns;
}

static int64_t
since(int64_t t, int64_t from)
{
	return t == TAPE_ABSENT_I64 || from == TAPE_ABSENT_I64 ? TAPE_ABSENT_I64
							       : t - from;
}

/* Of several choices the time of all, by the tokens of all. */
static double
tpot_of(const struct tape_measure *m, const struct walk *w,
    const struct tape_response *resp)
{
	const int64_t output = resp->tokens.output;
	const int64_t choices = (int64_t)w->choices;
	double sum = 0;

	if (w->n < 2 || output == TAPE_ABSENT_I64 || output < 2)
		return TAPE_ABSENT_F64;
	if (choices <= 1 && resp->finish.n <= 1)
		return (double)(w->last - w->first) / (double)(output - 1);
	if (m->gap_n == 0 || output <= choices || resp->finish.n > w->choices)
		return TAPE_ABSENT_F64;
	for (size_t i = 0; i < m->gap_n; i++)
		sum += m->gaps[i];
	return sum / (double)(output - choices);
}

/* The times of a successful request. */
static void
fill_times(const struct tape_measure *m, const struct walk *w,
    const struct tape_response *resp, struct tape_measured *out)
{
	struct tape_result *r = &out->result;
	const int64_t t0 = origin(r, m->opts.from);
	const int64_t due = origin(r, TAPE_MEASURE_FROM_DUE);
	const int64_t end = out->to_end ? end_of(m, resp) : r->last_ns;

	out->window_ns = end;
	r->latency_ns = since(end, t0);
	r->latency_due_ns = since(end, due);
	r->tth_ns = since(r->head_ns, t0);
	if (w->lags > 0) {
		r->lag_mean_ns = (double)w->lag_sum / (double)w->lags;
		r->lag_max_ns = w->lag_max;
	}
	if (m->bare && w->n > 0)
		r->ttfb_ns = since(r->start_ns + w->first, t0);
	if (out->to_end)
		return;
	r->ttft_ns = since(r->first_ns, t0);
	r->ttft_due_ns = since(r->first_ns, due);
	if (w->n > 1)
		r->ttst_ns = since(r->start_ns + w->second, t0);
	if (w->answer != TAPE_ABSENT_I64)
		r->ttfo_ns = since(r->start_ns + w->answer, t0);
	r->tpot_ns = tpot_of(m, w, resp);
}

static uint64_t
count_of(int64_t v)
{
	return v > 0 ? (uint64_t)v : 0;
}

enum tape_status
tape_measure_response(struct tape_measure *m, const struct tape_response *resp,
    struct tape_measured *out, struct tape_err *err)
{
	const struct tape_api *api = tape_api_find(resp->t.api);
	bool tokenless = api != NULL && api->tokenless;
	struct walk w = { .answer = TAPE_ABSENT_I64 };
	struct tape_result *r = &out->result;
	enum tape_status st = check(resp, err);

	if (st == TAPE_OK)
		st = walk_events(m, resp, &w, err);
	if (st == TAPE_OK)
		st = find_token_gaps(m, &resp->events, err);
	if (st != TAPE_OK)
		return st;
	/* Where tokens were to be seen, their lack is an error by now. */
	tokenless = tokenless || (api != NULL && api->opaque && w.n == 0);
	memset(out, 0, sizeof(*out));
	out->window_ns = TAPE_ABSENT_I64;
	copy_fields(resp, r);
	out->kernel = w.kernel;
	out->merged = w.merged;
	out->blurred = w.blurred;
	out->encoding = resp->encoding;
	out->token_reads = w.reads;
	out->marked =
	    resp->events.class.len > 0 &&
	    memchr(resp->events.class.p, 'd', resp->events.class.len) != NULL;
	out->hash = resp->t.req.hash;
	out->malformed = count_of(resp->sse.malformed);
	out->spliced = count_of(resp->sse.spliced);
	out->user = w.n - w.kernel - w.merged;
	out->whole = resp->t.stream != 0 && !m->bare &&
		     resp->events.t_ns.n == 1 &&
		     tape_flow_is_whole(&resp->t, api);
	out->streamed = resp->t.stream != 0 && !out->whole;
	out->to_end = !out->streamed || m->bare || tokenless;
	out->measured = !tape_str_is(r->stage, "warmup");
	out->reasoned = w.reasoned;
	out->choices = w.choices > 1;
	out->tokenless = tokenless;
	out->from_events = tape_str_is(r->tokens.source, "events");
	r->clock = tape_str_of(m->opts.user_clock ? "user" : "best");
	r->from = tape_str_of(tape_measure_from_name(m->opts.from));
	r->head_ns = head_of(m, &resp->t);
	if (!m->bare)
		r->token_events = (int64_t)w.n;
	r->silent_events = m->tokens.silent;
	tape_measure_server(resp, r);
	if (w.n > 0 && !m->bare) {
		r->first_ns = r->start_ns + w.first;
		r->last_ns = r->start_ns + w.last;
	}
	judge(r, w.n == 0 && !m->bare && !tokenless);
	out->cancelled = tape_measure_is_planned(&r->error);
	if (!r->ok || out->to_end)
		m->gap_n = m->tokens.n = 0;
	out->token_gaps = m->tokens.v;
	out->token_gap_n = m->tokens.n;
	if (!r->ok)
		return TAPE_OK;
	fill_times(m, &w, resp, out);
	if (out->to_end)
		return TAPE_OK;
	m->stats.v = m->gaps;
	m->stats.n = m->gap_n;
	m->stats.one_choice = w.choices <= 1;
	st = tape_measure_gaps_fill(&m->stats, &m->opts.gap_stats, r, err);
	out->backwards = m->stats.backwards;
	return st;
}
