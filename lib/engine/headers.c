/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/headers.h"

#include "base/buf.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "base/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define CAP_FILE ((size_t)1 << 20)
#define CAP_LINE ((size_t)16 << 10)

void
tape_headers_release(struct tape_headers *h)
{
	for (size_t i = 0; i < h->n; i++) {
		char *line = (char *)(uintptr_t)h->lines[i];

		explicit_bzero(line, strlen(line));
		tape_mem_free(line);
	}
	tape_mem_free((void *)h->lines);
	tape_secrets_release(&h->secrets);
	*h = (struct tape_headers){ 0 };
}

/* Length of the field's name; 0 when the line is no header. */
static size_t
name_len(const char *line)
{
	size_t n = 0;

	while (isalnum((unsigned char)line[n]) ||
	       (line[n] != '\0' && strchr("!#$%&'*+-.^_`|~", line[n]) != NULL))
		n++;
	return line[n] == ':' ? n : 0;
}

static bool
is_name(const char *line, size_t n, const char *name)
{
	return n == strlen(name) && strncasecmp(line, name, n) == 0;
}

static enum tape_status
check(const char *line, const char *origin, struct tape_err *err)
{
	static const char *const ours[] = { "content-length",
		"transfer-encoding", "host", "connection", "expect" };
	size_t n = name_len(line);

	if (n == 0)
		return tape_err_set(err, TAPE_E_USAGE,
		    "%s: a header has the form 'Name: value'", origin);
	for (const char *p = line; *p != '\0'; p++)
		if (((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f)
			return tape_err_set(err, TAPE_E_USAGE,
			    "%s: header '%.*s' has control characters", origin,
			    (int)n, line);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (is_name(line, n, ours[i]))
			return tape_err_set(err, TAPE_E_USAGE,
			    "%s: header '%.*s' is set by the client", origin,
			    (int)n, line);
	return TAPE_OK;
}

static size_t
find(const struct tape_headers *h, const char *line)
{
	size_t n = name_len(line);

	for (size_t i = 0; i < h->n; i++)
		if (name_len(h->lines[i]) == n &&
		    strncasecmp(h->lines[i], line, n) == 0)
			return i;
	return h->n;
}

static enum tape_status
set(struct tape_headers *h, const char *line, struct tape_err *err)
{
	size_t at = find(h, line);
	char *copy;

	if (tape_mem_grow(
		(void **)&h->lines, &h->cap, h->n + 1, sizeof(*h->lines)) != 0)
		return tape_err_nomem(err);
	copy = tape_mem_strdup(line);
	if (copy == NULL)
		return tape_err_nomem(err);
	if (at < h->n)
		tape_mem_free((char *)(uintptr_t)h->lines[at]);
	else
		h->n++;
	h->lines[at] = copy;
	return TAPE_OK;
}

enum tape_status
tape_headers_add(struct tape_headers *h, const char *line, struct tape_err *err)
{
	enum tape_status st = check(line, "--header", err);
	size_t n = name_len(line);

	if (st != TAPE_OK)
		return st;
	if (tape_redact_is_secret_header((struct tape_str){ line, n }))
		return tape_err_set(err, TAPE_E_USAGE,
		    "--header %.*s: credentials do not belong on the command "
		    "line (use --header-file, --api-key-env or --api-key-file)",
		    (int)n, line);
	return set(h, line, err);
}

static enum tape_status
add_secret(struct tape_headers *h, const char *line, struct tape_err *err)
{
	size_t n = name_len(line);
	const char *value = line + n + 1;

	if (!tape_redact_is_secret_header((struct tape_str){ line, n }))
		return TAPE_OK;
	value += strspn(value, " \t");
	return tape_secrets_add(&h->secrets, value, strlen(value), err);
}

/* Cuts blanks off the end, in place. */
static void
trim(char *line)
{
	size_t n = strlen(line);

	while (n > 0 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
}

enum tape_status
tape_headers_add_file(
    struct tape_headers *h, const char *path, struct tape_err *err)
{
	char *text = NULL;
	size_t len = 0;
	enum tape_status st = tape_fdio_slurp(path, CAP_FILE, &text, &len, err);
	uint64_t number = 0;

	for (char *line = text; st == TAPE_OK && line != NULL;) {
		char *next = strchr(line, '\n');

		number++;
		if (next != NULL)
			*next++ = '\0';
		trim(line);
		if (*line != '\0' && *line != '#') {
			st = check(line, "--header-file", err);
			if (st == TAPE_OK)
				st = set(h, line, err);
			if (st == TAPE_OK)
				st = add_secret(h, line, err);
			if (st != TAPE_OK)
				(void)tape_err_at(err, path, number);
		}
		line = next;
	}
	if (text != NULL)
		explicit_bzero(text, len);
	tape_mem_free(text);
	return st;
}

enum tape_status
tape_headers_add_key(struct tape_headers *h, const char *field, const char *key,
    const char *origin, struct tape_err *err)
{
	struct tape_buf b;
	size_t n;
	enum tape_status st;

	key += strspn(key, " \t\r\n");
	n = strlen(key);
	while (n > 0 && isspace((unsigned char)key[n - 1]))
		n--;
	if (n == 0)
		return tape_err_set(
		    err, TAPE_E_USAGE, "%s has no key in it", origin);
	tape_buf_init(&b, CAP_LINE);
	(void)tape_buf_add_str(&b, field == NULL ? "Authorization" : field);
	(void)tape_buf_add_str(&b, field == NULL ? ": Bearer " : ": ");
	(void)tape_buf_add(&b, key, n);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK)
		st = check(b.data, origin, err);
	if (st == TAPE_OK)
		st = set(h, b.data, err);
	if (st == TAPE_OK)
		st = add_secret(h, b.data, err);
	explicit_bzero(b.data, b.len);
	tape_buf_release(&b);
	return st;
}

enum tape_status
tape_headers_add_key_file(struct tape_headers *h, const char *field,
    const char *path, struct tape_err *err)
{
	char *text = NULL;
	size_t len = 0;
	enum tape_status st = tape_fdio_slurp(path, CAP_LINE, &text, &len, err);

	if (st == TAPE_OK)
		st = tape_headers_add_key(h, field, text, path, err);
	if (text != NULL)
		explicit_bzero(text, len);
	tape_mem_free(text);
	return st;
}

enum tape_status
tape_headers_default(
    struct tape_headers *h, const char *line, struct tape_err *err)
{
	return find(h, line) < h->n ? TAPE_OK : set(h, line, err);
}

/* The name of a field whose value comes later: no other line has it. */
static enum tape_status
check_own(const struct tape_headers *h, const char *name, const char *origin,
    struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	if (name == NULL)
		return TAPE_OK;
	tape_buf_init(&b, CAP_LINE);
	(void)tape_buf_add_fmt(&b, "%s: -", name);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK && name_len(b.data) != strlen(name))
		st = tape_err_set(err, TAPE_E_USAGE,
		    "%s is not the name of a header", origin);
	if (st == TAPE_OK)
		st = check(b.data, origin, err);
	if (st == TAPE_OK && find(h, b.data) < h->n)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "%s: header '%s' has a value already", origin, name);
	tape_buf_release(&b);
	return st;
}

static enum tape_status
check_owns(const struct tape_headers *h, const struct tape_headers_source *s,
    struct tape_err *err)
{
	enum tape_status st =
	    check_own(h, s->session_name, "--session-header", err);

	if (st == TAPE_OK)
		st = check_own(h, s->id_name, "--request-id-header", err);
	if (st == TAPE_OK && s->session_name != NULL && s->id_name != NULL &&
	    strcasecmp(s->session_name, s->id_name) == 0)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "--session-header and --request-id-header are the same");
	return st;
}

static enum tape_status
add_encoding(struct tape_headers *h, const char *encoding, struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, CAP_LINE);
	(void)tape_buf_add_fmt(&b, "Accept-Encoding: %s",
	    encoding == NULL ? "identity" : encoding);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK)
		st = check(b.data, "--accept-encoding", err);
	if (st == TAPE_OK)
		st = tape_headers_default(h, b.data, err);
	tape_buf_release(&b);
	return st;
}

/* What is sent unless the user says otherwise. */
static enum tape_status
add_defaults(struct tape_headers *h, bool stream, const struct tape_api *api,
    struct tape_err *err)
{
	const char *const lines[] = { "Content-Type: application/json",
		stream ? "Accept: text/event-stream"
		       : "Accept: application/json" };
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; api != NULL && st == TAPE_OK &&
			   i < TAPE_API_HEADERS && api->headers[i] != NULL;
	     i++)
		st = tape_headers_default(h, api->headers[i], err);
	for (size_t i = 0; i < 2 && st == TAPE_OK; i++)
		st = tape_headers_default(h, lines[i], err);
	return st;
}

enum tape_status
tape_headers_fill(struct tape_headers *h, const struct tape_headers_source *s,
    struct tape_err *err)
{
	const char *field = s->api == NULL ? NULL : s->api->key_field;
	enum tape_status st = TAPE_OK;

	for (size_t i = 0; i < s->lines_n && st == TAPE_OK; i++)
		st = tape_headers_add(h, s->lines[i], err);
	if (st == TAPE_OK && s->file != NULL)
		st = tape_headers_add_file(h, s->file, err);
	if (st == TAPE_OK && s->key_origin != NULL && s->key == NULL)
		st = tape_err_set(err, TAPE_E_USAGE,
		    "--api-key-env: %s is not set", s->key_origin);
	if (st == TAPE_OK && s->key != NULL)
		st = tape_headers_add_key(h, field, s->key, s->key_origin, err);
	if (st == TAPE_OK && s->key_file != NULL)
		st = tape_headers_add_key_file(h, field, s->key_file, err);
	if (st == TAPE_OK)
		st = add_defaults(h, s->stream, s->api, err);
	if (st == TAPE_OK)
		st = add_encoding(h, s->encoding, err);
	return st == TAPE_OK ? check_owns(h, s, err) : st;
}
