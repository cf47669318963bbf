/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outfile: where a tool's output goes: standard output, or a file that gets its
 * name only when it is complete.
 *
 * A regular file is written as FILE.tmp.PID beside FILE, or as FILE.partial
 * when partial is set.  What is no regular file (/dev/null, /dev/stdout, a FIFO)
 * is opened as it is.  A link is followed, so that what it names is replaced,
 * and a file that is replaced hands its permissions down.
 *
 * An existing FILE is replaced, but with partial refused unless force is set,
 * and so is an existing FILE.partial, which holds what a crash left.
 *
 * A temporary file is removed when a signal kills the tool (signals.h); a
 * partial one stays.
 */
#ifndef TAPE_CLI_OUTFILE_H
#define TAPE_CLI_OUTFILE_H

#include "base/err.h"

#include <stdbool.h>

struct tape_outfile {
	char *path;    /* final name; NULL for standard output */
	char *written; /* name while it is written; NULL: as path */
	bool keep;     /* a failed file stays under its working name */
};

/*
 * Opens path (NULL: standard output), giving a descriptor that is the
 * caller's.  f is to be released by finish or drop, also after a failure.
 */
enum tape_status tape_outfile_open(struct tape_outfile *f, const char *path,
    bool partial, bool force, int *fd, struct tape_err *err) TAPE_NODISCARD;

/* Renames into place, after the descriptor was closed. */
enum tape_status tape_outfile_finish(
    struct tape_outfile *f, struct tape_err *err) TAPE_NODISCARD;

/* Removes what was written, but for a partial file. */
void tape_outfile_drop(struct tape_outfile *f);

#endif
