/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * labels: K=V options as one JSON object.
 */
#ifndef TAPE_CLI_LABELS_H
#define TAPE_CLI_LABELS_H

#include "cli/opt.h"

/*
 * Appends {"K":"V",...} for the items; nothing when there are none.  A V that
 * is a plain integer becomes a number, so that sweeps sort by it.
 * TAPE_E_USAGE: no '=', an empty or repeated K, or text that is not UTF-8.
 */
enum tape_status tape_labels_join(const struct tape_opt_list *items,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

#endif
