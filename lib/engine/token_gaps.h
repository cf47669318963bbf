/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * token_gaps: times between tokens, of answers whose server counts its tokens
 * in every event that brings some.
 *
 * An event is an arrival of tokens when its count (out_tokens) is above that of
 * all events before it, with text or without.  Between two arrivals so many
 * tokens came as the count grew by, and each is given an equal part of the
 * time: with three tokens in an event there are three values for the gap
 * before it.  Text whose count did not grow is no arrival.
 *
 * There are values only if each event with text has a count, the answer has one
 * choice (counts are of all), and no event brings more than
 * TAPE_TOKEN_GAPS_STEP tokens.
 */
#ifndef TAPE_ENGINE_TOKEN_GAPS_H
#define TAPE_ENGINE_TOKEN_GAPS_H

#include "base/err.h"
#include "record/record.h"

#define TAPE_TOKEN_GAPS_STEP 4096
#define TAPE_TOKEN_GAPS_MAX  (1 << 22) /* of one answer; more: none */

struct tape_token_gaps {
	double *v; /* ns, in order */
	size_t n;
	size_t cap;
	int64_t silent; /* arrivals without text; TAPE_ABSENT_I64 unknown */
};

/*
 * Fills g from the events, whose arrays are of one length and whose times are
 * in range; time_of gives the time of event i.  TAPE_E_NOMEM.
 */
enum tape_status tape_token_gaps_find(struct tape_token_gaps *g,
    const struct tape_events *e, int64_t (*time_of)(const void *arg, size_t i),
    const void *arg, struct tape_err *err) TAPE_NODISCARD;

void tape_token_gaps_release(struct tape_token_gaps *g);

#endif
