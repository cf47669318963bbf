/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loop is told when it is opened: checked, and copied. */
#include "codec/http_loop.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <curl/curl.h>

#define CLEAR2_VERSION 0x080000 /* of libcurl */

#define MAX_CONNECTIONS 256
#define ROOM_BYTES      (4 * TAPE_HTTP_BUFFER_BYTES)

static const struct tape_http_timeouts default_limits = {
	.connect_ns = 10 * TAPE_NS_PER_S,
	.first_byte_ns = 600 * TAPE_NS_PER_S,
	.idle_ns = 120 * TAPE_NS_PER_S,
	.total_ns = 3600 * TAPE_NS_PER_S,
};

static enum tape_status
check_proxy(const char *proxy, struct tape_err *err)
{
	CURLU *u;
	CURLUcode code;

	if (proxy[0] == '\0')
		return TAPE_OK;
	u = curl_url();
	if (u == NULL)
		return tape_err_nomem(err);
	code = curl_url_set(u, CURLUPART_URL, proxy,
	    CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME);
	curl_url_cleanup(u);
	if (code == CURLUE_OUT_OF_MEMORY)
		return tape_err_nomem(err);
	if (code != CURLUE_OK)
		return tape_err_set(err, TAPE_E_USAGE, "bad URL of a proxy");
	return TAPE_OK;
}

/* The family of a numeric address; AF_UNSPEC when it is none. */
static int
family_of(const char *text)
{
	struct in6_addr a;

	if (strlen(text) < TAPE_HTTP_ADDR_TEXT) {
		if (inet_pton(AF_INET, text, &a) == 1)
			return AF_INET;
		if (inet_pton(AF_INET6, text, &a) == 1)
			return AF_INET6;
	}
	return AF_UNSPEC;
}

static enum tape_status
copy_sources(struct tape_http *h, const struct tape_http_opts *opts,
    struct tape_err *err)
{
	int family = AF_UNSPEC;

	if (opts->sources_n == 0)
		return TAPE_OK;
	h->sources = tape_mem_calloc(opts->sources_n, sizeof(*h->sources));
	if (h->sources == NULL)
		return tape_err_nomem(err);
	for (size_t i = 0; i < opts->sources_n; i++) {
		int is = family_of(opts->sources[i]);

		if (is == AF_UNSPEC || (i > 0 && is != family))
			return tape_err_set(err, TAPE_E_USAGE,
			    is == AF_UNSPEC
				? "source '%s' is not a numeric address"
				: "source '%s' is of another family",
			    opts->sources[i]);
		family = is;
		h->sources[i] = tape_mem_strdup(opts->sources[i]);
		if (h->sources[i] == NULL)
			return tape_err_nomem(err);
		h->sources_n++;
	}
	return TAPE_OK;
}

/* One text after the other; NULL stays NULL. */
static bool
copy_texts(struct tape_http *h, const struct tape_http_opts *o)
{
	const struct {
		char **to;
		const char *from;
	} texts[] = {
		{ &h->proxy, o->proxy != NULL ? o->proxy : "" },
		{ &h->no_proxy, o->no_proxy },
		{ &h->user_agent, o->user_agent },
		{ &h->cacert, o->cacert },
		{ &h->capath, o->capath },
		{ &h->cert, o->cert },
		{ &h->key, o->key },
		{ &h->key_pass, o->key_pass },
		{ &h->unix_socket, o->unix_socket },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		*texts[i].to = tape_mem_strdup(texts[i].from);
		if (*texts[i].to == NULL && texts[i].from != NULL)
			return false;
	}
	return true;
}

static enum tape_status
check_files(const struct tape_http *h, struct tape_err *err)
{
	const char *const files[] = { h->cacert, h->capath, h->cert, h->key };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] != NULL && access(files[i], R_OK) != 0)
			return tape_err_set(err, TAPE_E_USAGE,
			    "cannot read %s: %s", files[i], strerror(errno));
	return TAPE_OK;
}

static enum tape_status
check_socket(const struct tape_http *h, struct tape_err *err)
{
	const size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

	if (h->unix_socket == NULL)
		return TAPE_OK;
	if (h->proxy[0] != '\0')
		return tape_err_set(err, TAPE_E_USAGE,
		    "a Unix socket and a proxy exclude each other");
	if (h->unix_socket[0] == '\0' || strlen(h->unix_socket) > most)
		return tape_err_set(err, TAPE_E_USAGE,
		    "the path of a Unix socket has 1 to %zu bytes", most);
	return TAPE_OK;
}

static enum tape_status
check_http2(const struct tape_http *h, struct tape_err *err)
{
	const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

	if (!h->http2 || (v->features & CURL_VERSION_HTTP2) != 0)
		return TAPE_OK;
	return tape_err_set(err, TAPE_E_USAGE,
	    "libcurl %s was built without HTTP/2", v->version);
}

enum tape_status
tape_http_opts_clear2(const struct tape_http *h, struct tape_err *err)
{
	const curl_version_info_data *v = curl_version_info(CURLVERSION_NOW);

	if (v->version_num < CLEAR2_VERSION)
		return tape_err_set(err, TAPE_E_USAGE,
		    "HTTP/2 in the clear needs libcurl 8.0.0: with this one, "
		    "%s, only the first request on a connection works; use "
		    "https, or HTTP/1.1",
		    v->version);
	if (h->proxy[0] != '\0')
		return tape_err_set(err, TAPE_E_USAGE,
		    "HTTP/2 in the clear does not go through a proxy");
	return TAPE_OK;
}

static enum tape_status
check(struct tape_http *h, const struct tape_http_opts *opts,
    struct tape_err *err)
{
	enum tape_status st = check_files(h, err);

	if (st == TAPE_OK)
		st = check_socket(h, err);
	if (st == TAPE_OK)
		st = check_http2(h, err);
	if (st == TAPE_OK)
		st = check_proxy(h->proxy, err);
	return st == TAPE_OK ? copy_sources(h, opts, err) : st;
}

enum tape_status
tape_http_opts_copy(struct tape_http *h, const struct tape_http_opts *opts,
    struct tape_err *err)
{
	h->clock = opts->clock != NULL ? opts->clock : &tape_clock_system;
	h->timeouts = tape_http_limits(&opts->timeouts, &default_limits);
	h->keep = opts->max_connections != 0 ? opts->max_connections
					     : MAX_CONNECTIONS;
	if (h->keep > INT32_MAX - TAPE_HTTP_KEEP_MARGIN)
		h->keep = INT32_MAX - TAPE_HTTP_KEEP_MARGIN;
	h->buffer_bytes = opts->buffer_bytes != 0 ? opts->buffer_bytes
						  : TAPE_HTTP_BUFFER_BYTES;
	if (h->buffer_bytes < 1024 || h->buffer_bytes > 524288)
		return tape_err_set(err, TAPE_E_USAGE,
		    "receive buffer is not between 1 KiB and 512 KiB");
	h->insecure = opts->insecure;
	h->http2 = opts->http2;
	h->follow = opts->follow;
	h->user_clock = opts->user_clock;
	tape_http_clock_open(&h->times, h->clock);
	h->libcurl_only = opts->libcurl_only;
	h->room_bytes =
	    opts->buffer_bytes != 0 ? opts->buffer_bytes : ROOM_BYTES;
	h->room = tape_mem_calloc(
	    1, h->room_bytes > ROOM_BYTES ? h->room_bytes : ROOM_BYTES);
	if (h->room == NULL || !copy_texts(h, opts))
		return tape_err_nomem(err);
	return check(h, opts, err);
}

void
tape_http_opts_release(struct tape_http *h)
{
	char *const texts[] = { h->proxy, h->no_proxy, h->user_agent, h->cacert,
		h->capath, h->cert, h->key, h->unix_socket };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tape_mem_free(texts[i]);
	if (h->key_pass != NULL)
		explicit_bzero(h->key_pass, strlen(h->key_pass));
	tape_mem_free(h->key_pass);
	for (size_t i = 0; i < h->sources_n; i++)
		tape_mem_free(h->sources[i]);
	tape_mem_free(h->sources);
}
