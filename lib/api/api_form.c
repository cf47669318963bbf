/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_form.h"

#include <inttypes.h>

#define OPEN  "{{"
#define CLOSE "}}"

static enum tape_status
add_prompt(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;

	if (in->messages.p != NULL || in->tokens.v != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the body template has {{prompt}}, but the input is no "
		    "text");
	return tape_api_body_prompt(b, err);
}

static enum tape_status
add_messages(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_str messages = b->ask->input->messages;
	enum tape_status st;

	if (messages.p != NULL) {
		(void)tape_buf_add(b->out, messages.p, messages.len);
		return TAPE_OK;
	}
	(void)tape_buf_add_str(b->out, "[{\"role\":\"user\",\"content\":");
	st = add_prompt(b, err);
	(void)tape_buf_add_str(b->out, "}]");
	return st;
}

static enum tape_status
add_tokens(struct tape_api_body *b, struct tape_err *err)
{
	if (b->ask->input->tokens.v == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the body template has {{tokens}}, but the input has no "
		    "token ids");
	tape_api_body_ids(b->out, b->ask->input->tokens);
	return TAPE_OK;
}

static enum tape_status
add_model(struct tape_api_body *b, struct tape_err *err)
{
	if (b->ask->model.p != NULL)
		return tape_api_body_quote(b->out, b->ask->model, err);
	(void)tape_buf_add_str(b->out, "null");
	return TAPE_OK;
}

static enum tape_status
add_length(struct tape_api_body *b, struct tape_err *err)
{
	(void)err;
	if (b->ask->output_tokens == TAPE_ABSENT_I64)
		(void)tape_buf_add_str(b->out, "null");
	else
		(void)tape_buf_add_fmt(
		    b->out, "%" PRId64, b->ask->output_tokens);
	return TAPE_OK;
}

static enum tape_status
add_stream(struct tape_api_body *b, struct tape_err *err)
{
	(void)err;
	(void)tape_buf_add_str(b->out, b->ask->stream ? "true" : "false");
	return TAPE_OK;
}

static const struct {
	const char *name;
	enum tape_status (*add)(struct tape_api_body *b, struct tape_err *err);
} places[] = {
	{ "prompt", add_prompt },
	{ "messages", add_messages },
	{ "tokens", add_tokens },
	{ "model", add_model },
	{ "max_tokens", add_length },
	{ "stream", add_stream },
};

static enum tape_status
add_place(struct tape_api_body *b, struct tape_str name, struct tape_err *err)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (tape_str_is(name, places[i].name))
			return places[i].add(b, err);
	return tape_err_set(err, TAPE_E_USAGE,
	    "the body template has {{%.*s}}, which stands for nothing",
	    tape_str_shown(name, 40), name.p);
}

/* Appends the template with the values in their places. */
static enum tape_status
fill_in(struct tape_api_body *b, struct tape_err *err)
{
	struct tape_str rest = b->ask->form;
	enum tape_status st = TAPE_OK;

	while (st == TAPE_OK && rest.len > 0) {
		const char *open = memmem(rest.p, rest.len, OPEN, 2);
		const size_t before =
		    open == NULL ? rest.len : (size_t)(open - rest.p);
		const char *close;

		(void)tape_buf_add(b->out, rest.p, before);
		if (open == NULL)
			break;
		close = memmem(open, rest.len - before, CLOSE, 2);
		if (close == NULL)
			return tape_err_set(err, TAPE_E_USAGE,
			    "the body template has {{ without }}");
		st = add_place(b,
		    tape_str_make(open + 2, (size_t)(close - open - 2)), err);
		rest.len -= (size_t)(close + 2 - rest.p);
		rest.p = close + 2;
	}
	return st == TAPE_OK ? tape_buf_status(b->out, err) : st;
}

/* The fields that nobody overrides. */
static enum tape_status
add_fields(struct tape_api_body *b, const struct tape_api_fields *f,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		const struct tape_str key = f->v[i].key;

		if (tape_api_fields_find(&b->params, key) != NULL ||
		    tape_api_fields_find(&b->extra, key) != NULL)
			continue;
		if (!b->any)
			(void)tape_buf_add_char(b->out, '{');
		st = tape_api_field_write(&f->v[i], !b->any, b->out, err);
		b->any = true;
	}
	return st;
}

static enum tape_status
read_object(struct tape_api_fields *f, const struct tape_buf *text,
    struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st = tape_api_fields_read(
	    f, tape_str_make(text->data, text->len), TAPE_JSON_OURS, &why);

	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the body template, filled in: %s", why.text);
	return TAPE_OK;
}

enum tape_status
tape_api_form_render(struct tape_api_body *b, struct tape_err *err)
{
	struct tape_buf *const out = b->out;
	struct tape_api_fields fields = { 0 };
	struct tape_buf text;
	enum tape_status st;

	if (b->ask->form.p == NULL)
		return tape_err_set(
		    err, TAPE_E_USAGE, "--api template needs --body-template");
	tape_buf_init(&text, TAPE_CAP_REQUEST);
	b->out = &text;
	st = fill_in(b, err);
	b->out = out;
	if (st == TAPE_OK)
		st = read_object(&fields, &text, err);
	if (st == TAPE_OK)
		st = add_fields(b, &fields, err);
	tape_api_fields_release(&fields);
	tape_buf_release(&text);
	return st;
}
