/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenAI's /v1/responses, and what other servers make of it.
 *
 * Text comes in events of a type that ends in .delta.  It is repeated in those
 * that end in .done and in the last one, which has the whole response and says
 * how it ended, with usage: there it does not count again.
 */
#include "api/api_body.h"
#include "api/api_dialog.h"
#include "api/api_slots.h"
#include "api/api_table.h"

/* Usage comes unasked, and stream_options may not have include_usage. */
static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens("responses", err);
	st = tape_api_body_head(b, err);
	if (st == TAPE_OK)
		st = tape_api_dialog_input(b, err);
	if (st == TAPE_OK)
		tape_api_body_end(b, "max_output_tokens");
	return st;
}

static const struct {
	const char *type;
	enum tape_api_kind kind;
} deltas[] = {
	{ "response.output_text.delta", TAPE_API_CONTENT },
	{ "response.reasoning_text.delta", TAPE_API_REASONING },
	{ "response.reasoning_summary_text.delta", TAPE_API_REASONING },
	{ "response.function_call_arguments.delta", TAPE_API_TOOL },
	{ "response.custom_tool_call_input.delta", TAPE_API_TOOL },
	{ "response.mcp_call_arguments.delta", TAPE_API_TOOL },
	{ "response.code_interpreter_call_code.delta", TAPE_API_TOOL },
	{ "response.refusal.delta", TAPE_API_REFUSAL },
	{ "response.audio.delta", TAPE_API_AUDIO },
	{ "response.audio.transcript.delta", TAPE_API_AUDIO },
	/* as they were, or are elsewhere */
	{ "response.reasoning.delta", TAPE_API_REASONING },
	{ "response.reasoning_summary.delta", TAPE_API_REASONING },
	{ "response.output_audio.delta", TAPE_API_AUDIO },
	{ "response.output_audio_transcript.delta", TAPE_API_AUDIO },
};

#define DELTAS (sizeof(deltas) / sizeof(deltas[0]))

/* The types of the last event. */
static const char *const ends[] = { "response.completed", "response.incomplete",
	"response.failed", "response.cancelled" };

#define ENDS (sizeof(ends) / sizeof(ends[0]))

static enum tape_status
read_text(struct tape_api_state *s, const struct tape_api_slot *type,
    const struct tape_api_slot *delta, struct tape_err *err)
{
	for (size_t i = 0; i < DELTAS; i++) {
		if (!tape_api_slot_is(type, deltas[i].type))
			continue;
		if (tape_api_choice_begin(s, err) == NULL)
			return TAPE_E_NOMEM;
		return tape_api_slot_text(s, deltas[i].kind, delta, err);
	}
	return TAPE_OK;
}

/* A part of a message or of reasoning, in a whole answer. */
static enum tape_status
read_part(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_api_slot *of, struct tape_err *err)
{
	struct tape_api_slot m[] = { { .name = "text" },
		{ .name = "refusal" } };
	enum tape_status st = tape_api_slots_within(s, of, m, 2, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, kind, &m[0], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_REFUSAL, &m[1], err);
	return st;
}

static enum tape_status
read_parts(struct tape_api_state *s, enum tape_api_kind kind,
    const struct tape_api_slot *of, struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(of);
	struct tape_api_slot one = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw))
		if (*one.raw.p == '{')
			st = read_part(s, kind, &one, err);
	return st;
}

/*
 * An item of the output: a message, reasoning, a call of a tool.  What is begun
 * in a stream has a call's id and name only; whole: all the rest, too.
 */
static enum tape_status
read_item(struct tape_api_state *s, const struct tape_api_slot *of, bool whole,
    struct tape_err *err)
{
	enum { TYPE, ID, NAME, ARGUMENTS, INPUT, CONTENT, SUMMARY, N };
	struct tape_api_slot m[N] = { [TYPE] = { .name = "type" },
		[ID] = { .name = "call_id" },
		[NAME] = { .name = "name" },
		[ARGUMENTS] = { .name = "arguments" },
		[INPUT] = { .name = "input" },
		[CONTENT] = { .name = "content" },
		[SUMMARY] = { .name = "summary" } };
	enum tape_api_kind kind;
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	kind = tape_api_slot_is(&m[TYPE], "reasoning") ? TAPE_API_REASONING
						       : TAPE_API_CONTENT;
	if (st == TAPE_OK)
		st = tape_api_slot_id(s, &m[ID], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[NAME], err);
	if (st != TAPE_OK || !whole)
		return st;
	st = tape_api_slot_json(s, TAPE_API_TOOL, &m[ARGUMENTS], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[INPUT], err);
	if (st == TAPE_OK)
		st = read_parts(s, kind, &m[CONTENT], err);
	if (st == TAPE_OK)
		st = read_parts(s, TAPE_API_REASONING, &m[SUMMARY], err);
	return st;
}

static enum tape_status
read_output(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(of);
	struct tape_api_slot one = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw))
		if (*one.raw.p == '{')
			st = read_item(s, &one, true, err);
	return st;
}

/* Why it is incomplete, else its status. */
static enum tape_status
read_finish(struct tape_api_state *s, const struct tape_api_slot *status,
    const struct tape_api_slot *details, struct tape_err *err)
{
	struct tape_api_slot reason = { .name = "reason" };
	enum tape_status st =
	    tape_api_slots_within(s, details, &reason, 1, err);

	if (st != TAPE_OK)
		return st;
	return tape_api_slot_finish(
	    s, tape_api_slot_is_empty(&reason) ? status : &reason, err);
}

/* The response itself at its end: a whole body, or in the last event. */
static enum tape_status
read_response(struct tape_api_state *s, const struct tape_api_slot *of,
    bool whole, struct tape_err *err)
{
	enum { STATUS, DETAILS, USAGE, OUTPUT, ERROR, N };
	struct tape_api_slot m[N] = { [STATUS] = { .name = "status" },
		[DETAILS] = { .name = "incomplete_details" },
		[USAGE] = { .name = "usage" },
		[OUTPUT] = { .name = "output" },
		[ERROR] = { .name = "error" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		st = TAPE_E_NOMEM;
	if (st == TAPE_OK && whole)
		st = read_output(s, &m[OUTPUT], err);
	if (st == TAPE_OK)
		st = read_finish(s, &m[STATUS], &m[DETAILS], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &m[USAGE], err);
	if (st == TAPE_OK && (tape_api_slot_is(&m[STATUS], "failed") ||
				 tape_api_slot_is(&m[STATUS], "cancelled")))
		tape_api_add_error(s, m[STATUS].word, m[STATUS].word_len);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

static bool
is_end(const struct tape_api_slot *type)
{
	for (size_t i = 0; i < ENDS; i++)
		if (tape_api_slot_is(type, ends[i]))
			return true;
	return false;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	enum { TYPE, DELTA, ITEM, RESPONSE, ERROR, MESSAGE, N };
	struct tape_api_slot m[N] = { [TYPE] = { .name = "type" },
		[DELTA] = { .name = "delta" },
		[ITEM] = { .name = "item" },
		[RESPONSE] = { .name = "response" },
		[ERROR] = { .name = "error" },
		[MESSAGE] = { .name = "message" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);

	if (st != TAPE_OK)
		return st;
	if (m[DELTA].type == TAPE_JSON_STRING) {
		st = read_text(s, &m[TYPE], &m[DELTA], err);
	} else if (is_end(&m[TYPE])) {
		s->done = true;
		st = read_response(s, &m[RESPONSE], false, err);
	} else if (tape_api_slot_is(&m[TYPE], "response.output_item.added")) {
		st = tape_api_choice_begin(s, err) == NULL
			 ? TAPE_E_NOMEM
			 : read_item(s, &m[ITEM], false, err);
	} else if (tape_api_slot_is(&m[TYPE], "error")) {
		st = tape_api_slot_error(s, &m[MESSAGE], err);
	}
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	const struct tape_api_slot whole = { .type = TAPE_JSON_OBJECT,
		.raw = body };
	enum tape_status st = tape_api_slots_read(d->state, body, NULL, 0, err);

	return st == TAPE_OK ? read_response(d->state, &whole, true, err) : st;
}

const struct tape_api tape_api_responses = {
	.name = "responses",
	.path = "/v1/responses",
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
