/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * child: a function in a process of its own, so that its CPU time and its
 * delays are not ours.  Start it before the first thread.
 */
#ifndef TAPE_CLI_CHILD_H
#define TAPE_CLI_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct tape_child {
	pid_t pid; /* 0: none */
};

/* child is a struct tape_child, so that these can be callbacks of engines. */

/*
 * Runs run(arg) in a child, whose exit code is what it returns.  The child has
 * neither our standard input nor our standard output, does not hear a Ctrl-C,
 * and dies with us.
 */
enum tape_status tape_child_start(void *child, int (*run)(void *arg), void *arg,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Kills it and waits for it; nothing without a child.  *cpu_ns (may be NULL) is
 * the CPU time it took.  False when it had ended by itself before.
 */
bool tape_child_stop(void *child, int64_t *cpu_ns);

#endif
