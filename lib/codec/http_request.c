/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The head of a request is made once for all requests alike, as libcurl makes
 * it: request line, host, agent, accept, the caller's lines in their order.  A
 * line without a value is not sent, and takes out what would be sent else.
 */
#include "codec/http_plain.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#define MAX_HEAD ((size_t)1 << 20)

/* The parts of a URL, curl_free'd. */
struct parts {
	char *host, *port, *path, *query, *user, *zone;
};

static void
free_parts(struct parts *p)
{
	curl_free(p->host);
	curl_free(p->port);
	curl_free(p->path);
	curl_free(p->query);
	curl_free(p->user);
	curl_free(p->zone);
}

static void
split(CURLU *u, const char *url, struct parts *p)
{
	if (curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK)
		return;
	(void)curl_url_get(u, CURLUPART_HOST, &p->host, 0);
	(void)curl_url_get(u, CURLUPART_PORT, &p->port, CURLU_DEFAULT_PORT);
	(void)curl_url_get(u, CURLUPART_PATH, &p->path, CURLU_URLENCODE);
	(void)curl_url_get(u, CURLUPART_QUERY, &p->query, 0);
	(void)curl_url_get(u, CURLUPART_USER, &p->user, 0);
	(void)curl_url_get(u, CURLUPART_ZONEID, &p->zone, 0);
}

static bool
is_plain_host(const char *host)
{
	for (const char *p = host; *p != '\0'; p++)
		if ((unsigned char)*p <= 0x20 || (unsigned char)*p >= 0x7f ||
		    *p == '%')
			return false;
	return host[0] != '\0';
}

/* The value of a line; NULL when it has another name. */
static const char *
value_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(line, name, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	return line + strspn(line, " \t");
}

static bool
has(const struct tape_http_template *t, const char *name)
{
	for (const struct curl_slist *l = t->header; l != NULL; l = l->next)
		if (value_of(l->data, name) != NULL)
			return true;
	return false;
}

static void
add_lines(struct tape_http_template *t, struct tape_buf *b)
{
	for (const struct curl_slist *l = t->header; l != NULL; l = l->next) {
		const char *colon = strchr(l->data, ':');
		const char *connection = value_of(l->data, "connection");

		if (colon == NULL || colon[1 + strspn(colon + 1, " \t")] == 0)
			continue;
		if (connection != NULL &&
		    tape_http_list_has(tape_str_of(connection), "close"))
			t->closes = true;
		(void)tape_buf_add_fmt(b, "%s\r\n", l->data);
	}
}

static void
add_head(const struct tape_http *h, struct tape_http_template *t,
    const struct parts *p, struct tape_buf *b)
{
	const char *method = t->method;

	if (method[0] == '\0')
		method = t->has_body ? "POST" : "GET";
	(void)tape_buf_add_fmt(b, "%s %s", method, p->path);
	if (p->query != NULL && p->query[0] != '\0')
		(void)tape_buf_add_fmt(b, "?%s", p->query);
	(void)tape_buf_add_str(b, " HTTP/1.1\r\n");
	if (!has(t, "host"))
		(void)tape_buf_add_fmt(b,
		    strcmp(p->port, "80") == 0 ? "Host: %s\r\n"
					       : "Host: %s:%s\r\n",
		    p->host, p->port);
	if (h->user_agent != NULL && !has(t, "user-agent"))
		(void)tape_buf_add_fmt(b, "User-Agent: %s\r\n", h->user_agent);
	if (!has(t, "accept"))
		(void)tape_buf_add_str(b, "Accept: */*\r\n");
	add_lines(t, b);
}

static struct tape_http_origin *
origin_of(struct tape_http *h, const struct parts *p)
{
	char *host = p->host;
	size_t len = strlen(host);
	struct tape_http_origin *o;

	if (host[0] != '[')
		return tape_http_pool_origin(h, host, p->port);
	host = tape_mem_dup(host + 1, len - 2);
	if (host == NULL)
		return NULL;
	o = tape_http_pool_origin(h, host, p->port);
	tape_mem_free(host);
	return o;
}

static enum tape_status
fill(struct tape_http *h, struct tape_http_template *t, const struct parts *p,
    struct tape_err *err)
{
	struct tape_buf b;
	enum tape_status st;

	tape_buf_init(&b, MAX_HEAD);
	add_head(h, t, p, &b);
	st = tape_buf_status(&b, err);
	if (st == TAPE_OK)
		t->head = tape_buf_detach(&b, &t->head_len);
	tape_buf_release(&b);
	if (st != TAPE_OK)
		return st;
	t->origin = t->head != NULL ? origin_of(h, p) : NULL;
	return t->origin != NULL ? TAPE_OK : tape_err_nomem(err);
}

enum tape_status
tape_http_request_fill(
    struct tape_http *h, struct tape_http_template *t, struct tape_err *err)
{
	struct parts p = { .host = NULL };
	enum tape_status st = TAPE_OK;
	CURLU *u;

	if (h->libcurl_only || h->http2 || h->follow || h->proxy[0] != '\0' ||
	    strncmp(t->full, "http:", 5) != 0)
		return TAPE_OK;
	u = curl_url();
	if (u == NULL)
		return tape_err_nomem(err);
	split(u, t->full, &p);
	if (p.host != NULL && p.port != NULL && p.path != NULL &&
	    p.user == NULL && p.zone == NULL && is_plain_host(p.host))
		st = fill(h, t, &p, err);
	free_parts(&p);
	curl_url_cleanup(u);
	return st;
}

void
tape_http_request_length(struct tape_http_xfer *x)
{
	int n;

	if (x->template->has_body)
		n = snprintf(x->own.length, sizeof(x->own.length),
		    "Content-Length: %zu\r\n\r\n", x->body_bytes);
	else
		n = snprintf(x->own.length, sizeof(x->own.length), "\r\n");
	x->own.length_len = (size_t)n;
}

bool
tape_http_request_more(
    struct tape_http_xfer *x, const struct tape_http_request *req)
{
	struct tape_buf b;

	if (req->more_n == 0)
		return true;
	tape_buf_init(&b, MAX_HEAD);
	for (size_t i = 0; i < req->more_n; i++)
		(void)tape_buf_add_fmt(&b, "%s\r\n", req->more[i]);
	if (tape_buf_status(&b, NULL) == TAPE_OK)
		x->own.more = tape_buf_detach(&b, &x->own.more_len);
	tape_buf_release(&b);
	return x->own.more != NULL;
}
