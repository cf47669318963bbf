/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress: one line on a terminal that is written over and over, and what
 * else is said while it stands there.
 *
 * Nothing is shown when standard error is no terminal, or with -q.  The line is
 * the process's, as standard error is; any thread may call.
 */
#ifndef TAPE_CLI_PROGRESS_H
#define TAPE_CLI_PROGRESS_H

#include "base/err.h"

#include <stdbool.h>

void tape_progress_start(bool quiet);

/* Replaces the line; cut at the terminal's width. */
void tape_progress_show(const char *text);

/* Takes the line away. */
void tape_progress_clear(void);

/* As their namesakes of diag, on a line of their own; callbacks of engines,
   which do not need arg. */
void tape_progress_error(void *arg, const char *text);
void tape_progress_warn(void *arg, const char *text);

#endif
