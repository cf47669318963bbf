/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * framing: how the events of a streamed answer are told apart, and one push
 * parser in front of all the ways.
 *
 * Whatever the kind, events come out by the callbacks of codec/sse.h, in order,
 * the same for every cutting, with end_offset as it is said there.  Only SSE
 * has comments and unknown fields, and ids; the binary kind hands an error
 * message of the protocol out as a field "error".
 *
 * A kind costs no memory before a stream of it was read.
 */
#ifndef TAPE_CODEC_FRAMING_H
#define TAPE_CODEC_FRAMING_H

#include "codec/eventstream.h"
#include "codec/jsonarray.h"
#include "codec/ndjson.h"
#include "codec/sse.h"

enum tape_framing_kind {
	TAPE_FRAMING_SSE,    /* text/event-stream */
	TAPE_FRAMING_NDJSON, /* a JSON value a line */
	TAPE_FRAMING_ARRAY,  /* the elements of one JSON array */
	TAPE_FRAMING_BINARY  /* application/vnd.amazon.eventstream */
};

struct tape_framer {
	enum tape_framing_kind kind; /* read only */
	/* The rest is private. */
	struct tape_sse sse;
	struct tape_ndjson ndjson;
	struct tape_jsonarray array;
	struct tape_eventstream binary;
};

/* For SSE, until clear says otherwise.  calls must outlive the parser. */
void tape_framer_init(
    struct tape_framer *f, const struct tape_sse_calls *calls, void *user);
void tape_framer_release(struct tape_framer *f);

/* Ready for another stream, of that kind; keeps the memory. */
void tape_framer_clear(struct tape_framer *f, enum tape_framing_kind kind);

/* Errors stick: TAPE_E_LIMIT, TAPE_E_NOMEM, TAPE_E_FORMAT for bytes that the
   kind cannot have, or what a callback returned. */
enum tape_status tape_framer_feed(struct tape_framer *f, const char *bytes,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/* At the end of the stream: a last line of NDJSON without its end is an event,
   which comes out now.  To be called once, and feed not after it. */
enum tape_status tape_framer_end(
    struct tape_framer *f, struct tape_err *err) TAPE_NODISCARD;

/* How many bytes were fed. */
uint64_t tape_framer_offset(const struct tape_framer *f);

/* How many bytes at the end, from the first one of an incomplete event. */
uint64_t tape_framer_tail(const struct tape_framer *f);

/* Of kinds other than SSE only events are counted, each as one data line. */
const struct tape_sse_counts *tape_framer_counts(const struct tape_framer *f);

/*
 * What a stream is of which nobody said, by its first byte that is not white
 * space, where own is what its dialect streams.  Of a dialect of SSE all is
 * SSE; of another, { is a line, or a value that stands for an array, [ an
 * array, NUL the length of a binary message, and all else SSE.
 */
enum tape_framing_kind tape_framing_guess(
    enum tape_framing_kind own, char first);

/* Whether a content type, which may have parameters, names a kind. */
bool tape_framing_of_type(const char *type, enum tape_framing_kind *kind);

#endif
