/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/secrets.h"

#include "base/mem.h"

#include <string.h>
#include <strings.h>

struct tape_secret {
	char *value;
	size_t len;
};

void
tape_secrets_release(struct tape_secrets *s)
{
	for (size_t i = 0; i < s->n; i++) {
		explicit_bzero(s->v[i].value, s->v[i].len);
		tape_mem_free(s->v[i].value);
	}
	tape_mem_free(s->v);
	*s = (struct tape_secrets){ 0 };
}

static enum tape_status
add_one(
    struct tape_secrets *s, const char *value, size_t len, struct tape_err *err)
{
	char *copy;

	if (len < TAPE_SECRETS_MIN_BYTES)
		return TAPE_OK;
	if (tape_mem_grow((void **)&s->v, &s->cap, s->n + 1, sizeof(*s->v)) !=
	    0)
		return tape_err_nomem(err);
	copy = tape_mem_dup(value, len);
	if (copy == NULL)
		return tape_err_nomem(err);
	s->v[s->n++] = (struct tape_secret){ copy, len };
	return TAPE_OK;
}

enum tape_status
tape_secrets_add(
    struct tape_secrets *s, const char *value, size_t len, struct tape_err *err)
{
	const char *blank = memrchr(value, ' ', len);
	enum tape_status st = add_one(s, value, len, err);

	if (st == TAPE_OK && blank != NULL)
		st = add_one(
		    s, blank + 1, len - (size_t)(blank + 1 - value), err);
	return st;
}

enum tape_status
tape_secrets_add_text(
    struct tape_secrets *s, const char *text, struct tape_err *err)
{
	return text == NULL ? TAPE_OK
			    : tape_secrets_add(s, text, strlen(text), err);
}

bool
tape_secrets_mask(const struct tape_secrets *s, char *p, size_t len)
{
	bool found = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct tape_secret *v = &s->v[i];
		char *at = p;

		while ((at = memmem(at, len - (size_t)(at - p), v->value,
			    v->len)) != NULL) {
			memset(at, '*', v->len);
			at += v->len;
			found = true;
		}
	}
	return found;
}

static bool
has(const char *name, size_t len, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= len; i++)
		if (strncasecmp(name + i, part, n) == 0)
			return true;
	return false;
}

static bool
ends(const char *name, size_t len, const char *tail)
{
	size_t n = strlen(tail);

	return len >= n && strncasecmp(name + len - n, tail, n) == 0;
}

bool
tape_secrets_header(const char *name, size_t len)
{
	return has(name, len, "cookie") || has(name, len, "auth") ||
	       has(name, len, "secret") || has(name, len, "password") ||
	       ends(name, len, "token") || ends(name, len, "key");
}
