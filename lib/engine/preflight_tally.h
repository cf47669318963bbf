/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * preflight_tally: what a client made of events whose send times are known, and
 * what that says of the client.
 *
 *				suspect		client-limited
 *	event time error p99	over 1 ms	over 10 ms
 *	TTFT error p99		over 1 ms	over 10 ms
 *	ITL sd error		over 0.5 ms	over 5 ms
 *	failed requests		-		any
 *	its own verdict		suspect		client-limited
 *
 * The error of an event is the time that the client gives it less the time at
 * which the server stamped it, just before it sent it.  TTFT is that of the
 * first token event; the request's start is the client's own and has none.
 * ITL: all gaps between token events of one choice, as the client saw them and
 * as they were sent; the error is the difference of their standard deviations.
 *
 * Errors are against what the server really did, so its own lateness is in
 * none of them.  But a late server is one that had no CPU, which on the same
 * machine the client may have taken, or lost to it: when the 99th percentile of
 * its lateness is over a quarter of the time between tokens (and over 1 ms),
 * nothing but a sound client can be told, and that one is called suspect.
 */
#ifndef TAPE_ENGINE_PREFLIGHT_TALLY_H
#define TAPE_ENGINE_PREFLIGHT_TALLY_H

#include "engine/fidelity.h"

#define TAPE_PREFLIGHT_REASONS (TAPE_FIDELITY_REASONS + 8)

/* Mean and squares, updated (Welford 1962). */
struct tape_preflight_moments {
	int64_t n;
	double mean;
	double squares;
};

struct tape_preflight_tally {
	int64_t events; /* token events with a stamp */
	int64_t kernel, merged, user;
	struct tape_hist error;
	struct tape_hist ttft;
	struct tape_hist late; /* the server's */
	struct tape_preflight_moments seen, sent;
	/* The client about itself; strings are not kept. */
	bool has_fidelity;
	struct tape_fidelity fidelity;
	enum tape_fidelity_verdict verdict; /* with judge: of both */
	bool blind; /* the server was late: nothing can be told */
	char reasons[TAPE_PREFLIGHT_REASONS][240];
	size_t reasons_n;
};

/* A zeroed tally is empty.  Of a measured response, successful or not. */
void tape_preflight_response(
    struct tape_preflight_tally *t, const struct tape_response *r);
void tape_preflight_fidelity(
    struct tape_preflight_tally *t, const struct tape_fidelity *f);

double tape_preflight_sd(const struct tape_preflight_moments *m); /* or NaN */

/* |sd seen - sd sent|; NaN with fewer than 2 gaps. */
double tape_preflight_itl_error(const struct tape_preflight_tally *t);

/* What the requests came to. */
struct tape_preflight_outcome {
	int64_t sent, failed;
	const char *failure; /* the first, in a line; "" none */
	int64_t itl_ns;      /* of the server */
};

/* Once, when all is in. */
void tape_preflight_judge(
    struct tape_preflight_tally *t, const struct tape_preflight_outcome *o);

#endif
