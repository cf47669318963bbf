/* SPDX-License-Identifier: GPL-3.0-or-later */
/* api_body: a field that is an object with parts from everywhere. */
#include "api/api_body.h"

#include <inttypes.h>

/* The object's members; none when it is not there. */
static enum tape_status
read_object(struct tape_api_fields *f, const struct tape_api_field *of,
    struct tape_err *err)
{
	if (of == NULL)
		return TAPE_OK;
	return tape_api_fields_read(f, of->value, TAPE_JSON_OURS, err);
}

static bool
is_object(const struct tape_api_field *f)
{
	return f != NULL && *f->value.p == '{';
}

/* Those of f that neither a nor b has. */
static enum tape_status
add_members(const struct tape_api_fields *f, const struct tape_api_fields *over,
    struct tape_buf *out, bool *first, struct tape_err *err)
{
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		if (over != NULL &&
		    tape_api_fields_find(over, f->v[i].key) != NULL)
			continue;
		st = tape_api_field_write(&f->v[i], *first, out, err);
		*first = false;
	}
	return st;
}

static enum tape_status
add_object(struct tape_api_body *b, const struct tape_api_fields *params,
    const struct tape_api_fields *extra, const char *member, int64_t v,
    struct tape_err *err)
{
	const struct tape_str name = tape_str_of(member);
	bool first = true;
	enum tape_status st;

	(void)tape_buf_add_char(b->out, '{');
	if (v != TAPE_ABSENT_I64 &&
	    tape_api_fields_find(params, name) == NULL &&
	    tape_api_fields_find(extra, name) == NULL) {
		(void)tape_buf_add_fmt(b->out, "\"%s\":%" PRId64, member, v);
		first = false;
	}
	st = add_members(params, extra, b->out, &first, err);
	if (st == TAPE_OK)
		st = add_members(extra, NULL, b->out, &first, err);
	(void)tape_buf_add_char(b->out, '}');
	return st;
}

enum tape_status
tape_api_body_object(struct tape_api_body *b, const char *key,
    const char *member, int64_t v, struct tape_err *err)
{
	const struct tape_str name = tape_str_of(key);
	const struct tape_api_field *p = tape_api_fields_find(&b->params, name),
				    *x = tape_api_fields_find(&b->extra, name);
	struct tape_api_fields params = { 0 }, extra = { 0 };
	enum tape_status st;

	if ((p == NULL && x == NULL && v == TAPE_ABSENT_I64) ||
	    (x != NULL ? !is_object(x) : p != NULL && !is_object(p)))
		return TAPE_OK;
	b->merged = key;
	(void)tape_buf_add_fmt(b->out, "%s\"%s\":", b->any ? "," : "{", key);
	b->any = true;
	st = read_object(&params, is_object(p) ? p : NULL, err);
	if (st == TAPE_OK)
		st = read_object(&extra, x, err);
	if (st == TAPE_OK)
		st = add_object(b, &params, &extra, member, v, err);
	tape_api_fields_release(&params);
	tape_api_fields_release(&extra);
	return st;
}
