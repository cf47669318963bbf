/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt_shape: the options for servers of no dialect: what a body is made of, and
 * where an answer has what.
 */
#ifndef TAPE_CLI_OPT_SHAPE_H
#define TAPE_CLI_OPT_SHAPE_H

#include "api/api_pointers.h"
#include "cli/opt.h"

struct tape_opt_shape {
	const char *body_template; /* file; NULL none */
	const char *pointers[TAPE_API_POINTERS];
};

extern const struct tape_opt_part tape_opt_shape_part;

/* The pointers, checked; the error names the option. */
enum tape_status tape_opt_shape_pointers(const struct tape_opt_shape *o,
    struct tape_api_pointers *out, struct tape_err *err) TAPE_NODISCARD;

#endif
