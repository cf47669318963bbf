/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "base/utf8.h"
#include "codec/stat_quantile.h"
#include "codec/stat_sort.h"
#include "engine/checks.h"
#include "record/schema.h"

#include <inttypes.h>

#define EARLY_RATIO  0.05 /* of the requests: more is no accident */
#define NEAR_RATIO   0.95 /* of the prompts: fewer is another tokenizer */
#define NEAR_TOKENS  2.0
#define TEMPLATE_MAX 100.0 /* tokens that a chat template may add */
#define SHARED_RATIO 0.05
#define MERGED_RATIO 0.05
#define TEXT_CAP     2048
#define STOP_MAX     64

/* A set while it is made. */
struct maker {
	const struct tape_checks *c;
	const struct tape_checks_run *run;
	struct tape_checks_set *out;
	struct tape_buf text; /* of the check in hand */
};

static struct tape_check *
add(struct maker *m, const char *name)
{
	struct tape_check *k = &m->out->check[m->out->n++];

	tape_schema_init(TAPE_KIND_CHECK, k);
	k->run = m->run->run;
	if (m->run->start != NULL)
		k->arm = m->run->start->arm;
	k->name = tape_str_of(name);
	k->status = tape_str_of("ok");
	tape_buf_clear(&m->text);
	return k;
}

static void
warn_if(struct tape_check *k, bool warn)
{
	if (warn)
		k->status = tape_str_of("warn");
}

static void
fail_if(struct tape_check *k, bool fail)
{
	if (fail)
		k->status = tape_str_of("fail");
}

/* Only times were kept: nothing is known of tokens. */
static bool
bare(const struct maker *m)
{
	return m->run->start != NULL &&
	       tape_str_is(m->run->start->keep, "times");
}

/* Moves the text in hand into the check. */
static enum tape_status
done(struct maker *m, struct tape_check *k, struct tape_err *err)
{
	enum tape_status st = tape_buf_status(&m->text, err);

	if (st != TAPE_OK)
		return st;
	k->text.p = tape_arena_dup(&m->out->arena, m->text.data, m->text.len);
	k->text.len = m->text.len;
	m->out->failed += tape_str_is(k->status, "fail");
	return k->text.p == NULL ? tape_err_nomem(err) : TAPE_OK;
}

static void
add_names(struct tape_buf *text, const struct tape_checks_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		(void)tape_buf_add_fmt(text, "%s%" PRIu64 " %s",
		    i > 0 ? ", " : "", names->v[i].count, names->v[i].name);
}

/* How many results there should be; TAPE_ABSENT_I64 unknown. */
static int64_t
planned(const struct tape_run *start, const struct tape_run *end)
{
	if (end != NULL && tape_str_is(end->stop, "duration"))
		return end->sent;
	if (start != NULL && start->requests != TAPE_ABSENT_I64)
		return start->requests;
	/* The start may have come before the end of a long trace. */
	if (end != NULL && end->requests != TAPE_ABSENT_I64)
		return end->requests;
	return end == NULL ? TAPE_ABSENT_I64 : end->sent;
}

static enum tape_status
check_requests(struct maker *m, struct tape_err *err)
{
	const struct tape_run *end = m->run->end;
	const int64_t n = (int64_t)(m->c->ok + m->c->failed + m->c->cancelled);
	const int64_t of = planned(m->run->start, end);
	struct tape_check *k = add(m, "requests");

	k->n = n;
	k->of = of;
	if (of == TAPE_ABSENT_I64) {
		(void)tape_buf_add_fmt(
		    &m->text, "%" PRId64 " results; the plan is not known", n);
		return done(m, k, err);
	}
	fail_if(k, n != of);
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRId64 " of %" PRId64 " planned have a result", n, of);
	if (end != NULL && end->unsent != TAPE_ABSENT_I64 && end->unsent > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", %" PRId64 " were not sent", end->unsent);
	return done(m, k, err);
}

static enum tape_status
check_end(struct maker *m, struct tape_err *err)
{
	const struct tape_run *end = m->run->end;
	struct tape_check *k = add(m, "run_end");

	if (end == NULL) {
		fail_if(k, true);
		(void)tape_buf_add_str(&m->text, "the run has no end record");
	} else if (end->stop.p == NULL) {
		(void)tape_buf_add_str(&m->text, "ended");
	} else {
		warn_if(k, tape_str_is(end->stop, "interrupted"));
		fail_if(k, tape_str_is(end->stop, "aborted"));
		(void)tape_buf_add(&m->text, end->stop.p,
		    end->stop.len < STOP_MAX
			? end->stop.len
			: tape_utf8_cut(end->stop.p, STOP_MAX));
	}
	return done(m, k, err);
}

static enum tape_status
check_errors(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k = add(m, "errors");

	k->n = (int64_t)c->ok;
	k->of = (int64_t)(c->ok + c->failed);
	fail_if(k, c->failed > 0);
	if (c->failed == 0) {
		(void)tape_buf_add_str(&m->text, "none failed");
	} else {
		(void)tape_buf_add_fmt(
		    &m->text, "%" PRIu64 " failed: ", c->failed);
		add_names(&m->text, &c->errors);
	}
	return done(m, k, err);
}

static enum tape_status
check_attempts(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const int64_t all = (int64_t)(c->ok + c->failed + c->cancelled);
	struct tape_check *k;

	if (c->retried == 0)
		return TAPE_OK;
	k = add(m, "attempts");
	k->n = all - (int64_t)c->retried;
	k->of = all;
	warn_if(k, true);
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRIu64 " of %" PRId64 " were sent more than once (%.1f %%, "
	    "%" PRIu64 " attempts more): their times count from the first",
	    c->retried, all, 100 * (double)c->retried / (double)all,
	    c->retries);
	return done(m, k, err);
}

static enum tape_status
check_cancelled(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const int64_t all = (int64_t)(c->ok + c->failed + c->cancelled);
	struct tape_check *k;

	if (c->cancelled == 0)
		return TAPE_OK;
	k = add(m, "cancelled");
	k->n = (int64_t)c->cancelled;
	k->of = all;
	k->value = (double)c->cancelled / (double)all;
	if (m->run->start != NULL)
		k->expected = m->run->start->cancel_ratio;
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRIu64 " of %" PRId64 " were cancelled on purpose (%.1f %%)",
	    c->cancelled, all, 100 * k->value);
	if (!isnan(k->expected))
		(void)tape_buf_add_fmt(
		    &m->text, ", planned %.1f %%", 100 * k->expected);
	(void)tape_buf_add_str(&m->text, "; they are in no row");
	return done(m, k, err);
}

static enum tape_status
check_usage(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k = add(m, "usage");

	k->n = (int64_t)c->usage;
	k->of = (int64_t)c->ok;
	warn_if(k, c->usage < c->ok);
	if (c->usage == c->ok)
		(void)tape_buf_add_str(&m->text, "tokens as the server counts");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64
		    " answers without usage: token events stand for tokens",
		    c->ok - c->usage, c->ok);
	return done(m, k, err);
}

static enum tape_status
check_length(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	double early;

	if (c->asked == 0)
		return TAPE_OK;
	early = (double)c->early / (double)c->asked;
	k = add(m, "length");
	k->n = (int64_t)(c->asked - c->early);
	k->of = (int64_t)c->asked;
	warn_if(k, c->early > 0 || c->beyond > 0);
	fail_if(k, early > EARLY_RATIO);
	if (c->early == 0)
		(void)tape_buf_add_str(
		    &m->text, "all reached the output length asked for");
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64 " stopped early (%.1f %%)",
		    c->early, c->asked, 100 * early);
	if (c->beyond > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", %" PRIu64 " went beyond it", c->beyond);
	return done(m, k, err);
}

static enum tape_status
check_finish(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k = add(m, "finish");

	k->n = (int64_t)c->finished;
	k->of = (int64_t)c->ok;
	warn_if(k, c->finished < c->ok);
	add_names(&m->text, &c->finish);
	if (c->finished < c->ok)
		(void)tape_buf_add_fmt(&m->text,
		    "%s%" PRIu64 " without a reason",
		    c->finish.n > 0 ? ", " : "", c->ok - c->finished);
	return done(m, k, err);
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

static enum tape_status
median_of(const double *v, size_t n, double *median, struct tape_err *err)
{
	double *sorted = tape_mem_realloc(NULL, n, sizeof(*sorted));
	enum tape_status st;

	if (sorted == NULL)
		return tape_err_nomem(err);
	memcpy(sorted, v, n * sizeof(*sorted));
	st = tape_stat_sort(sorted, n, err);
	if (st == TAPE_OK)
		*median = tape_stat_quantile(sorted, n, 0.5);
	tape_mem_free(sorted);
	return st;
}

static enum tape_status
check_prompt(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	double extra = 0, expected = 0, room;
	uint64_t near;
	enum tape_status st;

	if (c->prompts == 0)
		return TAPE_OK;
	st = median_of(c->overhead, c->prompts, &extra, err);
	if (st == TAPE_OK)
		st = median_of(c->expected, c->prompts, &expected, err);
	if (st != TAPE_OK)
		return st;
	near = count_near(c, extra);
	room = expected / 10 > TEMPLATE_MAX ? expected / 10 : TEMPLATE_MAX;
	k = add(m, "prompt_tokens");
	k->n = (int64_t)near;
	k->of = (int64_t)c->prompts;
	k->value = expected + extra;
	k->expected = expected;
	warn_if(k, extra < 0 || extra > room ||
		       (double)near < NEAR_RATIO * (double)c->prompts);
	(void)tape_buf_add_fmt(&m->text,
	    "median %+.0f on the trace's, %" PRIu64 " of %zu near that", extra,
	    near, c->prompts);
	return done(m, k, err);
}

static enum tape_status
check_cached(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;

	if (c->cached_n == 0)
		return TAPE_OK;
	k = add(m, "cached_tokens");
	k->n = (int64_t)c->cached_n;
	k->of = (int64_t)c->ok;
	k->value = c->cached_of > 0 ? c->cached / c->cached_of : 0;
	(void)tape_buf_add_fmt(&m->text,
	    "%.1f %% of the prompt tokens, from a cache", 100 * k->value);
	return done(m, k, err);
}

static enum tape_status
check_one_token(struct maker *m, struct tape_err *err)
{
	const double shared = m->run->shared_ratio;
	struct tape_check *k;

	if (isnan(shared))
		return TAPE_OK;
	k = add(m, "one_token");
	k->value = shared;
	k->expected = 0;
	warn_if(k, shared > SHARED_RATIO);
	if (shared > 0)
		(void)tape_buf_add_fmt(&m->text,
		    "%.1f %% of the tokens shared an event", 100 * shared);
	else
		(void)tape_buf_add_str(&m->text, "one token an event");
	return done(m, k, err);
}

static enum tape_status
check_clocks(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const double all = (double)(c->kernel + c->merged + c->user);
	struct tape_check *k;

	if (!(all > 0))
		return TAPE_OK;
	k = add(m, "clocks");
	k->n = (int64_t)c->kernel;
	k->of = (int64_t)(c->kernel + c->merged + c->user);
	k->value = (double)c->kernel / all;
	warn_if(k, (double)c->blurred > MERGED_RATIO * all);
	(void)tape_buf_add_fmt(&m->text,
	    "%.2f %% kernel, %.2f %% user, %.2f %% merged%s", 100 * k->value,
	    100 * (double)c->user / all, 100 * (double)c->merged / all,
	    bare(m) ? ", of reads" : "");
	return done(m, k, err);
}

static enum tape_status
check_kept(struct maker *m, struct tape_err *err)
{
	struct tape_check *k = add(m, "kept");

	warn_if(k, true);
	(void)tape_buf_add_str(&m->text,
	    "times only: no ttft, ttst, ttfo, tpot, gap and no token counts; "
	    "latency is to the end of the answer");
	return done(m, k, err);
}

static enum tape_status
check_encoding(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	uint64_t n = 0;

	for (size_t i = 0; i < c->encodings.n; i++)
		n += c->encodings.v[i].count;
	if (n == 0)
		return TAPE_OK;
	k = add(m, "encoding");
	k->n = (int64_t)n;
	k->of = (int64_t)(c->ok + c->failed);
	warn_if(k, true);
	(void)tape_buf_add_str(&m->text, "answers came compressed: ");
	add_names(&m->text, &c->encodings);
	(void)tape_buf_add_str(&m->text, "; times are of compressed reads");
	k->advice = tape_str_of("ask for identity, or switch off what "
				"compresses on the way");
	return done(m, k, err);
}

/* Of answers whose bytes are there. */
static enum tape_status
check_answers(struct maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	enum tape_status st = TAPE_OK;

	if (c->ok > 0)
		st = check_usage(m, err);
	if (st == TAPE_OK)
		st = check_length(m, err);
	if (st == TAPE_OK && c->ok > 0)
		st = check_finish(m, err);
	if (st == TAPE_OK)
		st = check_prompt(m, err);
	if (st == TAPE_OK)
		st = check_cached(m, err);
	if (st == TAPE_OK)
		st = check_one_token(m, err);
	return st;
}

enum tape_status
tape_checks_make(const struct tape_checks *c, const struct tape_checks_run *run,
    struct tape_checks_set *out, struct tape_err *err)
{
	struct maker m = { .c = c, .out = out, .run = run };
	enum tape_status st;

	tape_buf_init(&m.text, TEXT_CAP);
	st = check_requests(&m, err);
	if (st == TAPE_OK)
		st = check_end(&m, err);
	if (st == TAPE_OK)
		st = check_errors(&m, err);
	if (st == TAPE_OK)
		st = check_attempts(&m, err);
	if (st == TAPE_OK)
		st = check_cancelled(&m, err);
	if (st == TAPE_OK)
		st = bare(&m) ? check_kept(&m, err) : check_answers(&m, err);
	if (st == TAPE_OK)
		st = check_clocks(&m, err);
	if (st == TAPE_OK)
		st = check_encoding(&m, err);
	tape_buf_release(&m.text);
	return st;
}

void
tape_checks_set_release(struct tape_checks_set *set)
{
	tape_arena_release(&set->arena);
	memset(set, 0, sizeof(*set));
}
