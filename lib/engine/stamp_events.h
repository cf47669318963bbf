/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_events: the events of one response as the parallel arrays of its
 * record.  A column in which every value is the usual one takes no memory and
 * is absent from the record.
 */
#ifndef TAPE_ENGINE_STAMP_EVENTS_H
#define TAPE_ENGINE_STAMP_EVENTS_H

#include "api/api.h"
#include "record/record.h"

enum tape_stamp_column {
	TAPE_STAMP_T,
	TAPE_STAMP_LAG,
	TAPE_STAMP_TEXT,
	TAPE_STAMP_CHOICE,
	TAPE_STAMP_TOKENS,
	TAPE_STAMP_SERVER,
	TAPE_STAMP_LATE,
	TAPE_STAMP_COLUMNS
};

struct tape_stamp_events {
	size_t n;
	struct tape_stamp_values {
		int64_t *v;
		size_t n; /* stored, at most the events' */
		size_t cap;
	} column[TAPE_STAMP_COLUMNS];
	struct tape_buf class;
	struct tape_buf clk;
	int64_t read_t_ns; /* user time of the last event's read */
	bool bare;         /* events are reads: text is unknown, not none */
};

void tape_stamp_events_init(struct tape_stamp_events *e);
void tape_stamp_events_clear(struct tape_stamp_events *e);
void tape_stamp_events_release(struct tape_stamp_events *e);

/* Reads of one user time are one read, wherever it was cut. */
struct tape_stamp_read {
	int64_t t_ns;   /* user time */
	int64_t lag_ns; /* -1 unknown */
};

/*
 * Adds an event that a read completed.  server_ns of the event is taken as it
 * is given here (-1 unknown).  TAPE_E_LIMIT beyond TAPE_CAP_EVENTS.
 */
enum tape_status tape_stamp_events_add(struct tape_stamp_events *e,
    const struct tape_stamp_read *read, const struct tape_api_event *ev,
    int64_t server_ns, struct tape_err *err) TAPE_NODISCARD;

/* Takes the kernel's time from the events whose read was at a user time above
   from_ns and up to to_ns: the clock stepped in between. */
void tape_stamp_events_doubt(
    struct tape_stamp_events *e, int64_t from_ns, int64_t to_ns);

/* The arrays, borrowed until the next call. */
enum tape_status tape_stamp_events_get(struct tape_stamp_events *e,
    struct tape_events *out, struct tape_err *err) TAPE_NODISCARD;

#endif
