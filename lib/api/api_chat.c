/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenAI's /v1/chat/completions, and what other servers make of it. */
#include "api/api_body.h"
#include "api/api_chunk.h"
#include "api/api_dialog.h"
#include "api/api_table.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens("chat", err);
	st = tape_api_body_head(b, err);
	if (st != TAPE_OK)
		return st;
	st = tape_api_dialog_chat(b, err);
	tape_api_body_tail(b, "max_tokens");
	return st;
}

static enum tape_status
skip(struct tape_api_state *s, struct tape_err *err)
{
	return tape_json_skip(&s->json, NULL, NULL, err);
}

/* A member that is text: adds it. */
static enum tape_status
read_text(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (tok->type == TAPE_JSON_STRING)
		tape_api_add_text(s, kind, tok->str, tok->len);
	return skip(s, err);
}

/* A list of texts or of {"type":"text","text":"..."}. */
static enum tape_status
read_texts(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_json_token *list, struct tape_err *err)
{
	const unsigned depth = list->depth;
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK ||
		    (tok.type == TAPE_JSON_ARRAY_END && tok.depth == depth))
			return st;
		if (tok.type != TAPE_JSON_STRING)
			continue;
		if (tok.key == NULL || tape_json_key_is(&tok, "text"))
			tape_api_add_text(s, kind, tok.str, tok.len);
	}
}

/*
 * One part of a content list: {"type":"text","text":"..."}, or
 * {"type":"thinking","thinking":"..." or a list of texts} (Mistral).
 */
static enum tape_status
read_part(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (tape_json_key_is(&tok, "text"))
			st = read_text(s, TAPE_API_CONTENT, &tok, err);
		else if (!tape_json_key_is(&tok, "thinking"))
			st = skip(s, err);
		else if (tok.type == TAPE_JSON_ARRAY)
			st = read_texts(s, TAPE_API_REASONING, &tok, err);
		else
			st = read_text(s, TAPE_API_REASONING, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_parts(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		st = tok.type == TAPE_JSON_OBJECT
			 ? read_part(s, err)
			 : read_text(s, TAPE_API_CONTENT, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* {"name":"...","arguments":"..."}; some servers send arguments as JSON. */
static enum tape_status
read_function(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_json_token tok;
	struct tape_str raw;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (tok.type == TAPE_JSON_OBJECT &&
		    tape_json_key_is(&tok, "arguments")) {
			st = tape_json_skip(&s->json, &raw.p, &raw.len, err);
			if (st == TAPE_OK)
				tape_api_add_text(
				    s, TAPE_API_TOOL, raw.p, raw.len);
		} else if (tape_json_key_is(&tok, "name") ||
			   tape_json_key_is(&tok, "arguments")) {
			st = read_text(s, TAPE_API_TOOL, &tok, err);
		} else {
			st = skip(s, err);
		}
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_tool_call(struct tape_api_state *s, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		if (tape_json_key_is(&tok, "id") &&
		    tok.type == TAPE_JSON_STRING)
			tape_api_add_tool_id(s, tok.str, tok.len);
		st = tok.type == TAPE_JSON_OBJECT &&
			     tape_json_key_is(&tok, "function")
			 ? read_function(s, err)
			 : skip(s, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_tool_calls(struct tape_api_state *s, const struct tape_json_token *calls,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (calls->type != TAPE_JSON_ARRAY)
		return skip(s, err);
	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		st = tok.type == TAPE_JSON_OBJECT ? read_tool_call(s, err)
						  : skip(s, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* {"data":"base64","transcript":"...",...} */
static enum tape_status
read_audio(struct tape_api_state *s, const struct tape_json_token *audio,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (audio->type != TAPE_JSON_OBJECT)
		return skip(s, err);
	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		st = tape_json_key_is(&tok, "data") ||
			     tape_json_key_is(&tok, "transcript")
			 ? read_text(s, TAPE_API_AUDIO, &tok, err)
			 : skip(s, err);
		if (st != TAPE_OK)
			return st;
	}
}

/* Some servers send the reasoning under two names at once: the first counts. */
static enum tape_status
read_reasoning(struct tape_api_state *s, int64_t before,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (s->bytes[TAPE_API_REASONING] > before)
		return skip(s, err);
	return read_text(s, TAPE_API_REASONING, tok, err);
}

static enum tape_status
read_delta_member(struct tape_api_state *s, int64_t reasoning,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (tape_json_key_is(tok, "content"))
		return tok->type == TAPE_JSON_ARRAY
			   ? read_parts(s, err)
			   : read_text(s, TAPE_API_CONTENT, tok, err);
	if (tape_json_key_is(tok, "reasoning_content") ||
	    tape_json_key_is(tok, "reasoning"))
		return read_reasoning(s, reasoning, tok, err);
	if (tape_json_key_is(tok, "tool_calls"))
		return read_tool_calls(s, tok, err);
	if (tape_json_key_is(tok, "function_call") &&
	    tok->type == TAPE_JSON_OBJECT)
		return read_function(s, err);
	if (tape_json_key_is(tok, "refusal"))
		return read_text(s, TAPE_API_REFUSAL, tok, err);
	if (tape_json_key_is(tok, "audio"))
		return read_audio(s, tok, err);
	return skip(s, err);
}

static enum tape_status
read_delta(struct tape_api_decoder *d, const struct tape_json_token *delta,
    struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	const int64_t reasoning = s->bytes[TAPE_API_REASONING];
	struct tape_json_token tok;
	enum tape_status st;

	if (delta->type != TAPE_JSON_OBJECT) {
		s->malformed = s->malformed || delta->type != TAPE_JSON_NULL;
		return skip(s, err);
	}
	for (;;) {
		st = tape_json_next(&s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		st = read_delta_member(s, reasoning, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	static const struct tape_api_shape shape = { "delta", read_delta };

	return tape_api_chunk_event(d, &shape, type, data, err);
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	static const struct tape_api_shape shape = { "message", read_delta };

	return tape_api_chunk_read(d, &shape, body, err);
}

const struct tape_api tape_api_chat = {
	.name = "chat",
	.path = "/v1/chat/completions",
	.render = render,
	.decode = decode,
	.decode_body = decode_body,
};
