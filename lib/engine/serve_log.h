/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_log: the server's own account: one JSON line for each request, written
 * by one write when the request has ended.  Members as in trace-serve(1); what
 * is unknown or does not apply is left out.
 */
#ifndef TAPE_ENGINE_SERVE_LOG_H
#define TAPE_ENGINE_SERVE_LOG_H

#include "base/buf.h"
#include "base/span.h"

#define TAPE_SERVE_ID 128 /* longest request id that is kept */

/* Times are CLOCK_MONOTONIC nanoseconds, TAPE_ABSENT_I64 when it did not
   happen. */
struct tape_serve_entry {
	char id[TAPE_SERVE_ID + 1]; /* x-request-id, of request and answer */
	uint64_t n;                 /* of the request, from 1 */
	uint64_t conn;              /* of its connection, from 1 */
	struct tape_str path;
	int status;          /* of the answer; 0: none was begun */
	const char *outcome; /* see trace-serve(1) */
	bool model;          /* a chat or completion: what follows is there */
	bool stream;
	uint64_t prompt_tokens;
	uint64_t cached_tokens;
	uint64_t output_tokens; /* that were sent */
	uint64_t events;
	int64_t t_in_ns;      /* the request was complete */
	int64_t due_first_ns; /* deadline of the first token */
	int64_t t_first_ns;   /* just before it was sent */
	int64_t due_last_ns;  /* of the last token that was sent */
	int64_t t_last_ns;
	int64_t t_end_ns;
	int64_t late_max_ns; /* of its token events */
};

/* An entry with nothing in it. */
void tape_serve_entry_init(struct tape_serve_entry *e);

/* The client's id, when it is plain text that is not too long; else n. */
void tape_serve_entry_set_id(struct tape_serve_entry *e, const char *id);

/* scratch is overwritten. */
enum tape_status tape_serve_log_write(int fd, const struct tape_serve_entry *e,
    struct tape_buf *scratch, struct tape_err *err) TAPE_NODISCARD;

#endif
