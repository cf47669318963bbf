/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/redact.h"

#include "base/url.h"

#include <ctype.h>
#include <strings.h>

static bool
has_text(struct tape_str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.len; i++)
		if (strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

static bool
has_any(struct tape_str s, const char *const *words)
{
	for (; *words != NULL; words++)
		if (has_text(s, *words))
			return true;
	return false;
}

bool
tape_redact_is_secret_header(struct tape_str name)
{
	static const char *const words[] = {
		"key",
		"token",
		"secret",
		"passw",
		"auth",
		"cookie",
		"credential",
		NULL,
	};

	return has_any(name, words);
}

bool
tape_redact_is_plain_header(struct tape_str name)
{
	static const char *const plain[] = {
		"accept",
		"accept-encoding",
		"accept-language",
		"anthropic-version",
		"cache-control",
		"connection",
		"content-encoding",
		"content-length",
		"content-type",
		"date",
		"expect",
		"server",
		"traceparent",
		"transfer-encoding",
		"user-agent",
		"x-request-id",
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (name.len == strlen(plain[i]) &&
		    strncasecmp(name.p, plain[i], name.len) == 0)
			return true;
	return false;
}

enum tape_status
tape_redact_header(struct tape_str line, struct tape_buf *out)
{
	size_t n = 0;

	while (n < line.len && line.p[n] != ':')
		n++;
	if (n == line.len)
		return tape_buf_add_str(out, TAPE_REDACT_MARK);
	if (tape_redact_is_plain_header(tape_str_make(line.p, n)))
		return tape_buf_add(out, line.p, line.len);
	(void)tape_buf_add(out, line.p, n);
	return tape_buf_add_str(out, ": " TAPE_REDACT_MARK);
}

static bool
is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static bool
ends_in(struct tape_str s, const char *word)
{
	size_t n = strlen(word);

	return s.len >= n && strncasecmp(s.p + s.len - n, word, n) == 0;
}

/*
 * Names of options and variables.  Unlike with headers, "tokens" is an
 * everyday word here, so that of the short words only the end of a part counts:
 * hf_token and --ssl-keyfile-password are secret, --max-num-tokens is not.
 */
static bool
is_secret_name(struct tape_str name)
{
	static const char *const anywhere[] = {
		"secret",
		"passw",
		"credential",
		"authorization",
		"cookie",
		"apikey",
		"api-key",
		"api_key",
		NULL,
	};
	static const char *const at_end[] = { "key", "token", "auth", "pw" };
	size_t i = 0;

	if (has_any(name, anywhere))
		return true;
	while (i < name.len) {
		size_t from = i;

		while (i < name.len && isalnum((unsigned char)name.p[i]))
			i++;
		struct tape_str part = tape_str_make(name.p + from, i - from);
		for (size_t w = 0; w < sizeof(at_end) / sizeof(at_end[0]); w++)
			if (ends_in(part, at_end[w]))
				return true;
		i++;
	}
	return false;
}

static bool
announces_credentials(struct tape_str s)
{
	return ends_in(s, "bearer") || ends_in(s, "basic");
}

/* Where the first secret of a word begins: behind a=b,api_key= or {"token": or
   "Bearer , even when nothing follows.  SIZE_MAX when there is none. */
static size_t
secret_value(struct tape_str word)
{
	for (size_t i = 0; i < word.len; i++) {
		size_t end = i;
		size_t from;

		if (isspace((unsigned char)word.p[i]) &&
		    announces_credentials(tape_str_make(word.p, i)))
			return i + 1;
		if (word.p[i] != '=' && word.p[i] != ':')
			continue;
		while (end > 0 && strchr("\"' \\", word.p[end - 1]) != NULL)
			end--;
		from = end;
		while (from > 0 && is_name_char(word.p[from - 1]))
			from--;
		if (is_secret_name(tape_str_make(word.p + from, end - from)))
			return i + 1;
	}
	return SIZE_MAX;
}

/* A word without secret names: only its URL, if any, is cut. */
static void
add_plain(struct tape_str word, struct tape_buf *out)
{
	size_t at = 0;

	while (at + 3 <= word.len && memcmp(word.p + at, "://", 3) != 0)
		at++;
	if (at + 3 > word.len) {
		(void)tape_buf_add(out, word.p, word.len);
		return;
	}
	while (at > 0 && isalnum((unsigned char)word.p[at - 1]))
		at--;
	(void)tape_buf_add(out, word.p, at);
	(void)tape_url_redact_span(
	    tape_str_make(word.p + at, word.len - at), out);
}

/* Length of the word at the start; white space inside quotes belongs to it. */
static size_t
word_span(struct tape_str s)
{
	char quote = '\0';
	size_t n = 0;

	for (; n < s.len; n++) {
		char c = s.p[n];

		if (quote == '\0' && isspace((unsigned char)c))
			break;
		if (c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
	}
	return n;
}

/* Whether the next word is a secret: after --api-key, after Bearer. */
static bool
announces_secret(struct tape_str word)
{
	return (word.p[0] == '-' && is_secret_name(word)) ||
	       announces_credentials(word);
}

enum tape_status
tape_redact_text(struct tape_str text, struct tape_buf *out)
{
	bool hide = false;
	size_t i = 0;

	while (i < text.len) {
		struct tape_str rest = { text.p + i, text.len - i };
		struct tape_str word = { rest.p, word_span(rest) };
		size_t secret = secret_value(word);

		if (word.len == 0) {
			(void)tape_buf_add_char(out, text.p[i++]);
			continue;
		}
		i += word.len;
		if (hide) {
			(void)tape_buf_add_str(out, TAPE_REDACT_MARK);
			hide = false;
		} else if (secret <= word.len) {
			(void)tape_buf_add(out, word.p, secret);
			(void)tape_buf_add_str(out, TAPE_REDACT_MARK);
			/* "Authorization: Bearer x": how far does it reach? */
			if (secret == word.len)
				break;
		} else {
			add_plain(word, out);
			hide = announces_secret(word);
		}
	}
	return out->status;
}
