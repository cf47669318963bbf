/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attempts: which requests are cancelled on purpose, which failed ones are sent
 * again, and when.  Pure.
 *
 * Cancelled on purpose is a share of the requests, so long after the last byte
 * of each was handed to the system, as by a user who stops waiting.  Whether a
 * request is one of them depends on the seed and on its place in the run alone,
 * so it is the same for every arm, in every round, and for every attempt.
 *
 * Sent again is what failed in one of the ways that were chosen, at most so many
 * times, after a delay that doubles from attempt to attempt.  Where the server
 * says Retry-After, it is not asked earlier than that.  No delay is longer than
 * delay_max_ns.
 */
#ifndef TAPE_CODEC_ATTEMPTS_H
#define TAPE_CODEC_ATTEMPTS_H

#include "base/buf.h"
#include "codec/http.h"

#define TAPE_ATTEMPTS_MAX 100 /* retries of a request */

/* Failures: classes as bits, and bits of the statuses from 400 to 599. */
struct tape_attempts_on {
	uint32_t classes;
	uint64_t statuses[4];
};

struct tape_attempts {
	double cancel_ratio; /* of the requests, 0 to 1 */
	int64_t cancel_after_ns;
	uint64_t seed;
	uint64_t retries; /* of each request; 0: none */
	struct tape_attempts_on on;
	int64_t delay_ns; /* before the second attempt */
	int64_t delay_max_ns;
};

/* What is retried where a user says nothing: connect,reset,429,503. */
#define TAPE_ATTEMPTS_ON                                                       \
 {                                                                             \
  (UINT32_C(1) << TAPE_HTTP_CONNECT) | (UINT32_C(1) << TAPE_HTTP_RESET),       \
  {                                                                            \
   UINT64_C(1) << 29, UINT64_C(1) << (503 - 400 - 64), 0, 0                    \
  }                                                                            \
 }

/*
 * For --retry-on: names of classes, http for any status, statuses (429) and
 * hundreds of them (5xx), separated by commas; field is a struct
 * tape_attempts_on, replaced.  TAPE_E_USAGE.
 */
enum tape_status tape_attempts_parse_on(
    const char *arg, void *field, struct tape_err *err) TAPE_NODISCARD;

/* Whether the request at that place of the run is cancelled on purpose. */
bool tape_attempts_cancels(const struct tape_attempts *a, uint64_t seq);

/* Whether a failure like that is to be sent again; status 0: none came. */
bool tape_attempts_retries(
    const struct tape_attempts *a, enum tape_http_class class, int64_t status);

/* What the header fields of an answer (name LF value LF ...) ask for: seconds
   of Retry-After, or Retry-After-Ms, which wins.  -1: nothing, or a date. */
int64_t tape_attempts_retry_after_ns(const struct tape_buf *headers);

/* From the end of an attempt (1, 2, ...) to the next one. */
int64_t tape_attempts_delay_ns(
    const struct tape_attempts *a, int64_t attempt, int64_t retry_after_ns);

#endif
