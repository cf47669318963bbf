/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stamp_head.h"

#include "base/utf8.h"
#include "codec/json.h"

#include <strings.h>

static bool
is_named(const struct tape_json_token *tok, const char *name)
{
	return tok->len == strlen(name) &&
	       strncasecmp(tok->str, name, tok->len) == 0;
}

static void
copy_cut(char *dst, size_t size, const struct tape_json_token *tok)
{
	size_t len = tok->len;

	if (len >= size)
		len = tape_utf8_cut(tok->str, size - 1);
	memcpy(dst, tok->str, len);
	dst[len] = '\0';
}

/* headers is an array of [name, value]. */
char *
tape_flow_header(
    const struct tape_transfer *t, const char *name, char *dst, size_t size)
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
			found = is_named(&tok, name);
		} else if (found) {
			copy_cut(dst, size, &tok);
			break;
		}
	}
	tape_json_release(&r);
	return dst;
}

char *
tape_flow_content_type(const struct tape_transfer *t, char dst[TAPE_FLOW_TYPE])
{
	return tape_flow_header(t, "content-type", dst, TAPE_FLOW_TYPE);
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

bool
tape_flow_is_html(const char *type)
{
	return is_type(type, "text/html");
}
