/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_pointers.h"

#include "codec/json.h"
#include "codec/json_write.h"

static const char *const names[TAPE_API_POINTERS] = { "text", "reasoning",
	"input_tokens", "output_tokens", "finish" };

enum tape_status
tape_api_pointers_set(struct tape_api_pointers *p, enum tape_api_pointer which,
    const char *text, struct tape_err *err)
{
	const size_t len = strlen(text);
	bool good = text[0] == '/' && len < TAPE_API_POINTER_MAX;

	for (const char *at = text; good && *at != '\0'; at++)
		good = *at != '~' || at[1] == '0' || at[1] == '1';
	if (!good)
		return tape_err_set(err, TAPE_E_USAGE,
		    "'%.80s' is no JSON pointer, as /choices/0/text", text);
	memcpy(p->v[which], text, len + 1);
	return TAPE_OK;
}

bool
tape_api_pointers_any(const struct tape_api_pointers *p)
{
	for (size_t i = 0; i < TAPE_API_POINTERS; i++)
		if (p->v[i][0] != '\0')
			return true;
	return false;
}

enum tape_status
tape_api_pointers_write(const struct tape_api_pointers *p, struct tape_buf *out,
    struct tape_err *err)
{
	struct tape_json_writer w;

	tape_json_write_init(&w, out);
	tape_json_write_object(&w, NULL);
	for (size_t i = 0; i < TAPE_API_POINTERS; i++)
		if (p->v[i][0] != '\0')
			tape_json_write_str(
			    &w, names[i], p->v[i], strlen(p->v[i]));
	tape_json_write_object_end(&w);
	return tape_json_write_finish(&w, err);
}

static enum tape_status
read_one(struct tape_api_pointers *p, const struct tape_json_token *tok,
    struct tape_err *err)
{
	char text[TAPE_API_POINTER_MAX];

	for (size_t i = 0; i < TAPE_API_POINTERS; i++) {
		if (!tape_json_key_is(tok, names[i]))
			continue;
		if (tok->type != TAPE_JSON_STRING || tok->len >= sizeof(text))
			return tape_err_set(err, TAPE_E_FORMAT,
			    "\"%s\" of \"pointers\" is no JSON pointer",
			    names[i]);
		memcpy(text, tok->str, tok->len);
		text[tok->len] = '\0';
		return tape_api_pointers_set(
		    p, (enum tape_api_pointer)i, text, err);
	}
	return TAPE_OK;
}

enum tape_status
tape_api_pointers_read(
    struct tape_api_pointers *p, struct tape_str json, struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	memset(p, 0, sizeof(*p));
	tape_json_init(&r);
	tape_json_open(&r, json.p, json.len, TAPE_JSON_OURS);
	st = tape_json_expect(&r, TAPE_JSON_OBJECT, &tok, err);
	while (st == TAPE_OK) {
		st = tape_json_next(&r, &tok, err);
		if (st != TAPE_OK || tok.type == TAPE_JSON_OBJECT_END)
			break;
		st = read_one(p, &tok, err);
		if (st == TAPE_OK)
			st = tape_json_skip(&r, NULL, NULL, err);
	}
	if (st == TAPE_OK)
		st = tape_json_end(&r, err);
	tape_json_release(&r);
	return st;
}
