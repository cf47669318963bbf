/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenAI's /v1/audio/transcriptions: a form with a file of sound, which params
 * or extra name in "file"; the input's text is the prompt.
 */
#include "api/api_multipart.h"
#include "api/api_slots.h"
#include "api/api_table.h"

static const struct tape_api_field *
find(const struct tape_api_body *b, const char *key)
{
	const struct tape_str name = tape_str_of(key);
	const struct tape_api_field *f = tape_api_fields_find(&b->extra, name);

	return f != NULL ? f : tape_api_fields_find(&b->params, name);
}

/* A field of the dialect, unless it is empty, or params or extra has it. */
static enum tape_status
add_own(struct tape_api_body *b, const char *name, struct tape_str text,
    struct tape_err *err)
{
	if (text.p == NULL || text.len == 0 || find(b, name) != NULL)
		return TAPE_OK;
	return tape_api_multipart_text(b->out, name, text, err);
}

static enum tape_status
add_prompt(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	struct tape_buf text;
	enum tape_status st;

	if (in->text.p != NULL)
		return add_own(b, "prompt", in->text, err);
	tape_buf_init(&text, TAPE_CAP_REQUEST);
	st = tape_prompt_render(
	    b->ask->vocabs, &in->blocks, b->ask->salt, &text, err);
	if (st == TAPE_OK)
		st = add_own(
		    b, "prompt", tape_str_make(text.data, text.len), err);
	tape_buf_release(&text);
	return st;
}

static enum tape_status
render(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	const struct tape_api_field *file = find(b, "file");
	enum tape_status st;

	if (in->messages.p != NULL || in->tokens.v != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes text alone", b->api->name);
	if (file == NULL || file->value.p[0] != '"')
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API needs \"file\" in params, the name of one",
		    b->api->name);
	st = tape_api_multipart_file(b->out, "file", file->value, err);
	if (st == TAPE_OK)
		st = add_own(b, "model", b->ask->model, err);
	if (st == TAPE_OK)
		st = add_prompt(b, err);
	if (st == TAPE_OK && b->ask->stream)
		st = add_own(b, "stream", tape_str_of("true"), err);
	if (st == TAPE_OK)
		st = tape_api_multipart_fields(
		    b->out, &b->params, &b->extra, "file", err);
	if (st == TAPE_OK)
		st = tape_api_multipart_fields(
		    b->out, &b->extra, NULL, "file", err);
	tape_api_multipart_end(b->out);
	return st;
}

enum { TYPE, DELTA, TEXT, USAGE, ERROR, SLOTS };

static enum tape_status
read_slots(struct tape_api_state *s, struct tape_str data,
    struct tape_api_slot in[SLOTS], struct tape_err *err)
{
	static const char *const names[SLOTS] = { "type", "delta", "text",
		"usage", "error" };
	enum tape_status st;

	for (size_t i = 0; i < SLOTS; i++)
		in[i].name = names[i];
	st = tape_api_slots_read(s, data, in, SLOTS, err);
	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	return st == TAPE_OK ? tape_api_slot_usage(s, &in[USAGE], err) : st;
}

/* The last event has all text again. */
static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { 0 };
	enum tape_status st = read_slots(s, data, in, err);

	if (st != TAPE_OK)
		return st;
	s->done = tape_api_slot_is(&in[TYPE], "transcript.text.done");
	if (!tape_api_slot_is(&in[TYPE], "transcript.text.delta"))
		return TAPE_OK;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	return tape_api_slot_text(s, TAPE_API_CONTENT, &in[DELTA], err);
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[SLOTS] = { 0 };
	enum tape_status st = read_slots(s, body, in, err);

	if (st != TAPE_OK || s->failed)
		return st;
	s->done = in[TEXT].type == TAPE_JSON_STRING;
	s->malformed = !s->done;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	return tape_api_slot_text(s, TAPE_API_CONTENT, &in[TEXT], err);
}

const struct tape_api tape_api_audio_transcription = {
	.name = "audio_transcription",
	.path = "/v1/audio/transcriptions",
	.headers = { TAPE_API_MULTIPART_TYPE },
	.form = true,
	.render = render,
	.read = read_event,
	.decode = tape_api_slots_decode,
	.decode_body = decode_body,
};
