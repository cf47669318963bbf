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

struct tape_api_body {
	const struct tape_api_ask *ask;
	struct tape_buf *out;
	struct tape_api_fields params;
	struct tape_api_fields extra;
	bool any; /* a field was written */
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

/* The fields that the OpenAI dialects share: model before the input, length
   and streaming after it. */
enum tape_status tape_api_body_head(
    struct tape_api_body *b, struct tape_err *err) TAPE_NODISCARD;
void tape_api_body_tail(struct tape_api_body *b, const char *max_tokens_field);

#endif
