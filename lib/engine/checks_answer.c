/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the answers what was asked for: lengths, ends, tokens. */
#include "base/mem.h"
#include "engine/checks_impl.h"

#include <stdlib.h>

#define EARLY_RATIO  0.05 /* of the requests: more is no accident */
#define NEAR_RATIO   0.95 /* of the prompts: fewer is another tokenizer */
#define NEAR_TOKENS  2.0
#define TEMPLATE_MAX 100.0 /* tokens that a chat template may add */
#define REUSED_RATIO 0.05  /* of the prompt tokens */

enum tape_status
tape_checks_usage(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;

	if (c->ok == c->tokenless)
		return TAPE_OK;
	k = tape_checks_begin(m, "usage");
	k->n = (int64_t)c->usage;
	k->of = (int64_t)c->ok;
	tape_checks_warn(k, c->usage < c->ok,
	    "let the server send usage: stream_options.include_usage, without "
	    "--no-usage");
	if (c->usage == c->ok)
		(void)tape_buf_add_str(&m->text, "tokens as the server counts");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64
		    " answers without usage: token events stand for tokens",
		    c->ok - c->usage, c->ok);
	return tape_checks_end(m, k, err);
}

/* Why answers are short: the model ended them, or they were counted
   otherwise. */
static void
add_why(struct tape_buf *text, const struct tape_checks *c)
{
	if (c->early_stop > 0)
		(void)tape_buf_add_fmt(text,
		    ", %" PRIu64 " of them by the model's own end (EOS)",
		    c->early_stop);
	if (c->early_length > 0)
		(void)tape_buf_add_fmt(text,
		    ", %" PRIu64 " of them for length: only the count differs",
		    c->early_length);
}

enum tape_status
tape_checks_length(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	double early;

	if (c->asked == 0)
		return TAPE_OK;
	early = (double)c->early / (double)c->asked;
	k = tape_checks_begin(m, "length");
	k->n = (int64_t)(c->asked - c->early);
	k->of = (int64_t)c->asked;
	tape_checks_warn(k, c->early > 0 || c->beyond > 0,
	    "use completions with ignore_eos, where the server has it, so "
	    "that all answers are of one length");
	tape_checks_bad(k, early > EARLY_RATIO,
	    "EOS: use completions with ignore_eos, where the server has it");
	if (c->early == 0)
		(void)tape_buf_add_str(
		    &m->text, "all reached the output length asked for");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64 " stopped early (%.1f %%)",
		    c->early, c->asked, 100 * early);
	if (c->early > 0)
		add_why(&m->text, c);
	if (c->beyond > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", %" PRIu64 " went beyond it", c->beyond);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_finish(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;

	if (c->ok == c->tokenless)
		return TAPE_OK;
	k = tape_checks_begin(m, "finish");
	k->n = (int64_t)c->finished;
	k->of = (int64_t)c->ok;
	tape_checks_warn(k, c->finished < c->ok,
	    "some answers may have been cut: look at their ends");
	tape_checks_add_names(&m->text, &c->finish);
	if (c->finished < c->ok)
		(void)tape_buf_add_fmt(&m->text,
		    "%s%" PRIu64 " without a reason",
		    c->finish.n > 0 ? ", " : "", c->ok - c->finished);
	return tape_checks_end(m, k, err);
}

/* Servers that send none never do; one that does forgets none. */
enum tape_status
tape_checks_end_mark(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;

	if (c->streamed == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "end_mark");
	k->n = (int64_t)c->marked;
	k->of = (int64_t)c->streamed;
	tape_checks_warn(k, c->marked > 0 && c->marked < c->streamed,
	    "streams were cut behind their finish reason, where usage may "
	    "have stood: look at server and proxy");
	if (c->marked == 0)
		(void)tape_buf_add_str(
		    &m->text, "no stream has one: the server sends none");
	else if (c->marked == c->streamed)
		(void)tape_buf_add_str(&m->text, "every stream has one");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64 " streams have none",
		    c->streamed - c->marked, c->streamed);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_malformed(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k = tape_checks_begin(m, "malformed");

	k->value = (double)c->malformed;
	k->expected = 0;
	tape_checks_warn(k, c->malformed > 0,
	    c->spliced > 0
		? "frames were spliced on the way: leave the proxy out"
		: "check --api; else tell who makes the server");
	if (c->malformed == 0)
		(void)tape_buf_add_str(&m->text, "every event was understood");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " events of %" PRIu64
		    " answers are not JSON of the dialect, %" PRIu64
		    " of them spliced",
		    c->malformed, c->malformed_in, c->spliced);
	return tape_checks_end(m, k, err);
}

/* How many prompts are off by no more than the median and a little. */
static uint64_t
count_near(const struct tape_checks *c, double median)
{
	uint64_t near = 0;

	for (size_t i = 0; i < c->prompts; i++) {
		double room = 0.01 * c->expected[i];

		if (room < NEAR_TOKENS)
			room = NEAR_TOKENS;
		near += fabs(c->overhead[i] - median) <= room;
	}
	return near;
}

enum tape_status
tape_checks_prompt(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	double extra = 0, expected = 0, room;
	uint64_t near;
	enum tape_status st;

	if (c->prompts == 0)
		return TAPE_OK;
	st = tape_checks_quantile(c->overhead, c->prompts, 0.5, &extra, err);
	if (st == TAPE_OK)
		st = tape_checks_quantile(
		    c->expected, c->prompts, 0.5, &expected, err);
	if (st != TAPE_OK)
		return st;
	near = count_near(c, extra);
	room = expected / 10 > TEMPLATE_MAX ? expected / 10 : TEMPLATE_MAX;
	k = tape_checks_begin(m, "prompt_tokens");
	k->n = (int64_t)near;
	k->of = (int64_t)c->prompts;
	k->value = expected + extra;
	k->expected = expected;
	tape_checks_warn(k,
	    extra < 0 || extra > room ||
		(double)near < NEAR_RATIO * (double)c->prompts,
	    "the tokenizer is another one, or prompts are cut: compare "
	    "input_tokens, not the lengths of the trace");
	(void)tape_buf_add_fmt(&m->text,
	    "median %+.0f on the trace's, %" PRIu64 " of %zu near that", extra,
	    near, c->prompts);
	return tape_checks_end(m, k, err);
}

/* Whether the trace has prompts that share something: TAPE_ABSENT_BOOL
   unknown. */
static int8_t
declared(const struct tape_checks_maker *m)
{
	if (m->c->turns)
		return 1;
	if (m->run->end != NULL && m->run->end->reuse != TAPE_ABSENT_BOOL)
		return m->run->end->reuse;
	return m->run->start == NULL ? TAPE_ABSENT_BOOL : m->run->start->reuse;
}

static int
by_hash(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How many bodies were sent before in the run, byte for byte. */
static enum tape_status
count_repeated(
    const struct tape_checks_maker *m, size_t *repeated, struct tape_err *err)
{
	uint64_t *v = tape_mem_calloc(m->points_n + 1, sizeof(*v));
	size_t n = 0;

	*repeated = 0;
	if (v == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < m->points_n; i++)
		if (m->points[i].hash != 0)
			v[n++] = m->points[i].hash;
	qsort(v, n, sizeof(*v), by_hash);
	for (size_t i = 1; i < n; i++)
		*repeated += v[i] == v[i - 1];
	tape_mem_free(v);
	return TAPE_OK;
}

/* Prompts that were played in the warm-up come again, and may be cached. */
enum tape_status
tape_checks_cached(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const double all = (double)(c->ok + c->failed);
	const double room =
	    REUSED_RATIO + (all > 0 ? (double)m->run->warmup / all : 0);
	struct tape_check *k;
	size_t repeated;
	bool reused;
	enum tape_status st;

	if (c->cached_n == 0)
		return TAPE_OK;
	st = count_repeated(m, &repeated, err);
	if (st != TAPE_OK)
		return st;
	reused =
	    c->reused > room * c->cached_of ||
	    (c->cached > room * c->cached_of && (double)repeated > room * all);
	k = tape_checks_begin(m, "cached_tokens");
	k->n = (int64_t)c->cached_n;
	k->of = (int64_t)c->ok;
	k->value = c->cached_of > 0 ? c->cached / c->cached_of : 0;
	tape_checks_warn(k, declared(m) == 0 && reused,
	    "no two prompts were meant to share: use new prompts (another "
	    "--seed, --salt) or clear the cache, before a cold start is "
	    "claimed");
	(void)tape_buf_add_fmt(&m->text,
	    "%.1f %% of the prompt tokens, from a cache%s", 100 * k->value,
	    tape_str_is(k->status, "warn") ? ", though the trace has no reuse"
					   : "");
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_one_token(struct tape_checks_maker *m, struct tape_err *err)
{
	const double shared = m->run->shared_ratio;
	struct tape_check *k;

	if (isnan(shared))
		return TAPE_OK;
	k = tape_checks_begin(m, "one_token");
	k->value = shared;
	k->expected = 0;
	if (shared > 0)
		(void)tape_buf_add_fmt(&m->text,
		    "%.1f %% of the tokens shared an event: gap is between "
		    "chunks",
		    100 * shared);
	else
		(void)tape_buf_add_str(&m->text, "one token an event");
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_encoding(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	uint64_t n = c->encodings.other;

	for (size_t i = 0; i < c->encodings.n; i++)
		n += c->encodings.v[i].count;
	if (n == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "encoding");
	k->n = (int64_t)n;
	k->of = (int64_t)(c->ok + c->failed);
	tape_checks_warn(k, true,
	    "ask for identity, or switch off what compresses on the way");
	(void)tape_buf_add_str(&m->text, "answers came compressed: ");
	tape_checks_add_names(&m->text, &c->encodings);
	(void)tape_buf_add_str(&m->text, "; times are of compressed reads");
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_not_streamed(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;

	if (c->whole_bodies == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "not_streamed");
	k->n = (int64_t)c->whole_bodies;
	k->of = (int64_t)c->ok;
	tape_checks_warn(k, true,
	    "they have no times of tokens: see whether server and model "
	    "stream, and that no field says stream:false");
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRIu64 " of %" PRIu64
	    " answers came as one body, though streams were asked for",
	    c->whole_bodies, c->ok);
	return tape_checks_end(m, k, err);
}
