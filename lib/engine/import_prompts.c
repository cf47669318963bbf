/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prompts given as text: rows with text_input (or text, prompt) or messages,
 * and optionally output_length (or output_tokens, max_tokens), input_length,
 * timestamp, session_id and delay.
 */
#include "engine/import_json.h"

static enum tape_status
put_row(const struct tape_import_row *row, struct tape_gen *g,
    struct tape_import_state *state, struct tape_err *err)
{
	struct tape_request r;

	if ((row->text.p == NULL) == (row->messages.p == NULL))
		return tape_err_set(err, TAPE_E_FORMAT,
		    "row needs one of \"text_input\" and \"messages\"");
	tape_schema_init(TAPE_KIND_REQUEST, &r);
	r.input.text = row->text;
	r.input.messages = row->messages;
	r.input_tokens = row->input_tokens;
	return tape_import_json_put(row, g, state, &r, err);
}

enum tape_status
tape_import_prompts(struct tape_in *in, struct tape_gen *g,
    const struct tape_import_opts *opts, struct tape_import_state *state,
    struct tape_err *err)
{
	struct tape_import_json j;
	struct tape_import_row row;
	enum tape_status st;

	(void)opts;
	tape_import_json_init(&j);
	do {
		st = tape_import_json_row(&j, in, &row, err);
		if (st == TAPE_OK)
			st = put_row(&row, g, state, err);
	} while (st == TAPE_OK);
	tape_import_json_release(&j);
	return st;
}
