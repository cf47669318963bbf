/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_body.h"

#include "api/api_nest.h"
#include "api/api_verbatim.h"
#include "base/utf8.h"
#include "codec/json_write.h"

#include <inttypes.h>

static bool
is_dropped(const struct tape_api_ask *ask, struct tape_str key)
{
	for (size_t i = 0; i < ask->drop_n; i++)
		if (tape_str_is(key, ask->drop[i]))
			return true;
	return false;
}

bool
tape_api_body_field(struct tape_api_body *b, const char *key)
{
	if (is_dropped(b->ask, tape_str_of(key)) ||
	    tape_api_fields_find(&b->params, tape_str_of(key)) != NULL ||
	    tape_api_fields_find(&b->extra, tape_str_of(key)) != NULL)
		return false;
	(void)tape_buf_add_str(b->out, b->any ? ",\"" : "{\"");
	b->any = true;
	(void)tape_buf_add_str(b->out, key);
	(void)tape_buf_add_str(b->out, "\":");
	return true;
}

void
tape_api_body_i64(struct tape_api_body *b, const char *key, int64_t v)
{
	if (tape_api_body_field(b, key))
		(void)tape_buf_add_fmt(b->out, "%" PRId64, v);
}

void
tape_api_body_raw(
    struct tape_api_body *b, const char *key, struct tape_str json)
{
	if (tape_api_body_field(b, key))
		(void)tape_buf_add(b->out, json.p, json.len);
}

enum tape_status
tape_api_body_quote(
    struct tape_buf *out, struct tape_str text, struct tape_err *err)
{
	struct tape_json_writer w;

	if (!tape_utf8_valid(text.p, text.len) ||
	    memchr(text.p, '\0', text.len) != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "a text for the request body is not UTF-8");
	tape_json_write_init(&w, out);
	tape_json_write_str(&w, NULL, text.p, text.len);
	return tape_json_write_finish(&w, err);
}

enum tape_status
tape_api_body_str(struct tape_api_body *b, const char *key,
    struct tape_str text, struct tape_err *err)
{
	if (!tape_api_body_field(b, key))
		return TAPE_OK;
	return tape_api_body_quote(b->out, text, err);
}

enum tape_status
tape_api_body_prompt(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st;

	if (in->text.p != NULL)
		return tape_api_body_quote(b->out, in->text, err);
	(void)tape_buf_add_char(b->out, '"');
	st = tape_prompt_render(
	    b->ask->vocabs, &in->blocks, b->ask->salt, b->out, err);
	(void)tape_buf_add_char(b->out, '"');
	return st;
}

void
tape_api_body_ids(struct tape_buf *out, struct tape_i64s ids)
{
	(void)tape_buf_add_char(out, '[');
	for (size_t i = 0; i < ids.n; i++)
		(void)tape_buf_add_fmt(
		    out, "%s%" PRId64, i == 0 ? "" : ",", ids.v[i]);
	(void)tape_buf_add_char(out, ']');
}

enum tape_status
tape_api_body_input(struct tape_api_body *b, const char *key,
    const char *ids_key, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;

	if (in->messages.p != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes no messages: it has no template for them",
		    b->api->name);
	if (in->tokens.v == NULL) {
		if (tape_api_body_field(b, key))
			return tape_api_body_prompt(b, err);
		return TAPE_OK;
	}
	if (ids_key == NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes no token ids", b->api->name);
	if (tape_api_body_field(b, ids_key))
		tape_api_body_ids(b->out, in->tokens);
	return TAPE_OK;
}

enum tape_status
tape_api_body_head(struct tape_api_body *b, struct tape_err *err)
{
	if (b->ask->model.p == NULL)
		return TAPE_OK;
	return tape_api_body_str(b, "model", b->ask->model, err);
}

const char *
tape_api_body_length_key(const struct tape_api_body *b, const char *own)
{
	const char *asked = b->ask->max_tokens_field;

	return asked != NULL ? asked : own;
}

void
tape_api_body_end(struct tape_api_body *b, const char *max_tokens_field)
{
	if (b->ask->output_tokens != TAPE_ABSENT_I64)
		tape_api_body_i64(b,
		    tape_api_body_length_key(b, max_tokens_field),
		    b->ask->output_tokens);
	if (b->ask->stream)
		tape_api_body_raw(b, "stream", tape_str_of("true"));
}

void
tape_api_body_tail(struct tape_api_body *b, const char *max_tokens_field)
{
	tape_api_body_end(b, max_tokens_field);
	if (b->ask->stream && b->ask->usage)
		tape_api_body_raw(b, "stream_options",
		    tape_str_of("{\"include_usage\":true}"));
}

static enum tape_status
read_fields(
    struct tape_api_fields *f, struct tape_str json, struct tape_err *err)
{
	if (json.p == NULL)
		return TAPE_OK;
	return tape_api_fields_read(f, json, TAPE_JSON_OURS, err);
}

/* What is wrong with whose fields; memory is nobody's fault. */
static enum tape_status
blame(const char *whose, enum tape_status st, const struct tape_err *why,
    struct tape_err *err)
{
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	return tape_err_set(
	    err, TAPE_E_USAGE, "%s of the request body: %s", whose, why->text);
}

static enum tape_status
add_overrides(const struct tape_api_fields *f,
    const struct tape_api_fields *over, struct tape_api_body *b,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		if (over != NULL &&
		    (tape_api_fields_find(over, f->v[i].key) != NULL ||
			is_dropped(b->ask, f->v[i].key)))
			continue;
		if (b->merged != NULL && tape_str_is(f->v[i].key, b->merged))
			continue;
		if (tape_api_nest_takes(b->nest, f->v[i].key))
			continue;
		if (!b->any)
			(void)tape_buf_add_char(b->out, '{');
		st = tape_api_field_write(&f->v[i], !b->any, b->out, err);
		b->any = true;
	}
	return st;
}

static enum tape_status
render_fields(
    const struct tape_api *api, struct tape_api_body *b, struct tape_err *err)
{
	struct tape_err why = { 0 };
	enum tape_status st;

	st = read_fields(&b->params, b->ask->params, &why);
	if (st != TAPE_OK)
		return blame("params", st, &why, err);
	st = read_fields(&b->extra, b->ask->extra, &why);
	if (st != TAPE_OK)
		return blame("extra fields", st, &why, err);
	st = api->render(b, err);
	if (api->form)
		return st;
	if (st == TAPE_OK)
		st = add_overrides(&b->params, &b->extra, b, err);
	if (st == TAPE_OK)
		st = add_overrides(&b->extra, NULL, b, err);
	(void)tape_buf_add_str(b->out, b->any ? "}" : "{}");
	return st;
}

static enum tape_status
render_verbatim(struct tape_api_body *b, struct tape_err *err)
{
	const struct tape_api_ask *ask = b->ask;
	const struct tape_str body = ask->input->body;
	const struct tape_api_changes changes = { .set = &b->extra,
		.model = ask->model_given ? ask->model : tape_str_make(NULL, 0),
		.drop = ask->drop,
		.drop_n = ask->drop_n };
	struct tape_err why = { 0 };
	enum tape_status st;

	if (ask->extra.p == NULL && ask->drop_n == 0 && !ask->model_given) {
		(void)tape_buf_add(b->out, body.p, body.len);
		return TAPE_OK;
	}
	st = read_fields(&b->extra, ask->extra, &why);
	if (st != TAPE_OK)
		return blame("extra fields", st, &why, err);
	return tape_api_verbatim(&changes, body, b->out, err);
}

enum tape_status
tape_api_render(const struct tape_api *api, const struct tape_api_ask *ask,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_api_body b = { .api = api, .ask = ask, .out = out };
	const size_t before = out->len;
	enum tape_status st = TAPE_OK;

	if (ask->input->body.p != NULL)
		st = render_verbatim(&b, err);
	else
		st = render_fields(api, &b, err);
	if (st == TAPE_OK)
		st = tape_buf_status(out, err);
	if (st != TAPE_OK && out->len > before) {
		out->len = before;
		out->data[before] = '\0';
	}
	tape_api_fields_release(&b.params);
	tape_api_fields_release(&b.extra);
	return st;
}
