/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_nest.h"

#include <inttypes.h>
#include <stdio.h>

#define LAYERS 4

/* Members from the weakest to the strongest: of params those that belong into
   the object, those of its own object; the same of extra. */
struct layers {
	const struct tape_api_nest *nest;
	struct tape_api_fields within[2];
	const struct tape_api_fields *v[LAYERS];
};

static bool
is_inner(const struct tape_api_nest *nest, struct tape_str key)
{
	for (size_t i = 0; nest->names[i] != NULL; i++)
		if (tape_str_is(key, nest->names[i]))
			return nest->inside;
	return !nest->inside;
}

bool
tape_api_nest_takes(const struct tape_api_nest *nest, struct tape_str key)
{
	return nest != NULL &&
	       (tape_str_is(key, nest->key) || is_inner(nest, key));
}

/* Whether the field counts as one of the layer: the even ones have others. */
static bool
counts(const struct layers *l, size_t layer, struct tape_str key)
{
	return layer % 2 == 1 ||
	       (!tape_str_is(key, l->nest->key) && is_inner(l->nest, key));
}

/* A layer from this one on has the key. */
static bool
has(const struct layers *l, size_t layer, struct tape_str key)
{
	for (; layer < LAYERS; layer++)
		if (counts(l, layer, key) &&
		    tape_api_fields_find(l->v[layer], key) != NULL)
			return true;
	return false;
}

/* Reads the object that the fields have under the key. */
static enum tape_status
read_within(const struct tape_api_fields *f, const char *key,
    struct tape_api_fields *out, struct tape_err *err)
{
	const struct tape_api_field *field =
	    tape_api_fields_find(f, tape_str_of(key));
	struct tape_err why = { 0 };
	enum tape_status st;

	if (field == NULL)
		return TAPE_OK;
	st = tape_api_fields_read(out, field->value, TAPE_JSON_OURS, &why);
	if (st == TAPE_E_NOMEM)
		return tape_err_nomem(err);
	if (st != TAPE_OK)
		return tape_err_set(err, TAPE_E_USAGE,
		    "\"%s\" of the request body: %s", key, why.text);
	return TAPE_OK;
}

/* Before the first member comes the object's begin. */
static bool
begin_member(struct tape_api_body *b, const char *key, bool first)
{
	if (!first)
		return false;
	(void)tape_buf_add_str(b->out, b->any ? ",\"" : "{\"");
	(void)tape_buf_add_str(b->out, key);
	(void)tape_buf_add_str(b->out, "\":{");
	b->any = true;
	return true;
}

static enum tape_status
write_layers(const struct layers *l, struct tape_api_body *b, bool first,
    struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < LAYERS; i++)
		for (size_t k = 0; k < l->v[i]->n && st == TAPE_OK; k++) {
			const struct tape_api_field *f = &l->v[i]->v[k];

			if (!counts(l, i, f->key) || has(l, i + 1, f->key))
				continue;
			(void)begin_member(b, l->nest->key, first);
			st = tape_api_field_write(f, first, b->out, err);
			first = false;
		}
	if (!first)
		(void)tape_buf_add_char(b->out, '}');
	return st;
}

/* The dialect's members; returns whether there was none. */
static bool
write_own(const struct layers *l, const struct tape_api_inner *own, size_t n,
    struct tape_api_body *b)
{
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		if (has(l, 0, tape_str_of(own[i].key)))
			continue;
		if (!begin_member(b, l->nest->key, first))
			(void)tape_buf_add_char(b->out, ',');
		first = false;
		(void)tape_buf_add_fmt(b->out, "\"%s\":", own[i].key);
		(void)tape_buf_add(b->out, own[i].json.p, own[i].json.len);
	}
	return first;
}

bool
tape_api_nest_length(const struct tape_api_body *b, const char *field,
    char room[TAPE_API_NUMBER], struct tape_api_inner *out)
{
	if (b->ask->output_tokens == TAPE_ABSENT_I64)
		return false;
	(void)snprintf(
	    room, TAPE_API_NUMBER, "%" PRId64, b->ask->output_tokens);
	out->key = tape_api_body_length_key(b, field);
	out->json = tape_str_of(room);
	return true;
}

enum tape_status
tape_api_body_nest(struct tape_api_body *b, const struct tape_api_nest *nest,
    const struct tape_api_inner *own, size_t own_n, struct tape_err *err)
{
	struct layers l = { .nest = nest };
	enum tape_status st;

	l.v[0] = &b->params;
	l.v[1] = &l.within[0];
	l.v[2] = &b->extra;
	l.v[3] = &l.within[1];
	b->nest = nest;
	st = read_within(&b->params, nest->key, &l.within[0], err);
	if (st == TAPE_OK)
		st = read_within(&b->extra, nest->key, &l.within[1], err);
	if (st == TAPE_OK)
		st = write_layers(&l, b, write_own(&l, own, own_n, b), err);
	tape_api_fields_release(&l.within[0]);
	tape_api_fields_release(&l.within[1]);
	return st;
}
