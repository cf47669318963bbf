/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ollama's /api/chat and /api/generate: an object a line; the last one has
 * done, the counts and the times that it took.
 */
#include "api/api_dialog.h"
#include "api/api_items.h"
#include "api/api_made.h"
#include "api/api_nest.h"
#include "api/api_table.h"

static const char *const outside[] = { "model", "messages", "prompt", "stream",
	"suffix", "images", "format", "system", "template", "raw", "context",
	"keep_alive", "think", "tools", "truncate", "shift", "logprobs",
	"top_logprobs", NULL };
static const struct tape_api_nest nest = { "options", outside, false };

/* Ollama streams unless told not to. */
static enum tape_status
render_tail(struct tape_api_body *b, struct tape_err *err)
{
	char number[TAPE_API_NUMBER];
	struct tape_api_inner own;
	const bool any = tape_api_nest_length(b, "num_predict", number, &own);

	tape_api_body_raw(
	    b, "stream", tape_str_of(b->ask->stream ? "true" : "false"));
	return tape_api_body_nest(b, &nest, &own, any, err);
}

static enum tape_status
render_chat(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st;

	if (b->ask->input->tokens.v != NULL)
		return tape_api_no_tokens(b->api->name, err);
	st = tape_api_body_head(b, err);
	if (st == TAPE_OK)
		st = tape_api_dialog_chat(b, err);
	return st == TAPE_OK ? render_tail(b, err) : st;
}

static enum tape_status
render_generate(struct tape_api_body *b, struct tape_err *err)
{
	enum tape_status st = tape_api_body_head(b, err);

	if (st == TAPE_OK)
		st = tape_api_body_input(b, "prompt", NULL, err);
	return st == TAPE_OK ? render_tail(b, err) : st;
}

/* {"id":...,"function":{"name":...,"arguments":{...}}} */
static enum tape_status
read_call(struct tape_api_state *s, struct tape_str call, struct tape_err *err)
{
	struct tape_api_slot in[] = { { .name = "id" },
		{ .name = "function" } };
	struct tape_api_slot f[] = { { .name = "name" },
		{ .name = "arguments" } };
	enum tape_status st;

	st = tape_api_slots_read(s, call, in, 2, err);
	if (st == TAPE_OK)
		st = tape_api_slot_id(s, &in[0], err);
	if (st == TAPE_OK)
		st = tape_api_slots_within(s, &in[1], f, 2, err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_TOOL, &f[0], err);
	return st == TAPE_OK ? tape_api_slot_json(s, TAPE_API_TOOL, &f[1], err)
			     : st;
}

static enum tape_status
read_message(struct tape_api_state *s, const struct tape_api_slot *message,
    struct tape_err *err)
{
	enum { CONTENT, THINKING, TOOLS, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = "content" },
		{ .name = "thinking" }, { .name = "tool_calls" } };
	struct tape_str rest, call;
	enum tape_status st;

	st = tape_api_slots_within(s, message, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_CONTENT, &in[CONTENT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(
		    s, TAPE_API_REASONING, &in[THINKING], err);
	rest = tape_api_slot_items(&in[TOOLS]);
	while (st == TAPE_OK && tape_api_items_next(&rest, &call))
		st = read_call(s, call, err);
	return st;
}

enum {
	COUNTS = 2,
	TIMES = 4,
	MESSAGE = COUNTS + TIMES,
	RESPONSE,
	THINKING,
	DONE,
	REASON,
	ERROR,
	SLOTS
};

/* The counts and times of the last object. */
static enum tape_status
read_last(struct tape_api_state *s, const struct tape_api_slot in[SLOTS],
    struct tape_err *err)
{
	enum tape_status st;

	s->done = true;
	st = tape_api_slot_finish(s, &in[REASON], err);
	if (st != TAPE_OK)
		return st;
	tape_api_made_add(s, TAPE_API_MADE_USAGE, in, COUNTS);
	tape_api_made_add(s, TAPE_API_MADE_TIMING, in + COUNTS, TIMES);
	st = tape_api_made_usage(s, err);
	return st == TAPE_OK ? tape_api_made_timing(s, "durations", err) : st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { { .name = "prompt_eval_count" },
		{ .name = "eval_count" }, { .name = "total_duration" },
		{ .name = "load_duration" }, { .name = "prompt_eval_duration" },
		{ .name = "eval_duration" }, [MESSAGE] = { .name = "message" },
		[RESPONSE] = { .name = "response" },
		[THINKING] = { .name = "thinking" },
		[DONE] = { .name = "done" },
		[REASON] = { .name = "done_reason" },
		[ERROR] = { .name = "error" } };
	enum tape_status st;

	st = tape_api_slots_read(s, data, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	if (st != TAPE_OK || s->failed)
		return st;
	if (in[DONE].raw.p == NULL && in[MESSAGE].raw.p == NULL &&
	    in[RESPONSE].raw.p == NULL)
		return TAPE_OK;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	st = read_message(s, &in[MESSAGE], err);
	if (st == TAPE_OK)
		st =
		    tape_api_slot_text(s, TAPE_API_CONTENT, &in[RESPONSE], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(
		    s, TAPE_API_REASONING, &in[THINKING], err);
	return st == TAPE_OK && in[DONE].type == TAPE_JSON_TRUE
		   ? read_last(s, in, err)
		   : st;
}

const struct tape_api tape_api_ollama = {
	.name = "ollama",
	.path = "/api/chat",
	.framing = TAPE_FRAMING_NDJSON,
	.render = render_chat,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = read_event,
};

const struct tape_api tape_api_ollama_generate = {
	.name = "ollama_generate",
	.path = "/api/generate",
	.framing = TAPE_FRAMING_NDJSON,
	.render = render_generate,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = read_event,
};
