/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the streams say of the server and of the way to it. */
#include "engine/checks_impl.h"

#define MOST       0.95 /* of the streams */
#define STREAMS    3    /* that it takes to say so */
#define PARALLEL   1.5  /* requests in flight on average, at least */
#define OVERLAPS   0.02 /* of the streams, at most */
#define STREAMING  0.2  /* of the time in which tokens come, at least */
#define SERIAL     1.1  /* time that one by one takes, of that it took */
#define EVENTS     4    /* token events of a stream that has a length */
#define NEIGHBOURS 1024 /* that are looked at: those that began next */

/*
 * A proxy that buffers hands on an answer in one piece, or in pieces of its
 * buffer's size: then all token events of a stream share one read, or reads
 * have many.  A few in each are left to servers that send bursts.
 */
enum tape_status
tape_checks_buffered(struct tape_checks_maker *m, struct tape_err *err)
{
	const struct tape_checks *c = m->c;
	struct tape_check *k;
	bool whole, lumps;

	if (c->whole_of < STREAMS)
		return TAPE_OK;
	whole = (double)c->whole >= MOST * (double)c->whole_of;
	lumps = c->lumps_of >= STREAMS &&
		(double)c->lumps >= MOST * (double)c->lumps_of;
	k = tape_checks_begin(m, "buffered");
	k->n = (int64_t)(c->whole > c->lumps ? c->whole : c->lumps);
	k->of = (int64_t)c->whole_of;
	if (c->reads > 0)
		k->value = c->events / c->reads;
	tape_checks_bad(k, whole || lumps,
	    "a proxy buffers: turn it off (proxy_buffering off, no "
	    "compression), or measure past it; no time of a token is known");
	if (whole)
		(void)tape_buf_add_fmt(&m->text,
		    "%" PRIu64 " of %" PRIu64
		    " streams came in one read, with all their tokens",
		    c->whole, c->whole_of);
	else if (lumps)
		(void)tape_buf_add_fmt(&m->text,
		    "%.1f token events a read, on every stream",
		    c->events / c->reads);
	else
		(void)tape_buf_add_str(&m->text, "streams come in many reads");
	return tape_checks_end(m, k, err);
}

/* What a run looks like from the outside. */
struct shape {
	size_t n;           /* streams of some length */
	double span_ns;     /* from the first start to the last end */
	double in_flight;   /* on average */
	double streaming;   /* of the span: sum of the streams' lengths */
	double shortest_ns; /* the smallest latency */
	size_t overlaps;    /* streams that began within another */
};

static bool
is_stream(const struct tape_checks_point *p)
{
	return p->token_events >= EVENTS && !isnan(p->latency_ns) &&
	       p->first_ns != TAPE_ABSENT_I64 && p->last_ns > p->first_ns;
}

/* Points are by start; of a server that takes one at a time the streams are in
   that order, too, or in another one: each is set against the one that ended
   last among those that began before it. */
static void
add_overlaps(const struct tape_checks_maker *m, struct shape *s)
{
	for (size_t i = 0; i < m->points_n; i++) {
		const struct tape_checks_point *p = &m->points[i];
		bool within = false;

		if (!is_stream(p))
			continue;
		/* Only neighbours can overlap: those in flight at its start. */
		for (size_t j = i + 1;
		     j < m->points_n && j < i + NEIGHBOURS && !within; j++) {
			const struct tape_checks_point *q = &m->points[j];

			if (q->start_ns > p->last_ns)
				break;
			within = is_stream(q) && q->first_ns < p->last_ns &&
				 p->first_ns < q->last_ns;
		}
		s->overlaps += within;
	}
}

static void
measure(const struct tape_checks_maker *m, struct shape *s)
{
	int64_t first = 0, last = 0;
	double latency = 0, streams = 0;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < m->points_n; i++) {
		const struct tape_checks_point *p = &m->points[i];

		if (!is_stream(p))
			continue;
		if (s->n == 0 || p->start_ns < first)
			first = p->start_ns;
		if (s->n == 0 || p->last_ns > last)
			last = p->last_ns;
		if (s->n == 0 || p->latency_ns < s->shortest_ns)
			s->shortest_ns = p->latency_ns;
		latency += p->latency_ns;
		streams += (double)(p->last_ns - p->first_ns);
		s->n++;
	}
	s->span_ns = (double)(last - first);
	if (!(s->span_ns > 0))
		return;
	s->in_flight = latency / s->span_ns;
	s->streaming = streams / s->span_ns;
	add_overlaps(m, s);
}

/*
 * Several requests are open, tokens come for a good part of the time, no two
 * streams overlap, and the time would do for one after the other: at a server
 * that takes several at once streams overlap, or, where they happen not to, one
 * after the other would take far longer.
 */
enum tape_status
tape_checks_serialized(struct tape_checks_maker *m, struct tape_err *err)
{
	struct tape_check *k;
	struct shape s;
	bool serial;

	if (m->c->seen > TAPE_CHECKS_POINTS)
		return TAPE_OK;
	measure(m, &s);
	if (s.n < 10 || s.in_flight < PARALLEL || s.streaming < STREAMING)
		return TAPE_OK;
	serial = (double)s.overlaps <= OVERLAPS * (double)s.n &&
		 (double)s.n * s.shortest_ns <= SERIAL * s.span_ns;
	k = tape_checks_begin(m, "serialized");
	k->n = (int64_t)s.overlaps;
	k->of = (int64_t)s.n;
	k->value = s.in_flight;
	tape_checks_bad(k, serial,
	    "the server queues and does not batch: set its batch size, or "
	    "take these for times in a queue");
	(void)tape_buf_add_fmt(&m->text,
	    "%zu of %zu streams overlapped another, with %.1f requests open",
	    s.overlaps, s.n, s.in_flight);
	return tape_checks_end(m, k, err);
}
