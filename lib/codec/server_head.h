/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_head: the complete head of a request, taken apart.  Part of
 * server_parse; nobody else includes it.
 */
#ifndef TAPE_CODEC_SERVER_HEAD_H
#define TAPE_CODEC_SERVER_HEAD_H

#include "codec/server_parse.h"

/* False when the first byte cannot be one of a request. */
bool tape_server_head_starts(const struct tape_buf *head);

/*
 * Parses request line and fields up to the empty line, in place: the strings
 * of req are in head.  Returns 0, or the HTTP status to refuse it with and
 * why.
 */
int tape_server_head_parse(struct tape_buf *head,
    struct tape_server_request *req, size_t *headers_cap, const char **why);

/* Frees the table of fields. */
void tape_server_head_release(struct tape_server_request *req);

#endif
