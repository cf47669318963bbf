/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/opt_http.h"

#include "cli/apikey.h"

/* As enum tape_http_conn_mode. */
static const char *const connections[] = { "pooled", "never", "session", NULL };
static const char *const clocks[] = { "kernel", "user", NULL };

/* clang-format off */
#define AT(f) .at = offsetof(struct tape_opt_http, f)
#define OPT(n, a, t, f, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_##t, AT(f), .help = h }
#define FLAG(n, f, h) OPT(n, NULL, FLAG, f, h)
#define ENUM(n, a, f, v, h) \
	{ .name = n, .arg = a, .type = TAPE_OPT_ENUM, AT(f), .names = v, \
	    .help = h }
/* clang-format on */

static const struct tape_opt table[] = {
	TAPE_OPT_RARE("Connections"),
	ENUM("connections", "NAME", connections, connections,
	    "kept: pooled (default), never, session"),
	FLAG("http2", http2, "HTTP/2: by agreement over TLS, else at once"),
	OPT("unix-socket", "PATH", STRING, unix_socket,
	    "connect there, not to the URL's host"),
	{ .name = "proxy",
	    .arg = "URL",
	    .type = TAPE_OPT_STRING,
	    AT(proxy),
	    .secrecy = TAPE_OPT_URL,
	    .help = "proxy to use" },
	OPT("no-proxy", "HOSTS", STRING, no_proxy, "hosts without it: a,.b.c"),
	OPT("source-address", "ADDR", LIST, sources,
	    "local address, one of several in turn"),
	FLAG("location", location, "follow redirects, to the same server"),
	FLAG("libcurl", libcurl, "also for plain HTTP"),
	ENUM(
	    "clock", "NAME", clock, clocks, "of reads: kernel (default), user"),
	TAPE_OPT_RARE("Certificates"),
	OPT("cacert", "FILE", PATH, cacert, "trusted certificates, PEM"),
	OPT("capath", "DIR", PATH, capath, "the same, hashed, in a folder"),
	OPT("cert", "FILE", PATH, cert, "certificate of this client, PEM"),
	OPT("key", "FILE", PATH, key, "its key, if it is not in it"),
	OPT("key-pass-env", "NAME", STRING, pass_env,
	    "variable with the key's passphrase"),
	OPT("key-pass-file", "FILE", PATH, pass_file,
	    "file with the key's passphrase"),
	FLAG("insecure", insecure, "accept any certificate of a server"),
	TAPE_OPT_RARE("Headers"),
	OPT("header-file", "FILE", PATH, header_file, "header lines of a file"),
	OPT("api-key-file", "FILE", PATH, key_file,
	    "file with the key to send"),
	OPT("accept-encoding", "LIST", STRING, encoding,
	    "ask for compression (identity)"),
	OPT("session-header", "NAME", STRING, session_header,
	    "send the session's id in it"),
	OPT("request-id-header", "NAME", STRING, id_header,
	    "send an id of the request in it"),
};

static const struct tape_opt_rule rules[] = {
	{ TAPE_OPT_REQUIRES, "key cert" },
	{ TAPE_OPT_REQUIRES, "key-pass-env cert" },
	{ TAPE_OPT_REQUIRES, "key-pass-file cert" },
	{ TAPE_OPT_EXCLUDES, "key-pass-env key-pass-file" },
	{ TAPE_OPT_EXCLUDES, "insecure cacert" },
	{ TAPE_OPT_EXCLUDES, "insecure capath" },
	{ TAPE_OPT_REQUIRES, "no-proxy proxy" },
	{ TAPE_OPT_EXCLUDES, "unix-socket proxy source-address" },
};

const struct tape_opt_part tape_opt_http_part = { table,
	sizeof(table) / sizeof(table[0]), rules,
	sizeof(rules) / sizeof(rules[0]) };

enum tape_status
tape_opt_http_apply(
    struct tape_opt_http *o, struct tape_http_opts *http, struct tape_err *err)
{
	enum tape_status st =
	    tape_apikey_read(o->pass_env, o->pass_file, &o->pass, err);

	http->cacert = o->cacert;
	http->capath = o->capath;
	http->cert = o->cert;
	http->key = o->key;
	http->key_pass = o->pass;
	http->insecure = o->insecure;
	http->proxy = o->proxy;
	http->no_proxy = o->no_proxy;
	http->unix_socket = o->unix_socket;
	http->http2 = o->http2;
	http->follow = o->location;
	http->libcurl_only = o->libcurl;
	http->user_clock = o->clock == TAPE_OPT_HTTP_USER;
	http->sources = o->sources.items;
	http->sources_n = o->sources.count;
	return st;
}

void
tape_opt_http_release(struct tape_opt_http *o)
{
	tape_apikey_free(o->pass);
	o->pass = NULL;
}
