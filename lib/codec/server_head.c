/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/server_head.h"

#include "base/mem.h"

#include <string.h>
#include <strings.h>

/* RFC 9110, 5.6.2. */
static bool
is_tchar(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool
is_control(char ch)
{
	unsigned char c = (unsigned char)ch;

	return c < ' ' || c == 0x7f;
}

bool
tape_server_head_starts(const struct tape_buf *head)
{
	unsigned char c = (unsigned char)head->data[0];

	return head->len == 0 || c == '\r' || c == '\n' || is_tchar(c);
}

/* Ends the line in place and moves *at behind it.  The head ends in LF. */
static char *
next_line(char **at, const char *end)
{
	char *line = *at;
	char *nl = memchr(line, '\n', (size_t)(end - line));

	*at = nl + 1;
	*nl = '\0';
	if (nl > line && nl[-1] == '\r')
		nl[-1] = '\0';
	return line;
}

static char *
skip_token(char *s)
{
	while (is_tchar((unsigned char)*s))
		s++;
	return s;
}

/* A target without its authority: "http://host/path" is "/path". */
static const char *
strip_authority(const char *target)
{
	const char *p = strstr(target, "://");

	if (target[0] == '/' || p == NULL)
		return target;
	p = strchr(p + 3, '/');
	return p != NULL ? p : "/";
}

static int
request_line(char *line, struct tape_server_request *req, const char **why)
{
	char *target, *version, *p;

	*why = "bad request line";
	target = skip_token(line);
	if (target == line || *target != ' ')
		return 400;
	*target++ = '\0';
	for (p = target; *p != ' ' && !is_control(*p); p++)
		continue;
	if (p == target || *p != ' ')
		return 400;
	*p = '\0';
	version = p + 1;
	if (strncmp(version, "HTTP/", 5) != 0)
		return 400;
	req->method = line;
	p = strchr(target, '?');
	req->query = p != NULL ? p + 1 : "";
	if (p != NULL)
		*p = '\0';
	req->path = strip_authority(target);
	req->http_1_0 = strcmp(version, "HTTP/1.0") == 0;
	if (!req->http_1_0 && strcmp(version, "HTTP/1.1") != 0) {
		*why = "HTTP version not supported";
		return 505;
	}
	return 0;
}

static int
field(
    char *line, struct tape_server_request *req, size_t *cap, const char **why)
{
	struct tape_server_header *h;
	char *colon = skip_token(line), *value, *p;
	void *table = req->headers;

	*why = "bad header line";
	if (colon == line || *colon != ':')
		return 400;
	*colon = '\0';
	value = colon + 1;
	value += strspn(value, " \t");
	for (p = value; *p != '\0'; p++)
		if (is_control(*p) && *p != '\t')
			return 400;
	while (p > value && (p[-1] == ' ' || p[-1] == '\t'))
		*--p = '\0';
	*why = "too many headers";
	if (req->n_headers == TAPE_SERVER_HEADERS_MAX)
		return 431;
	if (tape_mem_grow(&table, cap, req->n_headers + 1, sizeof(*h)) != 0) {
		*why = "out of memory";
		return 500;
	}
	req->headers = table;
	h = &req->headers[req->n_headers++];
	h->name = line;
	h->value = value;
	return 0;
}

/* Digits only, and no more than any cap needs. */
static int
content_length(const char *s, struct tape_server_request *req, const char **why)
{
	int64_t v = 0;
	size_t n = strspn(s, "0123456789");

	*why = "bad content-length";
	if (n == 0 || n > 18 || s[n] != '\0')
		return 400;
	for (; *s != '\0'; s++)
		v = v * 10 + (*s - '0');
	if (req->length_bytes >= 0 && req->length_bytes != v)
		return 400;
	req->length_bytes = v;
	return 0;
}

/* True when the comma-separated list has the token, in any case. */
static bool
has_token(const char *list, const char *token)
{
	size_t n = strlen(token), len;

	while (*list != '\0') {
		list += strspn(list, ", \t");
		len = strcspn(list, ", \t");
		if (len == n && strncasecmp(list, token, n) == 0)
			return true;
		list += len;
	}
	return false;
}

static int
transfer_encoding(
    const char *value, struct tape_server_request *req, const char **why)
{
	*why = "transfer-encoding not supported";
	if (req->chunked || strcasecmp(value, "chunked") != 0)
		return 501;
	*why = "transfer-encoding in HTTP/1.0";
	if (req->http_1_0)
		return 400;
	req->chunked = true;
	return 0;
}

/* The fields that decide where the request ends and what comes after it. */
static int
framing(struct tape_server_request *req, const char **why)
{
	const struct tape_server_header *h;
	bool closing = false;
	size_t i, hosts = 0;
	int st = 0;

	req->keep_alive = !req->http_1_0;
	for (i = 0; i < req->n_headers && st == 0; i++) {
		h = &req->headers[i];
		if (strcasecmp(h->name, "content-length") == 0)
			st = content_length(h->value, req, why);
		else if (strcasecmp(h->name, "transfer-encoding") == 0)
			st = transfer_encoding(h->value, req, why);
		else if (strcasecmp(h->name, "host") == 0)
			hosts++;
		else if (strcasecmp(h->name, "expect") == 0) {
			*why = "expectation not supported";
			if (strcasecmp(h->value, "100-continue") != 0)
				st = 417;
			req->expect_continue = !req->http_1_0;
		} else if (strcasecmp(h->name, "connection") == 0) {
			closing = closing || has_token(h->value, "close");
			if (has_token(h->value, "keep-alive"))
				req->keep_alive = true;
		}
	}
	if (st != 0)
		return st;
	req->keep_alive = req->keep_alive && !closing;
	*why = "both content-length and transfer-encoding";
	if (req->chunked && req->length_bytes >= 0)
		return 400;
	*why = "one host header expected";
	if (hosts > 1 || (hosts == 0 && !req->http_1_0))
		return 400;
	return 0;
}

int
tape_server_head_parse(struct tape_buf *head, struct tape_server_request *req,
    size_t *headers_cap, const char **why)
{
	char *at = head->data, *end = head->data + head->len, *line;
	int st;

	*why = "NUL in the request";
	if (memchr(head->data, '\0', head->len) != NULL)
		return 400;
	st = request_line(next_line(&at, end), req, why);
	while (st == 0 && at < end) {
		line = next_line(&at, end);
		if (*line == '\0')
			break;
		st = field(line, req, headers_cap, why);
	}
	return st != 0 ? st : framing(req, why);
}

void
tape_server_head_release(struct tape_server_request *req)
{
	tape_mem_free(req->headers);
	req->headers = NULL;
	req->n_headers = 0;
}

const char *
tape_server_request_header(
    const struct tape_server_request *req, const char *name)
{
	size_t i;

	for (i = 0; i < req->n_headers; i++)
		if (strcasecmp(req->headers[i].name, name) == 0)
			return req->headers[i].value;
	return NULL;
}
