/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/url.h"

#include <ctype.h>
#include <strings.h>

static bool
is_scheme_char(char c)
{
	return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

/* Length of "scheme://" or "//", or 0. */
static size_t
scheme_span(struct tape_str url)
{
	size_t n = 0;

	while (n < url.len && is_scheme_char(url.p[n]))
		n++;
	if (n < url.len && n > 0 && url.p[n] == ':')
		n++;
	else if (n > 0)
		return 0;
	if (url.len - n < 2 || memcmp(url.p + n, "//", 2) != 0)
		return 0;
	return n + 2;
}

static size_t
span_until(struct tape_str s, const char *stops)
{
	size_t n = 0;

	while (n < s.len && strchr(stops, s.p[n]) == NULL)
		n++;
	return n;
}

static struct tape_str
skip(struct tape_str s, size_t n)
{
	return tape_str_make(s.p + n, s.len - n);
}

/* What stands behind the last @, where there is one. */
static struct tape_str
without_user(struct tape_str authority)
{
	size_t n = authority.len;

	while (n > 0 && authority.p[n - 1] != '@')
		n--;
	return skip(authority, n);
}

/* Whether what follows the host's colon, if any, is a port: otherwise it may be
   a password that a slash or question mark cut off from its host. */
static bool
has_clean_port(struct tape_str host)
{
	size_t n = 0;

	if (host.len > 0 && host.p[0] == '[')
		n = span_until(host, "]");
	n += span_until(skip(host, n), ":");
	for (n++; n < host.len; n++)
		if (!isdigit((unsigned char)host.p[n]))
			return false;
	return true;
}

enum tape_status
tape_url_redact_span(struct tape_str url, struct tape_buf *out)
{
	size_t scheme = scheme_span(url);
	struct tape_str rest = skip(url, scheme);
	size_t authority = span_until(rest, "/?#\\");
	struct tape_str host = without_user(tape_str_make(rest.p, authority));
	struct tape_str path = skip(rest, authority);

	(void)tape_buf_add(out, url.p, scheme);
	if (!has_clean_port(host))
		return tape_buf_add_str(out, "(redacted)");
	(void)tape_buf_add(out, host.p, host.len);
	return tape_buf_add(out, path.p, span_until(path, "?#"));
}

enum tape_status
tape_url_redact(const char *url, struct tape_buf *out)
{
	return tape_url_redact_span(tape_str_of(url), out);
}

static enum tape_status
refuse(const char *url, const char *why, struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, TAPE_CAP_HEADERS);
	st = tape_url_redact(url, &b);
	if (st == TAPE_OK)
		st = tape_err_set(
		    err, TAPE_E_USAGE, "URL '%.100s' %s", b.data, why);
	else
		st = tape_err_set(err, TAPE_E_USAGE, "a URL %s", why);
	tape_buf_release(&b);
	return st;
}

enum tape_status
tape_url_normalise(const char *url, struct tape_buf *out, struct tape_err *err)
{
	struct tape_str all = tape_str_of(url);
	size_t scheme = scheme_span(all);
	struct tape_str rest = skip(all, scheme);
	const char *name = "http";
	struct tape_str host;

	for (size_t i = 0; i < all.len; i++)
		if ((unsigned char)url[i] <= ' ' || url[i] == 0x7f)
			return refuse(url, "contains white space", err);
	if (scheme == 8 && strncasecmp(url, "https", 5) == 0)
		name = "https";
	else if (scheme != 0 && scheme != 2 &&
		 (scheme != 7 || strncasecmp(url, "http", 4) != 0))
		return refuse(url, "is neither http nor https", err);
	host = without_user(tape_str_make(rest.p, span_until(rest, "/?#")));
	if (host.len == 0 || host.p[0] == ':')
		return refuse(url, "names no host", err);
	(void)tape_buf_add_str(out, name);
	(void)tape_buf_add_str(out, "://");
	(void)tape_buf_add(out, rest.p, rest.len);
	return tape_buf_status(out, err);
}
