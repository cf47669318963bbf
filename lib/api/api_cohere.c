/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cohere's /v2/chat.
 *
 * Text stands in delta.message.content.text, of content-start and of
 * content-delta; thinking and the plan before tools are reasoning.  The last
 * event has the finish reason and usage, and the reason ERROR is an error.
 */
#include "api/api_body.h"
#include "api/api_dialog.h"
#include "api/api_slots.h"
#include "api/api_table.h"

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens("cohere", err);
	st = tape_api_body_head(b, err);
	if (st == TAPE_OK)
		st = tape_api_dialog_chat(b, err);
	if (st == TAPE_OK)
		tape_api_body_end(b, "max_tokens");
	return st;
}

/* {"text":"..."} or {"thinking":"..."}. */
static enum tape_status
read_part(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m[] = { { .name = "text" },
		{ .name = "thinking" } };
	enum tape_status st = tape_api_slots_within(s, of, m, 2, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_CONTENT, &m[0], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_REASONING, &m[1], err);
	return st;
}

/* {"id":"...","function":{"name":"...","arguments":"..."}} */
static enum tape_status
read_call(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m[] = { { .name = "id" }, { .name = "function" } };
	struct tape_api_slot f[] = { { .name = "name" },
		{ .name = "arguments" } };
	enum tape_status st = tape_api_slots_within(s, of, m, 2, err);

	if (st == TAPE_OK)
		st = tape_api_slot_id(s, &m[0], err);
	if (st == TAPE_OK)
		st = tape_api_slots_within(s, &m[1], f, 2, err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &f[0], err);
	if (st == TAPE_OK)
		st = tape_api_slot_json(s, TAPE_API_TOOL, &f[1], err);
	return st;
}

/* One object in a stream, an array of them in a whole answer. */
static enum tape_status
read_all(struct tape_api_state *s, const struct tape_api_slot *of,
    enum tape_status (*read)(struct tape_api_state *s,
	const struct tape_api_slot *one, struct tape_err *err),
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(of);
	struct tape_api_slot one = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = TAPE_OK;

	if (of->type == TAPE_JSON_OBJECT)
		return read(s, of, err);
	while (st == TAPE_OK && tape_api_items_next(&rest, &one.raw))
		if (*one.raw.p == '{')
			st = read(s, &one, err);
	return st;
}

static enum tape_status
read_message(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { CONTENT, PLAN, CALLS, N };
	struct tape_api_slot m[N] = { [CONTENT] = { .name = "content" },
		[PLAN] = { .name = "tool_plan" },
		[CALLS] = { .name = "tool_calls" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK)
		st = read_all(s, &m[CONTENT], read_part, err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_REASONING, &m[PLAN], err);
	return st == TAPE_OK ? read_all(s, &m[CALLS], read_call, err) : st;
}

/* A delta, or a whole answer: the members are the same. */
static enum tape_status
read_delta(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { MESSAGE, REASON, USAGE, ERROR, N };
	struct tape_api_slot m[N] = { [MESSAGE] = { .name = "message" },
		[REASON] = { .name = "finish_reason" },
		[USAGE] = { .name = "usage" },
		[ERROR] = { .name = "error" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		st = TAPE_E_NOMEM;
	if (st == TAPE_OK)
		st = read_message(s, &m[MESSAGE], err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &m[REASON], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &m[USAGE], err);
	if (st == TAPE_OK && tape_api_slot_is(&m[REASON], "ERROR"))
		tape_api_add_error(s, "finish reason ERROR", 19);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	enum { TYPE, DELTA, ERROR, N };
	struct tape_api_slot m[N] = { [TYPE] = { .name = "type" },
		[DELTA] = { .name = "delta" },
		[ERROR] = { .name = "error" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);

	if (st != TAPE_OK)
		return st;
	if (tape_api_slot_is(&m[TYPE], "message-end"))
		s->done = true;
	if (m[DELTA].type == TAPE_JSON_OBJECT)
		st = read_delta(s, &m[DELTA], err);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	const struct tape_api_slot whole = { .type = TAPE_JSON_OBJECT,
		.raw = body };
	enum tape_status st = tape_api_slots_read(d->state, body, NULL, 0, err);

	return st == TAPE_OK ? read_delta(d->state, &whole, err) : st;
}

const struct tape_api tape_api_cohere = {
	.name = "cohere",
	.path = "/v2/chat",
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
