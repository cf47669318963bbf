/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_json: a row of the JSON lines that Mooncake's traces and their
 * relatives are made of.  All keys are optional here, and null is as if a key
 * were not there; a format says which it needs.  Unknown keys are ignored.  The
 * JSON is held to what our own records are (mode ours), since text of it goes
 * into them.
 *
 *	timestamp       ms from the trace's start
 *	input_length    tokens
 *	output_length   tokens (also output_tokens, max_tokens)
 *	hash_ids        block ids, 0 to 2^53
 *	text_input      a prompt (also text, prompt)
 *	messages        a chat
 *	session_id      string or integer
 *	delay           ms after the turn before
 */
#ifndef TAPE_ENGINE_IMPORT_JSON_H
#define TAPE_ENGINE_IMPORT_JSON_H

#include "base/arena.h"
#include "codec/json.h"
#include "engine/import.h"

struct tape_import_row {
	int64_t t_ns;
	int64_t input_tokens;
	int64_t output_tokens;
	struct tape_i64s ids;
	struct tape_str text;
	struct tape_str messages; /* verbatim */
	struct tape_str session;
	int64_t delay_ns;
};

/* What reading rows needs; a zeroed struct that was given to init. */
struct tape_import_json {
	struct tape_json json;
	struct tape_arena arena; /* of the row last read */
};

void tape_import_json_init(struct tape_import_json *j);
void tape_import_json_release(struct tape_import_json *j);

/* The next row; as tape_import_row, and TAPE_E_FORMAT for what is not such a
   row.  Spans live until the next call with j or in. */
enum tape_status tape_import_json_row(struct tape_import_json *j,
    struct tape_in *in, struct tape_import_row *row,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Puts a request whose input is set already, with the rest of the row: times,
 * output, and its turn in a session.
 */
enum tape_status tape_import_json_put(const struct tape_import_row *row,
    struct tape_gen *g, struct tape_import_state *state, struct tape_request *r,
    struct tape_err *err) TAPE_NODISCARD;

#endif
