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

/* application/json, or any with the suffix +json, without parameters. */
static bool
is_json(const char *type)
{
	static const char json[] = "application/json";
	const size_t n = strcspn(type, "; ");

	return (n == sizeof(json) - 1 && strncasecmp(type, json, n) == 0) ||
	       (n > 5 && strncasecmp(type + n - 5, "+json", 5) == 0);
}

static bool
is_html(const char *type)
{
	static const char html[] = "text/html";
	const size_t n = strcspn(type, "; ");

	return n == sizeof(html) - 1 && strncasecmp(type, html, n) == 0;
}

/* Some stream their events as a document of JSON, and say no more than that.
   Errors are in the array's place then, or in it. */
static enum tape_flow_mode
mode_of_json(const struct tape_transfer *t, enum tape_framing_kind own)
{
	if (t->stream != 1)
		return TAPE_FLOW_BODY;
	if (own == TAPE_FRAMING_ARRAY)
		return TAPE_FLOW_STREAM;
	return own == TAPE_FRAMING_NDJSON && t->status < 400 ? TAPE_FLOW_STREAM
							     : TAPE_FLOW_BODY;
}

static void
read_encoding(const struct tape_transfer *t, struct tape_flow_head *out)
{
	(void)tape_flow_header(
	    t, "content-encoding", out->encoding, sizeof(out->encoding));
	out->coding = tape_unpack_find(out->encoding);
	if (out->coding == TAPE_UNPACK_NONE)
		out->encoding[0] = '\0';
}

void
tape_flow_head(const struct tape_transfer *t, const struct tape_api *api,
    struct tape_flow_head *out)
{
	memset(out, 0, sizeof(*out));
	(void)tape_flow_header(t, "content-type", out->type, sizeof(out->type));
	out->html = is_html(out->type);
	out->framing = api->framing;
	if (tape_framing_of_type(out->type, &out->framing)) {
		out->mode = TAPE_FLOW_STREAM;
	} else if (is_json(out->type)) {
		out->mode = mode_of_json(t, api->framing);
	} else if (t->status >= 400) {
		out->mode = TAPE_FLOW_BODY;
	} else if (out->type[0] == '\0') {
		out->mode = t->stream == 0 ? TAPE_FLOW_BODY : TAPE_FLOW_STREAM;
	} else {
		out->mode = TAPE_FLOW_NONE;
		out->foreign = t->status != TAPE_ABSENT_I64 && !api->opaque;
	}
	read_encoding(t, out);
	if (out->coding == TAPE_UNPACK_UNKNOWN)
		out->mode = TAPE_FLOW_NONE;
}

bool
tape_flow_is_whole(const struct tape_transfer *t, const struct tape_api *api)
{
	struct tape_flow_head head;

	tape_flow_head(t, api != NULL ? api : tape_api_at(0), &head);
	return head.mode == TAPE_FLOW_BODY;
}
