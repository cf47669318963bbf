/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenAI's /v1/completions, and what other servers make of it. */
#include "api/api_body.h"
#include "api/api_chunk.h"
#include "api/api_table.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st;

	if (in->messages.p != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the completions API takes no messages: use chat, whose "
		    "server has the template");
	st = tape_api_body_head(b, err);
	if (st != TAPE_OK)
		return st;
	if (tape_api_body_field(b, "prompt")) {
		if (in->tokens.v != NULL)
			tape_api_body_ids(b->out, in->tokens);
		else
			st = tape_api_body_prompt(b, err);
	}
	tape_api_body_tail(b, "max_tokens");
	return st;
}

static enum tape_status
read_text(struct tape_api_decoder *d, const struct tape_json_token *tok,
    struct tape_err *err)
{
	struct tape_api_state *s = d->state;

	if (tok->type == TAPE_JSON_STRING)
		tape_api_add_text(s, TAPE_API_CONTENT, tok->str, tok->len);
	return tape_json_skip(&s->json, NULL, NULL, err);
}

static const struct tape_api_shape shape = { "text", read_text };

static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	return tape_api_chunk_event(d, &shape, type, data, err);
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_chunk_read(d, &shape, body, err);
}

const struct tape_api tape_api_completions = {
	.name = "completions",
	.path = "/v1/completions",
	.render = render,
	.decode = decode,
	.decode_body = decode_body,
};
