/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A handle is set up once; what differs between requests is set each time.
 * Handles of failed transfers are not kept: libcurl leaves the last system
 * error in them.
 */
#include "codec/http_loop.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#define LOOK_AT 16 /* idle handles, for one of the same template */

_Static_assert(TAPE_HTTP_MESSAGE_TEXT >= CURL_ERROR_SIZE, "message buffer");

static CURLcode
set_numbers(CURL *e, const struct tape_http *h)
{
	const struct {
		CURLoption option;
		long value;
	} set[] = {
		{ CURLOPT_NOSIGNAL, 1 },
		{ CURLOPT_NOPROGRESS, 1 },
		{ CURLOPT_VERBOSE, 1 }, /* for the debug callback */
		{ CURLOPT_TCP_NODELAY, 1 },
		{ CURLOPT_TCP_KEEPALIVE, 1 },
		{ CURLOPT_FOLLOWLOCATION, h->follow ? 1 : 0 },
		{ CURLOPT_MAXREDIRS, TAPE_HTTP_REDIRECTS },
		{ CURLOPT_POSTREDIR, CURL_REDIR_POST_ALL },
		/* It stays with one server, see http_place.c. */
		{ CURLOPT_UNRESTRICTED_AUTH, 1 },
		/* One connection, not as many as there are requests when the
		   first is being opened. */
		{ CURLOPT_PIPEWAIT, h->http2 ? 1 : 0 },
		{ CURLOPT_NETRC, CURL_NETRC_IGNORED },
		{ CURLOPT_HTTP_CONTENT_DECODING, 0 },
		{ CURLOPT_SUPPRESS_CONNECT_HEADERS, 1 },
		{ CURLOPT_DNS_CACHE_TIMEOUT, -1 },
		{ CURLOPT_BUFFERSIZE, (long)h->buffer_bytes },
		{ CURLOPT_SSL_VERIFYPEER, h->insecure ? 0 : 1 },
		{ CURLOPT_SSL_VERIFYHOST, h->insecure ? 0 : 2 },
#if LIBCURL_VERSION_NUM >= 0x075700
		/* Giving up a transfer must not wait for its resolver. */
		{ CURLOPT_QUICK_EXIT, 1 },
#endif
	};
	CURLcode c = CURLE_OK;

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (c == CURLE_OK)
			c = curl_easy_setopt(e, set[i].option, set[i].value);
	return c;
}

/* The file or the command line says who this side is. */
static CURLcode
set_identity(CURL *e, const struct tape_http *h)
{
	CURLcode c;

	if (h->cert == NULL)
		return CURLE_OK;
	c = curl_easy_setopt(e, CURLOPT_SSLCERT, h->cert);
	if (c == CURLE_OK)
		c = curl_easy_setopt(
		    e, CURLOPT_SSLKEY, h->key != NULL ? h->key : h->cert);
	/* Without one the library would ask at the terminal. */
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_KEYPASSWD,
		    h->key_pass != NULL ? h->key_pass : "");
	return c;
}

/* With a bundle file known, libcurl can keep the parsed authorities between
   connections, but only when it is not told of a directory besides. */
static CURLcode
set_authorities(CURL *e, const struct tape_http *h)
{
	const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

	if (h->cacert != NULL || h->capath != NULL) {
		CURLcode c = curl_easy_setopt(e, CURLOPT_CAINFO, h->cacert);

		if (c != CURLE_OK)
			return c;
	} else if (v->cainfo == NULL) {
		return CURLE_OK;
	}
	return curl_easy_setopt(e, CURLOPT_CAPATH, h->capath);
}

static CURLcode
set_texts(CURL *e, struct tape_http_xfer *x)
{
	const struct tape_http *h = x->h;
	CURLcode c;

	c = curl_easy_setopt(e, CURLOPT_ERRORBUFFER, x->message);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_PRIVATE, (char *)x);
	if (c == CURLE_OK && h->user_agent != NULL)
		c = curl_easy_setopt(e, CURLOPT_USERAGENT, h->user_agent);
	/* Empty, not unset: unset means the environment's. */
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_PROXY, h->proxy);
	if (c == CURLE_OK)
		c = curl_easy_setopt(
		    e, CURLOPT_NOPROXY, h->no_proxy != NULL ? h->no_proxy : "");
	if (c == CURLE_OK && h->unix_socket != NULL)
		c = curl_easy_setopt(
		    e, CURLOPT_UNIX_SOCKET_PATH, h->unix_socket);
	return c;
}

/* A handle keeps its address, so that its next request finds the connection
   of the last. */
static CURLcode
set_source(CURL *e, struct tape_http *h)
{
	char text[TAPE_HTTP_ADDR_TEXT + 8];

	if (h->sources_n == 0)
		return CURLE_OK;
	(void)snprintf(text, sizeof(text), "host!%s",
	    h->sources[h->source_at++ % h->sources_n]);
	return curl_easy_setopt(e, CURLOPT_INTERFACE, text);
}

static bool
configure(struct tape_http_xfer *x)
{
	CURL *e = x->easy;
	CURLcode c;

	c = set_numbers(e, x->h);
	if (c == CURLE_OK)
		c = set_texts(e, x);
	if (c == CURLE_OK)
		c = set_authorities(e, x->h);
	if (c == CURLE_OK)
		c = set_identity(e, x->h);
	if (c == CURLE_OK)
		c = set_source(e, x->h);
	if (c == CURLE_OK)
		c = (CURLcode)tape_http_sock_setup(x);
	if (c == CURLE_OK)
		c = (CURLcode)tape_http_wire_setup(x);
	return c == CURLE_OK;
}

static struct tape_http_xfer *
make(struct tape_http *h)
{
	struct tape_http_xfer *x = tape_mem_calloc(1, sizeof(*x));

	if (x == NULL)
		return NULL;
	x->h = h;
	x->easy = curl_easy_init();
	if (x->easy == NULL || !configure(x)) {
		tape_http_easy_discard(x);
		return NULL;
	}
	return x;
}

/* The most recently used idle handle, or one near it that needs less setting
   up. */
static struct tape_http_xfer *
take_idle(struct tape_http *h, const struct tape_http_template *t)
{
	struct tape_http_xfer **at = &h->idle_list;
	struct tape_http_xfer *x;

	for (int i = 0; *at != NULL && i < LOOK_AT; i++, at = &(*at)->next)
		if ((*at)->template == t)
			break;
	if (*at == NULL || (*at)->template != t)
		at = &h->idle_list;
	x = *at;
	if (x != NULL) {
		*at = x->next;
		h->idle--;
	}
	return x;
}

static CURLcode
set_method(CURL *e, const struct tape_http_template *t)
{
	bool head = strcmp(t->method, "HEAD") == 0;
	CURLcode c;

	c = curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
	if (c == CURLE_OK && t->has_body)
		c = curl_easy_setopt(e, CURLOPT_POST, 1L);
	if (c == CURLE_OK && head)
		c = curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST,
		    t->method[0] == '\0' || head ? NULL : t->method);
	return c;
}

/* In the clear there is nothing to agree on. */
static long
version_of(const struct tape_http *h, const struct tape_http_template *t)
{
	if (!h->http2)
		return CURL_HTTP_VERSION_1_1;
	return strncmp(t->full, "https:", 6) == 0
		   ? CURL_HTTP_VERSION_2TLS
		   : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
}

static CURLcode
set_template(struct tape_http_xfer *x, struct tape_http_template *t)
{
	CURL *e = x->easy;
	CURLcode c;

	if (x->template == t)
		return CURLE_OK;
	c = curl_easy_setopt(e, CURLOPT_URL, t->full);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_HTTPHEADER, t->header);
	if (c == CURLE_OK)
		c = curl_easy_setopt(
		    e, CURLOPT_HTTP_VERSION, version_of(x->h, t));
	if (c == CURLE_OK)
		c = set_method(e, t);
	if (c != CURLE_OK)
		return c;
	tape_http_template_drop(x->h, x->template);
	x->template = t;
	t->refs++;
	return CURLE_OK;
}

/* The lines of this request only go before those of the template, in one list
   that is cut apart again. */
static CURLcode
set_more(struct tape_http_xfer *x, const struct tape_http_request *req)
{
	struct curl_slist *own = NULL, *last;

	for (size_t i = 0; i < req->more_n; i++) {
		struct curl_slist *l = curl_slist_append(own, req->more[i]);

		if (l == NULL) {
			curl_slist_free_all(own);
			return CURLE_OUT_OF_MEMORY;
		}
		own = l;
	}
	x->more = own;
	if (own == NULL)
		return CURLE_OK;
	for (last = own; last->next != NULL; last = last->next)
		;
	last->next = x->template->header;
	return curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, own);
}

/* What is shared stays the template's. */
static void
drop_more(struct tape_http_xfer *x)
{
	struct curl_slist *l = x->more;

	if (l == NULL)
		return;
	while (l->next != x->template->header)
		l = l->next;
	l->next = NULL;
	curl_slist_free_all(x->more);
	x->more = NULL;
	(void)curl_easy_setopt(
	    x->easy, CURLOPT_HTTPHEADER, x->template->header);
}

void
tape_http_easy_clear(struct tape_http_xfer *x)
{
	if (x->easy != NULL) {
		drop_more(x);
		/* It would make a POST of the next request without a body. */
		if (x->h->follow && x->template->has_body)
			(void)curl_easy_setopt(
			    x->easy, CURLOPT_COPYPOSTFIELDS, NULL);
	}
	tape_mem_free(x->own.more);
	tape_mem_free(x->place);
	x->own.more = NULL;
	x->place = NULL;
}

/* A body that may have to go out again is copied: whoever asked for it to be sent
   has long been told that it was. */
static CURLcode
set_request(struct tape_http_xfer *x, const struct tape_http_request *req)
{
	CURL *e = x->easy;
	bool fresh = req->conn == TAPE_HTTP_FRESH;
	CURLcode c = set_more(x, req);

	if (c == CURLE_OK && req->body != NULL) {
		c = curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)req->body_bytes);
		if (c == CURLE_OK)
			c = curl_easy_setopt(e,
			    x->h->follow ? CURLOPT_COPYPOSTFIELDS
					 : CURLOPT_POSTFIELDS,
			    req->body);
	}
	if (c == CURLE_OK && fresh != x->fresh) {
		c = curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, (long)fresh);
		if (c == CURLE_OK)
			c = curl_easy_setopt(
			    e, CURLOPT_FORBID_REUSE, (long)fresh);
		x->fresh = fresh;
	}
	return c;
}

/* All that belongs to one request; what belongs to the handle stays. */
static void
clean(struct tape_http_xfer *x)
{
	struct tape_http_xfer kept = *x;

	*x = (struct tape_http_xfer){ .h = kept.h,
		.easy = kept.easy,
		.template = kept.template,
		.fresh = kept.fresh };
}

struct tape_http_xfer *
tape_http_easy_get(struct tape_http *h, struct tape_http_template *t,
    const struct tape_http_request *req)
{
	struct tape_http_xfer *x = take_idle(h, t);

	if (x == NULL)
		x = make(h);
	if (x == NULL)
		return NULL;
	clean(x);
	if (set_template(x, t) != CURLE_OK || set_request(x, req) != CURLE_OK) {
		tape_http_easy_discard(x);
		return NULL;
	}
	return x;
}

bool
tape_http_easy_connect_only(struct tape_http_xfer *x)
{
	/* With reuse forbidden it would be closed before we have it. */
	return curl_easy_setopt(x->easy, CURLOPT_CONNECT_ONLY, 1L) ==
		   CURLE_OK &&
	       curl_easy_setopt(x->easy, CURLOPT_FORBID_REUSE, 0L) ==
		   CURLE_OK &&
	       curl_easy_setopt(x->easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK;
}

void
tape_http_easy_keep(struct tape_http_xfer *x)
{
	struct tape_http *h = x->h;

	if (h->idle >= h->keep) {
		tape_http_easy_discard(x);
		return;
	}
	tape_http_easy_clear(x);
	x->next = h->idle_list;
	h->idle_list = x;
	h->idle++;
}

void
tape_http_easy_discard(struct tape_http_xfer *x)
{
	tape_http_easy_clear(x);
	curl_easy_cleanup(x->easy);
	tape_http_template_drop(x->h, x->template);
	tape_http_answer_release(&x->own.answer);
	tape_mem_free(x);
}
