/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gemini's generateContent and streamGenerateContent, of Google AI and Vertex.
 *
 * Each event of a stream is an answer with the parts that are new, and so is a
 * whole answer; usage, cumulative, stands in all of them.  There is no end
 * mark: candidates have a finish reason.
 */
#include "api/api_body.h"
#include "api/api_dialog.h"
#include "api/api_slots.h"
#include "api/api_table.h"

#include <stdio.h>

/* The length is in generationConfig, whose other members stay where params or
   extra have some; the path says model and streaming. */
static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens("gemini", err);
	st = tape_api_dialog_parts(b, err);
	if (st != TAPE_OK)
		return st;
	return tape_api_body_object(b, "generationConfig",
	    tape_api_body_length_key(b, "maxOutputTokens"),
	    b->ask->output_tokens, err);
}

/* {"id":"...","name":"...","args":{...}}; most have no id, and are told apart
   by being one. */
static enum tape_status
read_call(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { ID, NAME, ARGS, N };
	struct tape_api_slot m[N] = { [ID] = { .name = "id" },
		[NAME] = { .name = "name" },
		[ARGS] = { .name = "args" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);
	size_t number[2] = { s->tool_ids_n, s->ids_n };

	if (st == TAPE_OK)
		st = tape_api_slot_id(s, &m[ID], err);
	if (st == TAPE_OK && s->ids_n == number[1] &&
	    m[NAME].type == TAPE_JSON_STRING)
		tape_api_add_tool_id(s, (const char *)number, sizeof(number));
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[NAME], err);
	return st == TAPE_OK
		   ? tape_api_slot_json(s, TAPE_API_TOOL, &m[ARGS], err)
		   : st;
}

/* {"language":"...","code":"..."}: the model wrote it. */
static enum tape_status
read_code(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m = { .name = "code" };
	enum tape_status st = tape_api_slots_within(s, of, &m, 1, err);

	return st == TAPE_OK ? tape_api_slot_text(s, TAPE_API_TOOL, &m, err)
			     : st;
}

/* {"mimeType":"audio/...","data":"..."}; images are no text of any kind. */
static enum tape_status
read_data(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	static const char audio[] = "audio/";
	struct tape_api_slot m[] = { { .name = "mimeType" },
		{ .name = "data" } };
	enum tape_status st = tape_api_slots_within(s, of, m, 2, err);

	if (st != TAPE_OK || m[0].word_len < sizeof(audio) - 1 ||
	    memcmp(m[0].word, audio, sizeof(audio) - 1) != 0)
		return st;
	return tape_api_slot_text(s, TAPE_API_AUDIO, &m[1], err);
}

static enum tape_status
read_part(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { TEXT, THOUGHT, CALL, CODE, DATA, N };
	struct tape_api_slot m[N] = { [TEXT] = { .name = "text" },
		[THOUGHT] = { .name = "thought" },
		[CALL] = { .name = "functionCall" },
		[CODE] = { .name = "executableCode" },
		[DATA] = { .name = "inlineData" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s,
		    m[THOUGHT].type == TAPE_JSON_TRUE ? TAPE_API_REASONING
						      : TAPE_API_CONTENT,
		    &m[TEXT], err);
	if (st == TAPE_OK)
		st = read_call(s, &m[CALL], err);
	if (st == TAPE_OK)
		st = read_code(s, &m[CODE], err);
	return st == TAPE_OK ? read_data(s, &m[DATA], err) : st;
}

static enum tape_status
read_parts(struct tape_api_state *s, const struct tape_api_slot *content,
    struct tape_err *err)
{
	struct tape_api_slot parts = { .name = "parts" },
			     one = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = tape_api_slots_within(s, content, &parts, 1, err);
	struct tape_str rest = tape_api_slot_items(&parts);

	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw))
		if (*one.raw.p == '{')
			st = read_part(s, &one, err);
	return st;
}

/* An index is left out where it is 0. */
static enum tape_status
read_index(struct tape_api_state *s, struct tape_api_choice *c,
    const struct tape_api_slot *slot, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (slot->raw.p == NULL || slot->type == TAPE_JSON_NULL)
		return TAPE_OK;
	tape_json_open(&s->json, slot->raw.p, slot->raw.len, TAPE_JSON_FOREIGN);
	st = tape_json_next(&s->json, &tok, err);
	if (st != TAPE_OK)
		return st;
	if (tok.type == TAPE_JSON_INT && tok.i64 >= 0 && tok.i64 <= INT32_MAX)
		c->index = tok.i64;
	else
		s->malformed = true;
	return TAPE_OK;
}

/* Some clients ask for numbers in the place of names. */
static enum tape_status
read_reason(struct tape_api_state *s, const struct tape_api_slot *slot,
    struct tape_err *err)
{
	static const char *const names[] = { "FINISH_REASON_UNSPECIFIED",
		"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER" };
	const size_t n = sizeof(names) / sizeof(names[0]);
	const struct tape_str raw = slot->raw;
	size_t i;

	if (slot->type != TAPE_JSON_INT)
		return tape_api_slot_finish(s, slot, err);
	i = raw.len == 1 ? (size_t)(*raw.p - '0') : n;
	if (i < n)
		tape_api_add_finish(s, names[i], strlen(names[i]));
	else
		tape_api_add_finish(s, raw.p, raw.len);
	return TAPE_OK;
}

static enum tape_status
read_candidate(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { CONTENT, REASON, INDEX, N };
	struct tape_api_slot m[N] = { [CONTENT] = { .name = "content" },
		[REASON] = { .name = "finishReason" },
		[INDEX] = { .name = "index" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);
	struct tape_api_choice *c;

	if (st != TAPE_OK)
		return st;
	c = tape_api_choice_begin(s, err);
	if (c == NULL)
		return TAPE_E_NOMEM;
	st = read_index(s, c, &m[INDEX], err);
	if (st == TAPE_OK)
		st = read_parts(s, &m[CONTENT], err);
	return st == TAPE_OK ? read_reason(s, &m[REASON], err) : st;
}

static enum tape_status
read_candidates(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(of);
	struct tape_api_slot one = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw)) {
		if (*one.raw.p == '{')
			st = read_candidate(s, &one, err);
		else
			s->malformed = true;
	}
	return st;
}

/* {"blockReason":"SAFETY"}: the prompt was not answered. */
static enum tape_status
read_feedback(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m = { .name = "blockReason" };
	enum tape_status st = tape_api_slots_within(s, of, &m, 1, err);
	char text[TAPE_API_WORD + 32];

	if (st != TAPE_OK || tape_api_slot_is_empty(&m))
		return st;
	(void)snprintf(text, sizeof(text), "the prompt is blocked: %.*s",
	    (int)m.word_len, m.word);
	tape_api_add_error(s, text, strlen(text));
	return TAPE_OK;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	enum { CANDIDATES, USAGE, FEEDBACK, ERROR, N };
	struct tape_api_slot m[N] = { [CANDIDATES] = { .name = "candidates" },
		[USAGE] = { .name = "usageMetadata" },
		[FEEDBACK] = { .name = "promptFeedback" },
		[ERROR] = { .name = "error" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);

	if (st == TAPE_OK)
		st = read_candidates(s, &m[CANDIDATES], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &m[USAGE], err);
	if (st == TAPE_OK)
		st = read_feedback(s, &m[FEEDBACK], err);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

const struct tape_api tape_api_gemini = {
	.name = "gemini",
	.path = "/v1beta/models/{model}:generateContent",
	.stream_path = "/v1beta/models/{model}:streamGenerateContent?alt=sse",
	.key_field = "x-goog-api-key",
	.framing = TAPE_FRAMING_ARRAY, /* without alt=sse */
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = read_event,
};
