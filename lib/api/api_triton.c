/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Triton's generate extension, as its TensorRT-LLM and vLLM backends speak it.
 *
 * An event has a piece of text, or with some settings all text so far.  Nothing
 * says that a stream ends but its end.
 */
#include "api/api_body.h"
#include "api/api_grown.h"
#include "api/api_items.h"
#include "api/api_table.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_input(b, "text_input", NULL, err);

	if (st != TAPE_OK)
		return st;
	tape_api_body_end(b, "max_tokens");
	return TAPE_OK;
}

enum { TEXT, FINISH, ERROR, SLOTS };

/* Texts of a list are those of the choices. */
static enum tape_status
read_list(struct tape_api_state *s, const struct tape_api_slot *list,
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(list), item;
	struct tape_api_choice *c;
	enum tape_status st = TAPE_OK;
	int64_t n = 0;

	while (st == TAPE_OK && tape_api_items_next(&rest, &item)) {
		const struct tape_api_slot one = {
			.type = item.p[0] == '"' ? TAPE_JSON_STRING
						 : TAPE_JSON_NULL,
			.raw = item
		};

		c = tape_api_choice_begin(s, err);
		if (c == NULL)
			return TAPE_E_NOMEM;
		c->index = n++;
		st = tape_api_slot_grown(
		    s, &one, TAPE_API_GROWTH_PIECES, false, err);
	}
	return st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { { .name = "text_output" },
		{ .name = "finish_reason" }, { .name = "error" } };
	enum tape_status st;

	st = tape_api_slots_read(s, data, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	if (st != TAPE_OK || in[TEXT].raw.p == NULL)
		return st;
	if (in[TEXT].type == TAPE_JSON_ARRAY)
		return read_list(s, &in[TEXT], err);
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	st = tape_api_slot_finish(s, &in[FINISH], err);
	return st == TAPE_OK ? tape_api_slot_grown(s, &in[TEXT],
				   TAPE_API_GROWTH_PIECES, false, err)
			     : st;
}

const struct tape_api tape_api_triton_generate = {
	.name = "triton_generate",
	.path = "/v2/models/{model}/generate",
	.stream_path = "/v2/models/{model}/generate_stream",
	.open_ended = true,
	.render = render,
	.read = read_event,
	.decode = tape_api_grown_decode,
	.decode_body = read_event,
};
