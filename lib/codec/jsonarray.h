/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jsonarray: push parser of one JSON array that is streamed element by element,
 * as Gemini does without alt=sse: as codec/sse, with its events, for every
 * cutting the same.
 *
 * An element is an event as soon as its last bracket or quote is there; a
 * number or a word when the byte behind it is.  Elements are told apart by
 * brackets, quotes and commas alone: whether one is JSON is for its reader to
 * say.  Brackets are counted, not matched, so that nesting costs no memory.  A
 * value that is no array is one event, as errors come without the array.
 *
 * Errors stick: TAPE_E_FORMAT for what stands outside of the elements where it
 * cannot be, TAPE_E_LIMIT for an element over TAPE_CAP_SSE_EVENT bytes,
 * TAPE_E_NOMEM, or what the callback returned.
 */
#ifndef TAPE_CODEC_JSONARRAY_H
#define TAPE_CODEC_JSONARRAY_H

#include "codec/sse.h"

enum tape_jsonarray_state {
	TAPE_JSONARRAY_BEFORE, /* nothing but white space came */
	TAPE_JSONARRAY_FIRST,  /* behind the bracket */
	TAPE_JSONARRAY_NEXT,   /* behind a comma */
	TAPE_JSONARRAY_IN,     /* in an element */
	TAPE_JSONARRAY_BEHIND, /* behind an element */
	TAPE_JSONARRAY_DONE    /* behind all */
};

struct tape_jsonarray {
	struct tape_sse_counts counts; /* read only */
	uint64_t offset;               /* bytes fed; read only */
	/* the rest is private */
	const struct tape_sse_calls *calls;
	void *user;
	enum tape_status status;
	enum tape_jsonarray_state state;
	bool alone;              /* the value is no array */
	bool bare;               /* the element is a number or a word */
	bool in_string;          /* of the element, as are: */
	bool escaped;            /* the next byte belongs to a backslash */
	uint64_t depth;          /* open brackets */
	uint64_t begin;          /* offset of its first byte */
	struct tape_buf element; /* beginning of one cut by the last piece */
};

/* calls must outlive the parser; its event may be NULL. */
void tape_jsonarray_init(
    struct tape_jsonarray *p, const struct tape_sse_calls *calls, void *user);
void tape_jsonarray_release(struct tape_jsonarray *p);

/* Ready for another stream; keeps the memory. */
void tape_jsonarray_clear(struct tape_jsonarray *p);

enum tape_status tape_jsonarray_feed(struct tape_jsonarray *p,
    const char *bytes, size_t len, struct tape_err *err) TAPE_NODISCARD;

/* Bytes of an element that was not completed. */
uint64_t tape_jsonarray_tail(const struct tape_jsonarray *p);

#endif
