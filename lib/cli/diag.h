/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag: what a tool says on standard error, and with which code it exits.
 *
 * A message is one line, "tool: text", lower case, no full stop, and is written
 * by one write, so that lines of several processes do not mix.  Control
 * characters are replaced by '?'; text over 4000 bytes is cut.
 *
 * With -q only errors are said; notes are said with -v only.  The name and the
 * level are the process's, set once by main before there are threads.
 */
#ifndef TAPE_CLI_DIAG_H
#define TAPE_CLI_DIAG_H

#include "base/err.h"

#include <stdbool.h>

/* The registry: EXIT STATUS of every man page and llmtape(7) say the same. */
enum tape_exit {
	TAPE_EXIT_DONE = 0,   /* did what was asked */
	TAPE_EXIT_NO = 1,     /* ran to the end, and the answer is "no" */
	TAPE_EXIT_USAGE = 2,  /* nothing was done */
	TAPE_EXIT_INPUT = 3,  /* not ours, too new, truncated, malformed */
	TAPE_EXIT_SYSTEM = 4, /* I/O, memory, or no server ever answered */
	TAPE_EXIT_BUG = 5,    /* an internal check failed */
	TAPE_EXIT_DATA = 6,   /* the data cannot answer the question */
	TAPE_EXIT_OPEN = 7    /* undecided: add pairs */
};

int tape_diag_exit_code(enum tape_status st);

/* The one of two that counts: 5, 2, 3, 4, 6, 1, 7, 0. */
int tape_diag_worse(int a, int b);

/* The tool's name, which has to live on. */
void tape_diag_start(const char *tool);
void tape_diag_level(bool quiet, bool verbose);

void tape_diag_error(const char *fmt, ...) TAPE_PRINTF(1, 2);
void tape_diag_warn(const char *fmt, ...) TAPE_PRINTF(1, 2);
void tape_diag_note(const char *fmt, ...) TAPE_PRINTF(1, 2);

/* Says what err holds, with its place, and gives the exit code; a usage error
   gets the hint "try 'TOOL --help'". */
int tape_diag_failure(const struct tape_err *err);

/* A usage error with the hint; returns TAPE_EXIT_USAGE. */
int tape_diag_usage(const char *fmt, ...) TAPE_PRINTF(1, 2);

/* An error, then exit.  Only where no output can be half written. */
void tape_diag_die(int code, const char *fmt, ...) TAPE_PRINTF(2, 3)
    __attribute__((noreturn));

#endif
