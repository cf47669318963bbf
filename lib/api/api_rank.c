/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranking texts against a query: NVIDIA NIM's, Cohere's v2/rerank, and Hugging
 * Face's text-embeddings-inference.  The input's text is the query; the texts
 * are "passages" of the request's params.
 */
#include "api/api_table.h"
#include "api/api_whole.h"

static enum tape_status
render_nim(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st = tape_api_body_head(b, err);

	if (st == TAPE_OK && (in->messages.p != NULL || in->tokens.v != NULL))
		st = tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes text alone", b->api->name);
	if (st == TAPE_OK && tape_api_body_field(b, "query")) {
		(void)tape_buf_add_str(b->out, "{\"text\":");
		st = tape_api_body_prompt(b, err);
		(void)tape_buf_add_char(b->out, '}');
	}
	return st == TAPE_OK ? tape_api_body_passages(
				   b, "passages", "{\"text\":", "}", err)
			     : st;
}

static enum tape_status
render_cohere(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	if (st == TAPE_OK)
		st = tape_api_body_texts(b, "query", false, err);
	return st == TAPE_OK
		   ? tape_api_body_passages(b, "documents", "", "", err)
		   : st;
}

/* It serves one model, and refuses fields that it does not know. */
static enum tape_status
render_tei(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_texts(b, "query", false, err);

	return st == TAPE_OK ? tape_api_body_passages(b, "texts", "", "", err)
			     : st;
}

static enum tape_status
body_nim(struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_whole_read(d, "rankings", body, err);
}

static enum tape_status
body_cohere(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_whole_read(d, "results", body, err);
}

static enum tape_status
body_tei(struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_whole_read(d, NULL, body, err);
}

static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	(void)type;
	return d->api->decode_body(d, data, err);
}

const struct tape_api tape_api_nim_rankings = {
	.name = "nim_rankings",
	.path = "/v1/ranking",
	.tokenless = true,
	.render = render_nim,
	.decode = decode,
	.decode_body = body_nim,
};

const struct tape_api tape_api_cohere_rankings = {
	.name = "cohere_rankings",
	.path = "/v2/rerank",
	.tokenless = true,
	.render = render_cohere,
	.decode = decode,
	.decode_body = body_cohere,
};

const struct tape_api tape_api_hf_tei_rankings = {
	.name = "hf_tei_rankings",
	.path = "/rerank",
	.tokenless = true,
	.render = render_tei,
	.decode = decode,
	.decode_body = body_tei,
};
