/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure: one response becomes one result: the times and counts of a request,
 * by the definitions of metrics-reduce(1).
 *
 * A token event is of class c, g, t, x or a.  Of a response that was not
 * streamed there is one event, which says nothing of its tokens' times: ttft
 * and what follows from it are absent then, and so are all times of a failed
 * request that are measured from its beginning.
 *
 * Of a run of which only times were kept (bare) the events are reads, and
 * nothing is known of tokens: latency is to the end of the answer, and ttft and
 * what follows from it, gaps and token counts are absent.
 *
 * The end of an answer, where latency is to it, is that of its last read by the
 * clock that is asked for, when that read completed it; else end_ns.
 *
 * Times of a request that was sent again count from its first attempt, as its
 * response has it.
 *
 * Of several choices each has gaps of its own, and tpot is the mean over their
 * tokens: the sum of the gaps over the output tokens less one a choice.  It is
 * absent when the events do not tell all choices apart.
 *
 * A request is successful (ok) when it has no error, a status below 400, and a
 * token event, unless no output was asked for (req.output_tokens 0) or none can
 * be seen (bare).  An
 * answer without any token fails with class unfinished, cause empty.
 */
#ifndef TAPE_ENGINE_MEASURE_H
#define TAPE_ENGINE_MEASURE_H

#include "base/err.h"
#include "engine/measure_gaps.h"
#include "engine/token_gaps.h"

/* Choices whose gaps are taken; none of a dialect has more. */
#define TAPE_MEASURE_CHOICES 1024

enum tape_measure_from {
	TAPE_MEASURE_FROM_DUE,
	TAPE_MEASURE_FROM_START,
	TAPE_MEASURE_FROM_SENT
};

const char *tape_measure_from_name(enum tape_measure_from from);

/* That of a request which was cancelled on purpose. */
bool tape_measure_is_planned(const struct tape_failure *e);

struct tape_measure_opts {
	enum tape_measure_from from; /* t0 */
	bool user_clock;             /* t_ns + lag_ns where lag is known */
	struct tape_measure_gaps_opts gap_stats;
};

/* State that is kept from response to response, so that none allocates once
   the longest was seen. */
struct tape_measure {
	struct tape_measure_opts opts;
	bool bare;    /* the run in hand; set by the caller */
	double *gaps; /* of the last response, in order */
	size_t gap_n;
	size_t gap_cap;
	struct tape_token_gaps tokens; /* likewise; in none of failed ones */
	struct tape_measure_gaps stats;
	int64_t last[TAPE_MEASURE_CHOICES];
};

/* A result, and what of a response does not stand in it. */
struct tape_measured {
	struct tape_result result; /* but arm, round, good: the run's */
	bool measured;             /* not of the warm-up */
	bool cancelled;            /* on purpose: neither ok nor failed */
	bool streamed; /* asked for as a stream, and not come as one body: */
	bool whole;
	bool to_end;   /* latency is to the end: not streamed, or bare */
	bool reasoned; /* it has an event of reasoning */
	bool choices;  /* more than one has text */
	/* Times between tokens, where they are counted; borrowed as gaps are.
	 */
	const double *token_gaps;
	size_t token_gap_n;
	bool tokenless;     /* the API has no tokens to measure */
	bool from_events;   /* tokens.output is the number of token events */
	int64_t window_ns;  /* what ends the run's window; absent: failed */
	uint64_t backwards; /* gaps below zero: two clocks */
	/* Token events (bare: reads) by the clock of their time. */
	uint64_t kernel;
	uint64_t merged;
	uint64_t user;
	uint64_t blurred; /* of the merged: with a later token in the read */
	struct tape_str encoding; /* in which the answer came, or absent */
	uint64_t token_reads;     /* reads that brought token events */
	bool marked;              /* it has an end mark */
	uint64_t malformed;       /* events that could not be understood */
	uint64_t spliced;         /* of these */
	struct tape_str hash;     /* of the body that was sent */
};

void tape_measure_init(
    struct tape_measure *m, const struct tape_measure_opts *opts);
void tape_measure_release(struct tape_measure *m);

/* Of a response: its own times, drafts and sound; what it does not say stays. */
void tape_measure_server(
    const struct tape_response *resp, struct tape_result *r);

/*
 * Fills out, whose spans are borrowed from resp, and m->gaps: successful and
 * streamed requests only have gaps.  TAPE_E_FORMAT: arrays of different
 * lengths, or times that are out of range.
 */
enum tape_status tape_measure_response(struct tape_measure *m,
    const struct tape_response *resp, struct tape_measured *out,
    struct tape_err *err) TAPE_NODISCARD;

/* The gaps of a request that another tool has measured, into m->gaps, and what a
   result says of them. */
enum tape_status tape_measure_given_gaps(struct tape_measure *m,
    struct tape_f64s gaps, struct tape_measured *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
