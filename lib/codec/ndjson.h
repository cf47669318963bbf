/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ndjson: push parser of lines, a JSON value on each (newline-delimited JSON,
 * JSON lines): as codec/sse, with its events, for every cutting the same.
 *
 * Lines end in LF or CR LF.  One of white space alone is no event.  What a line
 * holds is not looked at.  A last line without an end is an event once the
 * stream ends, since servers leave the end out.
 *
 * Errors stick: TAPE_E_LIMIT for a line over TAPE_CAP_SSE_LINE bytes,
 * TAPE_E_NOMEM, or what the callback returned.
 */
#ifndef TAPE_CODEC_NDJSON_H
#define TAPE_CODEC_NDJSON_H

#include "codec/sse.h"

struct tape_ndjson {
	struct tape_sse_counts counts; /* read only */
	uint64_t offset;               /* bytes fed; read only */
	/* the rest is private */
	const struct tape_sse_calls *calls;
	void *user;
	enum tape_status status;
	bool ended;
	struct tape_buf line; /* beginning of a line cut by the last piece */
};

/* calls must outlive the parser; its event may be NULL. */
void tape_ndjson_init(
    struct tape_ndjson *p, const struct tape_sse_calls *calls, void *user);
void tape_ndjson_release(struct tape_ndjson *p);

/* Ready for another stream; keeps the memory. */
void tape_ndjson_clear(struct tape_ndjson *p);

enum tape_status tape_ndjson_feed(struct tape_ndjson *p, const char *bytes,
    size_t len, struct tape_err *err) TAPE_NODISCARD;

/* The stream ends here. */
enum tape_status tape_ndjson_end(
    struct tape_ndjson *p, struct tape_err *err) TAPE_NODISCARD;

/* Bytes of the line in hand; none of it is left behind end. */
uint64_t tape_ndjson_tail(const struct tape_ndjson *p);

#endif
