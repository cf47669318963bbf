/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_fault: what the model server does wrong on purpose, and to whom.
 */
#ifndef TAPE_ENGINE_SERVE_FAULT_H
#define TAPE_ENGINE_SERVE_FAULT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum tape_serve_fault_kind {
	TAPE_SERVE_NO_FAULT,
	/* instead of an answer */
	TAPE_SERVE_429,
	TAPE_SERVE_500,
	TAPE_SERVE_503,
	TAPE_SERVE_CLOSE, /* closes after reading the request */
	/* in mid-answer, after so many token events */
	TAPE_SERVE_RESET,       /* RST */
	TAPE_SERVE_STALL,       /* no more is sent; closed after a while */
	TAPE_SERVE_TRUNCATE,    /* closed in order, without an end */
	TAPE_SERVE_MALFORMED,   /* one event is cut JSON */
	TAPE_SERVE_ERROR_EVENT, /* an error object, then the end */
	TAPE_SERVE_BAD_CHUNK,   /* a chunk size that is none, closed */
	/* after the answer */
	TAPE_SERVE_STALE, /* the kept connection is closed without notice */
	TAPE_SERVE_FAULTS
};

struct tape_serve_fault {
	enum tape_serve_fault_kind kind;
	double share;   /* of the requests, 0 to 1 */
	uint64_t every; /* or every Nth request, when not 0 */
	uint64_t after; /* token events before it */
};

/* "reset", as in the option and in the log. */
const char *tape_serve_fault_name(enum tape_serve_fault_kind kind);

/* KIND:SHARE[:N]; SHARE is 0.05, 5% or 1/20 (every 20th); N is after, 3 if not
   given. */
enum tape_status tape_serve_fault_parse(const char *text,
    struct tape_serve_fault *f, struct tape_err *err) TAPE_NODISCARD;

/*
 * The fault of a request: the first of n that strikes, else one of kind
 * NO_FAULT.  Shares are drawn by seed and key, "every" goes by number (from 1).
 */
struct tape_serve_fault tape_serve_fault_choose(
    const struct tape_serve_fault *f, size_t n, uint64_t seed, uint64_t key,
    uint64_t number);

#endif
