/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Embeddings: OpenAI's, those of chat messages (vLLM), and NVIDIA NIM's. */
#include "api/api_dialog.h"
#include "api/api_table.h"
#include "api/api_whole.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	return st == TAPE_OK ? tape_api_body_input(b, "input", "input", err)
			     : st;
}

static enum tape_status
render_chat(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens(b->api->name, err);
	st = tape_api_body_head(b, err);
	return st == TAPE_OK ? tape_api_dialog_chat(b, err) : st;
}

static enum tape_status
render_nim(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	if (st == TAPE_OK)
		st = tape_api_body_texts(b, "input", true, err);
	if (st == TAPE_OK)
		tape_api_body_raw(b, "input_type", tape_str_of("\"query\""));
	return st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_whole_read(d, "data", body, err);
}

const struct tape_api tape_api_embeddings = {
	.name = "embeddings",
	.path = "/v1/embeddings",
	.tokenless = true,
	.render = render,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};

const struct tape_api tape_api_chat_embeddings = {
	.name = "chat_embeddings",
	.path = "/v1/embeddings",
	.tokenless = true,
	.render = render_chat,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};

const struct tape_api tape_api_nim_embeddings = {
	.name = "nim_embeddings",
	.path = "/v1/embeddings",
	.tokenless = true,
	.render = render_nim,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};
