/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * api_pointers: where a server of no dialect has things in an event: JSON
 * pointers (RFC 6901), which a run's record carries, so that its answers can be
 * read years later.
 */
#ifndef TAPE_API_API_POINTERS_H
#define TAPE_API_API_POINTERS_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

#define TAPE_API_POINTER_MAX 256 /* bytes of one, with its end */

enum tape_api_pointer {
	TAPE_API_POINTER_TEXT,
	TAPE_API_POINTER_REASONING,
	TAPE_API_POINTER_INPUT,  /* count of tokens */
	TAPE_API_POINTER_OUTPUT, /* likewise */
	TAPE_API_POINTER_FINISH,
	TAPE_API_POINTERS
};

/* A zeroed struct has none; an empty pointer is none. */
struct tape_api_pointers {
	char v[TAPE_API_POINTERS][TAPE_API_POINTER_MAX];
};

/* TAPE_E_USAGE when the text is no pointer: it begins with a slash, and each ~
   has 0 or 1 behind it. */
enum tape_status tape_api_pointers_set(struct tape_api_pointers *p,
    enum tape_api_pointer which, const char *text,
    struct tape_err *err) TAPE_NODISCARD;

bool tape_api_pointers_any(const struct tape_api_pointers *p);

/* As a JSON object with a member for each that is there: text, reasoning,
   input_tokens, output_tokens, finish; others are ignored when it is read. */
enum tape_status tape_api_pointers_write(const struct tape_api_pointers *p,
    struct tape_buf *out, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_api_pointers_read(struct tape_api_pointers *p,
    struct tape_str json, struct tape_err *err) TAPE_NODISCARD;

#endif
