/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KServe's v2 inference protocol, with the tensors that language models have in
 * it by custom: text_input and max_tokens in, text_output out.
 */
#include "api/api_items.h"
#include "api/api_table.h"
#include "api/api_whole.h"

#include <inttypes.h>

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st;

	if (in->messages.p != NULL || in->tokens.v != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes text alone", b->api->name);
	if (!tape_api_body_field(b, "inputs"))
		return TAPE_OK;
	(void)tape_buf_add_str(b->out,
	    "[{\"name\":\"text_input\",\"shape\":[1,1],"
	    "\"datatype\":\"BYTES\",\"data\":[");
	st = tape_api_body_prompt(b, err);
	(void)tape_buf_add_str(b->out, "]}");
	if (b->ask->output_tokens != TAPE_ABSENT_I64)
		(void)tape_buf_add_fmt(b->out,
		    ",{\"name\":\"%s\",\"shape\":[1,1],\"datatype\":\"INT32\","
		    "\"data\":[%" PRId64 "]}",
		    tape_api_body_length_key(b, "max_tokens"),
		    b->ask->output_tokens);
	(void)tape_buf_add_char(b->out, ']');
	return st;
}

/* The texts of one tensor. */
static enum tape_status
read_output(
    struct tape_api_state *s, struct tape_str output, struct tape_err *err)
{
	struct tape_api_slot in[] = { { .name = "name" }, { .name = "data" } };
	struct tape_str rest, item;
	enum tape_status st = tape_api_slots_read(s, output, in, 2, err);

	if (st != TAPE_OK || !tape_api_slot_is(&in[0], "text_output"))
		return st;
	rest = tape_api_slot_items(&in[1]);
	while (st == TAPE_OK && tape_api_items_next(&rest, &item)) {
		const struct tape_api_slot text = { .type = TAPE_JSON_STRING,
			.raw = item };

		if (item.p[0] == '"')
			st =
			    tape_api_slot_text(s, TAPE_API_CONTENT, &text, err);
	}
	return st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot list = { .name = "outputs" };
	struct tape_str rest, item;
	enum tape_status st = tape_api_whole_read(d, "outputs", body, err);

	if (st == TAPE_OK)
		st = tape_api_slots_read(s, body, &list, 1, err);
	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	rest = tape_api_slot_items(&list);
	while (st == TAPE_OK && tape_api_items_next(&rest, &item))
		st = read_output(s, item, err);
	return st;
}

const struct tape_api tape_api_kserve_infer = {
	.name = "kserve_infer",
	.path = "/v2/models/{model}/infer",
	.tokenless = true,
	.render = render,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};
