/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * opt_http: the options for the way to a server: certificates, proxies, sockets,
 * protocol, connections, and header lines that come with them.  A part for the
 * table of a tool that is a client.
 */
#ifndef TAPE_CLI_OPT_HTTP_H
#define TAPE_CLI_OPT_HTTP_H

#include "cli/opt.h"
#include "codec/http.h"

/* As given; NULL or false: not given. */
struct tape_opt_http {
	const char *cacert, *capath, *cert, *key;
	const char *pass_env, *pass_file; /* of the key */
	const char *proxy, *no_proxy, *unix_socket;
	bool insecure, http2, location, libcurl;
	enum { TAPE_OPT_HTTP_KERNEL, TAPE_OPT_HTTP_USER } clock;
	int connections; /* enum tape_http_conn_mode */
	struct tape_opt_list sources;
	const char *header_file, *key_file;
	const char *encoding, *session_header, *id_header;
	char *pass; /* once it is read; wiped by release */
};

extern const struct tape_opt_part tape_opt_http_part;

/*
 * Sets in http what the options say; it points into o.  The passphrase is read
 * here.  TAPE_E_USAGE, TAPE_E_IO, TAPE_E_FORMAT (a passphrase that is none).
 */
enum tape_status tape_opt_http_apply(struct tape_opt_http *o,
    struct tape_http_opts *http, struct tape_err *err) TAPE_NODISCARD;

void tape_opt_http_release(struct tape_opt_http *o);

#endif
