/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sse: push parser of event streams (WHATWG HTML, "Server-sent events").
 *
 * Bytes of the body go in, in pieces of any size; events, comments and unknown
 * fields come out by callbacks, in order and the same for every cutting.  No
 * I/O, no clock.  Memory is kept from event to event and from stream to stream;
 * an event whose bytes lie in one piece is not copied.
 *
 * Lines end in LF, CR or CR LF, in any mix.  A line ended by CR is complete at
 * the CR; a LF behind it is swallowed when it comes.  One BOM at the very
 * beginning is dropped.  A blank line completes an event if there was a data
 * line since the last blank one; type and data do not outlive it.  What is not
 * completed when the stream ends is no event: see tape_sse_finish.
 *
 * Errors stick: TAPE_E_LIMIT for a line over TAPE_CAP_SSE_LINE or an event's
 * data over TAPE_CAP_SSE_EVENT bytes, TAPE_E_NOMEM, or what a callback
 * returned.
 */
#ifndef TAPE_CODEC_SSE_H
#define TAPE_CODEC_SSE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * end_offset, here and below: how many bytes of the body there are up to and
 * with the one that completed this.  So it was completed by the first read
 * with which the body's length reached end_offset.
 *
 * Pointers are valid during the callback and not NUL-terminated; none is NULL.
 */
struct tape_sse_event {
	const char *data; /* the data lines, joined by LF */
	size_t len;
	const char *type; /* of the last event line; "" means message */
	size_t type_len;
	const char *id; /* of the last id line of the stream so far, or "" */
	size_t id_len;
	uint64_t data_lines; /* 1 or more */
	uint64_t end_offset;
};

/* A field that is none of event, data, id, retry; or a comment. */
struct tape_sse_field {
	const char *name; /* "" for a comment */
	size_t name_len;
	const char *value; /* without the one space behind the colon; of a
	                      comment all that is behind the colon */
	size_t value_len;
	uint64_t end_offset;
};

/* Any may be NULL.  A status other than TAPE_OK stops the parser for good and
   is what feed returns. */
struct tape_sse_calls {
	enum tape_status (*event)(
	    void *user, const struct tape_sse_event *ev, struct tape_err *err);
	enum tape_status (*comment)(
	    void *user, const struct tape_sse_field *f, struct tape_err *err);
	enum tape_status (*field)(
	    void *user, const struct tape_sse_field *f, struct tape_err *err);
};

/* Complete lines by kind; events are those completed. */
struct tape_sse_counts {
	uint64_t events;
	uint64_t data_lines;
	uint64_t comments;
	uint64_t id_lines; /* also those ignored for a NUL in them */
	uint64_t unknown_fields;
};

struct tape_sse {
	struct tape_sse_counts counts; /* read only */
	uint64_t offset;               /* bytes fed; read only */
	int64_t retry_ms; /* of the last valid retry line, or -1; read only */
	/* the rest is private */
	const struct tape_sse_calls *calls;
	void *user;
	enum tape_status status;
	unsigned bom;      /* how many bytes of it were seen, or BOM_DONE */
	bool after_cr;     /* a LF that comes next is swallowed */
	bool in_block;     /* a line but comments since the last blank one */
	uint64_t block_at; /* offset of the first such line */
	uint64_t line_at;  /* offset of the line in hand */
	uint64_t lines;    /* data lines of the event in hand */
	const char *slice; /* its only data line, in the bytes being fed */
	size_t slice_len;
	struct tape_buf line; /* beginning of a line cut by the last piece */
	struct tape_buf data; /* of the event in hand, unless a slice */
	struct tape_buf type, id;
};

/* calls must outlive the parser; user is handed to them. */
void tape_sse_init(
    struct tape_sse *p, const struct tape_sse_calls *calls, void *user);
void tape_sse_release(struct tape_sse *p);

/* Ready for another stream with the same calls; keeps the memory. */
void tape_sse_clear(struct tape_sse *p);

enum tape_status tape_sse_feed(struct tape_sse *p, const char *bytes,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/*
 * At the end of the stream: how many bytes at its end were not dispatched, from
 * the first byte of the event left incomplete.  Comments before it are not
 * counted; a line without an end is.
 */
uint64_t tape_sse_finish(const struct tape_sse *p);

#endif
