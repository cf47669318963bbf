/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Was the load the one that was asked for. */
#include "base/mem.h"
#include "engine/checks_impl.h"

#include <stdlib.h>

#define REACHED 0.85 /* of the concurrency, on average while it is asked for */
#define ABOVE   1.01 /* times the concurrency: what rounding may do */
#define WAVES   3    /* requests a slot, before an average says anything */

/* How many requests were open, from the first start to the last end. */
struct flight {
	int64_t peak;
	double mean;   /* over the whole */
	double steady; /* from the start of the one that fills the slots to
	                   the last start; NaN when there is no such time */
	double law;    /* requests a second times mean latency */
	double per_s, latency_ns;
};

struct change {
	int64_t t_ns;
	int by;
};

static int
by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	/* A slot is free before it is taken again. */
	return x->by - y->by;
}

static double
overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	const int64_t lo = a > from ? a : from, hi = b < to ? b : to;

	return hi > lo ? (double)(hi - lo) : 0;
}

static void
walk(const struct change *v, size_t n, int64_t from_ns, int64_t to_ns,
    struct flight *out)
{
	double all = 0, steady = 0;
	int64_t open = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		open += v[i].by;
		if (open > out->peak)
			out->peak = open;
		all += (double)open * (double)(v[i + 1].t_ns - v[i].t_ns);
		steady += (double)open *
			  overlap(v[i].t_ns, v[i + 1].t_ns, from_ns, to_ns);
	}
	out->mean = all / (double)(v[n - 1].t_ns - v[0].t_ns);
	out->steady = to_ns > from_ns ? steady / (double)(to_ns - from_ns)
				      : TAPE_ABSENT_F64;
}

/* All have an end behind their start. */
static bool
all_ended(const struct tape_checks_maker *m)
{
	for (size_t i = 0; i < m->points_n; i++)
		if (m->points[i].end_ns == TAPE_ABSENT_I64 ||
		    m->points[i].end_ns < m->points[i].start_ns)
			return false;
	return m->points_n > 0 && m->c->seen <= TAPE_CHECKS_POINTS;
}

/* Starts and ends in order of time, 2 n of them; NULL when memory is out. */
static struct change *
list_changes(const struct tape_checks_maker *m, double *latency)
{
	const size_t n = m->points_n;
	struct change *v = tape_mem_calloc(2 * n, sizeof(*v));

	*latency = 0;
	if (v == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct tape_checks_point *p = &m->points[i];

		v[2 * i] = (struct change){ p->start_ns, 1 };
		v[2 * i + 1] = (struct change){ p->end_ns, -1 };
		*latency += (double)(p->end_ns - p->start_ns);
	}
	qsort(v, 2 * n, sizeof(*v), by_time);
	return v;
}

/* *there is false where times are lacking. */
static enum tape_status
measure(const struct tape_checks_maker *m, int64_t slots, struct flight *out,
    bool *there, struct tape_err *err)
{
	const size_t n = m->points_n;
	int64_t from = INT64_MAX;
	double latency, span;
	struct change *v;

	memset(out, 0, sizeof(*out));
	*there = false;
	if (!all_ended(m))
		return TAPE_OK;
	v = list_changes(m, &latency);
	if (v == NULL)
		return tape_err_nomem(err);
	span = (double)(v[2 * n - 1].t_ns - v[0].t_ns);
	*there = span > 0;
	if (slots > 0 && (size_t)slots <= n)
		from = m->points[slots - 1].start_ns;
	if (*there) {
		walk(v, 2 * n, from, m->points[n - 1].start_ns, out);
		out->per_s = (double)n * (double)TAPE_NS_PER_S / span;
		out->latency_ns = latency / (double)n;
		out->law = out->per_s * out->latency_ns / (double)TAPE_NS_PER_S;
	}
	tape_mem_free(v);
	return TAPE_OK;
}

/* Slots of a closed loop, else TAPE_ABSENT_I64. */
static int64_t
slots_of(const struct tape_checks_maker *m)
{
	const struct tape_run *start = m->run->start;

	if (start == NULL || !tape_str_is(start->loop, "closed"))
		return TAPE_ABSENT_I64;
	return start->concurrency;
}

/* Turns of a session wait for each other, and for their delays: then fewer may
   be open for good reasons. */
enum tape_status
tape_checks_concurrency(struct tape_checks_maker *m, struct tape_err *err)
{
	const int64_t slots = slots_of(m);
	struct tape_check *k;
	struct flight f;
	bool there, steady;
	enum tape_status st;

	if (slots < 1)
		return TAPE_OK;
	st = measure(m, slots, &f, &there, err);
	if (st != TAPE_OK || !there)
		return st;
	steady = m->points_n >= WAVES * (size_t)slots && !m->c->turns &&
		 !isnan(f.steady);
	k = tape_checks_begin(m, "concurrency");
	k->value = steady ? f.steady : (double)f.peak;
	k->expected = (double)slots;
	tape_checks_warn(k, steady && f.steady < REACHED * (double)slots,
	    "slots stood empty: the client was slow, or requests failed at "
	    "once; see client and errors");
	tape_checks_warn(k, f.peak < slots && !m->c->turns,
	    "never reached: ask for more requests than slots, or for fewer "
	    "slots");
	if (steady)
		(void)tape_buf_add_fmt(
		    &m->text, "%.2f open on average, ", f.steady);
	(void)tape_buf_add_fmt(&m->text,
	    "at most %" PRId64 " of %" PRId64 " asked for", f.peak, slots);
	return tape_checks_end(m, k, err);
}

/*
 * Over a whole run the law holds by its arithmetic: the mean number of open
 * requests is rate times latency.  What can be wrong is the number: in a closed
 * loop it is at most that of the slots, unless runs were mixed or times are
 * wrong.
 */
enum tape_status
tape_checks_law(struct tape_checks_maker *m, struct tape_err *err)
{
	const int64_t slots = slots_of(m);
	struct tape_check *k;
	struct flight f;
	bool there;
	enum tape_status st = measure(m, slots, &f, &there, err);

	if (st != TAPE_OK || !there)
		return st;
	k = tape_checks_begin(m, "littles_law");
	k->value = f.law;
	if (slots > 0)
		k->expected = (double)slots;
	tape_checks_bad(k, slots > 0 && f.law > ABOVE * (double)slots,
	    "more was open than asked for: runs are mixed in the input, or "
	    "the clock is wrong");
	(void)tape_buf_add_fmt(&m->text,
	    "%.4g requests/s x %.4g ms are %.2f open at a time", f.per_s,
	    f.latency_ns / 1e6, f.law);
	if (slots > 0)
		(void)tape_buf_add_fmt(
		    &m->text, ", at most %" PRId64 " asked for", slots);
	return tape_checks_end(m, k, err);
}

/* Of a client that is only suspect the table of fidelity tells. */
enum tape_status
tape_checks_client(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_fidelity *f = m->run->fidelity;
	struct tape_check *k;

	if (f == NULL)
		return TAPE_OK;
	k = tape_checks_begin(m, "client");
	tape_checks_bad(k, tape_str_is(f->verdict, "client-limited"),
	    "the client was the limit: more threads, a lower load, or a "
	    "machine of its own");
	(void)tape_buf_add_fmt(
	    &m->text, "%.*s", tape_str_shown(f->verdict, 40), f->verdict.p);
	for (size_t i = 0; i < f->reasons.n && i < 4; i++)
		(void)tape_buf_add_fmt(&m->text, "%s%.*s", i == 0 ? ": " : "; ",
		    tape_str_shown(f->reasons.v[i], 120), f->reasons.v[i].p);
	return tape_checks_end(m, k, err);
}
