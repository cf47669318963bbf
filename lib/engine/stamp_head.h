/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_head: what the head of an answer says about its body.
 */
#ifndef TAPE_ENGINE_STAMP_HEAD_H
#define TAPE_ENGINE_STAMP_HEAD_H

#include "api/api.h"
#include "codec/stream_unpack.h"
#include "record/record.h"

#define TAPE_HEAD_VALUE 80 /* bytes of a header's value that are kept */

enum tape_flow_mode {
	TAPE_FLOW_STREAM, /* events */
	TAPE_FLOW_BODY,   /* JSON in one piece */
	TAPE_FLOW_BARE,   /* reads without their bytes */
	TAPE_FLOW_NONE    /* nothing that can be decoded */
};

struct tape_flow_head {
	enum tape_flow_mode mode;       /* never BARE */
	enum tape_framing_kind framing; /* of mode STREAM */
	bool foreign; /* a success, of a type that is neither a stream's nor
	                 JSON */
	bool html;    /* a page */
	enum tape_unpack_coding coding;
	char encoding[TAPE_HEAD_VALUE]; /* its name, "" for NONE */
	char type[TAPE_HEAD_VALUE];     /* content type, cut, or "" */
};

/* The value of the first header field of that name, in lower case, cut to size;
   "" when there is none.  Returns dst. */
char *tape_flow_header(
    const struct tape_transfer *t, const char *name, char *dst, size_t size);

/*
 * By its content encoding, NONE for one that cannot be decoded; by its content
 * type; where that is JSON, or there is none, by what was asked
 * for and by how the dialect streams.
 */
void tape_flow_head(const struct tape_transfer *t, const struct tape_api *api,
    struct tape_flow_head *out);

/* Whether the answer is one body; api as above, or NULL. */
bool tape_flow_is_whole(
    const struct tape_transfer *t, const struct tape_api *api);

#endif
