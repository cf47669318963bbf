/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_dig: chosen fields of other tools' JSON, by their paths.
 *
 *	static const struct tape_dig table[] = {
 *		{ "model_id", TAPE_DIG_TEXT, offsetof(struct run, model) },
 *		{ "input_config.endpoint.type", TAPE_DIG_TEXT, ... },
 *	};
 *
 * A path is the keys of nested objects with dots between them; that a key has
 * dots itself does no harm.  What is not there, or null, is absent as span.h
 * has it; of a key that comes twice the last counts.  The rest of the text is
 * passed over, but it has to be JSON.
 */
#ifndef TAPE_ENGINE_IMPORT_DIG_H
#define TAPE_ENGINE_IMPORT_DIG_H

#include "base/arena.h"
#include "base/span.h"
#include "codec/json.h"

enum tape_dig_type {
	TAPE_DIG_NUMBER,  /* double */
	TAPE_DIG_INTEGER, /* int64_t, also of 8.0 */
	TAPE_DIG_TEXT,    /* struct tape_str; NUL becomes '?' */
	TAPE_DIG_BOOL,    /* int8_t */
	TAPE_DIG_NUMBERS, /* struct tape_f64s; null is NaN */
	TAPE_DIG_RAW      /* struct tape_str: the value's text, unread */
};

struct tape_dig {
	const char *path;
	enum tape_dig_type type;
	size_t at; /* of the field in the struct that is filled */
};

/* What reading needs.  Texts and numbers live in arena, until its reset, which
   is the caller's. */
struct tape_digger {
	struct tape_json json;
	struct tape_arena arena;
	struct tape_buf path; /* of the value in hand */
};

void tape_digger_init(struct tape_digger *d);
void tape_digger_release(struct tape_digger *d);

/*
 * Fills the fields that the table of n rows names from the object that is
 * text.  TAPE_E_FORMAT: it is none, or a value is of another type.
 */
enum tape_status tape_dig_read(struct tape_digger *d, struct tape_str text,
    const struct tape_dig *table, size_t n, void *out,
    struct tape_err *err) TAPE_NODISCARD;

/* An array of numbers that was left unread. */
enum tape_status tape_dig_numbers(struct tape_digger *d, struct tape_str text,
    struct tape_f64s *out, struct tape_err *err) TAPE_NODISCARD;

/* The same of texts. */
enum tape_status tape_dig_texts(struct tape_digger *d, struct tape_str text,
    struct tape_strs *out, struct tape_err *err) TAPE_NODISCARD;

/* One after the other of an array's elements, unread; a walk of its own, so
   that each can be dug in. */
struct tape_dig_items {
	struct tape_json json;
	bool begun;
};

/* text (absent: no elements) is borrowed.  Release in every case. */
void tape_dig_items_init(struct tape_dig_items *i, struct tape_str text);
void tape_dig_items_release(struct tape_dig_items *i);

/* TAPE_EOF behind the last one. */
enum tape_status tape_dig_items_next(struct tape_dig_items *i,
    struct tape_str *item, struct tape_err *err) TAPE_NODISCARD;

#endif
