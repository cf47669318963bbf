/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/json_write.h"
#include "record/coding.h"
#include "record/fields.h"

static void write_fields(
    struct tape_json_writer *w, const struct tape_field *f, const char *base);

static void
write_strs(
    struct tape_json_writer *w, const char *key, const struct tape_strs *a)
{
	tape_json_write_array(w, key);
	for (size_t i = 0; i < a->n; i++)
		tape_json_write_str(w, NULL, a->v[i].p, a->v[i].len);
	tape_json_write_array_end(w);
}

static void
write_f64s(
    struct tape_json_writer *w, const char *key, const struct tape_f64s *a)
{
	tape_json_write_array(w, key);
	for (size_t i = 0; i < a->n; i++)
		tape_json_write_double(w, NULL, a->v[i]);
	tape_json_write_array_end(w);
}

static void
write_field(
    struct tape_json_writer *w, const struct tape_field *f, const char *p)
{
	const struct tape_str *s = (const void *)p;
	const struct tape_i64s *a = (const void *)p;

	switch (f->type) {
	case TAPE_FIELD_STR:
		tape_json_write_str(w, f->name, s->p, s->len);
		break;
	case TAPE_FIELD_JSON_OBJECT:
	case TAPE_FIELD_JSON_ARRAY:
		tape_json_write_raw(w, f->name, s->p, s->len);
		break;
	case TAPE_FIELD_I64:
		tape_json_write_i64(
		    w, f->name, *(const int64_t *)(const void *)p);
		break;
	case TAPE_FIELD_F64:
		tape_json_write_double(
		    w, f->name, *(const double *)(const void *)p);
		break;
	case TAPE_FIELD_BOOL:
		tape_json_write_bool(w, f->name, *(const int8_t *)p != 0);
		break;
	case TAPE_FIELD_STRS:
		write_strs(w, f->name, (const void *)p);
		break;
	case TAPE_FIELD_I64S:
		tape_json_write_i64s(w, f->name, a->v, a->n);
		break;
	case TAPE_FIELD_F64S:
		write_f64s(w, f->name, (const void *)p);
		break;
	case TAPE_FIELD_OBJECT:
		tape_json_write_object(w, f->name);
		write_fields(w, f->sub, p);
		tape_json_write_object_end(w);
		break;
	case TAPE_FIELD_INLINE:
		write_fields(w, f->sub, p);
		break;
	}
}

static void
write_fields(
    struct tape_json_writer *w, const struct tape_field *f, const char *base)
{
	for (; f->name != NULL; f++)
		if (!tape_field_absent(f, base + f->offset))
			write_field(w, f, base + f->offset);
}

/* An integer that a reader would refuse, or text that is not the container it
   should be. */
static bool
fits(const struct tape_field *f, const char *p)
{
	const struct tape_str *s = (const void *)p;
	const struct tape_i64s *a = (const void *)p;

	switch (f->type) {
	case TAPE_FIELD_I64:
		return tape_field_in_range((const void *)p, 1);
	case TAPE_FIELD_I64S:
		return tape_field_in_range(a->v, a->n);
	case TAPE_FIELD_JSON_OBJECT:
		return s->len > 0 && s->p[0] == '{';
	case TAPE_FIELD_JSON_ARRAY:
		return s->len > 0 && s->p[0] == '[';
	case TAPE_FIELD_STR:
	case TAPE_FIELD_F64:
	case TAPE_FIELD_BOOL:
	case TAPE_FIELD_STRS:
	case TAPE_FIELD_F64S:
	case TAPE_FIELD_OBJECT:
	case TAPE_FIELD_INLINE:
		break;
	}
	return true;
}

/* The first field that no reader would take. */
static const struct tape_field *
find_unfit(const struct tape_field *f, const char *base)
{
	const struct tape_field *in;

	for (; f->name != NULL; f++) {
		if (f->sub != NULL) {
			in = find_unfit(f->sub, base + f->offset);
			if (in != NULL)
				return in;
		} else if (!tape_field_absent(f, base + f->offset) &&
			   !fits(f, base + f->offset)) {
			return f;
		}
	}
	return NULL;
}

enum tape_status
tape_record_encode(enum tape_kind kind, const void *record,
    struct tape_buf *out, struct tape_err *err)
{
	const struct tape_schema *s = &tape_schema_table[kind];
	const struct tape_field *bad;
	struct tape_json_writer w;

	bad = tape_field_missing(s->fields, record);
	if (bad != NULL)
		return tape_err_set(err, TAPE_E_BUG,
		    "%s record to be written lacks \"%s\"", s->kind, bad->name);
	bad = find_unfit(s->fields, record);
	if (bad != NULL)
		return tape_err_set(err, TAPE_E_BUG,
		    "%s record to be written: \"%s\" is not of type %s",
		    s->kind, bad->name, tape_field_type_name(bad->type));
	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	tape_json_write_cstr(&w, "kind", s->kind);
	write_fields(&w, s->fields, record);
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}
