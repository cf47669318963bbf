/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_said: conditions of a run in words, which are compared as they are.
 *
 * All keep what they make in the set's arena, and leave it absent where nothing
 * is known.  They fail for want of memory only.
 */
#ifndef TAPE_ENGINE_COMPARE_SAID_H
#define TAPE_ENGINE_COMPARE_SAID_H

#include "engine/compare.h"

/* From a chain of programs: "trace-replay 0.1.0, metrics-reduce 0.1.0", each
   once, of those whose version can change a number; and the host on which the
   requests were sent. */
enum tape_status tape_compare_say_tools(struct tape_compare_set *set,
    struct tape_str prov, struct tape_str *tool, struct tape_str *host,
    struct tape_err *err) TAPE_NODISCARD;

/* Of the client: how it connects, with how many threads, how long it waits. */
enum tape_status tape_compare_say_client(struct tape_compare_set *set,
    const struct tape_run *r, struct tape_str *client,
    struct tape_err *err) TAPE_NODISCARD;

/* Of the server's list of models, what it says of lengths and slots. */
enum tape_status tape_compare_say_limits(struct tape_compare_set *set,
    struct tape_str models, struct tape_str *said,
    struct tape_err *err) TAPE_NODISCARD;

#endif
