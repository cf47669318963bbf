/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * apikey: a key from where it is safe: the environment or a file, never an
 * option's value, which everybody sees in the list of processes.
 */
#ifndef TAPE_CLI_APIKEY_H
#define TAPE_CLI_APIKEY_H

#include "base/err.h"

/*
 * The key in the variable of that name, or in the file ("-": standard input),
 * without the line end behind it.  *key is the caller's (tape_apikey_free), and
 * NULL when both are NULL.
 *
 * TAPE_E_USAGE when the variable is not set; TAPE_E_FORMAT when the key is
 * empty or has control characters or blanks at its ends.  No message has any
 * of it.
 */
enum tape_status tape_apikey_read(const char *env_name, const char *path,
    char **key, struct tape_err *err) TAPE_NODISCARD;

/* Wipes and frees; NULL is fine. */
void tape_apikey_free(char *key);

#endif
