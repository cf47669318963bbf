/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_show: the tokens of a JSON text as one line, for tests to compare:
 * {"a":[1,-2.5,"x",null]} is  { a:[ i1 d-2.5 'x' null ] }  and an error ends
 * the line with ! and its text.  Escaped characters come out as they are read;
 * NUL as <0>.
 */
#ifndef TAPE_UNIT_JSON_SHOW_H
#define TAPE_UNIT_JSON_SHOW_H

#include "base/buf.h"
#include "codec/json.h"

#include <inttypes.h>

static inline void
json_show_text(struct tape_buf *b, const char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] == '\0')
			(void)tape_buf_add_str(b, "<0>");
		else
			(void)tape_buf_add_char(b, p[i]);
}

static inline void
json_show_token(struct tape_buf *b, const struct tape_json_token *tok)
{
	if (b->len > 0)
		(void)tape_buf_add_char(b, ' ');
	if (tok->key != NULL) {
		json_show_text(b, tok->key, tok->key_len);
		(void)tape_buf_add_char(b, ':');
	}
	switch (tok->type) {
	case TAPE_JSON_STRING:
		(void)tape_buf_add_char(b, '\'');
		json_show_text(b, tok->str, tok->len);
		(void)tape_buf_add_char(b, '\'');
		break;
	case TAPE_JSON_INT:
		(void)tape_buf_add_fmt(b, "i%" PRId64, tok->i64);
		break;
	case TAPE_JSON_DOUBLE:
		(void)tape_buf_add_fmt(b, "d%.17g", tok->num);
		if (tok->u64 != 0)
			(void)tape_buf_add_fmt(b, "=%" PRIu64, tok->u64);
		if (tok->clamped)
			(void)tape_buf_add_str(b, "(clamped)");
		break;
	case TAPE_JSON_OBJECT:
	case TAPE_JSON_OBJECT_END:
	case TAPE_JSON_ARRAY:
	case TAPE_JSON_ARRAY_END:
		(void)tape_buf_add_char(
		    b, "{}[]"[tok->type - TAPE_JSON_OBJECT]);
		break;
	case TAPE_JSON_END:
	case TAPE_JSON_TRUE:
	case TAPE_JSON_FALSE:
	case TAPE_JSON_NULL:
		(void)tape_buf_add_str(b, tape_json_type_name(tok->type));
		break;
	}
}

/* All tokens to the end of an opened reader, into b, which is emptied. */
static inline enum tape_status
json_show(struct tape_json *r, struct tape_buf *b)
{
	struct tape_json_token tok;
	struct tape_err err = { 0 };
	enum tape_status st;

	tape_buf_clear(b);
	for (;;) {
		st = tape_json_next(r, &tok, &err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_END)
			break;
		json_show_token(b, &tok);
	}
	if (st != TAPE_OK)
		(void)tape_buf_add_fmt(
		    b, "%s!%s", b->len > 0 ? " " : "", err.text);
	return st;
}

#endif
