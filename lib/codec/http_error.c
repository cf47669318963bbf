/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codec/http_loop.h"

#include "base/buf.h"
#include "base/num.h"
#include "base/span.h"
#include "base/url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#define TOO_LARGE "The head of the response is too large"

struct verdict {
	enum tape_http_class class;
	const char *cause;
};

static const struct {
	CURLcode code;
	struct verdict verdict;
} fixed[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, { TAPE_HTTP_DNS, "unresolved" } },
	{ CURLE_COULDNT_RESOLVE_PROXY, { TAPE_HTTP_DNS, "unresolved" } },
	{ CURLE_INTERFACE_FAILED, { TAPE_HTTP_CONNECT, "no-address" } },
	{ CURLE_PROXY, { TAPE_HTTP_CONNECT, "proxy" } },
	{ CURLE_PEER_FAILED_VERIFICATION, { TAPE_HTTP_TLS, "certificate" } },
	{ CURLE_SSL_ISSUER_ERROR, { TAPE_HTTP_TLS, "certificate" } },
	{ CURLE_SSL_INVALIDCERTSTATUS, { TAPE_HTTP_TLS, "certificate" } },
	{ CURLE_SSL_CACERT_BADFILE, { TAPE_HTTP_TLS, "ca-file" } },
	{ CURLE_SSL_CERTPROBLEM, { TAPE_HTTP_TLS, "client-certificate" } },
	{ CURLE_TOO_MANY_REDIRECTS, { TAPE_HTTP_HTTP, "redirect" } },
	{ CURLE_SSL_CONNECT_ERROR, { TAPE_HTTP_TLS, "handshake" } },
	{ CURLE_SSL_CIPHER, { TAPE_HTTP_TLS, "handshake" } },
	{ CURLE_USE_SSL_FAILED, { TAPE_HTTP_TLS, "handshake" } },
	{ CURLE_SSL_ENGINE_INITFAILED, { TAPE_HTTP_TLS, "handshake" } },
	{ CURLE_OPERATION_TIMEDOUT, { TAPE_HTTP_TIMEOUT, "connect-timeout" } },
	{ CURLE_GOT_NOTHING, { TAPE_HTTP_RESET, "closed" } },
	{ CURLE_WEIRD_SERVER_REPLY, { TAPE_HTTP_TRUNCATED, "malformed" } },
	{ CURLE_UNSUPPORTED_PROTOCOL, { TAPE_HTTP_TRUNCATED, "malformed" } },
	{ CURLE_BAD_CONTENT_ENCODING, { TAPE_HTTP_TRUNCATED, "malformed" } },
	{ CURLE_FILESIZE_EXCEEDED, { TAPE_HTTP_TRUNCATED, "malformed" } },
	{ CURLE_HTTP2, { TAPE_HTTP_TRUNCATED, "malformed" } },
	{ CURLE_HTTP2_STREAM, { TAPE_HTTP_TRUNCATED, "malformed" } },
};

static int
system_error(const struct tape_http_xfer *x)
{
	long sys = 0;

	(void)curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &sys);
	return (int)sys;
}

static struct verdict
judge_errno(int why)
{
	switch (why) {
	case ENOMEM:
	case ENOBUFS:
		return (struct verdict){ TAPE_HTTP_CLIENT, "memory" };
	case EMFILE:
	case ENFILE:
		return (struct verdict){ TAPE_HTTP_CLIENT, "descriptors" };
	case ECONNREFUSED:
	case ENOENT: /* a Unix socket that is not there, or is full */
	case EAGAIN:
		return (struct verdict){ TAPE_HTTP_CONNECT, "refused" };
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ENETDOWN:
	case ETIMEDOUT:
	case EACCES:
	case EPERM:
		return (struct verdict){ TAPE_HTTP_CONNECT, "unreachable" };
	case EADDRNOTAVAIL:
		return (struct verdict){ TAPE_HTTP_CONNECT, "no-address" };
	default:
		return (struct verdict){ TAPE_HTTP_CONNECT, "failed" };
	}
}

enum tape_http_class
tape_http_error_connect(int why, const char **cause)
{
	struct verdict v = judge_errno(why);

	*cause = v.cause;
	return v.class;
}

static struct verdict
judge_connect(const struct tape_http_xfer *x)
{
	return judge_errno(
	    x->open_errno != 0 ? x->open_errno : system_error(x));
}

static const char *
broken_cause(const struct tape_http_xfer *x)
{
	int sys = system_error(x);

	return sys == ECONNRESET || sys == EPIPE ? "rst" : "closed";
}

/* libcurl has one code for a socket error and for bad chunk framing. */
static struct verdict
judge_receive(const struct tape_http_xfer *x)
{
	if (strstr(x->message, "chunk") != NULL)
		return (struct verdict){ TAPE_HTTP_TRUNCATED, "malformed" };
	if (!x->ready)
		return (struct verdict){ TAPE_HTTP_CONNECT, "failed" };
	return (struct verdict){ TAPE_HTTP_RESET, broken_cause(x) };
}

/* libcurl calls so, too, what a socket reports while the answer comes: that it
   has an error, but not which. */
static struct verdict
judge_send(const struct tape_http_xfer *x)
{
	if (!x->told_sent)
		return (struct verdict){ TAPE_HTTP_SEND, broken_cause(x) };
	return (struct verdict){ TAPE_HTTP_RESET,
		strstr(x->message, "poll") != NULL ? "rst" : broken_cause(x) };
}

static struct verdict
judge_partial(const struct tape_http_xfer *x)
{
	curl_off_t length = -1;

	(void)curl_easy_getinfo(
	    x->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	return (struct verdict){ TAPE_HTTP_TRUNCATED,
		length >= 0 ? "content-length" : "chunked" };
}

/* libcurl calls it out of memory when a line of a head outgrows its buffer. */
static struct verdict
judge_memory(const struct tape_http_xfer *x)
{
	if (x->told_sent && x->result.body_down_bytes == 0)
		return (struct verdict){ TAPE_HTTP_TRUNCATED, "header-limit" };
	return (struct verdict){ TAPE_HTTP_CLIENT, "memory" };
}

static struct verdict
judge_code(const struct tape_http_xfer *x)
{
	const bool unsent = x->code == CURLE_SEND_ERROR && !x->told_sent;

	/* What broke the connection was told to us, not to libcurl. */
	if (x->lost_errno != 0 && !unsent)
		return (struct verdict){ TAPE_HTTP_RESET, "rst" };
	switch (x->code) {
	case CURLE_COULDNT_CONNECT:
		return judge_connect(x);
	case CURLE_SEND_ERROR:
		return judge_send(x);
	case CURLE_SEND_FAIL_REWIND:
		return (struct verdict){ TAPE_HTTP_SEND, broken_cause(x) };
	case CURLE_RECV_ERROR:
		return judge_receive(x);
	case CURLE_PARTIAL_FILE:
		return judge_partial(x);
	case CURLE_OUT_OF_MEMORY:
		return judge_memory(x);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if ((int)fixed[i].code == x->code)
			return fixed[i].verdict;
	return (struct verdict){ TAPE_HTTP_CLIENT, "internal" };
}

/* Every word of s that has a URL in it, redacted. */
static enum tape_status
redact(const char *s, struct tape_buf *out)
{
	while (*s != '\0') {
		size_t len = strcspn(s, " \t'\"<>()");
		struct tape_str word = tape_str_make(s, len);

		if (memmem(s, len, "://", 3) != NULL)
			(void)tape_url_redact_span(word, out);
		else
			(void)tape_buf_add(out, s, len);
		s += len;
		if (*s != '\0')
			(void)tape_buf_add_char(out, *s++);
	}
	return out->status;
}

/* libcurl's sentence, or its text for the code. */
static void
say_code(struct tape_http_xfer *x)
{
	const char *text = curl_easy_strerror((CURLcode)x->code);
	struct tape_buf b;

	tape_buf_init(&b, sizeof(x->message));
	if (x->message[0] != '\0' && redact(x->message, &b) == TAPE_OK)
		text = b.data;
	(void)snprintf(x->message, sizeof(x->message), "%s", text);
	tape_buf_release(&b);
	for (char *p = x->message; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

static void
say_limit(struct tape_http_xfer *x, const char *what, int64_t limit_ns)
{
	char text[TAPE_NUM_TEXT];

	(void)snprintf(x->message, sizeof(x->message), "%s within %s", what,
	    tape_num_print_duration((double)limit_ns, text));
}

static void
say_timeout(struct tape_http_xfer *x)
{
	const char *cause = x->result.cause;

	if (strcmp(cause, "connect-timeout") == 0)
		say_limit(x, "No connection", x->limits.connect_ns);
	else if (strcmp(cause, "send") == 0)
		say_limit(x, "The request could not be sent",
		    x->limits.first_byte_ns);
	else if (strcmp(cause, "first-byte") == 0)
		say_limit(x, "No byte of a body", x->limits.first_byte_ns);
	else if (strcmp(cause, "idle") == 0)
		say_limit(x, "No further byte", x->limits.idle_ns);
	else
		say_limit(x, "Not complete", x->limits.total_ns);
}

/* What ended here has sentences of our own. */
static void
say_broken(struct tape_http_xfer *x)
{
	const char *text = "Cancelled";

	if (x->own.on && x->message[0] != '\0')
		return;
	if (x->result.class == TAPE_HTTP_HTTP) {
		(void)snprintf(x->message, sizeof(x->message),
		    "A redirect to %.150s, another server, is not followed",
		    x->place != NULL ? x->place : "nowhere");
		return;
	}
	if (x->result.class == TAPE_HTTP_TIMEOUT) {
		say_timeout(x);
		return;
	}
	if (x->result.class == TAPE_HTTP_RESET &&
	    strcmp(x->result.cause, "closed") == 0)
		text = "The kept connection was closed unanswered";
	else if (x->result.class == TAPE_HTTP_RESET)
		text = "The kept connection was closed as the request went "
		       "out; it was not sent again";
	else if (x->result.class == TAPE_HTTP_TRUNCATED)
		text = TOO_LARGE;
	(void)snprintf(x->message, sizeof(x->message), "%s", text);
}

void
tape_http_error_fill(struct tape_http_xfer *x)
{
	struct tape_http_result *r = &x->result;
	struct verdict v = { TAPE_HTTP_NONE, NULL };

	if (x->broke) {
		say_broken(x);
		return;
	}
	if (x->code != CURLE_OK) {
		v = judge_code(x);
		if (strcmp(v.cause, "header-limit") == 0)
			(void)snprintf(
			    x->message, sizeof(x->message), "%s", TOO_LARGE);
		else
			say_code(x);
	} else if (r->status == 0) {
		v = (struct verdict){ TAPE_HTTP_TRUNCATED, "malformed" };
		(void)snprintf(x->message, sizeof(x->message),
		    "The response has no status");
	} else if (r->status / 100 == 3 && x->place != NULL) {
		v = (struct verdict){ TAPE_HTTP_HTTP, "redirect" };
		(void)snprintf(x->message, sizeof(x->message),
		    "The server answered %d, a redirect to %.150s "
		    "(--location follows)",
		    r->status, x->place);
	} else if (r->status < 200 || r->status > 299) {
		v = (struct verdict){ TAPE_HTTP_HTTP, "status" };
		(void)snprintf(x->message, sizeof(x->message),
		    "The server answered %d", r->status);
	} else {
		x->message[0] = '\0';
	}
	r->class = v.class;
	r->cause = v.cause;
}
