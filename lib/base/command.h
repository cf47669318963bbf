/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command: a command of the shell, of which we read what it writes.
 */
#ifndef TAPE_BASE_COMMAND_H
#define TAPE_BASE_COMMAND_H

#include "base/err.h"

#include <sys/types.h>

struct tape_command {
	pid_t pid; /* 0: none */
	int fd;    /* the reading end of its standard output, or -1 */
};

/*
 * Runs text by sh -c: standard input is empty, standard error ours.  It is in a
 * process group of its own, so that a Ctrl-C is not its end.
 */
enum tape_status tape_command_start(struct tape_command *c, const char *text,
    struct tape_err *err) TAPE_NODISCARD;

/* Asks its group to end, gives it a second, kills it, and waits; closes fd.
   Its exit status as of a shell (128 + signal), or -1 without a command. */
int tape_command_stop(struct tape_command *c);

/* The same of one that has closed its output, without asking it to end before
   the second is over. */
int tape_command_wait(struct tape_command *c);

#endif
