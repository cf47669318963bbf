/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenAI's /v1/images/generations: the input's text is the prompt. */
#include "api/api_table.h"
#include "api/api_whole.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	return st == TAPE_OK ? tape_api_body_texts(b, "prompt", false, err)
			     : st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_whole_read(d, "data", body, err);
}

const struct tape_api tape_api_image_generation = {
	.name = "image_generation",
	.path = "/v1/images/generations",
	.tokenless = true,
	.render = render,
	.decode = tape_api_whole_decode,
	.decode_body = decode_body,
};
