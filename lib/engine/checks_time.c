/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does anything change in the course of the run.
 *
 * Both rules look at values in the order of starts and are made to be silent
 * rather than wrong.  Requests that follow each other are not independent
 * (they share a batch, or a queue), so trend looks at medians of batches; and
 * prompts that become longer are the trace's doing, not the server's.
 */
#include "base/mem.h"
#include "codec/stat_trend.h"
#include "engine/checks_impl.h"

#define MERGED_RATIO 0.05
#define WARMUP_LEAST 2
#define SLOW_LEAST   20  /* requests, to know what the rest is like */
#define SLOW         1.5 /* times the 95th percentile of the second half */
#define SLOW_RUN     3   /* so many, from the first one on */
#define SLOW_ONE     3.0 /* times its largest: then one is enough */
#define LONGER       1.5 /* times the tokens: then they are not the same work */
#define TREND_LEAST  40
#define TREND_MANY   100
#define TREND_P      0.001
#define TREND_CHANGE 0.10
#define TREND_TAU    0.5 /* of the prompts' lengths: then they explain it */
#define BATCHES      20

static double
value_of(const struct tape_checks_point *p, size_t at)
{
	return *(const double *)(const void *)((const char *)p + at);
}

#define AT(f) offsetof(struct tape_checks_point, f)

/* Values, and how much work each was. */
struct series {
	double *v, *work;
	size_t n;
};

static void
release(struct series *s)
{
	tape_mem_free(s->v);
	tape_mem_free(s->work);
}

/* The points that have the first field, in order of start; also names the
   field that is their work. */
static enum tape_status
take(const struct tape_checks_maker *m, size_t at, size_t also,
    struct series *s, struct tape_err *err)
{
	s->n = 0;
	s->v = tape_mem_calloc(m->points_n + 1, sizeof(*s->v));
	s->work = tape_mem_calloc(m->points_n + 1, sizeof(*s->work));
	if (s->v == NULL || s->work == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < m->points_n; i++) {
		const double v = value_of(&m->points[i], at);

		if (isnan(v))
			continue;
		s->v[s->n] = v;
		s->work[s->n++] = value_of(&m->points[i], also);
	}
	return TAPE_OK;
}

/* A median, or NaN when one value is unknown. */
static enum tape_status
median_known(const double *v, size_t n, double *out, struct tape_err *err)
{
	*out = TAPE_ABSENT_F64;
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			return TAPE_OK;
	return tape_checks_quantile(v, n, 0.5, out, err);
}

/* How many of the first are slow against the second half, and how slow. */
struct slow {
	size_t n;
	double times; /* median of these over the median of the half */
};

static enum tape_status
judge_slow(const double *v, const double *work, size_t n, struct slow *out,
    struct tape_err *err)
{
	const size_t half = n / 2, rest = n - half;
	double p95, top, mid, first, own_work, half_work;
	size_t k = 0;
	enum tape_status st;

	st = tape_checks_quantile(v + half, rest, 0.95, &p95, err);
	if (st == TAPE_OK)
		st = tape_checks_quantile(v + half, rest, 1, &top, err);
	if (st == TAPE_OK)
		st = tape_checks_quantile(v + half, rest, 0.5, &mid, err);
	while (st == TAPE_OK && k < half && v[k] > SLOW * p95)
		k++;
	if (st != TAPE_OK || k == 0 ||
	    (k < SLOW_RUN && !(v[0] > SLOW_ONE * top)))
		return st;
	st = tape_checks_quantile(v, k, 0.5, &first, err);
	if (st == TAPE_OK)
		st = median_known(work, k, &own_work, err);
	if (st == TAPE_OK)
		st = median_known(work + half, rest, &half_work, err);
	if (st != TAPE_OK || own_work > LONGER * half_work)
		return st;
	out->n = k;
	out->times = mid > 0 ? first / mid : 0;
	return TAPE_OK;
}

static enum tape_status
find_slow(const struct tape_checks_maker *m, size_t at, size_t also,
    struct slow *out, struct tape_err *err)
{
	struct series s;
	enum tape_status st = take(m, at, also, &s, err);

	out->n = 0;
	if (st == TAPE_OK && s.n >= SLOW_LEAST)
		st = judge_slow(s.v, s.work, s.n, out, err);
	release(&s);
	return st;
}

/* Of answers that were not streamed only the whole is known: neither prompts
   nor answers may have been longer. */
static enum tape_status
find_slow_whole(
    const struct tape_checks_maker *m, struct slow *out, struct tape_err *err)
{
	struct slow other;
	enum tape_status st =
	    find_slow(m, AT(latency_ns), AT(output), out, err);

	if (st == TAPE_OK)
		st = find_slow(m, AT(latency_ns), AT(input), &other, err);
	if (st == TAPE_OK && other.n == 0)
		out->n = 0;
	return st;
}

static bool
is_streamed(const struct tape_checks_maker *m)
{
	for (size_t i = 0; i < m->points_n; i++)
		if (!isnan(m->points[i].ttft_ns))
			return true;
	return false;
}

enum tape_status
tape_checks_warmup(struct tape_checks_maker *m, struct tape_err *err)
{
	const uint64_t n = m->run->warmup;
	struct tape_check *k;
	struct slow slow, late = { 0 };
	enum tape_status st;

	if (is_streamed(m))
		st = find_slow(m, AT(ttft_ns), AT(input), &slow, err);
	else
		st = find_slow_whole(m, &slow, err);
	if (st == TAPE_OK)
		st = find_slow(m, AT(tpot_ns), AT(input), &late, err);
	if (st != TAPE_OK)
		return st;
	if (late.n > slow.n)
		slow = late;
	k = tape_checks_begin(m, "warmup");
	k->n = (int64_t)n;
	k->expected = WARMUP_LEAST;
	tape_checks_warn(k, n < WARMUP_LEAST,
	    "the first answers pay for what is loaded and compiled: use "
	    "--warmup 2 or more");
	tape_checks_warn(k, slow.n > 0,
	    "the warm-up was too short: raise --warmup, or use "
	    "--concurrency-ramp where it is the start of all at once");
	(void)tape_buf_add_fmt(&m->text, "%" PRIu64 " requests before", n);
	if (slow.n > 0)
		(void)tape_buf_add_fmt(&m->text,
		    "; the first %zu that count took %.1f times as long as "
		    "later ones",
		    slow.n, slow.times);
	return tape_checks_end(m, k, err);
}

struct trend {
	bool found;
	double p;
	double change; /* of the last batches against the first, relative */
};

/* Medians of equal batches; what is left over at the front is left out. */
static enum tape_status
batch(const double *v, size_t n, size_t batches, double *out,
    struct tape_err *err)
{
	const size_t length = n / batches, skip = n - length * batches;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < batches && st == TAPE_OK; i++)
		st = tape_checks_quantile(
		    v + skip + i * length, length, 0.5, &out[i], err);
	return st;
}

/* Kendall's tau and p; tau 0 where nothing varies or is unknown. */
static enum tape_status
kendall(const double *v, size_t n, struct tape_stat_kendall *out,
    struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	memset(out, 0, sizeof(*out));
	out->p = out->p_exact = 1;
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]))
			return TAPE_OK;
	st = tape_stat_kendall_trend(v, n, out, &why);
	return st == TAPE_E_NOMEM ? tape_err_nomem(err) : TAPE_OK;
}

/* The prompts' lengths, in the same batches, go with it. */
static enum tape_status
explained(const double *work, size_t n, size_t batches, bool *yes,
    struct tape_err *err)
{
	double mid[BATCHES];
	struct tape_stat_kendall k;
	enum tape_status st;

	*yes = false;
	for (size_t i = 0; i < n; i++)
		if (isnan(work[i]))
			return TAPE_OK;
	st = batch(work, n, batches, mid, err);
	if (st == TAPE_OK)
		st = kendall(mid, batches, &k, err);
	*yes = st == TAPE_OK && fabs(k.tau) > TREND_TAU;
	return st;
}

static enum tape_status
judge_trend(const double *v, const double *work, size_t n, struct trend *out,
    struct tape_err *err)
{
	const size_t batches = n < TREND_MANY ? BATCHES / 2 : BATCHES;
	const size_t third = batches / 3;
	double mid[BATCHES], first, last;
	struct tape_stat_kendall k;
	bool explains;
	enum tape_status st = batch(v, n, batches, mid, err);

	if (st == TAPE_OK)
		st = kendall(mid, batches, &k, err);
	if (st == TAPE_OK)
		st = explained(work, n, batches, &explains, err);
	if (st == TAPE_OK)
		st = tape_checks_quantile(mid, third, 0.5, &first, err);
	if (st == TAPE_OK)
		st = tape_checks_quantile(
		    mid + batches - third, third, 0.5, &last, err);
	if (st != TAPE_OK || explains || !(first > 0))
		return st;
	out->p = isnan(k.p_exact) ? k.p : k.p_exact;
	out->change = last / first - 1;
	out->found = out->p < TREND_P && fabs(out->change) > TREND_CHANGE;
	return TAPE_OK;
}

static enum tape_status
find_trend(const struct tape_checks_maker *m, size_t at, size_t also,
    struct trend *out, bool *asked, struct tape_err *err)
{
	struct series s;
	enum tape_status st = take(m, at, also, &s, err);

	memset(out, 0, sizeof(*out));
	if (st == TAPE_OK && s.n >= TREND_LEAST) {
		*asked = true;
		st = judge_trend(s.v, s.work, s.n, out, err);
	}
	release(&s);
	return st;
}

static void
add_trend(struct tape_buf *text, const char *name, const struct trend *t)
{
	if (t->found)
		(void)tape_buf_add_fmt(text,
		    "%s%s %+.0f %% from the first third to the last (p %.1g)",
		    text->len > 0 ? ", " : "", name, 100 * t->change, t->p);
}

/* Not streamed: neither prompts nor answers may explain it. */
static enum tape_status
find_trend_whole(const struct tape_checks_maker *m, struct trend *out,
    bool *asked, struct tape_err *err)
{
	struct trend other;
	enum tape_status st =
	    find_trend(m, AT(latency_ns), AT(output), out, asked, err);

	if (st == TAPE_OK)
		st = find_trend(
		    m, AT(latency_ns), AT(input), &other, asked, err);
	out->found = out->found && other.found;
	return st;
}

enum tape_status
tape_checks_trend(struct tape_checks_maker *m, struct tape_err *err)
{
	struct trend ttft, tpot, latency = { 0 };
	struct tape_check *k;
	bool asked = false;
	enum tape_status st;

	st = find_trend(m, AT(ttft_ns), AT(input), &ttft, &asked, err);
	if (st == TAPE_OK)
		st = find_trend(m, AT(tpot_ns), AT(input), &tpot, &asked, err);
	if (st == TAPE_OK && !is_streamed(m))
		st = find_trend_whole(m, &latency, &asked, err);
	if (st != TAPE_OK || !asked)
		return st;
	k = tape_checks_begin(m, "trend");
	add_trend(&m->text, "ttft", &ttft);
	add_trend(&m->text, "tpot", &tpot);
	add_trend(&m->text, "latency", &latency);
	tape_checks_warn(k, m->text.len > 0,
	    "no steady state: a queue that grows, a clock that throttles, a "
	    "warm-up that goes on; lower the load, or run longer and cut");
	if (m->text.len == 0)
		(void)tape_buf_add_str(
		    &m->text, "neither rises nor falls in the run");
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_clocks(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const double all = (double)(c->kernel + c->merged + c->user);
	const bool bare =
	    m->run->start != NULL && tape_str_is(m->run->start->keep, "times");
	struct tape_check *k;

	if (!(all > 0))
		return TAPE_OK;
	k = tape_checks_begin(m, "clocks");
	k->n = (int64_t)c->kernel;
	k->of = (int64_t)(c->kernel + c->merged + c->user);
	k->value = (double)c->kernel / all;
	tape_checks_warn(k, (double)c->blurred > MERGED_RATIO * all,
	    "times of single tokens are upper bounds: see buffered and "
	    "client, or take tpot");
	(void)tape_buf_add_fmt(&m->text,
	    "%.2f %% kernel, %.2f %% user, %.2f %% merged%s", 100 * k->value,
	    100 * (double)c->user / all, 100 * (double)c->merged / all,
	    bare ? ", of reads" : "");
	return tape_checks_end(m, k, err);
}
