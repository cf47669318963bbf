/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_chunk.h"

#include "api/api_grown.h"
#include "api/api_made.h"

/* What is being read. */
struct chunk {
	struct tape_api_decoder *d;
	struct tape_api_state *s;
	const struct tape_api_shape *shape;
	/* {"object":"error","message":"..."}, as vLLM sent it. */
	bool is_error;
	struct tape_str message; /* as JSON */
};

static enum tape_status
skip(struct tape_api_state *s, struct tape_err *err)
{
	return tape_json_skip(&s->json, NULL, NULL, err);
}

static enum tape_status
malformed(struct tape_api_state *s, struct tape_err *err)
{
	s->malformed = true;
	return skip(s, err);
}

static enum tape_status
read_choice_member(
    struct chunk *c, const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_api_state *s = c->s;

	if (tape_json_key_is(tok, c->shape->member))
		return c->shape->read(c->d, tok, err);
	if (tape_json_key_is(tok, "error"))
		return tape_api_read_error(s, tok, err);
	if (tape_json_key_is(tok, "usage")) /* Moonshot */
		return tape_api_read_usage(s, tok, err);
	if (tape_json_key_is(tok, "index")) {
		if (tok->type == TAPE_JSON_INT && tok->i64 >= 0 &&
		    tok->i64 <= INT32_MAX)
			s->choices[s->choices_n - 1].index = tok->i64;
		else if (tok->type != TAPE_JSON_NULL)
			s->malformed = true;
	} else if (tape_json_key_is(tok, "finish_reason") &&
		   tok->type == TAPE_JSON_STRING) {
		tape_api_add_finish(s, tok->str, tok->len);
	}
	return skip(s, err);
}

static enum tape_status
read_choice(struct chunk *c, struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (tape_api_choice_begin(c->s, err) == NULL)
		return TAPE_E_NOMEM;
	for (;;) {
		st = tape_json_next(&c->s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		st = read_choice_member(c, &tok, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_choices(struct chunk *c, const struct tape_json_token *choices,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	if (choices->type == TAPE_JSON_NULL)
		return TAPE_OK;
	if (choices->type != TAPE_JSON_ARRAY)
		return malformed(c->s, err);
	for (;;) {
		st = tape_json_next(&c->s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		st = tok.type == TAPE_JSON_OBJECT ? read_choice(c, err)
						  : malformed(c->s, err);
		if (st != TAPE_OK)
			return st;
	}
}

static enum tape_status
read_top_member(
    struct chunk *c, const struct tape_json_token *tok, struct tape_err *err)
{
	struct tape_api_state *s = c->s;
	int timing;

	if (tape_json_key_is(tok, "choices"))
		return read_choices(c, tok, err);
	if (tape_json_key_is(tok, "usage"))
		return tape_api_read_usage(s, tok, err);
	if (tape_json_key_is(tok, "error"))
		return tape_api_read_error(s, tok, err);
	if (tape_json_key_is(tok, "llmtape"))
		return tape_api_read_stamp(s, tok, err);
	timing = tape_api_timing_find(tok);
	if (timing >= 0)
		return tape_api_read_timing(s, timing, tok, err);
	if (tape_json_key_is(tok, "object"))
		c->is_error = tape_json_str_is(tok, "error");
	else if (tape_json_key_is(tok, "message"))
		c->message = tape_str_make(tok->raw, tok->raw_len);
	return skip(s, err);
}

/* llama.cpp counts in its times, also where no usage was asked for; each choice
   for itself. */
static enum tape_status
read_timed(
    struct tape_api_state *s, struct tape_str timings, struct tape_err *err)
{
	enum { PROMPT, CACHE, PREDICTED, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = "prompt_n" },
		{ .name = "cache_n" }, { .name = "predicted_n" } };
	const struct tape_api_slot of = { .type = TAPE_JSON_OBJECT,
		.raw = timings };
	int64_t *const to[SLOTS] = { &s->tokens.timed_input,
		&s->tokens.timed_cached, &s->tokens.timed_output };
	const int64_t choice = s->choices_n > 0 ? s->choices[0].index : 0;
	enum tape_status st = tape_api_slots_within(s, &of, in, SLOTS, err);

	for (size_t i = 0; i < SLOTS && st == TAPE_OK; i++) {
		if (!tape_api_slot_i64(&in[i], to[i]) || *to[i] < 0 ||
		    *to[i] > INT64_C(1) << 53) {
			*to[i] = TAPE_ABSENT_I64;
			continue;
		}
		s->timed = true;
		if (i == PREDICTED)
			st = tape_api_add_count(s, choice, *to[i], to[i], err);
	}
	return st;
}

enum tape_status
tape_api_chunk_read(struct tape_api_decoder *d,
    const struct tape_api_shape *shape, struct tape_str data,
    struct tape_err *err)
{
	struct chunk c = { .d = d, .s = d->state, .shape = shape };
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&c.s->json, data.p, data.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&c.s->json, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&c.s->json, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = read_top_member(&c, &tok, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&c.s->json, err);
	if (st == TAPE_OK && c.s->timing[0].p != NULL)
		st = read_timed(c.s, c.s->timing[0], err);
	if (st == TAPE_OK && c.is_error)
		st = tape_api_read_error_text(
		    c.s, c.message.p != NULL ? c.message : data, err);
	return st;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Without white space at the end. */
static struct tape_str
trimmed(struct tape_str data)
{
	while (data.len > 0 && is_space(data.p[data.len - 1]))
		data.len--;
	return data;
}

/* An event of type error: a chunk that says so, or anything. */
static enum tape_status
read_error_event(struct tape_api_decoder *d, const struct tape_api_shape *shape,
    struct tape_str text, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_api_chunk_read(d, shape, text, &why);

	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st == TAPE_OK && !d->state->malformed && d->state->failed)
		return st;
	tape_api_event_begin(d->state);
	return tape_api_read_error_text(d->state, text, err);
}

/* A chunk of a stream, by the short way where that goes. */
static enum tape_status
read_next(struct tape_api_decoder *d, const struct tape_api_shape *shape,
    struct tape_str text, struct tape_err *err)
{
	bool applied;
	enum tape_status st;

	st = tape_api_template_apply(d->state, text, &applied, err);
	if (st != TAPE_OK || applied)
		return st;
	st = tape_api_chunk_read(d, shape, text, err);
	if (st == TAPE_OK)
		tape_api_template_learn(d->state, text);
	return st;
}

enum tape_status
tape_api_chunk_event(struct tape_api_decoder *d,
    const struct tape_api_shape *shape, struct tape_str type,
    struct tape_str data, struct tape_err *err)
{
	const struct tape_str text = trimmed(data);

	if (tape_str_is(text, "[DONE]")) {
		d->state->done = true;
		return TAPE_OK;
	}
	if (tape_str_is(type, "error"))
		return read_error_event(d, shape, text, err);
	if (text.len == 0)
		return TAPE_OK;
	return read_next(d, shape, text, err);
}
