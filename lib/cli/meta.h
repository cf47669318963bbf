/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * meta: what only the user knows, as the meta object of a header.
 */
#ifndef TAPE_CLI_META_H
#define TAPE_CLI_META_H

#include "cli/opt.h"

/*
 * Appends {"K":"V",...,"server_cmd":"..."}, all strings, secrets by name cut as
 * in provenance; nothing when there is nothing.  server_cmd may be NULL.
 * TAPE_E_USAGE: no '=', an empty or repeated K, or text that is not UTF-8.
 */
enum tape_status tape_meta_join(const struct tape_opt_list *items,
    const char *server_cmd, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
