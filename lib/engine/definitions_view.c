/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/definitions_view.h"

#include "base/mem.h"

void
tape_definitions_seen_init(struct tape_definitions_seen *s)
{
	memset(s, 0, sizeof(*s));
	s->first_start_ns = s->last_end_ns = TAPE_ABSENT_I64;
}

void
tape_definitions_seen_release(struct tape_definitions_seen *s)
{
	tape_mem_free(s->v);
	tape_mem_free(s->gaps);
	tape_definitions_seen_init(s);
}

/* As measure has it: by the user's clock the lag is added. */
static int64_t
time_of(const struct tape_response *resp, size_t i, bool user_clock)
{
	const struct tape_events *e = &resp->events;
	int64_t t = resp->t.start_ns + e->t_ns.v[i];

	if (user_clock && e->lag_ns.v != NULL && e->lag_ns.v[i] > 0)
		t += e->lag_ns.v[i];
	return t;
}

/*
 * The role comes in the first event of an answer.  What is empty behind it is a
 * token whose text is held back, or that has none.
 */
static bool
is_token(const struct tape_definitions_rules *rules, char class, bool is_first)
{
	if (class == 'r')
		return rules->empty && !is_first;
	return strchr(rules->tokens, class) != NULL;
}

static enum tape_status
add_gap(struct tape_definitions_seen *s, double gap, struct tape_err *err)
{
	if (tape_mem_grow((void **)&s->gaps, &s->gap_cap, s->gap_n + 1,
		sizeof(*s->gaps)) != 0)
		return tape_err_nomem(err);
	s->gaps[s->gap_n++] = gap;
	return TAPE_OK;
}

static void
note(struct tape_definitions_view *v, char class, int64_t t)
{
	if (v->events == 0)
		v->first_ns = t;
	else if (v->events == 1)
		v->second_ns = t;
	if (v->answer_ns == TAPE_ABSENT_I64 && class != 'g')
		v->answer_ns = t;
	v->last_ns = t;
	v->events++;
}

static enum tape_status
walk(struct tape_definitions_seen *s,
    const struct tape_definitions_rules *rules,
    const struct tape_response *resp, bool user_clock,
    struct tape_definitions_view *v, struct tape_err *err)
{
	const struct tape_str class = resp->events.class;
	bool is_first = true;

	for (size_t i = 0; i < class.len; i++) {
		const int64_t t = time_of(resp, i, user_clock);

		if (class.p[i] == 'k' || class.p[i] == 'o')
			continue;
		if (is_token(rules, class.p[i], is_first)) {
			if (rules->gaps && v->events > 0 &&
			    add_gap(s, (double)(t - v->last_ns), err) !=
				TAPE_OK)
				return TAPE_E_NOMEM;
			note(v, class.p[i], t);
		}
		is_first = false;
	}
	v->gap_n = s->gap_n - v->gap_at;
	return TAPE_OK;
}

static int64_t
end_of(const struct tape_definitions_rules *rules,
    const struct tape_response *resp, const struct tape_measured *m,
    const struct tape_definitions_view *v, bool user_clock)
{
	const struct tape_str class = resp->events.class;
	const int64_t closed = m->window_ns != TAPE_ABSENT_I64 && !v->streamed
				   ? m->window_ns
				   : resp->t.end_ns;
	const char *mark;

	if (!v->streamed)
		return closed;
	switch (rules->end) {
	case TAPE_END_TOKEN:
		return v->last_ns;
	case TAPE_END_EVENT:
		return class.len == 0
			   ? closed
			   : time_of(resp, class.len - 1, user_clock);
	case TAPE_END_MARK:
		break;
	}
	mark = class.len == 0 ? NULL : memchr(class.p, 'd', class.len);
	return mark == NULL
		   ? closed
		   : time_of(resp, (size_t)(mark - class.p), user_clock);
}

static int64_t
start_of(
    const struct tape_definitions_rules *rules, const struct tape_transfer *t)
{
	int64_t start = t->start_ns;

	if (rules->from == TAPE_FROM_CONN)
		start = t->conn_ns;
	else if (rules->from == TAPE_FROM_DUE)
		start = t->due_ns;
	return start == TAPE_ABSENT_I64 ? t->start_ns : start;
}

/* Whether ",a,b," has this class. */
static bool
forgives(const struct tape_definitions_rules *rules, struct tape_str class)
{
	const char *p = rules->forgives;

	while (p != NULL && *p != '\0' && p[1] != '\0') {
		const char *end = strchr(p + 1, ',');

		if (tape_str_equal(
			class, tape_str_make(p + 1, (size_t)(end - p - 1))))
			return true;
		p = end;
	}
	return false;
}

static bool
is_ok(const struct tape_definitions_rules *rules,
    const struct tape_response *resp, const struct tape_measured *m,
    const struct tape_definitions_view *v)
{
	const struct tape_result *r = &m->result;

	if (m->cancelled || (rules->streams_only && !v->streamed))
		return false;
	if (rules->needs_token && v->events == 0)
		return false;
	if ((rules->no_comments && resp->sse.comments > 0) ||
	    (rules->no_malformed && resp->sse.malformed > 0))
		return false;
	return r->ok || forgives(rules, r->error.class);
}

static void
count_tokens(struct tape_definitions_seen *s,
    const struct tape_definitions_rules *rules,
    const struct tape_response *resp, struct tape_definitions_view *v)
{
	const struct tape_tokens *t = &resp->tokens;
	const int64_t trace = resp->t.req.input_tokens;

	v->output = t->output;
	if (t->output == TAPE_ABSENT_I64 || tape_str_is(t->source, "events")) {
		v->output = v->events;
		if (rules->asked_output &&
		    resp->t.req.output_tokens != TAPE_ABSENT_I64) {
			v->output = resp->t.req.output_tokens;
			s->asked++;
		} else {
			s->counted++;
		}
	}
	v->input =
	    rules->usage_input || trace == TAPE_ABSENT_I64 ? t->input : trace;
	if (v->input == TAPE_ABSENT_I64)
		v->input = trace;
}

static void
differ(int64_t theirs, int64_t ours, uint64_t *n, double *sum)
{
	if (theirs == TAPE_ABSENT_I64 || ours == TAPE_ABSENT_I64 ||
	    theirs == ours)
		return;
	(*n)++;
	*sum += (double)(theirs - ours);
}

/* Ours, of an attempt that is the first. */
static int64_t
our_start(const struct tape_result *r)
{
	if (tape_str_is(r->from, "due"))
		return r->due_ns;
	return tape_str_is(r->from, "sent") ? r->sent_ns : r->start_ns;
}

static void
note_difference(struct tape_definitions_seen *s,
    const struct tape_response *resp, const struct tape_measured *m,
    const struct tape_definitions_view *v)
{
	const struct tape_result *r = &m->result;

	s->forgiven += !r->ok;
	if (!r->ok)
		return;
	s->both++;
	if (v->streamed) {
		differ(v->first_ns, r->first_ns, &s->first_n, &s->first_ns);
		differ(v->end_ns, r->last_ns, &s->end_n, &s->end_ns);
	}
	differ(v->start_ns, our_start(r), &s->from_n, &s->from_ns);
	differ(v->input, resp->tokens.input, &s->input_n, &s->input);
}

static void
widen(struct tape_definitions_seen *s, int64_t start, int64_t end)
{
	if (s->first_start_ns == TAPE_ABSENT_I64 || start < s->first_start_ns)
		s->first_start_ns = start;
	if (end != TAPE_ABSENT_I64 &&
	    (s->last_end_ns == TAPE_ABSENT_I64 || end > s->last_end_ns))
		s->last_end_ns = end;
}

static void
fail(struct tape_definitions_seen *s, const struct tape_measured *m)
{
	s->failed++;
	s->broken += m->result.ok ? 1 : 0;
	s->cancelled += m->cancelled;
}

enum tape_status
tape_definitions_see(struct tape_definitions_seen *s,
    const struct tape_definitions_rules *rules,
    const struct tape_response *resp, const struct tape_measured *m,
    bool user_clock, struct tape_err *err)
{
	struct tape_definitions_view v = {
		.start_ns = start_of(rules, &resp->t),
		.first_ns = TAPE_ABSENT_I64,
		.second_ns = TAPE_ABSENT_I64,
		.answer_ns = TAPE_ABSENT_I64,
		.last_ns = TAPE_ABSENT_I64,
		.streamed = resp->t.stream != 0,
		.gap_at = s->gap_n,
	};

	if (walk(s, rules, resp, user_clock, &v, err) != TAPE_OK)
		return TAPE_E_NOMEM;
	/* The one event of an answer in one piece is no time of its tokens. */
	if (!v.streamed)
		v.first_ns = v.answer_ns = v.last_ns = TAPE_ABSENT_I64;
	v.end_ns = end_of(rules, resp, m, &v, user_clock);
	widen(s, v.start_ns, resp->t.end_ns);
	s->retried += resp->t.retry_ns != TAPE_ABSENT_I64;
	if (!is_ok(rules, resp, m, &v) || v.end_ns == TAPE_ABSENT_I64) {
		s->gap_n = v.gap_at;
		fail(s, m);
		return TAPE_OK;
	}
	count_tokens(s, rules, resp, &v);
	s->zero += rules->zero_ttft && v.events == 0;
	note_difference(s, resp, m, &v);
	if (tape_mem_grow((void **)&s->v, &s->cap, s->n + 1, sizeof(*s->v)) !=
	    0)
		return tape_err_nomem(err);
	s->v[s->n++] = v;
	return TAPE_OK;
}
