/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Was it the work that was intended: requests, end, errors, how many. */
#include "base/utf8.h"
#include "engine/checks_impl.h"

#define LEAST    10  /* requests that count, for anything */
#define LEAST_95 20  /* for a 95th percentile */
#define LEAST_99 100 /* for a 99th, which summarize leaves out below */
#define STOP_MAX 64

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

enum tape_status
tape_checks_requests(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_run *end = m->run->end;
	const int64_t n = (int64_t)(m->c->ok + m->c->failed + m->c->cancelled);
	const int64_t of = planned(m->run->start, end);
	struct tape_check *k = tape_checks_begin(m, "requests");

	k->n = n;
	k->of = of;
	if (of == TAPE_ABSENT_I64) {
		(void)tape_buf_add_fmt(
		    &m->text, "%" PRId64 " results; the plan is not known", n);
		return tape_checks_end(m, k, err);
	}
	tape_checks_bad(k, n != of,
	    "not all that was planned was played: run it to its end");
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRId64 " of %" PRId64 " planned have a result", n, of);
	if (end != NULL && end->unsent != TAPE_ABSENT_I64 && end->unsent > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", %" PRId64 " were not sent", end->unsent);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_run_end(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_run *end = m->run->end;
	struct tape_check *k = tape_checks_begin(m, "run_end");

	if (end == NULL) {
		tape_checks_bad(k, true, "the recording was cut: run again");
		(void)tape_buf_add_str(&m->text, "the run has no end record");
	} else if (end->stop.p == NULL) {
		(void)tape_buf_add_str(&m->text, "ended");
	} else {
		tape_checks_warn(k, tape_str_is(end->stop, "interrupted"),
		    "what counts is only what came before");
		tape_checks_bad(k, tape_str_is(end->stop, "aborted"),
		    "too many failed in a row: see the failures");
		(void)tape_buf_add(&m->text, end->stop.p,
		    end->stop.len < STOP_MAX
			? end->stop.len
			: tape_utf8_cut(end->stop.p, STOP_MAX));
	}
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_errors(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k = tape_checks_begin(m, "errors");

	k->n = (int64_t)c->ok;
	k->of = (int64_t)(c->ok + c->failed);
	tape_checks_bad(
	    k, c->failed > 0, "see the failures by cause, and what they ask");
	if (c->failed == 0) {
		(void)tape_buf_add_str(&m->text, "none failed");
	} else {
		(void)tape_buf_add_fmt(
		    &m->text, "%" PRIu64 " failed: ", c->failed);
		tape_checks_add_names(&m->text, &c->errors);
	}
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_attempts(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const int64_t all = (int64_t)(c->ok + c->failed + c->cancelled);
	struct tape_check *k;

	if (c->retried == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "attempts");
	k->n = all - (int64_t)c->retried;
	k->of = all;
	tape_checks_warn(k, true,
	    "the server was asked for more than the trace has: measure without "
	    "--retry where it can be");
	(void)tape_buf_add_fmt(&m->text,
	    "%" PRIu64 " of %" PRId64 " were sent more than once (%.1f %%, "
	    "%" PRIu64 " attempts more): their times count from the first",
	    c->retried, all, 100 * (double)c->retried / (double)all,
	    c->retries);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_cancelled(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	const int64_t all = (int64_t)(c->ok + c->failed + c->cancelled);
	struct tape_check *k;

	if (c->cancelled == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "cancelled");
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
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_enough(struct tape_checks_maker *m, struct tape_err *err)
{
	const uint64_t n = m->c->ok;
	struct tape_check *k;

	if (n == 0)
		return TAPE_OK;
	k = tape_checks_begin(m, "enough");
	k->n = (int64_t)n;
	k->expected = LEAST;
	tape_checks_warn(k, n < LEAST_95,
	    "a 95th percentile needs 20 requests: ask for more");
	tape_checks_bad(k, n < LEAST, "ask for more requests, at least 10");
	if (n < LEAST)
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " successful requests, under %d", n, LEAST);
	else
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " requests, for percentiles up to p%d", n,
		    n < LEAST_95   ? 90
		    : n < LEAST_99 ? 95
				   : 99);
	return tape_checks_end(m, k, err);
}

enum tape_status
tape_checks_kept(struct tape_checks_maker *m, struct tape_err *err)
{
	struct tape_check *k = tape_checks_begin(m, "kept");

	tape_checks_warn(k, true, NULL);
	(void)tape_buf_add_str(&m->text,
	    "times only: no ttft, ttst, ttfo, tpot, gap and no token counts; "
	    "latency is to the end of the answer");
	return tape_checks_end(m, k, err);
}
