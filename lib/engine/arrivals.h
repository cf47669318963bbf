/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arrivals: when requests were to be sent and when they were, as gaps between
 * consecutive ones, for a test of the law of arrivals.
 *
 * Memory is bounded: from all requests at first, then from every second pair,
 * every fourth, and so on: a systematic sample.  Each pair is of consecutive
 * requests (seq and seq + 1), so a gap stays a gap of the process.  Network
 * loops note their own requests, and the notes are put together at the end.
 *
 * Adding allocates nothing; no locks.
 */
#ifndef TAPE_ENGINE_ARRIVALS_H
#define TAPE_ENGINE_ARRIVALS_H

#include "base/err.h"

#include <stdint.h>

/*
 * Every client sends one request after the other, so very short gaps come out
 * longer; with enough of them, any client fails.  A floor under the gaps of the
 * share f of their mean raises the statistic by about n f^2 / 2, from about 1
 * to the 1.96 that is refused: so many gaps find a floor of some 4 % of the
 * mean gap, which begins to matter, and not one of 1 %.
 */
#define TAPE_ARRIVALS_GAPS 2048
#define TAPE_ARRIVALS_ROOM ((size_t)2 * TAPE_ARRIVALS_GAPS)
/* Fewer gaps are not tested: a test of them would find nothing. */
#define TAPE_ARRIVALS_LEAST 20

struct tape_arrival {
	uint64_t seq; /* place in the plan, from 0 */
	int64_t due_ns;
	int64_t start_ns;
};

struct tape_arrivals {
	struct tape_arrival *v; /* TAPE_ARRIVALS_ROOM of them */
	size_t n;
	uint64_t stride; /* a power of 2: seq is a multiple, or one more */
};

/* Release in every case; a zeroed one is empty and takes nothing. */
enum tape_status tape_arrivals_open(
    struct tape_arrivals *a, struct tape_err *err) TAPE_NODISCARD;
void tape_arrivals_release(struct tape_arrivals *a);

void tape_arrivals_clear(struct tape_arrivals *a);

/* Notes a request, or not, as the stride says. */
void tape_arrivals_add(
    struct tape_arrivals *a, uint64_t seq, int64_t due_ns, int64_t start_ns);

/* Anderson-Darling p of planned and of achieved gaps. */
struct tape_arrivals_test {
	int64_t n;       /* gaps; 0: no test could be made */
	uint64_t stride; /* of so many gaps one is in it */
	double planned_p;
	double achieved_p;
};

/*
 * Tests the gaps of parts[0 .. n) together against an exponential law of
 * unknown mean.  Requests that were not due in the order of the plan, as those
 * that wait for others, are not tested; nor are fewer than
 * TAPE_ARRIVALS_LEAST gaps.  A pair that changed places on its way counts with
 * its distance.  TAPE_E_NOMEM.
 */
enum tape_status tape_arrivals_judge(const struct tape_arrivals *const *parts,
    size_t n, struct tape_arrivals_test *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
