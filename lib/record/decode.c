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

/* An array that grows in the arena. */
struct grown {
	char *v;
	size_t n, cap;
};

static void *
grow(struct decoder *d, struct grown *g, size_t size)
{
	if (g->n == g->cap) {
		size_t cap = g->cap == 0 ? 16 : g->cap * 2;
		char *v = tape_arena_alloc(d->arena, cap, size);

		if (v == NULL)
			return NULL;
		if (g->n > 0)
			memcpy(v, g->v, g->n * size);
		g->v = v;
		g->cap = cap;
	}
	return g->v + g->n++ * size;
}

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
	case TAPE_FIELD_JSON:
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
read_array(struct decoder *d, const struct tape_field *f, void *p)
{
	size_t size = f->type == TAPE_FIELD_STRS ? sizeof(struct tape_str)
						 : sizeof(int64_t);
	struct grown g = { 0 };
	struct tape_json_token tok;
	struct tape_i64s *out = p; /* the three spans are alike */
	enum tape_status st;
	void *slot;

	for (;;) {
		st = tape_json_next(d->json, &tok, d->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_ARRAY_END)
			break;
		slot = grow(d, &g, size);
		if (slot == NULL)
			return tape_err_nomem(d->err);
		if (!keep_element(d, f->type, &tok, slot, &st))
			return wrong_type(d, f);
		if (st != TAPE_OK)
			break;
	}
	if (st != TAPE_OK)
		return st;
	if (g.v == NULL)
		g.v = tape_arena_alloc(d->arena, 1, size);
	if (g.v == NULL)
		return tape_err_nomem(d->err);
	out->v = (const void *)g.v;
	out->n = g.n;
	return TAPE_OK;
}

static enum tape_status
read_json(struct decoder *d, const struct tape_json_token *tok, void *p)
{
	struct tape_str *s = p;
	const char *raw = tok->raw;
	size_t len = tok->raw_len;
	enum tape_status st = TAPE_OK;

	if (tok->type == TAPE_JSON_OBJECT || tok->type == TAPE_JSON_ARRAY)
		st = tape_json_skip(d->json, &raw, &len, d->err);
	s->p = raw;
	s->len = len;
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
		if (tok->type != TAPE_JSON_INT || tok->i64 == TAPE_ABSENT_I64)
			return false;
		*(int64_t *)p = tok->i64;
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
	case TAPE_FIELD_JSON:
		if (tok->type == TAPE_JSON_NULL)
			return false;
		*st = read_json(d, tok, p);
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

/* This field, or the one in it, if it has that name; *p is its address. */
static const struct tape_field *
match(const struct tape_field *f, const struct tape_json_token *tok, char *base,
    char **p)
{
	const struct tape_field *found = NULL;

	if (f->type == TAPE_FIELD_INLINE) {
		const struct tape_field *in = f->sub;

		for (; in->name != NULL && found == NULL; in++)
			found = match(in, tok, base + f->offset, p);
		return found;
	}
	if (!tape_json_key_is(tok, f->name))
		return NULL;
	*p = base + f->offset;
	return f;
}

/*
 * Records come in the order of the table nearly always, so the search starts
 * where the last one ended.
 */
static const struct tape_field *
find_field(const struct tape_field *fields, size_t *at,
    const struct tape_json_token *tok, char *base, char **p)
{
	const struct tape_field *found;
	size_t start = *at;

	for (size_t i = start; fields[i].name != NULL; i++) {
		found = match(&fields[i], tok, base, p);
		if (found != NULL) {
			*at = i;
			return found;
		}
	}
	for (size_t i = 0; i < start; i++) {
		found = match(&fields[i], tok, base, p);
		if (found != NULL) {
			*at = i;
			return found;
		}
	}
	return NULL;
}

static enum tape_status
read_object(struct decoder *d, const struct tape_field *fields, char *base)
{
	const struct tape_field *f;
	struct tape_json_token tok;
	size_t at = 0;
	enum tape_status st;
	char *p = NULL;

	for (;;) {
		st = tape_json_next(d->json, &tok, d->err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			return st;
		f = find_field(fields, &at, &tok, base, &p);
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
