/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eventstream: push parser of application/vnd.amazon.eventstream, the binary
 * messages in which AWS streams: as codec/sse, with its events, for every
 * cutting the same.
 *
 * A message is an event: its payload is the data, its type the header
 * :event-type, or :exception-type.  One whose :message-type is error has no
 * payload: it comes out as a field named error with the header :error-message,
 * or else :error-code, as its value.
 *
 * Both checksums are held against the bytes, that of the lengths before they
 * are believed.  Memory grows with what came, not with what a length says.
 *
 * Errors stick: TAPE_E_FORMAT for a checksum or a length that is wrong or
 * headers that are none, TAPE_E_LIMIT for a message over TAPE_CAP_SSE_EVENT or
 * headers over TAPE_EVENTSTREAM_HEADERS bytes, TAPE_E_NOMEM, or what a callback
 * returned.
 */
#ifndef TAPE_CODEC_EVENTSTREAM_H
#define TAPE_CODEC_EVENTSTREAM_H

#include "codec/sse.h"

#define TAPE_EVENTSTREAM_HEADERS ((size_t)128 << 10) /* the protocol's limit */

struct tape_eventstream {
	struct tape_sse_counts counts; /* read only */
	uint64_t offset;               /* bytes fed; read only */
	/* the rest is private */
	const struct tape_sse_calls *calls;
	void *user;
	enum tape_status status;
	uint64_t begin;          /* offset of the message in hand */
	struct tape_buf message; /* beginning of one cut by the last piece */
};

/* calls must outlive the parser; any of them may be NULL. */
void tape_eventstream_init(
    struct tape_eventstream *p, const struct tape_sse_calls *calls, void *user);
void tape_eventstream_release(struct tape_eventstream *p);

/* Ready for another stream; keeps the memory. */
void tape_eventstream_clear(struct tape_eventstream *p);

enum tape_status tape_eventstream_feed(struct tape_eventstream *p,
    const char *bytes, size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Bytes of a message that was not completed. */
uint64_t tape_eventstream_tail(const struct tape_eventstream *p);

#endif
