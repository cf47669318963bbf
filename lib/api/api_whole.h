/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_whole: endpoints that answer with one JSON body and without tokens:
 * embeddings, rankings, images.
 */
#ifndef TAPE_API_API_WHOLE_H
#define TAPE_API_API_WHOLE_H

#include "api/api_body.h"
#include "api/api_slots.h"

/*
 * Reads a body: the answer is complete when it has a list under the key (or is
 * one, with NULL) with something in it.  Usage is read from "usage" and "meta".
 * Malformed: neither such a list nor an error.
 */
enum tape_status tape_api_whole_read(struct tape_api_decoder *d,
    const char *key, struct tape_str body, struct tape_err *err) TAPE_NODISCARD;

/*
 * The texts that a request has besides its input, in "passages" of params or
 * extra: appends them as the list of a field, each between before and after;
 * not when the body has that field already.  Sets b->nest.  TAPE_E_USAGE when
 * there is no list of texts.
 */
enum tape_status tape_api_body_passages(struct tape_api_body *b,
    const char *key, const char *before, const char *after,
    struct tape_err *err) TAPE_NODISCARD;

/* The input's text as a field, in a list of one when list is set; token ids
   and messages are refused. */
enum tape_status tape_api_body_texts(struct tape_api_body *b, const char *key,
    bool list, struct tape_err *err) TAPE_NODISCARD;

/* An event of a stream that is the same as a whole body. */
enum tape_status tape_api_whole_decode(struct tape_api_decoder *d,
    struct tape_str type, struct tape_str data,
    struct tape_err *err) TAPE_NODISCARD;

#endif
