/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hugging Face's /generate and /generate_stream (TGI).
 *
 * An event is a token; the last one has generated_text, which is all of them
 * again.  Special tokens (the end of the sequence) are no text.
 */
#include "api/api_made.h"
#include "api/api_nest.h"
#include "api/api_table.h"

static const char *const outside[] = { "inputs", "stream", "model", NULL };
static const struct tape_api_nest nest = { "parameters", outside, false };

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	char number[TAPE_API_NUMBER];
	struct tape_api_inner own[2];
	size_t n = 0;
	enum tape_status st = tape_api_body_input(b, "inputs", NULL, err);

	if (st != TAPE_OK)
		return st;
	if (tape_api_nest_length(b, "max_new_tokens", number, &own[n]))
		n++;
	/* Without them neither counts nor a finish reason are sent. */
	if (b->ask->usage)
		own[n++] =
		    (struct tape_api_inner){ "details", tape_str_of("true") };
	return tape_api_body_nest(b, &nest, own, n, err);
}

/* {"finish_reason":...,"generated_tokens":...,"input_length":...} */
static enum tape_status
read_details(struct tape_api_state *s, const struct tape_api_slot *details,
    struct tape_err *err)
{
	enum { COUNTS = 2, FINISH = COUNTS, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = "generated_tokens" },
		{ .name = "input_length" },
		[FINISH] = { .name = "finish_reason" } };
	enum tape_status st;

	st = tape_api_slots_within(s, details, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_finish(s, &in[FINISH], err);
	if (st != TAPE_OK)
		return st;
	tape_api_made_add(s, TAPE_API_MADE_USAGE, in, COUNTS);
	return tape_api_made_usage(s, err);
}

static enum tape_status
read_token(struct tape_api_state *s, const struct tape_api_slot *token,
    struct tape_err *err)
{
	enum { TEXT, SPECIAL, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = "text" },
		{ .name = "special" } };
	enum tape_status st;

	st = tape_api_slots_within(s, token, in, SLOTS, err);
	if (st != TAPE_OK || in[SPECIAL].type == TAPE_JSON_TRUE)
		return st;
	return tape_api_slot_text(s, TAPE_API_CONTENT, &in[TEXT], err);
}

enum { TOKEN, TEXT, DETAILS, ERROR, SLOTS };

static enum tape_status
read_slots(struct tape_api_state *s, struct tape_str data,
    struct tape_api_slot in[SLOTS], struct tape_err *err)
{
	enum tape_status st;

	in[TOKEN].name = "token";
	in[TEXT].name = "generated_text";
	in[DETAILS].name = "details";
	in[ERROR].name = "error";
	st = tape_api_slots_read(s, data, in, SLOTS, err);
	return st == TAPE_OK ? tape_api_slot_error(s, &in[ERROR], err) : st;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { 0 };
	enum tape_status st;

	st = read_slots(s, data, in, err);
	if (st != TAPE_OK || in[TOKEN].type != TAPE_JSON_OBJECT)
		return st;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	s->done = in[TEXT].type == TAPE_JSON_STRING;
	st = read_token(s, &in[TOKEN], err);
	return st == TAPE_OK ? read_details(s, &in[DETAILS], err) : st;
}

static enum tape_status
read_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { 0 };
	enum tape_status st;

	st = read_slots(s, body, in, err);
	if (st != TAPE_OK || in[TEXT].type != TAPE_JSON_STRING)
		return st;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	s->done = true;
	st = tape_api_slot_text(s, TAPE_API_CONTENT, &in[TEXT], err);
	return st == TAPE_OK ? read_details(s, &in[DETAILS], err) : st;
}

/* An object, or a list with one. */
static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return tape_api_slots_each(d, read_body, body, err);
}

const struct tape_api tape_api_huggingface_generate = {
	.name = "huggingface_generate",
	.path = "/generate",
	.stream_path = "/generate_stream",
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
