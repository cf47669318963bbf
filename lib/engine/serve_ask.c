/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_ask.h"

#include "codec/json_write.h"

#define MODEL_BYTES ((size_t)256)

void
tape_serve_ask_init(struct tape_serve_ask *ask,
    const struct tape_serve_shape *shape, uint32_t block_tokens)
{
	*ask = (struct tape_serve_ask){ .shape = shape,
		.stream = shape->streams == TAPE_SERVE_IF_NOT_SO,
		.usage = shape->usage,
		.max_tokens = -1 };
	tape_serve_count_clear(&ask->prompt, block_tokens);
	tape_buf_init(&ask->model, 6 * MODEL_BYTES + 2);
}

void
tape_serve_ask_release(struct tape_serve_ask *ask)
{
	tape_buf_release(&ask->model);
	tape_serve_count_release(&ask->prompt);
}

static enum tape_status
wrong(struct tape_err *err, const char *field, const char *what)
{
	return tape_err_set(err, TAPE_E_FORMAT, "%s: %s", field, what);
}

static enum tape_status
get_bool(const struct tape_json_token *tok, const char *field, bool *out,
    struct tape_err *err)
{
	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	if (tok->type != TAPE_JSON_TRUE && tok->type != TAPE_JSON_FALSE)
		return wrong(err, field, "true or false expected");
	*out = tok->type == TAPE_JSON_TRUE;
	return TAPE_OK;
}

static enum tape_status
get_max_tokens(const struct tape_json_token *tok, struct tape_serve_ask *ask,
    struct tape_err *err)
{
	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	/* no limit, but in the OpenAI API */
	if (tok->type == TAPE_JSON_INT && tok->i64 == -1 && ask->shape->usage)
		return TAPE_OK;
	if (tok->type != TAPE_JSON_INT || tok->i64 < 1)
		return wrong(
		    err, "max_tokens", "a whole number from 1 expected");
	ask->max_tokens = tok->i64;
	return TAPE_OK;
}

static enum tape_status
get_model(const struct tape_json_token *tok, struct tape_serve_ask *ask,
    struct tape_err *err)
{
	struct tape_json_writer w;

	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	if (tok->type != TAPE_JSON_STRING)
		return wrong(err, "model", "a string expected");
	if (tok->len > MODEL_BYTES || memchr(tok->str, '\0', tok->len) != NULL)
		return wrong(err, "model", "no such model");
	tape_buf_clear(&ask->model);
	tape_json_write_init(&w, &ask->model);
	tape_json_write_str(&w, NULL, tok->str, tok->len);
	return tape_json_write_finish(&w, err);
}

/* The members of an object whose begin was read: each goes to one(). */
static enum tape_status
members(struct tape_json *r, struct tape_serve_ask *ask,
    enum tape_status (*one)(struct tape_json *, struct tape_serve_ask *,
	const struct tape_json_token *, struct tape_err *),
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	while ((st = tape_json_next(r, &tok, err)) == TAPE_OK &&
	       tok.type != TAPE_JSON_OBJECT_END) {
		st = one(r, ask, &tok, err);
		if (st == TAPE_OK)
			st = tape_json_skip(r, NULL, NULL, err);
		if (st != TAPE_OK)
			break;
	}
	return st;
}

static enum tape_status
stream_option(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	(void)r;
	if (tape_json_key_is(tok, "include_usage"))
		return get_bool(tok, "include_usage", &ask->usage, err);
	return TAPE_OK;
}

/* A member of a part of a message's content. */
static enum tape_status
part_member(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	(void)r;
	(void)err;
	if (tape_json_key_is(tok, "text") && tok->type == TAPE_JSON_STRING)
		tape_serve_count_text(&ask->prompt, tok->str, tok->len);
	return TAPE_OK;
}

static enum tape_status
content(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_json_token part;
	enum tape_status st;

	if (tok->type == TAPE_JSON_NULL)
		return TAPE_OK;
	if (tok->type == TAPE_JSON_STRING) {
		tape_serve_count_text(&ask->prompt, tok->str, tok->len);
		return TAPE_OK;
	}
	if (tok->type != TAPE_JSON_ARRAY)
		return wrong(err, "content", "a string or an array expected");
	while ((st = tape_json_next(r, &part, err)) == TAPE_OK &&
	       part.type != TAPE_JSON_ARRAY_END) {
		st = part.type == TAPE_JSON_OBJECT
			 ? members(r, ask, part_member, err)
			 : wrong(err, "content", "parts are objects");
		if (st != TAPE_OK)
			break;
	}
	return st;
}

static enum tape_status
message_member(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (tape_json_key_is(tok, "content") || tape_json_key_is(tok, "parts"))
		return content(r, ask, tok, err);
	return TAPE_OK;
}

static enum tape_status
messages(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_json_token item;
	enum tape_status st;
	bool some = false;

	if (tok->type != TAPE_JSON_ARRAY)
		return wrong(err, "messages", "an array expected");
	while ((st = tape_json_next(r, &item, err)) == TAPE_OK &&
	       item.type != TAPE_JSON_ARRAY_END) {
		st = item.type == TAPE_JSON_OBJECT
			 ? members(r, ask, message_member, err)
			 : wrong(err, "messages", "objects expected");
		if (st != TAPE_OK)
			break;
		some = true;
	}
	if (st == TAPE_OK && !some)
		st = wrong(err, "messages", "at least one expected");
	return st;
}

/* An array of numbers, whose begin was read. */
static enum tape_status
token_numbers(
    struct tape_json *r, struct tape_serve_ask *ask, struct tape_err *err)
{
	struct tape_json_token item;
	enum tape_status st;

	while ((st = tape_json_next(r, &item, err)) == TAPE_OK &&
	       item.type == TAPE_JSON_INT)
		tape_serve_count_token(&ask->prompt, item.i64);
	if (st == TAPE_OK && item.type != TAPE_JSON_ARRAY_END)
		st = wrong(err, "prompt", "token numbers expected");
	return st;
}

/* An array, whose begin was read: token numbers, or one prompt. */
static enum tape_status
prompt_array(
    struct tape_json *r, struct tape_serve_ask *ask, struct tape_err *err)
{
	struct tape_json_token item;
	enum tape_status st = tape_json_next(r, &item, err);

	if (st == TAPE_OK && item.type == TAPE_JSON_INT) {
		tape_serve_count_token(&ask->prompt, item.i64);
		return token_numbers(r, ask, err);
	}
	if (st == TAPE_OK && item.type == TAPE_JSON_STRING)
		tape_serve_count_text(&ask->prompt, item.str, item.len);
	else if (st == TAPE_OK && item.type == TAPE_JSON_ARRAY)
		st = token_numbers(r, ask, err);
	else if (st == TAPE_OK)
		st = wrong(err, "prompt", "text or token numbers expected");
	if (st == TAPE_OK)
		st = tape_json_next(r, &item, err);
	if (st == TAPE_OK && item.type != TAPE_JSON_ARRAY_END)
		st = wrong(err, "prompt", "one prompt per request");
	return st;
}

static enum tape_status
prompt(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	if (tok->type == TAPE_JSON_STRING) {
		tape_serve_count_text(&ask->prompt, tok->str, tok->len);
		return TAPE_OK;
	}
	if (tok->type == TAPE_JSON_ARRAY)
		return prompt_array(r, ask, err);
	return wrong(err, "prompt", "a string or an array expected");
}

static bool
is_limit(
    const struct tape_serve_shape *shape, const struct tape_json_token *tok)
{
	size_t i;

	for (i = 0; i < TAPE_SERVE_LIMIT_KEYS; i++)
		if (shape->limit_keys[i] != NULL &&
		    tape_json_key_is(tok, shape->limit_keys[i]))
			return true;
	return false;
}

/* A member that stands in the body, or in its options. */
static enum tape_status
option(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	(void)r;
	if (is_limit(ask->shape, tok))
		return get_max_tokens(tok, ask, err);
	if (tape_json_key_is(tok, "ignore_eos"))
		return get_bool(tok, "ignore_eos", &ask->ignore_eos, err);
	return TAPE_OK;
}

/* The member that is the input. */
static enum tape_status
input_member(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, struct tape_err *err)
{
	enum tape_serve_input input = ask->shape->input;

	if (input == TAPE_SERVE_MESSAGES ||
	    (input == TAPE_SERVE_EITHER && tok->type != TAPE_JSON_STRING))
		return messages(r, ask, tok, err);
	return prompt(r, ask, tok, err);
}

static bool
is_key(const struct tape_json_token *tok, const char *key)
{
	return key != NULL && tape_json_key_is(tok, key);
}

/* A member of the body's object; *input tells whether it was the prompt. */
static enum tape_status
body_member(struct tape_json *r, struct tape_serve_ask *ask,
    const struct tape_json_token *tok, bool *input, struct tape_err *err)
{
	const struct tape_serve_shape *shape = ask->shape;

	if (is_key(tok, shape->input_key) || is_key(tok, shape->ids_key)) {
		if (*input)
			return wrong(err, shape->input_key, "given twice");
		*input = true;
		return input_member(r, ask, tok, err);
	}
	if (is_key(tok, shape->extra_key))
		return content(r, ask, tok, err);
	if (tape_json_key_is(tok, "model"))
		return get_model(tok, ask, err);
	if (tape_json_key_is(tok, "stream") &&
	    shape->streams != TAPE_SERVE_BY_PATH)
		return get_bool(tok, "stream", &ask->stream, err);
	if (is_key(tok, shape->options_key) && tok->type == TAPE_JSON_OBJECT)
		return members(r, ask, option, err);
	if (tape_json_key_is(tok, "stream_options") &&
	    tok->type == TAPE_JSON_OBJECT)
		return members(r, ask, stream_option, err);
	return shape->options_key == NULL ? option(r, ask, tok, err) : TAPE_OK;
}

enum tape_status
tape_serve_ask_parse(struct tape_serve_ask *ask, struct tape_json *reader,
    const char *body, size_t len, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;
	bool input = false;

	tape_json_open(reader, body, len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(reader, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(reader, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = body_member(reader, ask, &tok, &input, err);
		if (st == TAPE_OK)
			st = tape_json_skip(reader, NULL, NULL, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(reader, err);
	if (st == TAPE_OK && !input)
		st = wrong(err, ask->shape->input_key, "missing");
	if (st == TAPE_OK)
		st = tape_serve_count_status(&ask->prompt, err);
	return st;
}
