/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tmpfile: a temporary file without a name, which is gone when it is closed,
 * and when the program dies.
 */
#ifndef TAPE_BASE_TMPFILE_H
#define TAPE_BASE_TMPFILE_H

#include "base/err.h"

/* For reading and writing, close-on-exec, in dir (NULL or "": /tmp).  *fd is the
   caller's; -1 on failure. */
enum tape_status tape_tmpfile_open(
    int *fd, const char *dir, struct tape_err *err) TAPE_NODISCARD;

#endif
