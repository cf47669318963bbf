/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A load test sends the same method, URL and header lines again and again; so
 * the last few sets are kept in libcurl's form and found by comparing.
 */
#include "codec/http_plain.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"

#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#define MAX_URL ((size_t)64 << 10)

static bool
same(const struct tape_http_template *t, const struct tape_http_request *req)
{
	const struct curl_slist *line = t->header;

	if (t->lines != req->headers_n || t->has_body != (req->body != NULL) ||
	    strcmp(t->url, req->url) != 0 ||
	    strcmp(t->method, req->method != NULL ? req->method : "") != 0)
		return false;
	for (size_t i = 0; i < t->lines; i++, line = line->next)
		if (strcmp(line->data, req->headers[i]) != 0)
			return false;
	return true;
}

/* Letters, digits and the marks that a token may have (RFC 9110, 5.6.2). */
static size_t
token_len(const char *s)
{
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "abcdefghijklmnopqrstuvwxyz"
			 "0123456789!#$%&'*+-.^_`|~");
}

static bool
is_field(const char *line, const char *name)
{
	size_t len = strlen(name);

	return strncasecmp(line, name, len) == 0 && line[len] == ':';
}

static bool
has_field(const struct tape_http_request *req, const char *name)
{
	for (size_t i = 0; i < req->headers_n; i++)
		if (is_field(req->headers[i], name))
			return true;
	return false;
}

/* The message has neither name nor value: a broken line may be a secret. */
enum tape_status
tape_http_template_check_line(
    const char *line, size_t number, struct tape_err *err)
{
	size_t len = token_len(line);

	if (len == 0 || line[len] != ':')
		return tape_err_set(err, TAPE_E_USAGE,
		    "header line %zu is not \"Name: value\"", number);
	for (const char *p = line + len; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 && *p != '\t')
			return tape_err_set(err, TAPE_E_USAGE,
			    "header line %zu has a control character", number);
	if (is_field(line, "content-length") ||
	    is_field(line, "transfer-encoding"))
		return tape_err_set(err, TAPE_E_USAGE,
		    "header line %zu: the framing is not the caller's", number);
	return TAPE_OK;
}

static enum tape_status
check(const struct tape_http_request *req, struct tape_err *err)
{
	if (req->method != NULL && (token_len(req->method) == 0 ||
				       req->method[token_len(req->method)]))
		return tape_err_set(err, TAPE_E_USAGE, "bad HTTP method");
	if (req->headers_n > TAPE_HTTP_HEADERS)
		return tape_err_set(err, TAPE_E_USAGE,
		    "more than %d header lines", TAPE_HTTP_HEADERS);
	for (size_t i = 0; i < req->headers_n; i++)
		if (tape_http_template_check_line(
			req->headers[i], i + 1, err) != TAPE_OK)
			return TAPE_E_USAGE;
	return TAPE_OK;
}

/* What libcurl takes as a URL, besides the rules that are ours. */
static enum tape_status
check_url(const char *full, struct tape_err *err)
{
	CURLU *u = curl_url();
	CURLUcode code;

	if (u == NULL)
		return tape_err_nomem(err);
	code = curl_url_set(u, CURLUPART_URL, full, 0);
	curl_url_cleanup(u);
	if (code == CURLUE_OUT_OF_MEMORY)
		return tape_err_nomem(err);
	if (code != CURLUE_OK)
		return tape_err_set(err, TAPE_E_USAGE, "bad URL");
	return TAPE_OK;
}

static enum tape_status
set_url(struct tape_http_template *t, const char *url, struct tape_err *err)
{
	struct tape_buf full;
	enum tape_status st;

	tape_buf_init(&full, MAX_URL);
	st = tape_url_normalise(url, &full, err);
	if (st == TAPE_OK)
		st = check_url(full.data, err);
	if (st == TAPE_OK) {
		t->url = tape_mem_strdup(url);
		t->full = tape_buf_detach(&full, NULL);
		if (t->url == NULL)
			st = tape_err_nomem(err);
	}
	tape_buf_release(&full);
	return st;
}

static bool
add_line(struct tape_http_template *t, const char *line)
{
	struct curl_slist *l = curl_slist_append(t->header, line);

	if (l == NULL)
		return false;
	t->header = l;
	return true;
}

/* A name without value takes out what libcurl would send of its own. */
static bool
add_lines(struct tape_http_template *t, const struct tape_http_request *req)
{
	for (size_t i = 0; i < req->headers_n; i++)
		if (!add_line(t, req->headers[i]))
			return false;
	t->lines = req->headers_n;
	if (!has_field(req, "accept-encoding") &&
	    !add_line(t, "Accept-Encoding: identity"))
		return false;
	if (!t->has_body)
		return true;
	if (!has_field(req, "expect") && !add_line(t, "Expect:"))
		return false;
	return has_field(req, "content-type") || add_line(t, "Content-Type:");
}

static enum tape_status
make(struct tape_http *h, struct tape_http_template **out,
    const struct tape_http_request *req, struct tape_err *err)
{
	struct tape_http_template *t;
	enum tape_status st;

	*out = NULL;
	st = check(req, err);
	if (st != TAPE_OK)
		return st;
	t = tape_mem_calloc(1, sizeof(*t));
	if (t == NULL)
		return tape_err_nomem(err);
	t->refs = 1;
	t->has_body = req->body != NULL;
	t->method = tape_mem_strdup(req->method != NULL ? req->method : "");
	if (t->method == NULL || !add_lines(t, req))
		st = tape_err_nomem(err);
	else
		st = set_url(t, req->url, err);
	if (st == TAPE_OK && h->http2 && strncmp(t->full, "http:", 5) == 0)
		st = tape_http_opts_clear2(h, err);
	if (st == TAPE_OK)
		st = tape_http_request_fill(h, t, err);
	if (st != TAPE_OK) {
		tape_http_template_drop(h, t);
		return st;
	}
	*out = t;
	return TAPE_OK;
}

void
tape_http_template_drop(struct tape_http *h, struct tape_http_template *t)
{
	if (t == NULL || --t->refs > 0)
		return;
	curl_slist_free_all(t->header);
	tape_mem_free(t->method);
	tape_mem_free(t->url);
	tape_mem_free(t->full);
	tape_mem_free(t->head);
	tape_http_pool_drop(h, t->origin);
	tape_mem_free(t);
}

enum tape_status
tape_http_template_get(struct tape_http *h, const struct tape_http_request *req,
    struct tape_http_template **t, struct tape_err *err)
{
	enum tape_status st;
	size_t at = 0;

	while (at < h->templates && !same(h->template[at], req))
		at++;
	if (at < h->templates) {
		*t = h->template[at];
	} else {
		st = make(h, t, req, err);
		if (st != TAPE_OK)
			return st;
		if (h->templates == TAPE_HTTP_TEMPLATES)
			tape_http_template_drop(h, h->template[--at]);
		else
			h->templates++;
	}
	for (; at > 0; at--)
		h->template[at] = h->template[at - 1];
	h->template[0] = *t;
	return TAPE_OK;
}

enum tape_status
tape_http_check(struct tape_http *h, const char *url, struct tape_err *err)
{
	const struct tape_http_request req = { .url = url };
	struct tape_http_template *t;

	return tape_http_template_get(h, &req, &t, err);
}
