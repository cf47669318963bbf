/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * signals: how a tool meets SIGINT, SIGTERM and SIGPIPE.
 *
 * The count and the wake-up are the process's, as signals are.
 */
#ifndef TAPE_CLI_SIGNALS_H
#define TAPE_CLI_SIGNALS_H

#include "base/err.h"

/*
 * SIGPIPE: default and unblocked, so that a tool whose reader left dies
 * quietly; ignored where sockets are written (sockets true).
 */
void tape_signals_pipe(int sockets);

/*
 * SIGINT and SIGTERM are counted from now on; the one that makes kill_at kills
 * as if it had not been caught.
 */
void tape_signals_count(int kill_at);

/* How many have come. */
int tape_signals_seen(void);

/*
 * wake (NULL: none) is called in the handler at each of them, so it must be
 * async-signal-safe, as a write to an eventfd is.
 */
void tape_signals_wake(void (*wake)(void *arg), void *arg);

/* Dies of a broken pipe as a tool that does not ignore SIGPIPE would. */
void tape_signals_die_of_pipe(void);

#endif
