/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_head.h"

#include "base/utf8.h"
#include "codec/json.h"

#include <strings.h>

static bool
names_type(const struct tape_json_token *tok)
{
	static const char name[] = "content-type";

	return tok->len == sizeof(name) - 1 &&
	       strncasecmp(tok->str, name, tok->len) == 0;
}

static void
copy_cut(char dst[TAPE_FLOW_TYPE], const struct tape_json_token *tok)
{
	size_t len = tok->len;

	if (len >= TAPE_FLOW_TYPE)
		len = tape_utf8_cut(tok->str, TAPE_FLOW_TYPE - 1);
	memcpy(dst, tok->str, len);
	dst[len] = '\0';
}

/* headers is an array of [name, value]. */
char *
tape_flow_content_type(const struct tape_transfer *t, char dst[TAPE_FLOW_TYPE])
{
	struct tape_json r;
	struct tape_json_token tok;
	struct tape_err why = { 0 };
	bool found = false;
	int at = 0; /* within a pair */

	dst[0] = '\0';
	if (t->headers.p == NULL)
		return dst;
	tape_json_init(&r);
	tape_json_open(&r, t->headers.p, t->headers.len, TAPE_JSON_FOREIGN);
	while (tape_json_next(&r, &tok, &why) == TAPE_OK &&
	       tok.type != TAPE_JSON_END) {
		if (tok.type != TAPE_JSON_STRING) {
			at = 0;
			continue;
		}
		if (at++ == 0) {
			found = names_type(&tok);
		} else if (found) {
			copy_cut(dst, &tok);
			break;
		}
	}
	tape_json_release(&r);
	return dst;
}

/* The type without parameters is this one. */
static bool
is_type(const char *type, const char *name)
{
	const size_t n = strlen(name);

	return strncasecmp(type, name, n) == 0 &&
	       (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

/* application/json, or any with the suffix +json. */
static bool
is_json(const char *type)
{
	const size_t n = strcspn(type, "; ");

	return is_type(type, "application/json") ||
	       (n > 5 && strncasecmp(type + n - 5, "+json", 5) == 0);
}

enum tape_flow_mode
tape_flow_mode(const struct tape_transfer *t, const char *type, bool *foreign)
{
	*foreign = false;
	if (is_type(type, "text/event-stream"))
		return TAPE_FLOW_STREAM;
	if (is_json(type))
		return TAPE_FLOW_BODY;
	if (t->status >= 400)
		return TAPE_FLOW_BODY;
	if (type[0] == '\0')
		return t->stream == 0 ? TAPE_FLOW_BODY : TAPE_FLOW_STREAM;
	*foreign = t->status != TAPE_ABSENT_I64;
	return TAPE_FLOW_NONE;
}
