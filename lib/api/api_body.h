/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_body: a request body in the making: the fields of a dialect, less those
 * that the request's params or the user's extra fields override.
 *
 * For the files of the dialects.  Failures of memory stick to the output.
 */
#ifndef TAPE_API_API_BODY_H
#define TAPE_API_API_BODY_H

#include "api/api.h"
#include "api/api_fields.h"

struct tape_api_nest; /* api_nest.h */

struct tape_api_body {
	const struct tape_api *api;
	const struct tape_api_ask *ask;
	struct tape_buf *out;
	struct tape_api_fields params;
	struct tape_api_fields extra;
	bool any;           /* a field was written */
	const char *merged; /* of params and extra, this key is written */
	/* Likewise, and others of them that are not top-level ones; NULL: none.
	   Set by tape_api_body_nest. */
	const struct tape_api_nest *nest;
};

/*
 * Begins a field of the dialect: true when its value is to be appended to out
 * next, false when params or extra has the key.
 */
bool tape_api_body_field(struct tape_api_body *b, const char *key);

/* Whole fields. */
void tape_api_body_i64(struct tape_api_body *b, const char *key, int64_t v);
void tape_api_body_raw(
    struct tape_api_body *b, const char *key, struct tape_str json);
enum tape_status tape_api_body_str(struct tape_api_body *b, const char *key,
    struct tape_str text, struct tape_err *err) TAPE_NODISCARD;

/* Appends a text as a JSON string. */
enum tape_status tape_api_body_quote(struct tape_buf *out, struct tape_str text,
    struct tape_err *err) TAPE_NODISCARD;

/* Appends the prompt of text or blocks as a JSON string. */
enum tape_status tape_api_body_prompt(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;

/*
 * The input as one field, for dialects that take a prompt: text or blocks, or
 * token ids under a name of their own.  TAPE_E_USAGE for messages, and for ids
 * when ids_key is NULL.
 */
enum tape_status tape_api_body_input(struct tape_api_body *b, const char *key,
    const char *ids_key, struct tape_err *err) TAPE_NODISCARD;

/* Appends token ids as a JSON array. */
void tape_api_body_ids(struct tape_buf *out, struct tape_i64s ids);

/* The fields that the OpenAI dialects share: model before the input, length
   and streaming after it, and the asking for usage with tail. */
enum tape_status tape_api_body_head(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;
void tape_api_body_end(struct tape_api_body *b, const char *max_tokens_field);
void tape_api_body_tail(struct tape_api_body *b, const char *max_tokens_field);

/* The name of the length's field: the user's, or else the dialect's own. */
const char *tape_api_body_length_key(
    const struct tape_api_body *b, const char *own);

/*
 * A field that is an object: of the one member (absent: none), and of those
 * that the object of that name in params and in extra has, each once: extra's
 * win over params', which win over the dialect's.  A value there that is no
 * object stands for the whole field, as elsewhere.  At most one such field.
 */
enum tape_status tape_api_body_object(struct tape_api_body *b, const char *key,
    const char *member, int64_t v, struct tape_err *err) TAPE_NODISCARD;

#endif
