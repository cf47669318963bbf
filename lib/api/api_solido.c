/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Siemens Solido's /rag/api/prompt: an answer out of documents. */
#include "api/api_table.h"
#include "api/api_whole.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_texts(b, "query", true, err);

	if (st != TAPE_OK)
		return st;
	tape_api_body_raw(b, "filters",
	    tape_str_of("{\"family\":\"Solido\",\"tool\":\"SDE\"}"));
	if (b->ask->model.p == NULL)
		return TAPE_OK;
	return tape_api_body_str(b, "inference_model", b->ask->model, err);
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	enum { CONTENT, USAGE, ERROR, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = "content" },
		{ .name = "usage" }, { .name = "error" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, body, in, SLOTS, err);

	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &in[USAGE], err);
	if (st != TAPE_OK || s->failed)
		return st;
	s->done = in[CONTENT].type == TAPE_JSON_STRING;
	s->malformed = !s->done;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	return tape_api_slot_text(s, TAPE_API_CONTENT, &in[CONTENT], err);
}

const struct tape_api tape_api_solido_rag = {
	.name = "solido_rag",
	.path = "/rag/api/prompt",
	.tokenless = true,
	.render = render,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};
