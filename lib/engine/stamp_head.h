/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stamp_head: what the head of an answer says about its body.
 */
#ifndef TAPE_ENGINE_STAMP_HEAD_H
#define TAPE_ENGINE_STAMP_HEAD_H

#include "base/buf.h"
#include "engine/stamp_flow.h"

/* The value of the first header field of that name, in lower case, cut to size;
   "" when there is none.  Returns dst. */
char *tape_flow_header(
    const struct tape_transfer *t, const char *name, char *dst, size_t size);

/* The content type, cut, "" when there is none.  Returns dst. */
char *tape_flow_content_type(
    const struct tape_transfer *t, char dst[TAPE_FLOW_TYPE]);

/* It is a page of HTML. */
bool tape_flow_is_html(const char *type);

/*
 * How the body is read: by its content type; without one, by what was asked
 * for.  *foreign: the answer is a success of a type that is neither an event
 * stream nor JSON.
 */
enum tape_flow_mode tape_flow_mode(
    const struct tape_transfer *t, const char *type, bool *foreign);

#endif
