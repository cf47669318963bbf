/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preflight_impl: what the files of preflight share. */
#ifndef TAPE_ENGINE_PREFLIGHT_IMPL_H
#define TAPE_ENGINE_PREFLIGHT_IMPL_H

#include "engine/headers.h"
#include "engine/preflight.h"
#include "engine/spool_file.h"

struct tape_preflight {
	struct tape_preflight_opts o;
	int64_t itl_ns; /* also the time to the first token */
	int listen_fd;
	uint16_t port;
	uint64_t answer_tokens; /* at most */
	/* The replay as it is played here. */
	struct tape_replay_opts play;
	struct tape_target target;
	struct tape_headers headers;
	struct tape_replay_result result;
	const struct tape_spool_info *info;
	int64_t wall_ns;
	int64_t mock_cpu_ns; /* -1 unknown */
	char failure[TAPE_SINK_FIRST_TEXT];
	struct tape_spool_file wire, events;
	struct tape_preflight_tally tally;
};

/* Reads the wire stream as sse-timestamp would, into the tally. */
enum tape_status tape_preflight_read(
    struct tape_preflight *p, struct tape_err *err) TAPE_NODISCARD;

enum tape_status tape_preflight_text(const struct tape_preflight *p,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

/* A writer on a copy of the file's descriptor; a reader from its beginning. */
enum tape_status tape_preflight_writer(struct tape_writer **w,
    struct tape_spool_file *f, enum tape_format format, int level,
    struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_preflight_reader(struct tape_reader **r,
    struct tape_spool_file *f, enum tape_format format,
    struct tape_err *err) TAPE_NODISCARD;

#endif
