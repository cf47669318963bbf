/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Anthropic's /v1/messages, and what other servers make of it.
 *
 * A stream is message_start, blocks of content (start, deltas, stop),
 * message_delta with the stop reason, message_stop.  Usage is split: the input
 * stands in message_start, the output in message_delta, which also repeats and
 * corrects what message_start guessed.
 */
#include "api/api_body.h"
#include "api/api_dialog.h"
#include "api/api_slots.h"
#include "api/api_table.h"

/* The API requires a length: this one when none is asked for. */
#define DEFAULT_MAX_TOKENS 4096

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens("messages", err);
	st = tape_api_body_head(b, err);
	if (st == TAPE_OK)
		st = tape_api_dialog_apart(b, err);
	if (st != TAPE_OK)
		return st;
	if (b->ask->output_tokens == TAPE_ABSENT_I64)
		tape_api_body_i64(b, tape_api_body_length_key(b, "max_tokens"),
		    DEFAULT_MAX_TOKENS);
	tape_api_body_end(b, "max_tokens");
	return TAPE_OK;
}

/*
 * A block or a delta: {"type":"...","text":"..."}; which member it is, its name
 * says already.  A block's input is {} where deltas follow, which is no text.
 */
static enum tape_status
read_block(struct tape_api_state *s, const struct tape_api_slot *of, bool whole,
    struct tape_err *err)
{
	enum { TEXT, THINKING, JSON, ID, NAME, INPUT, N };
	struct tape_api_slot m[N] = { [TEXT] = { .name = "text" },
		[THINKING] = { .name = "thinking" },
		[JSON] = { .name = "partial_json" },
		[ID] = { .name = "id" },
		[NAME] = { .name = "name" },
		[INPUT] = { .name = "input" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_CONTENT, &m[TEXT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(
		    s, TAPE_API_REASONING, &m[THINKING], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[JSON], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &m[NAME], err);
	if (st == TAPE_OK && m[NAME].raw.p != NULL)
		st = tape_api_slot_id(s, &m[ID], err);
	if (st == TAPE_OK && whole)
		st = tape_api_slot_json(s, TAPE_API_TOOL, &m[INPUT], err);
	return st;
}

static enum tape_status
read_blocks(struct tape_api_state *s, const struct tape_api_slot *content,
    struct tape_err *err)
{
	struct tape_str rest = tape_api_slot_items(content);
	struct tape_api_slot block = { .type = TAPE_JSON_OBJECT };
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && tape_api_items_next(&rest, &block.raw))
		if (*block.raw.p == '{')
			st = read_block(s, &block, true, err);
	return st;
}

/* The message itself: a whole body, or what message_start has of it. */
static enum tape_status
read_message(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	enum { CONTENT, REASON, USAGE, N };
	struct tape_api_slot m[N] = { [CONTENT] = { .name = "content" },
		[REASON] = { .name = "stop_reason" },
		[USAGE] = { .name = "usage" } };
	enum tape_status st = tape_api_slots_within(s, of, m, N, err);

	if (st == TAPE_OK && tape_api_choice_begin(s, err) == NULL)
		st = TAPE_E_NOMEM;
	if (st == TAPE_OK)
		st = read_blocks(s, &m[CONTENT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &m[REASON], err);
	return st == TAPE_OK ? tape_api_slot_usage(s, &m[USAGE], err) : st;
}

static enum tape_status
read_stop_reason(struct tape_api_state *s, const struct tape_api_slot *of,
    struct tape_err *err)
{
	struct tape_api_slot m = { .name = "stop_reason" };
	enum tape_status st = tape_api_slots_within(s, of, &m, 1, err);

	return st == TAPE_OK ? tape_api_slot_finish(s, &m, err) : st;
}

static enum tape_status
read_delta(struct tape_api_state *s, const struct tape_api_slot *type,
    const struct tape_api_slot *of, struct tape_err *err)
{
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	return tape_api_slot_is(type, "message_delta")
		   ? read_stop_reason(s, of, err)
		   : read_block(s, of, false, err);
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	enum { TYPE, DELTA, MESSAGE, BLOCK, USAGE, ERROR, N };
	struct tape_api_slot m[N] = { [TYPE] = { .name = "type" },
		[DELTA] = { .name = "delta" },
		[MESSAGE] = { .name = "message" },
		[BLOCK] = { .name = "content_block" },
		[USAGE] = { .name = "usage" },
		[ERROR] = { .name = "error" } };
	struct tape_api_state *s = d->state;
	enum tape_status st = tape_api_slots_read(s, data, m, N, err);

	if (st != TAPE_OK)
		return st;
	if (tape_api_slot_is(&m[TYPE], "message_stop"))
		s->done = true;
	if (m[DELTA].type == TAPE_JSON_OBJECT)
		st = read_delta(s, &m[TYPE], &m[DELTA], err);
	else if (m[MESSAGE].type == TAPE_JSON_OBJECT)
		st = read_message(s, &m[MESSAGE], err);
	else if (m[BLOCK].type == TAPE_JSON_OBJECT)
		st = tape_api_choice_begin(s, err) == NULL
			 ? TAPE_E_NOMEM
			 : read_block(s, &m[BLOCK], false, err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &m[USAGE], err);
	return st == TAPE_OK ? tape_api_slot_error(s, &m[ERROR], err) : st;
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	struct tape_api_slot m[] = { { .name = "error" } };
	const struct tape_api_slot whole = { .type = TAPE_JSON_OBJECT,
		.raw = body };
	enum tape_status st = tape_api_slots_read(d->state, body, m, 1, err);

	if (st == TAPE_OK)
		st = tape_api_slot_error(d->state, &m[0], err);
	if (st == TAPE_OK && !d->state->failed)
		st = read_message(d->state, &whole, err);
	return st;
}

const struct tape_api tape_api_messages = {
	.name = "messages",
	.path = "/v1/messages",
	.key_field = "x-api-key",
	.headers = { "anthropic-version: 2023-06-01" },
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
