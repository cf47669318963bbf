/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt_attempts: the options for what is sent again, and for what is cancelled
 * on purpose; their struct is struct tape_attempts.
 */
#ifndef TAPE_CLI_OPT_ATTEMPTS_H
#define TAPE_CLI_OPT_ATTEMPTS_H

#include "cli/opt.h"

extern const struct tape_opt_part tape_opt_attempts_part;

#endif
