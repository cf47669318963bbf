/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_drafts: what a server says of its speculative decoding in an answer:
 * how many tokens were drafted for it, and how many of these were accepted.
 */
#ifndef TAPE_API_SERVER_DRAFTS_H
#define TAPE_API_SERVER_DRAFTS_H

#include "base/span.h"

/*
 * server_timing as of a response record, or absent: timings.draft_n and
 * draft_n_accepted, of llama.cpp.  False where they are not both there, or make
 * no sense; then *drafted and *accepted are as they were.
 */
bool tape_server_drafts_read(
    struct tape_str server_timing, int64_t *drafted, int64_t *accepted);

#endif
