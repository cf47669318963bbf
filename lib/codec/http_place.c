/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A redirect that is not followed is an answer, whose reader wants to know where
 * it leads.  One that is followed carries all header lines along, credentials
 * too: so it may only lead to the same server.
 */
#include "codec/http_loop.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"

#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#define MAX_PLACE ((size_t)64 << 10)

bool
tape_http_place_is_field(struct tape_str name)
{
	static const char field[] = "location";

	return name.len == sizeof(field) - 1 &&
	       strncasecmp(name.p, field, name.len) == 0;
}

static bool
same_part(CURLU *a, CURLU *b, CURLUPart part)
{
	char *x = NULL, *y = NULL;
	bool same;

	(void)curl_url_get(a, part, &x, CURLU_DEFAULT_PORT);
	(void)curl_url_get(b, part, &y, CURLU_DEFAULT_PORT);
	same = x != NULL && y != NULL && strcasecmp(x, y) == 0;
	curl_free(x);
	curl_free(y);
	return same;
}

static bool
is_scheme(CURLU *u, const char *scheme)
{
	char *is = NULL;
	bool same;

	(void)curl_url_get(u, CURLUPART_SCHEME, &is, 0);
	same = is != NULL && strcasecmp(is, scheme) == 0;
	curl_free(is);
	return same;
}

static bool
is_same_server(CURLU *from, CURLU *to)
{
	if (!same_part(from, to, CURLUPART_HOST))
		return false;
	if (is_scheme(from, "http") && is_scheme(to, "https"))
		return true;
	return same_part(from, to, CURLUPART_SCHEME) &&
	       same_part(from, to, CURLUPART_PORT);
}

static char *
redacted(const char *url)
{
	struct tape_buf b;
	char *text = NULL;

	tape_buf_init(&b, MAX_PLACE);
	if (tape_url_redact(url, &b) == TAPE_OK)
		text = tape_mem_dup(b.data, b.len);
	tape_buf_release(&b);
	return text;
}

/* to becomes where it leads to; false: nowhere. */
static bool
resolve(
    const struct tape_http_xfer *x, const char *value, CURLU *from, CURLU *to)
{
	return from != NULL && to != NULL &&
	       curl_url_set(from, CURLUPART_URL, x->template->full, 0) ==
		   CURLUE_OK &&
	       curl_url_set(to, CURLUPART_URL, x->template->full, 0) ==
		   CURLUE_OK &&
	       curl_url_set(to, CURLUPART_URL, value, 0) == CURLUE_OK;
}

/* The answer that leads there is the last one. */
static void
refuse(struct tape_http_xfer *x)
{
	if (x->interim)
		tape_http_tell_head(x, x->interim_status, x->interim_version);
	tape_http_xfer_break(x, TAPE_HTTP_HTTP, "redirect");
}

void
tape_http_place_note(struct tape_http_xfer *x, struct tape_str value)
{
	char *text = tape_mem_dup(value.p, value.len);
	CURLU *from = curl_url();
	CURLU *to = curl_url();
	char *url = NULL;
	bool known = text != NULL && resolve(x, text, from, to);

	if (known)
		(void)curl_url_get(to, CURLUPART_URL, &url, 0);
	tape_mem_free(x->place);
	x->place = redacted(url != NULL ? url : "an URL that is none");
	x->moved = known && x->h->follow;
	if (x->h->follow && (!known || !is_same_server(from, to)))
		refuse(x);
	curl_free(url);
	curl_url_cleanup(from);
	curl_url_cleanup(to);
	tape_mem_free(text);
}
