/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_fields: the members of one JSON object, as keys and source texts.
 *
 * A zeroed struct is empty.  For the files of api/.
 */
#ifndef TAPE_API_API_FIELDS_H
#define TAPE_API_API_FIELDS_H

#include "base/arena.h"
#include "base/span.h"
#include "codec/json.h"

#define TAPE_API_MAX_FIELDS 1024

struct tape_api_field {
	struct tape_str key;   /* without escapes, in the arena */
	struct tape_str value; /* JSON text, where it stood */
	bool null;
};

struct tape_api_fields {
	struct tape_api_field *v;
	size_t n;
	size_t cap;
	struct tape_arena arena;
};

/*
 * Replaces the content by the members of the object in the text.  Fails as
 * codec/json does, and with TAPE_E_LIMIT beyond TAPE_API_MAX_FIELDS.
 */
enum tape_status tape_api_fields_read(struct tape_api_fields *f,
    struct tape_str json, enum tape_json_mode mode,
    struct tape_err *err) TAPE_NODISCARD;

/* NULL when there is none; the last of several. */
const struct tape_api_field *tape_api_fields_find(
    const struct tape_api_fields *f, struct tape_str key);

void tape_api_fields_release(struct tape_api_fields *f);

/* Appends "key":value to out, with a comma before it unless first. */
enum tape_status tape_api_field_write(const struct tape_api_field *field,
    bool first, struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;

#endif
