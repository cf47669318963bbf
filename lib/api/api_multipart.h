/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_multipart: a request body of form fields and a file (RFC 7578).
 */
#ifndef TAPE_API_API_MULTIPART_H
#define TAPE_API_API_MULTIPART_H

#include "api/api_body.h"

/* Of all such bodies, so that the content type is one; what is sent is checked
   for it. */
#define TAPE_API_BOUNDARY "llmtape-b9Xr4TqLw2VnK8sYd6HfJ3pZ"

#define TAPE_API_MULTIPART_TYPE                                                \
 "Content-Type: multipart/form-data; boundary=" TAPE_API_BOUNDARY

/* A field with a text.  TAPE_E_USAGE when the text has the boundary in it. */
enum tape_status tape_api_multipart_text(struct tape_buf *out, const char *name,
    struct tape_str text, struct tape_err *err) TAPE_NODISCARD;

/*
 * The fields of a JSON object, but for those that over has (NULL: none) and the
 * one of that name: strings as they are, an array as a field NAME[] for each
 * element, null not at all, and all else as JSON.
 */
enum tape_status tape_api_multipart_fields(struct tape_buf *out,
    const struct tape_api_fields *f, const struct tape_api_fields *over,
    const char *but, struct tape_err *err) TAPE_NODISCARD;

/*
 * The file at a path, given as JSON.  The path is relative and has no "..", as
 * it may come with a trace of somebody else's.  TAPE_E_USAGE for another one;
 * fails as tape_fdio_slurp does.
 */
enum tape_status tape_api_multipart_file(struct tape_buf *out, const char *name,
    struct tape_str path, struct tape_err *err) TAPE_NODISCARD;

/* Behind the last field. */
void tape_api_multipart_end(struct tape_buf *out);

#endif
