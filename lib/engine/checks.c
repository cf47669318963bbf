/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted for the checks; checks_make.c turns it into records. */
#include "engine/checks.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "engine/idmap.h"

#include <stdlib.h>

#define TEMPLATE     128.0 /* tokens of a template of unknown length */
#define WHOLE_EVENTS 4     /* token events of a stream that may come at once */
#define LUMP_EVENTS  16    /* and of one that may come in lumps, */
#define LUMP         8     /* of so many */

void
tape_checks_init(struct tape_checks *c)
{
	memset(c, 0, sizeof(*c));
}

void
tape_checks_release(struct tape_checks *c)
{
	tape_mem_free(c->overhead);
	tape_mem_free(c->expected);
	tape_mem_free(c->points);
	tape_checks_init(c);
}

/* Which are kept of too many names does not depend on the order in which they
   come: those that sort first. */
static void
count_name(struct tape_checks_names *names, struct tape_str name)
{
	struct tape_checks_name fresh = { .count = 1 };
	const size_t last = TAPE_CHECKS_NAMES - 1;
	size_t len = name.len, at = 0;
	int order = -1;

	if (len >= TAPE_CHECKS_NAME)
		len = tape_utf8_cut(name.p, TAPE_CHECKS_NAME - 1);
	memcpy(fresh.name, name.p, len);
	while (at < names->n &&
	       (order = strcmp(names->v[at].name, fresh.name)) < 0)
		at++;
	if (at < names->n && order == 0) {
		names->v[at].count++;
		return;
	}
	if (at == TAPE_CHECKS_NAMES) {
		names->other++;
		return;
	}
	if (names->n == TAPE_CHECKS_NAMES)
		names->other += names->v[last].count;
	else
		names->n++;
	memmove(&names->v[at + 1], &names->v[at],
	    (names->n - 1 - at) * sizeof(fresh));
	names->v[at] = fresh;
}

static void
count_finish(struct tape_checks *c, const struct tape_result *r)
{
	bool all = r->finish.n > 0;

	for (size_t i = 0; i < r->finish.n; i++) {
		if (r->finish.v[i].len == 0)
			all = false;
		else
			count_name(&c->finish, r->finish.v[i]);
	}
	c->finished += all;
}

/* Reasons that say that the length asked for was reached. */
static bool
is_length(struct tape_str why)
{
	static const char *const names[] = { "length", "max_tokens",
		"MAX_TOKENS", "max_output_tokens", "model_length" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (tape_str_is(why, names[i]))
			return true;
	return false;
}

/* Fewer tokens than asked for: of its choices' reasons one that is not the
   length tells why. */
static void
count_early(struct tape_checks *c, const struct tape_strs *finish)
{
	bool length = false, other = false;

	for (size_t i = 0; i < finish->n; i++) {
		length |= is_length(finish->v[i]);
		other |= finish->v[i].len > 0 && !is_length(finish->v[i]);
	}
	c->early++;
	c->early_stop += other;
	c->early_length += length && !other;
}

static void
count_length(struct tape_checks *c, const struct tape_measured *m)
{
	const struct tape_result *r = &m->result;
	int64_t choices = r->finish.n > 1 ? (int64_t)r->finish.n : 1;
	int64_t asked;

	if (m->from_events || r->tokens.output == TAPE_ABSENT_I64)
		return;
	c->usage++;
	if (r->asked_output_tokens == TAPE_ABSENT_I64 ||
	    __builtin_mul_overflow(r->asked_output_tokens, choices, &asked))
		return;
	c->asked++;
	if (r->tokens.output < asked)
		count_early(c, &r->finish);
	c->beyond += r->tokens.output > asked;
}

/* What of the cached tokens a template that all prompts begin with does not
   explain: it is what the server counts beyond the trace, or else it is taken
   to have TEMPLATE tokens. */
static void
count_cached(struct tape_checks *c, const struct tape_result *r)
{
	const double cached = (double)r->tokens.cached;
	double template = TEMPLATE;

	if (r->asked_input_tokens != TAPE_ABSENT_I64)
		template =
		    (double)r->tokens.input - (double)r->asked_input_tokens;
	if (template <0)
		template = 0;
	c->cached_n++;
	c->cached += cached;
	c->cached_of += (double)r->tokens.input;
	c->reused += cached > template ? cached - template : 0;
}

static enum tape_status
count_prompt(
    struct tape_checks *c, const struct tape_result *r, struct tape_err *err)
{
	const size_t need = c->prompts + 1;

	if (r->tokens.input == TAPE_ABSENT_I64)
		return TAPE_OK;
	if (r->tokens.cached != TAPE_ABSENT_I64)
		count_cached(c, r);
	if (r->asked_input_tokens == TAPE_ABSENT_I64)
		return TAPE_OK;
	if (tape_mem_grow((void **)&c->overhead, &c->overhead_cap, need,
		sizeof(double)) != 0 ||
	    tape_mem_grow((void **)&c->expected, &c->expected_cap, need,
		sizeof(double)) != 0)
		return tape_err_nomem(err);
	c->expected[c->prompts] = (double)r->asked_input_tokens;
	c->overhead[c->prompts] =
	    (double)r->tokens.input - (double)r->asked_input_tokens;
	c->prompts = need;
	return TAPE_OK;
}

/* attempt: the last one. */
static void
count_attempts(struct tape_checks *c, int64_t attempt)
{
	if (attempt <= 1)
		return;
	c->retried++;
	c->retries += (uint64_t)(attempt - 1);
}

enum tape_status
tape_checks_add(
    struct tape_checks *c, const struct tape_measured *m, struct tape_err *err)
{
	c->ok++;
	c->tokenless += m->tokenless;
	count_attempts(c, m->result.attempt);
	c->streamed += m->streamed;
	c->whole_bodies += m->whole;
	c->marked += m->streamed && m->marked;
	count_finish(c, &m->result);
	count_length(c, m);
	return count_prompt(c, &m->result, err);
}

/* How many reads a stream took. */
static void
count_reads(struct tape_checks *c, const struct tape_measured *m)
{
	const uint64_t events = m->kernel + m->merged + m->user;

	if (!m->result.ok || m->to_end || events < WHOLE_EVENTS)
		return;
	c->whole_of++;
	c->whole += m->token_reads == 1;
	if (events < LUMP_EVENTS)
		return;
	c->lumps_of++;
	c->lumps += events >= LUMP * m->token_reads;
	c->events += (double)events;
	c->reads += (double)m->token_reads;
}

static double
number(int64_t v)
{
	return v == TAPE_ABSENT_I64 ? TAPE_ABSENT_F64 : (double)v;
}

static int
by_time(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

/* Those that are equal here are of the same times, and of one request's. */
static int
by_start(const void *a, const void *b)
{
	const struct tape_checks_point *x = a, *y = b;
	int order = by_time(x->start_ns, y->start_ns);

	if (order == 0)
		order = by_time(x->end_ns, y->end_ns);
	if (order == 0)
		order = by_time(x->first_ns, y->first_ns);
	if (order == 0)
		order = by_time(x->last_ns, y->last_ns);
	if (order == 0)
		order = (x->hash > y->hash) - (x->hash < y->hash);
	if (order == 0)
		order = by_time(x->token_events, y->token_events);
	if (order == 0)
		order = (x->output > y->output) - (x->output < y->output);
	return order != 0 ? order
			  : (x->input > y->input) - (x->input < y->input);
}

void
tape_checks_trim(struct tape_checks *c)
{
	if (c->points_n > 1)
		qsort(c->points, c->points_n, sizeof(*c->points), by_start);
	if (c->points_n > TAPE_CHECKS_POINTS)
		c->points_n = TAPE_CHECKS_POINTS;
}

static enum tape_status
add_point(
    struct tape_checks *c, const struct tape_measured *m, struct tape_err *err)
{
	const struct tape_result *r = &m->result;
	struct tape_checks_point p = {
		.start_ns = r->start_ns,
		.end_ns = r->end_ns,
		.first_ns = r->first_ns,
		.last_ns = r->last_ns,
		.ttft_ns = number(r->ttft_ns),
		.latency_ns = number(r->latency_ns),
		.tpot_ns = r->tpot_ns,
		.input = number(r->tokens.input),
		.output = number(r->tokens.output),
		.token_events = m->to_end ? 0 : r->token_events,
	};

	c->seen++;
	if (c->trimmed && p.start_ns > c->latest_ns)
		return TAPE_OK;
	if (m->hash.p != NULL)
		p.hash = tape_idmap_key(m->hash.p, m->hash.len);
	if (tape_mem_grow((void **)&c->points, &c->points_cap, c->points_n + 1,
		sizeof(*c->points)) != 0)
		return tape_err_nomem(err);
	c->points[c->points_n++] = p;
	if (c->points_n == 2 * TAPE_CHECKS_POINTS) {
		tape_checks_trim(c);
		c->trimmed = true;
		c->latest_ns = c->points[c->points_n - 1].start_ns;
	}
	return TAPE_OK;
}

enum tape_status
tape_checks_attempt(
    struct tape_checks *c, const struct tape_measured *m, struct tape_err *err)
{
	c->kernel += m->kernel;
	c->merged += m->merged;
	c->blurred += m->blurred;
	c->user += m->user;
	if (m->encoding.p != NULL)
		count_name(&c->encodings, m->encoding);
	c->malformed += m->malformed;
	c->malformed_in += m->malformed > 0;
	c->spliced += m->spliced;
	c->turns |= m->result.turn != TAPE_ABSENT_I64 && m->result.turn > 0;
	count_reads(c, m);
	return add_point(c, m, err);
}

void
tape_checks_cancel(struct tape_checks *c, const struct tape_measured *m)
{
	c->cancelled++;
	count_attempts(c, m->result.attempt);
}

void
tape_checks_fail(struct tape_checks *c, struct tape_str class, int64_t attempt)
{
	c->failed++;
	count_attempts(c, attempt);
	count_name(&c->errors, class);
}
