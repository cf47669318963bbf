/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_chunk: the object {"choices":[...],"usage":...,...} that the OpenAI
 * dialects send, as an event of a stream or as a whole body.
 *
 * Not of the shape, so malformed: anything but an object; choices that are no
 * array of objects; an index that is no integer from 0 on; a delta or message
 * that is no object.  Null counts as absent.  Members of other types than
 * expected are otherwise passed over.
 */
#ifndef TAPE_API_API_CHUNK_H
#define TAPE_API_API_CHUNK_H

#include "api/api_decode.h"

/* Where a choice has its text. */
struct tape_api_shape {
	const char *member;
	/* Reads that member, whose token is given, to its end. */
	enum tape_status (*read)(struct tape_api_decoder *d,
	    const struct tape_json_token *tok, struct tape_err *err);
};

/* Reads one chunk into d->state. */
enum tape_status tape_api_chunk_read(struct tape_api_decoder *d,
    const struct tape_api_shape *shape, struct tape_str data,
    struct tape_err *err) TAPE_NODISCARD;

/* An event of a stream: [DONE], nothing, an error by its type, or a chunk. */
enum tape_status tape_api_chunk_event(struct tape_api_decoder *d,
    const struct tape_api_shape *shape, struct tape_str type,
    struct tape_str data, struct tape_err *err) TAPE_NODISCARD;

#endif
