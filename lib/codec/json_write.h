/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_write: append-only JSON writer over a buffer.
 *
 * Writes one value, without spaces and without a line end.  Keys come out in
 * the order of the calls; that none comes twice is the caller's business.
 * Inside an object every value needs a key, elsewhere the key is NULL.
 *
 * Errors stick: after the first one nothing more is appended, and
 * tape_json_write_finish tells.  They are bugs of the caller (TAPE_E_BUG: wrong
 * nesting, a key missing or too many, a number that is not finite, text that is
 * not UTF-8 or has a NUL) or the buffer's own (TAPE_E_LIMIT, TAPE_E_NOMEM).
 */
#ifndef TAPE_CODEC_JSON_WRITE_H
#define TAPE_CODEC_JSON_WRITE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct tape_json_writer {
	struct tape_buf *buf; /* borrowed */
	size_t start;         /* its length at init */
	uint64_t nest;        /* bit d: the container at depth d is an object */
	unsigned depth;
	bool comma; /* a value stands before the next one */
	enum tape_status status;
	const char *what; /* of the first error */
};

/* Begins a value at the end of buf, which may hold something already. */
void tape_json_write_init(struct tape_json_writer *w, struct tape_buf *buf);

void tape_json_write_object(struct tape_json_writer *w, const char *key);
void tape_json_write_object_end(struct tape_json_writer *w);
void tape_json_write_array(struct tape_json_writer *w, const char *key);
void tape_json_write_array_end(struct tape_json_writer *w);

void tape_json_write_i64(
    struct tape_json_writer *w, const char *key, int64_t v);
void tape_json_write_u64(
    struct tape_json_writer *w, const char *key, uint64_t v);
void tape_json_write_double(
    struct tape_json_writer *w, const char *key, double v);
void tape_json_write_bool(struct tape_json_writer *w, const char *key, bool v);

/* Text of len bytes, well-formed UTF-8 without NUL. */
void tape_json_write_str(
    struct tape_json_writer *w, const char *key, const char *p, size_t len);

/* The same of a NUL-terminated text. */
void tape_json_write_cstr(
    struct tape_json_writer *w, const char *key, const char *s);

/* A whole JSON value, verbatim; that it is one is the caller's word. */
void tape_json_write_raw(
    struct tape_json_writer *w, const char *key, const char *p, size_t len);

/* For bodies in other people's formats; our own records have no null. */
void tape_json_write_null(struct tape_json_writer *w, const char *key);

/* A whole array of n integers. */
void tape_json_write_i64s(
    struct tape_json_writer *w, const char *key, const int64_t *v, size_t n);

/*
 * Ends the value.  On failure (also: no value, or one left open) the buffer is
 * cut back to what it held at init.
 */
enum tape_status tape_json_write_finish(
    struct tape_json_writer *w, struct tape_err *err) TAPE_NODISCARD;

#endif
