/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt_describe: the options for what only the user knows of a run, and their texts.
 */
#ifndef TAPE_CLI_OPT_DESCRIBE_H
#define TAPE_CLI_OPT_DESCRIBE_H

#include "cli/opt.h"

/* The options' struct; a zeroed one may be released. */
struct tape_opt_describe {
	struct tape_opt_list labels, meta;
	const char *server_cmd;
	/* Made of them by join: JSON objects, empty where nothing was given. */
	struct tape_buf labels_json, meta_json;
};

extern const struct tape_opt_part tape_opt_describe_part;

/* As tape_labels_join and tape_meta_join. */
enum tape_status tape_opt_describe_join(
    struct tape_opt_describe *d, struct tape_err *err) TAPE_NODISCARD;
void tape_opt_describe_release(struct tape_opt_describe *d);

#endif
