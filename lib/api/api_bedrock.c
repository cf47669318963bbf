/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AWS Bedrock, to be read: requests are signed by AWS's own tools, so only
 * verbatim bodies are sent.
 *
 * ConverseStream sends messageStart, blocks (contentBlockStart, deltas, stop),
 * messageStop and metadata, each an event of its own type, and Nova the same as
 * members of one object.  InvokeModelWithResponseStream sends chunks,
 * {"bytes":"..."}: in base64 what the model's own API has.
 */
#include "api/api_made.h"
#include "api/api_slots.h"
#include "api/api_table.h"
#include "base/b64.h"

#define TYPE_SHOWN ((size_t)64) /* bytes of an exception's name */

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	(void)b;
	return tape_err_set(err, TAPE_E_USAGE,
	    "--api bedrock makes no request bodies: give a trace with verbatim "
	    "ones");
}

/* {"toolUseId":"...","name":"...","input":...}, in pieces or whole. */
static enum tape_status
read_tool(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { ID, NAME, INPUT, N };
	struct tape_api_slot m[N] = { [ID] = { .name = "toolUseId" },
		[NAME] = { .name = "name" },
		[INPUT] = { .name = "input" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[NAME], err);
	if (st == TAPE_OK)
		st = tape_api_slot_id(s, &m[ID], err);
	return st == TAPE_OK
		   ? tape_api_slot_json(s, TAPE_API_TOOL, &m[INPUT], err)
		   : st;
}

/* {"text":"..."}, or of a whole answer {"reasoningText":{"text":"..."}}. */
static enum tape_status
read_reasoning(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m[] = { { .name = "text" },
		{ .name = "reasoningText" } };
	enum tape_status st = tape_api_slots_within(s, of, m, 2, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_REASONING, &m[0], err);
	if (st != TAPE_OK || m[1].type != TAPE_JSON_OBJECT)
		return st;
	m[0] = m[1];
	m[1] = (struct tape_api_slot){ .name = "text" };
	st = tape_api_slots_within(s, &m[0], &m[1], 1, err);
	return st == TAPE_OK
		   ? tape_api_slot_text(s, TAPE_API_REASONING, &m[1], err)
		   : st;
}

/* A block, its beginning, or a delta of it. */
static enum tape_status
read_block(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { TEXT, TOOL, REASONING, N };
	struct tape_api_slot m[N] = { [TEXT] = { .name = "text" },
		[TOOL] = { .name = "toolUse" },
		[REASONING] = { .name = "reasoningContent" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_CONTENT, &m[TEXT], err);
	if (st == TAPE_OK && m[TOOL].type == TAPE_JSON_OBJECT)
		st = read_tool(s, &m[TOOL], err);
	if (st == TAPE_OK && m[REASONING].type == TAPE_JSON_OBJECT)
		st = read_reasoning(s, &m[REASONING], err);
	return st;
}

/* The payload of any event of ConverseStream: its members say which it is. */
static enum tape_status
read_payload(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { ROLE, START, DELTA, REASON, USAGE, N };
	struct tape_api_slot m[N] = { [ROLE] = { .name = "role" },
		[START] = { .name = "start" },
		[DELTA] = { .name = "delta" },
		[REASON] = { .name = "stopReason" },
		[USAGE] = { .name = "usage" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st != TAPE_OK)
		return st;
	if (m[ROLE].type == TAPE_JSON_STRING ||
	    m[START].type == TAPE_JSON_OBJECT ||
	    m[DELTA].type == TAPE_JSON_OBJECT ||
	    m[REASON].type == TAPE_JSON_STRING) {
		if (tape_api_choice_begin(s, err) == NULL)
			return TAPE_E_NOMEM;
		st = read_block(s, &m[START], err);
		if (st == TAPE_OK)
			st = read_block(s, &m[DELTA], err);
		if (st == TAPE_OK)
			st = tape_api_slot_finish(s, &m[REASON], err);
	}
	return st == TAPE_OK ? tape_api_slot_usage(s, &m[USAGE], err) : st;
}

/* What Llama, Titan and Mistral send of text. */
static enum tape_status
read_model(struct tape_api_state *s, struct tape_str data, struct tape_err *err)
{
	enum { GENERATION, TITAN, OUTPUTS, STOP, COMPLETION, COUNTS, N = 9 };
	struct tape_api_slot m[N] = { [GENERATION] = { .name = "generation" },
		[TITAN] = { .name = "outputText" },
		[OUTPUTS] = { .name = "outputs" },
		[STOP] = { .name = "stop_reason" },
		[COMPLETION] = { .name = "completionReason" },
		[COUNTS] = { .name = "prompt_token_count" },
		{ .name = "generation_token_count" },
		{ .name = "inputTextTokenCount" },
		{ .name = "totalOutputTextTokenCount" } };
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);
	struct tape_str rest = tape_api_slot_items(&m[OUTPUTS]);
	struct tape_api_slot item = { .type = TAPE_JSON_OBJECT };
	struct tape_api_slot of[] = { { .name = "text" },
		{ .name = "stop_reason" } };

	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	for (int i = GENERATION; i <= TITAN && st == TAPE_OK; i++)
		st = tape_api_slot_text(s, TAPE_API_CONTENT, &m[i], err);
	for (int i = STOP; i <= COMPLETION && st == TAPE_OK; i++)
		st = tape_api_slot_finish(s, &m[i], err);
	while (st == TAPE_OK && tape_api_items_next(&rest, &item.raw)) {
		if (*item.raw.p != '{')
			continue;
		st = tape_api_slots_within(s, &item, of, 2, err);
		if (st == TAPE_OK)
			st = tape_api_slot_text(
			    s, TAPE_API_CONTENT, &of[0], err);
		if (st == TAPE_OK)
			st = tape_api_slot_finish(s, &of[1], err);
	}
	if (st != TAPE_OK)
		return st;
	tape_api_made_add(s, TAPE_API_MADE_USAGE, &m[COUNTS], N - COUNTS);
	return tape_api_made_usage(s, err);
}

/* What a chunk holds: an event of whatever API the model has. */
static enum tape_status
read_inner(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	enum { TYPE, METRICS, FIRST, N = 7 };
	struct tape_api_slot m[N] = { [TYPE] = { .name = "type" },
		[METRICS] = { .name = "amazon-bedrock-invocationMetrics" },
		[FIRST] = { .name = "messageStart" },
		{ .name = "contentBlockStart" },
		{ .name = "contentBlockDelta" },
		{ .name = "messageStop" },
		{ .name = "metadata" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);
	bool wrapped = false;

	for (int i = FIRST; i < N && st == TAPE_OK; i++) {
		if (m[i].type != TAPE_JSON_OBJECT)
			continue;
		wrapped = true;
		st = read_payload(s, &m[i], err);
	}
	if (st == TAPE_OK && m[TYPE].type == TAPE_JSON_STRING)
		st = tape_api_slots_event(
		    d, &tape_api_messages, tape_str_make("", 0), data, err);
	else if (st == TAPE_OK && !wrapped)
		st = read_model(s, data, err);
	return st == TAPE_OK ? tape_api_slot_usage(s, &m[METRICS], err) : st;
}

static enum tape_status
read_chunk(struct tape_api_decoder *d, const struct tape_api_slot *bytes,
    struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_json_token tok;
	enum tape_status st;

	tape_buf_clear(&s->inner);
	tape_json_open(
	    &s->json, bytes->raw.p, bytes->raw.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&s->json, TAPE_JSON_STRING, &tok, err);
	if (st == TAPE_OK)
		st = tape_b64_decode(&s->inner, tok.str, tok.len, err);
	if (st != TAPE_OK)
		return st;
	return read_inner(d, tape_str_make(s->inner.data, s->inner.len), err);
}

/* An exception, by its type: its message says the rest. */
static enum tape_status
read_exception(struct tape_api_state *s, struct tape_str type,
    struct tape_str data, struct tape_err *err)
{
	struct tape_buf text;
	enum tape_status st = TAPE_OK;

	if (data.len > 0)
		st = tape_api_read_error_text(s, data, err);
	if (st != TAPE_OK)
		return st;
	if (type.len > TYPE_SHOWN)
		type.len = TYPE_SHOWN;
	tape_buf_init(&text, 4 * TAPE_API_MAX_ERROR);
	(void)tape_buf_add(&text, type.p, type.len);
	if (data.len > 0)
		(void)tape_buf_add_str(&text, ": ");
	(void)tape_buf_add(
	    &text, s->error.data, data.len > 0 ? s->error.len : 0);
	st = tape_buf_status(&text, err);
	if (st == TAPE_OK)
		tape_api_add_error(s, text.data, text.len);
	tape_buf_release(&text);
	return st;
}

static bool
is_exception(struct tape_str type)
{
	static const char end[] = "Exception";
	const size_t n = sizeof(end) - 1;

	return type.len >= n && memcmp(type.p + type.len - n, end, n) == 0;
}

static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	struct tape_api_slot bytes = { .name = "bytes" };
	const struct tape_api_slot whole = { .type = TAPE_JSON_OBJECT,
		.raw = data };
	enum tape_status st;

	if (is_exception(type))
		return read_exception(d->state, type, data, err);
	if (data.len == 0)
		return TAPE_OK;
	st = tape_api_slots_read(d->state, data, &bytes, 1, err);
	if (st != TAPE_OK)
		return st;
	return bytes.type == TAPE_JSON_STRING
		   ? read_chunk(d, &bytes, err)
		   : read_payload(d->state, &whole, err);
}

/* {"message":{"content":[...]}} of a whole answer of Converse. */
static enum tape_status
read_output(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot message = { .name = "message" };
	struct tape_api_slot content = { .name = "content" };
	struct tape_api_slot block = { .type = TAPE_JSON_OBJECT };
	struct tape_str rest;
	enum tape_status st = tape_api_slots_within(s, of, &message, 1, err);

	if (st == TAPE_OK)
		st = tape_api_slots_within(s, &message, &content, 1, err);
	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	rest = tape_api_slot_items(&content);
	while (st == TAPE_OK && tape_api_items_next(&rest, &block.raw))
		if (*block.raw.p == '{')
			st = read_block(s, &block, err);
	return st;
}

/* Of Converse, of a model's own API, or an error of AWS. */
static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	enum { OUTPUT, REASON, USAGE, TYPE, MESSAGE, N };
	struct tape_api_slot m[N] = { [OUTPUT] = { .name = "output" },
		[REASON] = { .name = "stopReason" },
		[USAGE] = { .name = "usage" },
		[TYPE] = { .name = "type" },
		[MESSAGE] = { .name = "message" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, body, m, N, err);

	if (st != TAPE_OK)
		return st;
	if (m[OUTPUT].type != TAPE_JSON_OBJECT &&
	    m[MESSAGE].type == TAPE_JSON_STRING)
		return tape_api_slot_error(s, &m[MESSAGE], err);
	if (m[OUTPUT].type != TAPE_JSON_OBJECT)
		return m[TYPE].type == TAPE_JSON_STRING
			   ? tape_api_messages.decode_body(d, body, err)
			   : read_model(s, body, err);
	st = read_output(s, &m[OUTPUT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &m[REASON], err);
	return st == TAPE_OK ? tape_api_slot_usage(s, &m[USAGE], err) : st;
}

const struct tape_api tape_api_bedrock = {
	.name = "bedrock",
	.path = "/model/{model}/converse",
	.stream_path = "/model/{model}/converse-stream",
	.framing = TAPE_FRAMING_BINARY,
	.render = render,
	.decode = decode,
	.decode_body = decode_body,
};
