/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_items.h"

#include "codec/json.h"

enum tape_status
tape_api_items_open(
    struct tape_str json, struct tape_str *rest, struct tape_err *err)
{
	struct tape_json r;
	struct tape_json_token tok;
	enum tape_status st;

	*rest = tape_str_make(NULL, 0);
	tape_json_init(&r);
	tape_json_open(&r, json.p, json.len, TAPE_JSON_FOREIGN);
	st = tape_json_expect(&r, TAPE_JSON_ARRAY, &tok, err);
	if (st == TAPE_OK)
		st = tape_json_skip(&r, &rest->p, &rest->len, err);
	if (st == TAPE_OK)
		st = tape_json_end(&r, err);
	tape_json_release(&r);
	return st;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Behind the string that begins at i. */
static size_t
string_end(struct tape_str t, size_t i)
{
	for (i++; i < t.len && t.p[i] != '"'; i++)
		if (t.p[i] == '\\')
			i++;
	return i + 1;
}

/*
 * Behind the value that begins at i.  The text was read as JSON before, so
 * brackets pair, and those within strings are all that there is to heed.
 */
static size_t
value_end(struct tape_str t, size_t i)
{
	size_t depth = 0;

	while (i < t.len) {
		const char c = t.p[i];

		if (c == '"') {
			i = string_end(t, i);
		} else if (c == '{' || c == '[') {
			depth++, i++;
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				break;
			depth--, i++;
		} else if (depth == 0 && (c == ',' || is_space(c))) {
			break;
		} else {
			i++;
		}
	}
	return i < t.len ? i : t.len;
}

bool
tape_api_items_next(struct tape_str *rest, struct tape_str *item)
{
	size_t i = 1, end; /* behind the bracket or the comma */

	while (i < rest->len && is_space(rest->p[i]))
		i++;
	if (i >= rest->len || rest->p[i] == ']')
		return false;
	end = value_end(*rest, i);
	*item = tape_str_make(rest->p + i, end - i);
	while (end < rest->len && is_space(rest->p[end]))
		end++;
	*rest = tape_str_make(rest->p + end, rest->len - end);
	return item->len > 0;
}
