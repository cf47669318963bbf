/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"
#include "record/coding.h"
#include "record/fields.h"

/* What decoding one record needs at every depth of it. */
struct decoder {
	struct tape_json *json;
	struct tape_arena *arena;
	struct tape_err *err;
};

static enum tape_status
wrong_type(struct decoder *d, const struct tape_field *f)
{
	return tape_err_set(d->err, TAPE_E_FORMAT, "\"%s\" is not of type %s",
	    f->name, tape_field_type_name(f->type));
}

/* A string of the text itself stays there, others move to the arena. */
static enum tape_status
keep_str(
    struct decoder *d, const struct tape_json_token *tok, struct tape_str *out)
{
	const char *text = d->json->text;

	out->p = tok->str;
	out->len = tok->len;
	if (tok->str >= text && tok->str <= d->json->end)
		return TAPE_OK;
	out->p = tape_arena_dup(d->arena, tok->str, tok->len);
	return out->p == NULL ? tape_err_nomem(d->err) : TAPE_OK;
}

static size_t
element_size(enum tape_field_type type)
{
	return type == TAPE_FIELD_STRS ? sizeof(struct tape_str)
				       : sizeof(int64_t);
}

/* One element into its slot; false when it has the wrong type. */
static bool
keep_element(struct decoder *d, enum tape_field_type type,
    const struct tape_json_token *tok, void *slot, enum tape_status *st)
{
	switch (type) {
	case TAPE_FIELD_I64S:
		if (tok->type != TAPE_JSON_INT)
			return false;
		*(int64_t *)slot = tok->i64;
		return true;
	case TAPE_FIELD_F64S:
		if (tok->type != TAPE_JSON_INT && tok->type != TAPE_JSON_DOUBLE)
			return false;
		*(double *)slot = tok->num;
		return true;
	case TAPE_FIELD_STRS:
		if (tok->type != TAPE_JSON_STRING)
			return false;
		*st = keep_str(d, tok, slot);
		return true;
	case TAPE_FIELD_STR:
	case TAPE_FIELD_JSON_OBJECT:
	case TAPE_FIELD_JSON_ARRAY:
	case TAPE_FIELD_I64:
	case TAPE_FIELD_F64:
	case TAPE_FIELD_BOOL:
	case TAPE_FIELD_OBJECT:
	case TAPE_FIELD_INLINE:
		break;
	}
	return false;
}

static enum tape_status
read_json(struct decoder *d, struct tape_str *out)
{
	return tape_json_skip(d->json, &out->p, &out->len, d->err);
}

static enum tape_status
out_of_range(struct decoder *d, const struct tape_field *f)
{
	return tape_err_set(
	    d->err, TAPE_E_FORMAT, "\"%s\" is out of range", f->name);
}

/* What is left of an array of n elements at v, from *at on. */
static enum tape_status
read_elements(struct decoder *d, const struct tape_field *f, char *v, size_t n,
    size_t *at)
{
	size_t size = element_size(f->type);
	struct tape_json_token tok;
	enum tape_status st;

	for (;;) {
		st = tape_json_next(d->json, &tok, d->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			return st;
		if (*at == n ||
		    !keep_element(d, f->type, &tok, v + *at * size, &st))
			return wrong_type(d, f);
		if (st != TAPE_OK)
			return st;
		++*at;
	}
}

/* The elements are counted first, so that an array is never moved, and takes no
   more than it needs; at least one, since an empty array has an address. */
static enum tape_status
read_array(struct decoder *d, const struct tape_field *f, void *p)
{
	size_t n = tape_json_count(d->json), at = 0;
	struct tape_i64s *out = p; /* the three spans are alike */
	void *v =
	    tape_arena_alloc(d->arena, n > 0 ? n : 1, element_size(f->type));
	enum tape_status st;

	if (v == NULL)
		return tape_err_nomem(d->err);
	if (f->type == TAPE_FIELD_I64S)
		at = tape_json_take_i64s(d->json, v, n);
	st = read_elements(d, f, v, n, &at);
	if (st == TAPE_OK && f->type == TAPE_FIELD_I64S &&
	    !tape_field_in_range(v, at))
		st = out_of_range(d, f);
	out->v = v;
	out->n = at;
	return st;
}

/* A value that is one token; false when that has the wrong type. */
static bool
read_scalar(struct decoder *d, const struct tape_field *f,
    const struct tape_json_token *tok, void *p, enum tape_status *st)
{
	switch (f->type) {
	case TAPE_FIELD_STR:
		if (tok->type != TAPE_JSON_STRING)
			return false;
		*st = keep_str(d, tok, p);
		return true;
	case TAPE_FIELD_I64:
		if (tok->type != TAPE_JSON_INT)
			return false;
		*(int64_t *)p = tok->i64;
		*st = tape_field_in_range(&tok->i64, 1) ? TAPE_OK
							: out_of_range(d, f);
		return true;
	case TAPE_FIELD_F64:
		if (tok->type != TAPE_JSON_INT && tok->type != TAPE_JSON_DOUBLE)
			return false;
		*(double *)p = tok->num;
		return true;
	case TAPE_FIELD_BOOL:
		if (tok->type != TAPE_JSON_TRUE && tok->type != TAPE_JSON_FALSE)
			return false;
		*(int8_t *)p = tok->type == TAPE_JSON_TRUE ? 1 : 0;
		return true;
	case TAPE_FIELD_JSON_OBJECT:
	case TAPE_FIELD_JSON_ARRAY:
		if (tok->type != (f->type == TAPE_FIELD_JSON_ARRAY
					 ? TAPE_JSON_ARRAY
					 : TAPE_JSON_OBJECT))
			return false;
		*st = read_json(d, p);
		return true;
	case TAPE_FIELD_STRS:
	case TAPE_FIELD_I64S:
	case TAPE_FIELD_F64S:
		if (tok->type != TAPE_JSON_ARRAY)
			return false;
		*st = read_array(d, f, p);
		return true;
	case TAPE_FIELD_OBJECT:
	case TAPE_FIELD_INLINE:
		break;
	}
	return false;
}

/* A field of a table, and where its struct begins. */
struct place {
	const struct tape_field *outer; /* an inline field, or NULL */
	const struct tape_field *field;
	char *base;
};

/* Goes into inline fields and out of them behind their last, so that place is
   at a field of its own, or at the end of the table. */
static void
settle(struct place *at)
{
	for (;;) {
		if (at->field->name == NULL && at->outer != NULL) {
			at->base -= at->outer->offset;
			at->field = at->outer + 1;
			at->outer = NULL;
		} else if (at->field->type == TAPE_FIELD_INLINE) {
			at->outer = at->field;
			at->base += at->field->offset;
			at->field = at->field->sub;
		} else {
			return;
		}
	}
}

static bool
has_name(const struct tape_field *f, const struct tape_json_token *tok)
{
	return f->name_len == tok->key_len &&
	       memcmp(f->name, tok->key, tok->key_len) == 0;
}

/* Goes on to the field that has the key's name; false at the table's end. */
static bool
search(struct place *at, const struct tape_json_token *tok)
{
	for (settle(at); at->field->name != NULL; settle(at)) {
		if (has_name(at->field, tok))
			return true;
		at->field++;
	}
	return false;
}

/*
 * The field that has the key's name, *p being its address, or NULL.  Records
 * come in the order of the table nearly always, so the search starts behind the
 * field found last.
 */
static const struct tape_field *
find_field(struct place *next, const struct place *first,
    const struct tape_json_token *tok, char **p)
{
	struct place at = *next;

	if (!search(&at, tok)) {
		at = *first;
		if (!search(&at, tok))
			return NULL;
	}
	*next = at;
	next->field++;
	*p = at.base + at.field->offset;
	return at.field;
}

static enum tape_status
read_object(struct decoder *d, const struct tape_field *fields, char *base)
{
	const struct place first = { NULL, fields, base };
	struct place next = first;
	const struct tape_field *f;
	struct tape_json_token tok;
	enum tape_status st;
	char *p = NULL;

	for (;;) {
		st = tape_json_next(d->json, &tok, d->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		f = find_field(&next, &first, &tok, &p);
		if (f == NULL) {
			st = tape_json_skip(d->json, NULL, NULL, d->err);
		} else if (f->type == TAPE_FIELD_OBJECT) {
			if (tok.type != TAPE_JSON_OBJECT)
				return wrong_type(d, f);
			st = read_object(d, f->sub, p);
		} else if (!read_scalar(d, f, &tok, p, &st)) {
			return wrong_type(d, f);
		}
		if (st != TAPE_OK)
			return st;
	}
}

void
tape_record_init(struct tape_record *rec)
{
	memset(rec, 0, sizeof(*rec));
	rec->kind = TAPE_KIND_UNKNOWN;
	tape_json_init(&rec->json);
}

void
tape_record_release(struct tape_record *rec)
{
	tape_arena_release(&rec->arena);
	tape_json_release(&rec->json);
	tape_record_init(rec);
}

/* The first member must be the kind. */
static enum tape_status
read_kind(struct decoder *d, struct tape_record *rec)
{
	struct tape_json_token tok;
	enum tape_status st;

	st = tape_json_expect(d->json, TAPE_JSON_OBJECT, &tok, d->err);
	if (st == TAPE_OK)
		st = tape_json_next(d->json, &tok, d->err);
	if (st != TAPE_OK)
		return st;
	if (!tape_json_key_is(&tok, "kind") || tok.type != TAPE_JSON_STRING)
		return tape_err_set(d->err, TAPE_E_FORMAT,
		    "record does not begin with its \"kind\"");
	rec->kind = tape_kind_find(tape_str_make(tok.str, tok.len));
	return TAPE_OK;
}

enum tape_status
tape_record_decode(
    struct tape_record *rec, const char *line, size_t len, struct tape_err *err)
{
	struct decoder d = { &rec->json, &rec->arena, err };
	const struct tape_schema *s;
	const struct tape_field *missing;
	enum tape_status st;

	tape_arena_reset(&rec->arena);
	rec->kind = TAPE_KIND_UNKNOWN;
	rec->line = tape_str_make(line, len);
	tape_json_open(&rec->json, line, len, TAPE_JSON_OURS);
	st = read_kind(&d, rec);
	if (st != TAPE_OK || rec->kind == TAPE_KIND_UNKNOWN)
		return st;
	s = &tape_schema_table[rec->kind];
	tape_schema_init((enum tape_kind)rec->kind, &rec->u);
	st = read_object(&d, s->fields, (char *)&rec->u);
	if (st == TAPE_OK)
		st = tape_json_end(&rec->json, err);
	if (st != TAPE_OK)
		return st;
	missing = tape_field_missing(s->fields, &rec->u);
	if (missing != NULL)
		return tape_err_set(err, TAPE_E_FORMAT,
		    "%s record lacks \"%s\"", s->kind, missing->name);
	return TAPE_OK;
}
