/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share: pieces of work that do not touch each other, dealt to threads.
 */
#ifndef TAPE_ENGINE_SHARE_H
#define TAPE_ENGINE_SHARE_H

#include "base/err.h"

#include <stddef.h>

#define TAPE_SHARE_THREADS 64

/*
 * Calls fn for the pieces 0 to n - 1, on so many threads at most, this one
 * included, and waits for all of them.  Of pieces that fail the first one's
 * status and error are given; pieces are not begun once one has failed.
 */
enum tape_status tape_share(size_t n, unsigned threads,
    enum tape_status (*fn)(void *arg, size_t piece, struct tape_err *err),
    void *arg, struct tape_err *err) TAPE_NODISCARD;

#endif
