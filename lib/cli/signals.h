/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * signals: how a tool meets SIGINT, SIGTERM, SIGHUP and SIGPIPE.
 *
 * A signal that was ignored when the tool began stays so, but SIGPIPE: a shell
 * starts background jobs with SIGINT ignored, nohup(1) its command with SIGHUP.
 *
 * All state is the process's, as signals are.
 */
#ifndef TAPE_CLI_SIGNALS_H
#define TAPE_CLI_SIGNALS_H

#include "base/err.h"

#include <stdbool.h>

/*
 * SIGPIPE: default and unblocked, so that a tool whose reader left dies
 * quietly; ignored where sockets are written (sockets true).
 */
void tape_signals_pipe(bool sockets);

/*
 * SIGINT and SIGTERM are counted from now on; the one that makes kill_at kills
 * as if it had not been caught.
 */
void tape_signals_count(int kill_at);

/* The first SIGINT from now on does nothing, for a tool that reads a pipe whose
   writer will end it; the second kills.  Not together with count. */
void tape_signals_pass_one(void);

/* How many have come. */
int tape_signals_seen(void);

/*
 * wake (NULL: none) is called in the handler at each of them that does not
 * kill, so it must be async-signal-safe, as a write to an eventfd is.
 */
void tape_signals_wake(void (*wake)(void *arg), void *arg);

/*
 * A file (copied; NULL: none) that is removed when SIGINT, SIGTERM or SIGHUP
 * kills the tool.  One that is longer than PATH_MAX stays.
 */
void tape_signals_remove(const char *path);

/* Dies of a broken pipe as a tool that does not ignore SIGPIPE would. */
void tape_signals_die_of_pipe(void);

/* Whether there was more than one: whoever asks wants no more patience. */
bool tape_signals_insist(void);

#endif
