/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay_args: what a user writes about a replay, made into what replay works
 * with, and checked as far as words alone can be.
 */
#ifndef TAPE_ENGINE_REPLAY_ARGS_H
#define TAPE_ENGINE_REPLAY_ARGS_H

#include "api/api_pointers.h"
#include "engine/headers.h"
#include "engine/replay.h"

/* A zeroed struct may be released. */
struct tape_replay_args {
	/* As given; NULL or 0: not given. */
	const char *const *urls; /* with named NAME=URL each */
	size_t urls_n;
	bool named;
	const char *api; /* needed */
	const char *extra;
	const char *body_template; /* file */
	struct tape_api_pointers pointers;
	const char *ready_path;
	struct tape_headers_source headers; /* stream too */
	bool usage;
	/* What the options point to afterwards. */
	struct tape_target_set targets;
	struct tape_headers lines;
	struct tape_buf extra_json;
	struct tape_buf pointers_json;
	char *template_text;
};

/*
 * Sets targets, headers, secrets, dialect, the form of requests, and the path
 * of readiness in o; these point into a.  TAPE_E_USAGE.
 */
enum tape_status tape_replay_args_apply(struct tape_replay_args *a,
    struct tape_replay_opts *o, struct tape_err *err) TAPE_NODISCARD;

void tape_replay_args_release(struct tape_replay_args *a);

#endif
