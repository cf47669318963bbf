/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_ask: what the body of a request asks the model server for.
 *
 * What counts is said by the shape of a dialect.  Of messages: text of all
 * their content, as string or as text parts.  Of a prompt: a string, token
 * numbers, or either within an array of one.  Other fields are taken and
 * ignored; null counts as absent.
 */
#ifndef TAPE_ENGINE_SERVE_ASK_H
#define TAPE_ENGINE_SERVE_ASK_H

#include "base/buf.h"
#include "codec/json.h"
#include "engine/serve_count.h"
#include "engine/serve_dialect.h"

struct tape_serve_ask {
	const struct tape_serve_shape *shape;
	bool stream;
	bool usage;            /* wants a usage event in the stream */
	bool ignore_eos;       /* wants max_tokens exactly */
	int64_t max_tokens;    /* -1: not given */
	struct tape_buf model; /* as a JSON string; empty: not given */
	struct tape_serve_count prompt;
};

/* For a body of that shape, which is borrowed; block_tokens as in
   serve_count. */
void tape_serve_ask_init(struct tape_serve_ask *ask,
    const struct tape_serve_shape *shape, uint32_t block_tokens);
void tape_serve_ask_release(struct tape_serve_ask *ask);

/*
 * Parses a body, once per init.  TAPE_E_FORMAT says in err what the client did
 * wrong.  reader is reused from call to call.
 */
enum tape_status tape_serve_ask_parse(struct tape_serve_ask *ask,
    struct tape_json *reader, const char *body, size_t len,
    struct tape_err *err) TAPE_NODISCARD;

#endif
