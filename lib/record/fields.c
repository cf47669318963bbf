/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/fields.h"

static bool
all_absent(const struct tape_field *f, const char *base)
{
	for (; f->name != NULL; f++)
		if (!tape_field_absent(f, base + f->offset))
			return false;
	return true;
}

/* Nesting is that of the tables: at most three deep. */
bool
tape_field_absent(const struct tape_field *f, const void *p)
{
	switch (f->type) {
	case TAPE_FIELD_STR:
	case TAPE_FIELD_JSON_OBJECT:
	case TAPE_FIELD_JSON_ARRAY:
		return ((const struct tape_str *)p)->p == NULL;
	case TAPE_FIELD_I64:
		return *(const int64_t *)p == TAPE_ABSENT_I64;
	case TAPE_FIELD_F64:
		return isnan(*(const double *)p);
	case TAPE_FIELD_BOOL:
		return *(const int8_t *)p == TAPE_ABSENT_BOOL;
	case TAPE_FIELD_STRS:
		return ((const struct tape_strs *)p)->v == NULL;
	case TAPE_FIELD_I64S:
		return ((const struct tape_i64s *)p)->v == NULL;
	case TAPE_FIELD_F64S:
		return ((const struct tape_f64s *)p)->v == NULL;
	case TAPE_FIELD_OBJECT:
	case TAPE_FIELD_INLINE:
		return all_absent(f->sub, p);
	}
	return true;
}

const struct tape_field *
tape_field_missing(const struct tape_field *fields, const void *base)
{
	for (const struct tape_field *f = fields; f->name != NULL; f++) {
		const char *p = (const char *)base + f->offset;
		const struct tape_field *inner;
		bool absent;

		if (!f->required && f->sub == NULL)
			continue;
		absent =
		    f->type != TAPE_FIELD_INLINE && tape_field_absent(f, p);
		if (absent && f->required)
			return f;
		if (absent || f->sub == NULL)
			continue;
		inner = tape_field_missing(f->sub, p);
		if (inner != NULL)
			return inner;
	}
	return NULL;
}

/* Without a branch for each, so that it costs little beside reading them. */
bool
tape_field_in_range(const int64_t *v, size_t n)
{
	const uint64_t most = (uint64_t)TAPE_FIELD_I64_MAX;
	bool bad = false;

	for (size_t i = 0; i < n; i++)
		bad |= (uint64_t)v[i] + most > 2 * most;
	return !bad;
}
