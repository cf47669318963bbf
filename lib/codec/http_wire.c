/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_loop.h"

#include <string.h>

#include <curl/curl.h>

static void
stamp(struct tape_http_xfer *x)
{
	const struct tape_http_peek *p = &x->h->peek;

	tape_http_tell_time(x, p->x == x ? p->kernel_ns : -1);
}

int64_t
tape_http_wire_time_ns(struct tape_http_xfer *x)
{
	if (x->event != x->h->event) {
		stamp(x);
		x->in_drained = false;
	}
	return x->event_ns;
}

/* libcurl has received body bytes and has not looked at them yet.  Those that
   come with the head and those after it cannot be told apart, so the first
   have a time of their own. */
static void
received(struct tape_http_xfer *x, const char *data, size_t len)
{
	struct tape_http *h = x->h;
	bool looked = h->peek.x == x;
	bool later;

	if (looked)
		later = tape_http_peek_is_new(h, len);
	else
		later = x->event == h->event && x->in_drained && !x->tls &&
			(uintptr_t)data <= x->in_at;
	if (x->in_at == 0 || later)
		stamp(x);
	else
		(void)tape_http_wire_time_ns(x);
	x->in_at = (uintptr_t)data;
	x->in_drained = len < h->buffer_bytes;
	if (looked)
		tape_http_peek_took(h, len);
}

/* Likewise a line of a head.  It takes its time before it is gone.  Over TLS
   heads are not told apart from what comes in the same record. */
static void
received_line(struct tape_http_xfer *x, size_t len)
{
	(void)tape_http_wire_time_ns(x);
	if (x->h->peek.x == x && !x->tls)
		tape_http_peek_took(x->h, len);
}

/* Status line; 0 when it is none. */
static int
parse_status(const char *line, size_t len, int *version)
{
	const char *p = memchr(line, ' ', len);
	size_t left;
	int status = 0;

	if (p == NULL)
		return 0;
	left = len - (size_t)(++p - line);
	if (left < 3)
		return 0;
	for (int i = 0; i < 3; i++) {
		if (p[i] < '0' || p[i] > '9')
			return 0;
		status = status * 10 + (p[i] - '0');
	}
	if (strncmp(line, "HTTP/1.0", 8) == 0)
		*version = 10;
	else if (strncmp(line, "HTTP/1.1", 8) == 0)
		*version = 11;
	else if (strncmp(line, "HTTP/2", 6) == 0)
		*version = 20;
	return status;
}

static void
status_line(struct tape_http_xfer *x, const char *line, size_t len)
{
	int version = 0;
	int status = parse_status(line, len, &version);

	x->interim = status < 200 || (x->h->follow && status / 100 == 3);
	x->moved = false;
	x->interim_status = status;
	x->interim_version = version;
	if (x->interim)
		return;
	tape_http_tell_head(x, status, version);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Of an answer that is followed only the place counts. */
static void
take_field(
    struct tape_http_xfer *x, struct tape_str name, struct tape_str value)
{
	if (!x->interim)
		tape_http_tell_field(x, name, value);
	else if (x->h->follow && tape_http_place_is_field(name))
		tape_http_place_note(x, value);
}

static void
field_line(struct tape_http_xfer *x, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	const char *value, *end = line + len;

	/* The empty line, or a folded one, which has no name. */
	if (colon == NULL || colon == line || is_blank(line[0]))
		return;
	for (value = colon + 1; value < end && is_blank(*value); value++)
		;
	while (end > value && is_blank(end[-1]))
		end--;
	take_field(x, tape_str_make(line, (size_t)(colon - line)),
	    tape_str_make(value, (size_t)(end - value)));
}

/* A redirect that leads nowhere is an answer after all, if one without fields. */
static void
end_head(struct tape_http_xfer *x)
{
	if (!x->interim || x->interim_status / 100 != 3 || x->moved)
		return;
	x->interim = false;
	tape_http_tell_head(x, x->interim_status, x->interim_version);
}

/* Whole lines.  Those that come when the transfer has ended here are thrown
   away, not refused: libcurl would make an error of its own of that. */
static size_t
on_header(char *line, size_t size, size_t n, void *arg)
{
	struct tape_http_xfer *x = arg;
	size_t len = size * n;

	if (x->done)
		return len;
	x->head_bytes += len;
	if (x->head_bytes > TAPE_HTTP_HEADER_BYTES) {
		tape_http_xfer_break(x, TAPE_HTTP_TRUNCATED, "header-limit");
		return len;
	}
	(void)tape_http_wire_time_ns(x);
	if (x->result.status == 0 && len > 5 && memcmp(line, "HTTP/", 5) == 0)
		status_line(x, line, len);
	else
		field_line(x, line, len);
	if (len <= 2 && is_blank(line[0]))
		end_head(x);
	return len;
}

static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
	struct tape_http_xfer *x = arg;
	size_t len = size * n;

	if (x->done || len == 0)
		return len;
	(void)tape_http_wire_time_ns(x);
	tape_http_tell_body(x, data, len);
	return len;
}

/* libcurl says it in words only: "SSL connection using TLSv1.3 / CIPHER / ...",
   for each new connection. */
static void
note_tls(struct tape_http_xfer *x, struct tape_str text)
{
	static const char intro[] = "SSL connection using ";
	const size_t skip = sizeof(intro) - 1;
	const char *p = text.p + skip;
	size_t n = 0;
	int slashes = 0;

	if (text.len <= skip || memcmp(text.p, intro, skip) != 0)
		return;
	text.len -= skip;
	while (n < text.len && n < sizeof(x->tls_text) - 1 && p[n] > 0x1f &&
	       p[n] < 0x7f) {
		if (p[n] == '/' && slashes++ == 1)
			break;
		n++;
	}
	while (n > 0 && p[n - 1] == ' ')
		n--;
	memcpy(x->tls_text, p, n);
	x->tls_text[n] = '\0';
}

/* Before ready it is the talk with a proxy. */
static int
on_debug(CURL *easy, curl_infotype type, char *data, size_t len, void *arg)
{
	struct tape_http_xfer *x = arg;

	(void)easy;
	if (type == CURLINFO_TEXT)
		note_tls(x, tape_str_make(data, len));
	if (type == CURLINFO_DATA_IN && x->ready && !x->done)
		received(x, data, len);
	if (type == CURLINFO_HEADER_IN && x->ready && !x->done)
		received_line(x, len);
	if ((type != CURLINFO_DATA_OUT && type != CURLINFO_HEADER_OUT) ||
	    !x->ready || x->done)
		return 0;
	x->result.sent_ns = tape_clock_now_ns(x->h->clock);
	if (type == CURLINFO_DATA_OUT)
		x->result.body_up_bytes += len;
	if (!x->told_sent && x->result.body_up_bytes >= x->body_bytes)
		tape_http_tell_sent(x);
	return 0;
}

/* Called when a connection is there and the request would go out on it; again
   when libcurl, on its own, wants to send it once more. */
static int
on_ready(void *arg, char *remote, char *local, int remote_port, int local_port)
{
	struct tape_http_xfer *x = arg;
	size_t len = strlen(remote);
	long connects = 1;

	(void)local;
	if (x->ready && !x->moved)
		tape_http_xfer_lost(x);
	x->moved = false;
	x->result.body_up_bytes = 0;
	if (x->done)
		return CURL_PREREQFUNC_ABORT;
	(void)curl_easy_getinfo(x->easy, CURLINFO_NUM_CONNECTS, &connects);
	tape_http_tell_ready(x, connects == 0);
	if (len < sizeof(x->remote))
		memcpy(x->remote, remote, len + 1);
	x->result.remote_port = remote_port;
	x->result.local_port = local_port;
	return CURL_PREREQFUNC_OK;
}

int
tape_http_wire_setup(struct tape_http_xfer *x)
{
	CURL *e = x->easy;
	CURLcode c;

	c = curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_HEADERDATA, x);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_WRITEDATA, x);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_DEBUGFUNCTION, on_debug);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_DEBUGDATA, x);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_ready);
	if (c == CURLE_OK)
		c = curl_easy_setopt(e, CURLOPT_PREREQDATA, x);
	return (int)c;
}
