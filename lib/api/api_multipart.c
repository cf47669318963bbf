/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/api_multipart.h"

#include "api/api_items.h"
#include "base/fdio.h"
#include "base/mem.h"

#include <strings.h>

#define NAME_MAX_BYTES 200

static const struct {
	const char *suffix;
	const char *type;
} types[] = { { ".wav", "audio/wav" }, { ".mp3", "audio/mpeg" },
	{ ".flac", "audio/flac" }, { ".ogg", "audio/ogg" },
	{ ".m4a", "audio/mp4" }, { ".webm", "audio/webm" } };

/* Names stand in a quoted string of a header line. */
static bool
is_name(struct tape_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == '"' ||
		    s.p[i] == '\\' || s.p[i] == 0x7f)
			return false;
	return s.len > 0 && s.len <= NAME_MAX_BYTES;
}

static enum tape_status
add_bytes(struct tape_buf *out, struct tape_str bytes, struct tape_err *err)
{
	if (memmem(bytes.p, bytes.len, TAPE_API_BOUNDARY,
		strlen(TAPE_API_BOUNDARY)) != NULL)
		return tape_err_set(err, TAPE_E_USAGE,
		    "a field of the request body has the boundary of its parts "
		    "in it");
	(void)tape_buf_add_str(out, "\r\n\r\n");
	(void)tape_buf_add(out, bytes.p, bytes.len);
	(void)tape_buf_add_str(out, "\r\n");
	return TAPE_OK;
}

static enum tape_status
add_field(struct tape_buf *out, struct tape_str name, const char *more,
    struct tape_str text, struct tape_err *err)
{
	if (!is_name(name))
		return tape_err_set(err, TAPE_E_USAGE,
		    "a field of a form cannot have the name '%.*s'",
		    tape_str_shown(name, 40), name.p);
	(void)tape_buf_add_fmt(out,
	    "--" TAPE_API_BOUNDARY "\r\nContent-Disposition: form-data; "
	    "name=\"%.*s%s\"",
	    (int)name.len, name.p, more);
	return add_bytes(out, text, err);
}

enum tape_status
tape_api_multipart_text(struct tape_buf *out, const char *name,
    struct tape_str text, struct tape_err *err)
{
	return add_field(out, tape_str_of(name), "", text, err);
}

/* A string without its quotes and escapes, in r; all else as it is. */
static enum tape_status
value_of(struct tape_json *r, struct tape_str json, struct tape_str *out,
    struct tape_err *err)
{
	struct tape_json_token tok;
	enum tape_status st;

	*out = json;
	if (json.p[0] != '"')
		return TAPE_OK;
	tape_json_open(r, json.p, json.len, TAPE_JSON_OURS);
	st = tape_json_expect(r, TAPE_JSON_STRING, &tok, err);
	if (st == TAPE_OK)
		*out = tape_str_make(tok.str, tok.len);
	return st;
}

static enum tape_status
add_json(struct tape_buf *out, struct tape_json *r,
    const struct tape_api_field *f, struct tape_err *err)
{
	struct tape_str rest = f->value, item, text;
	enum tape_status st = TAPE_OK;

	if (f->value.p[0] != '[') {
		st = value_of(r, f->value, &text, err);
		return st == TAPE_OK ? add_field(out, f->key, "", text, err)
				     : st;
	}
	while (st == TAPE_OK && tape_api_items_next(&rest, &item)) {
		st = value_of(r, item, &text, err);
		if (st == TAPE_OK)
			st = add_field(out, f->key, "[]", text, err);
	}
	return st;
}

enum tape_status
tape_api_multipart_fields(struct tape_buf *out, const struct tape_api_fields *f,
    const struct tape_api_fields *over, const char *but, struct tape_err *err)
{
	struct tape_json r;
	enum tape_status st = TAPE_OK;

	tape_json_init(&r);
	for (size_t i = 0; i < f->n && st == TAPE_OK; i++) {
		if (f->v[i].null || tape_str_is(f->v[i].key, but) ||
		    (over != NULL &&
			tape_api_fields_find(over, f->v[i].key) != NULL))
			continue;
		st = add_json(out, &r, &f->v[i], err);
	}
	tape_json_release(&r);
	return st;
}

/* Below the directory where we are, and no standard input. */
static bool
is_below(const char *path)
{
	if (path[0] == '/' || path[0] == '\0' || strcmp(path, "-") == 0)
		return false;
	for (const char *p = path; p != NULL;) {
		if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			return false;
		p = strchr(p, '/');
		p = p == NULL ? NULL : p + 1;
	}
	return true;
}

static const char *
type_of(const char *path)
{
	const size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const size_t n = strlen(types[i].suffix);

		if (len > n && strcasecmp(path + len - n, types[i].suffix) == 0)
			return types[i].type;
	}
	return "application/octet-stream";
}

static enum tape_status
add_file(struct tape_buf *out, const char *name, const char *path,
    struct tape_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	char *bytes = NULL;
	size_t len = 0;
	enum tape_status st;

	if (!is_below(path) || !is_name(tape_str_of(base)))
		return tape_err_set(err, TAPE_E_USAGE,
		    "a file to send is named by a path below the working "
		    "directory, not '%.80s'",
		    path);
	st = tape_fdio_slurp(path, TAPE_CAP_REQUEST, &bytes, &len, err);
	if (st != TAPE_OK)
		return st;
	(void)tape_buf_add_fmt(out,
	    "--" TAPE_API_BOUNDARY "\r\nContent-Disposition: form-data; "
	    "name=\"%s\"; filename=\"%s\"\r\nContent-Type: %s",
	    name, base, type_of(path));
	st = add_bytes(out, tape_str_make(bytes, len), err);
	tape_mem_free(bytes);
	return st;
}

enum tape_status
tape_api_multipart_file(struct tape_buf *out, const char *name,
    struct tape_str path, struct tape_err *err)
{
	struct tape_json r;
	struct tape_str text;
	char *copy;
	enum tape_status st;

	tape_json_init(&r);
	st = value_of(&r, path, &text, err);
	copy = st == TAPE_OK ? tape_mem_dup(text.p, text.len) : NULL;
	if (st == TAPE_OK)
		st = copy == NULL ? tape_err_nomem(err)
				  : add_file(out, name, copy, err);
	tape_mem_free(copy);
	tape_json_release(&r);
	return st;
}

void
tape_api_multipart_end(struct tape_buf *out)
{
	(void)tape_buf_add_str(out, "--" TAPE_API_BOUNDARY "--\r\n");
}
