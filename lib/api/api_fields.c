/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_fields.h"

#include "base/mem.h"
#include "codec/json_write.h"

static enum tape_status
add(struct tape_api_fields *f, const struct tape_json_token *tok,
    struct tape_json *r, struct tape_err *err)
{
	struct tape_api_field *field;
	char *key;

	if (f->n == TAPE_API_MAX_FIELDS)
		return tape_err_set(err, TAPE_E_LIMIT, "more than %d fields",
		    TAPE_API_MAX_FIELDS);
	key = tape_arena_dup(&f->arena, tok->key, tok->key_len);
	if (key == NULL || tape_mem_grow((void **)&f->v, &f->cap, f->n + 1,
			       sizeof(*f->v)) != 0)
		return tape_err_nomem(err);
	field = &f->v[f->n++];
	field->key = tape_str_make(key, tok->key_len);
	field->null = tok->type == TAPE_JSON_NULL;
	return tape_json_skip(r, &field->value.p, &field->value.len, err);
}

enum tape_status
tape_api_fields_read(struct tape_api_fields *f, struct tape_str json,
    enum tape_json_mode mode, struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	f->n = 0;
	tape_arena_reset(&f->arena);
	tape_json_init(&r);
	tape_json_open(&r, json.p, json.len, mode);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = add(f, &tok, &r, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&r, err);
	tape_json_release(&r);
	return st;
}

const struct tape_api_field *
tape_api_fields_find(const struct tape_api_fields *f, struct tape_str key)
{
	for (size_t i = f->n; i > 0; i--)
		if (tape_str_equal(f->v[i - 1].key, key))
			return &f->v[i - 1];
	return NULL;
}

void
tape_api_fields_release(struct tape_api_fields *f)
{
	tape_mem_free(f->v);
	tape_arena_release(&f->arena);
	*f = (struct tape_api_fields){ 0 };
}

enum tape_status
tape_api_field_write(const struct tape_api_field *field, bool first,
    struct tape_buf *out, struct tape_err *err)
{
	struct tape_json_writer w;
	enum tape_status st;

	if (!first)
		(void)tape_buf_add_char(out, ',');
	tape_json_write_init(&w, out);
	tape_json_write_str(&w, NULL, field->key.p, field->key.len);
	st = tape_json_write_finish(&w, err);
	(void)tape_buf_add_char(out, ':');
	(void)tape_buf_add(out, field->value.p, field->value.len);
	return st;
}
