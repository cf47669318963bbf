/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_whole.h"

#include "api/api_items.h"
#include "api/api_nest.h"

static enum tape_status
read_list(struct tape_api_state *s, struct tape_str body, struct tape_err *err)
{
	struct tape_str rest, item;
	enum tape_status st = tape_api_items_open(body, &rest, err);

	s->done = st == TAPE_OK && tape_api_items_next(&rest, &item);
	return st;
}

static enum tape_status
read_object(struct tape_api_state *s, const char *key, struct tape_str body,
    struct tape_err *err)
{
	enum { LIST, USAGE, META, ERROR, SLOTS };
	struct tape_api_slot in[SLOTS] = { { .name = key }, { .name = "usage" },
		{ .name = "meta" }, { .name = "error" } };
	struct tape_str rest, item;
	enum tape_status st = tape_api_slots_read(s, body, in, SLOTS, err);

	if (st == TAPE_OK)
		st = tape_api_slot_error(s, &in[ERROR], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &in[USAGE], err);
	if (st == TAPE_OK)
		st = tape_api_slot_usage(s, &in[META], err);
	rest = tape_api_slot_items(&in[LIST]);
	s->done = tape_api_items_next(&rest, &item);
	return st;
}

/* A server of lists says what is wrong in an object. */
enum tape_status
tape_api_whole_read(struct tape_api_decoder *d, const char *key,
    struct tape_str body, struct tape_err *err)
{
	struct tape_api_state *s = d->state;
	size_t i = 0;
	enum tape_status st;

	while (i < body.len && strchr(" \t\r\n", body.p[i]) != NULL)
		i++;
	if (key == NULL && i < body.len && body.p[i] == '[')
		st = read_list(s, body, err);
	else
		st = read_object(s, key == NULL ? "results" : key, body, err);
	if (st == TAPE_OK && !s->done && !s->failed)
		s->malformed = true;
	return st;
}

static enum tape_status
add_passages(struct tape_api_body *b, struct tape_str list, const char *before,
    const char *after, struct tape_err *err)
{
	struct tape_str item;
	bool first = true;

	(void)tape_buf_add_char(b->out, '[');
	while (tape_api_items_next(&list, &item)) {
		if (item.p[0] != '"')
			return tape_err_set(err, TAPE_E_USAGE,
			    "\"passages\" of the request has something else "
			    "than texts");
		(void)tape_buf_add_str(b->out, first ? "" : ",");
		(void)tape_buf_add_str(b->out, before);
		(void)tape_buf_add(b->out, item.p, item.len);
		(void)tape_buf_add_str(b->out, after);
		first = false;
	}
	(void)tape_buf_add_char(b->out, ']');
	return TAPE_OK;
}

enum tape_status
tape_api_body_passages(struct tape_api_body *b, const char *key,
    const char *before, const char *after, struct tape_err *err)
{
	static const char *const none[] = { NULL };
	static const struct tape_api_nest nest = { "passages", none, true };
	const struct tape_str name = tape_str_of("passages");
	const struct tape_api_field *f = tape_api_fields_find(&b->extra, name);
	struct tape_err why = { 0 };
	struct tape_str list;

	if (f == NULL)
		f = tape_api_fields_find(&b->params, name);
	if (f == NULL && (tape_api_fields_find(&b->params, tape_str_of(key)) ||
			     tape_api_fields_find(&b->extra, tape_str_of(key))))
		return TAPE_OK;
	if (f != NULL &&
	    tape_api_items_open(f->value, &list, &why) == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (f == NULL || why.status != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API needs \"passages\" in params, a list of texts",
		    b->api->name);
	b->nest = &nest;
	if (strcmp(key, "passages") == 0) {
		(void)tape_buf_add_str(
		    b->out, b->any ? ",\"passages\":" : "{\"passages\":");
		b->any = true;
	} else if (!tape_api_body_field(b, key)) {
		return TAPE_OK;
	}
	return add_passages(b, list, before, after, err);
}

enum tape_status
tape_api_body_texts(
    struct tape_api_body *b, const char *key, bool list, struct tape_err *err)
{
	const struct tape_input *in = b->ask->input;
	enum tape_status st;

	if (in->messages.p != NULL || in->tokens.v != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the %s API takes text alone", b->api->name);
	if (!tape_api_body_field(b, key))
		return TAPE_OK;
	(void)tape_buf_add_str(b->out, list ? "[" : "");
	st = tape_api_body_prompt(b, err);
	(void)tape_buf_add_str(b->out, list ? "]" : "");
	return st;
}

enum tape_status
tape_api_whole_decode(struct tape_api_decoder *d, struct tape_str type,
    struct tape_str data, struct tape_err *err)
{
	(void)type;
	return d->api->decode_body(d, data, err);
}
