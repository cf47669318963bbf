/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Servers of no dialect: bodies verbatim, or from the user's template
 * (api_form.h), and answers of which is known what the pointers say.
 */
#include "api/api_form.h"
#include "api/api_grown.h"
#include "api/api_items.h"
#include "api/api_made.h"
#include "api/api_pointers.h"
#include "api/api_table.h"

static enum tape_status
render_raw(struct tape_api_body *b, struct tape_err *err)
{
	return tape_err_set(err, TAPE_E_USAGE,
	    "the %s API sends bodies that the trace has, and this request has "
	    "none",
	    b->api->name);
}

static enum tape_json_type
type_of(struct tape_str json)
{
	switch (json.p[0]) {
	case '"':
		return TAPE_JSON_STRING;
	case '{':
		return TAPE_JSON_OBJECT;
	case '[':
		return TAPE_JSON_ARRAY;
	case 't':
		return TAPE_JSON_TRUE;
	case 'f':
		return TAPE_JSON_FALSE;
	case 'n':
		return TAPE_JSON_NULL;
	default:
		break;
	}
	for (size_t i = 0; i < json.len; i++)
		if (strchr(".eE", json.p[i]) != NULL)
			return TAPE_JSON_DOUBLE;
	return TAPE_JSON_INT;
}

/* Takes the first token off the pointer, unescaped. */
static void
next_token(const char **pointer, char token[TAPE_API_POINTER_MAX])
{
	const char *p = *pointer + 1; /* behind the slash */
	size_t n = 0;

	for (; *p != '\0' && *p != '/'; p++) {
		if (*p == '~')
			token[n++] = *++p == '0' ? '~' : '/';
		else
			token[n++] = *p;
	}
	token[n] = '\0';
	*pointer = p;
}

static void
item_at(struct tape_api_slot *slot, const char *token)
{
	struct tape_str rest = tape_api_slot_items(slot), item;
	size_t i = 0, at = 0;

	slot->raw = tape_str_make(NULL, 0);
	for (; token[i] >= '0' && token[i] <= '9' && i < 6; i++)
		at = at * 10 + (size_t)(token[i] - '0');
	if (i == 0 || token[i] != '\0')
		return;
	while (tape_api_items_next(&rest, &item))
		if (at-- == 0) {
			slot->raw = item;
			slot->type = type_of(item);
			return;
		}
}

/* What the pointer points to; no member: nothing. */
static enum tape_status
find(struct tape_api_state *s, struct tape_str data, const char *pointer,
    struct tape_api_slot *out, struct tape_err *err)
{
	char token[TAPE_API_POINTER_MAX];
	struct tape_api_slot next = { .name = token };
	enum tape_status st = TAPE_OK;

	*out = (struct tape_api_slot){ .type = TAPE_JSON_END };
	if (*pointer == '\0')
		return TAPE_OK;
	out->raw = data;
	out->type = type_of(data);
	while (st == TAPE_OK && out->raw.p != NULL && *pointer != '\0') {
		next_token(&pointer, token);
		if (out->type == TAPE_JSON_ARRAY) {
			item_at(out, token);
			continue;
		}
		st = tape_api_slots_within(s, out, &next, 1, err);
		*out = next;
	}
	out->name = NULL;
	if (out->raw.p == NULL)
		out->type = TAPE_JSON_END;
	return st;
}

/* Whole JSON, and an object's error, if it has one. */
static enum tape_status
read_error(
    struct tape_api_state *s, struct tape_str *data, struct tape_err *err)
{
	struct tape_api_slot error = { .name = "error" };
	struct tape_json_token tok;
	enum tape_status st;

	tape_json_open(&s->json, data->p, data->len, TAPE_JSON_FOREIGN);
	st = tape_json_next(&s->json, &tok, err);
	if (st == TAPE_OK)
		st = tape_json_skip(&s->json, &data->p, &data->len, err);
	if (st == TAPE_OK)
		st = tape_json_end(&s->json, err);
	if (st != TAPE_OK || tok.type != TAPE_JSON_OBJECT)
		return st;
	st = tape_api_slots_read(s, *data, &error, 1, err);
	return st == TAPE_OK ? tape_api_slot_error(s, &error, err) : st;
}

static enum tape_status
read_counts(struct tape_api_state *s, struct tape_api_slot *in,
    struct tape_api_slot *out, struct tape_err *err)
{
	in->name = "prompt_tokens";
	out->name = "completion_tokens";
	tape_api_made_add(s, TAPE_API_MADE_USAGE, in, 1);
	tape_api_made_add(s, TAPE_API_MADE_USAGE, out, 1);
	return tape_api_made_usage(s, err);
}

/* A reason, or any value but false and null. */
static enum tape_status
read_finish(struct tape_api_state *s, const struct tape_api_slot *finish,
    struct tape_err *err)
{
	if (finish->type == TAPE_JSON_STRING)
		return tape_api_slot_finish(s, finish, err);
	if (finish->type != TAPE_JSON_END && finish->type != TAPE_JSON_FALSE &&
	    finish->type != TAPE_JSON_NULL)
		s->done = true;
	return TAPE_OK;
}

static enum tape_status
read_event(
    struct tape_api_decoder *d, struct tape_str data, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	struct tape_api_slot in[TAPE_API_POINTERS];
	enum tape_status st = read_error(s, &data, err);
	bool any = false;

	for (size_t i = 0; i < TAPE_API_POINTERS && st == TAPE_OK; i++) {
		st = find(s, data, d->pointers->v[i], &in[i], err);
		any = any || in[i].type != TAPE_JSON_END;
	}
	if (st != TAPE_OK || !any)
		return st;
	if (tape_api_choice_begin(s, err) == NULL)
		return TAPE_E_NOMEM;
	st = read_counts(
	    s, &in[TAPE_API_POINTER_INPUT], &in[TAPE_API_POINTER_OUTPUT], err);
	if (st == TAPE_OK)
		st = tape_api_slot_text(s, TAPE_API_REASONING,
		    &in[TAPE_API_POINTER_REASONING], err);
	if (st == TAPE_OK)
		st = read_finish(s, &in[TAPE_API_POINTER_FINISH], err);
	return st == TAPE_OK
		   ? tape_api_slot_grown(s, &in[TAPE_API_POINTER_TEXT],
			 TAPE_API_GROWTH_PIECES, false, err)
		   : st;
}

/* Without pointers nothing is looked at. */
static enum tape_status
decode(struct tape_api_decoder *d, struct tape_str type, struct tape_str data,
    struct tape_err *err)
{
	if (d->pointers == NULL)
		return TAPE_OK;
	return tape_api_grown_decode(d, type, data, err);
}

static enum tape_status
decode_body(
    struct tape_api_decoder *d, struct tape_str body, struct tape_err *err)
{
	return d->pointers == NULL ? TAPE_OK : read_event(d, body, err);
}

const struct tape_api tape_api_raw = {
	.name = "raw",
	.path = "",
	.open_ended = true,
	.opaque = true,
	.render = render_raw,
	.read = read_event,
	.decode = decode,
	.decode_body = decode_body,
};

const struct tape_api tape_api_template = {
	.name = "template",
	.path = "",
	.open_ended = true,
	.opaque = true,
	.render = tape_api_form_render,
	.read = read_event,
	.decode = decode,
	.decode_body = decode_body,
};
