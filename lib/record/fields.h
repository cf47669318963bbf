/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fields: what can be asked of a field of a record without knowing its kind.
 */
#ifndef TAPE_RECORD_FIELDS_H
#define TAPE_RECORD_FIELDS_H

#include "record/schema.h"

/* p is the address of the field.  An object is absent when all in it is. */
bool tape_field_absent(const struct tape_field *f, const void *p);

/*
 * The first required field that is absent: in the struct at base, and in those
 * of its objects that are there.  NULL when there is none.
 */
const struct tape_field *tape_field_missing(
    const struct tape_field *fields, const void *base);

/* Whether all are within TAPE_FIELD_I64_MAX of 0. */
bool tape_field_in_range(const int64_t *v, size_t n);

#endif
