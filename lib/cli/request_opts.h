/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request_opts: the options for what stands in a request's body, and for what
 * the server is known to take of it.
 */
#ifndef TAPE_CLI_REQUEST_OPTS_H
#define TAPE_CLI_REQUEST_OPTS_H

#include "api/server_rules.h"
#include "cli/opt.h"

struct tape_request_opts {
	const char *extra;            /* JSON or @FILE; NULL none */
	const char *max_tokens_field; /* NULL: the dialect's */
	bool no_usage;
	struct tape_opt_list drop;
	struct tape_opt_list allow;
	int server; /* place in tape_server_names behind the first */
	bool server_given;
	struct tape_server_limits limits;
};

extern const struct tape_opt_part tape_request_opts;

/* What the options say of the server; borrows the lists. */
struct tape_server_rules tape_request_rules(const struct tape_request_opts *o);

#endif
