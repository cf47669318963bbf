/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http over TLS, against openssl's own server with a certificate made on
   the spot. */
#include "unit/http_client.h"
#include "unit/http_openssl.h"
#include "unit/tap.h"

static struct got *
get(const struct tape_http_opts *opts, int port, const char *host)
{
	struct tape_http *h = client(opts);
	char url[128];
	struct tape_http_request req = { .url = url };
	struct got *g;

	(void)snprintf(url, sizeof(url), "https://%s:%d/", host, port);
	g = begin(h, &req, 0, "");
	drain(h);
	tape_http_free(h);
	return g;
}

static void
test_server(int port)
{
	struct tape_http_opts opts = { .cacert = tls_cert };
	struct got *g = get(&opts, port, "127.0.0.1");

	is_str(verdict(g), "none/", "a certificate that is trusted");
	ok(g->r.status == 200 && g->body_len > 100, "with its page");
	ok(g->r.tls_ns > 0 && g->r.connect_ns >= 0, "the handshake has a time");
	ok(g->r.conn_ns - g->r.start_ns >= g->r.tls_ns, "within the set-up");
	ok(strncmp(g->tls, "TLSv1.", 6) == 0 && strstr(g->tls, " / ") != NULL &&
		strchr(strchr(g->tls, '/') + 1, '/') == NULL,
	    "version and cipher are known: %s", g->tls);
	free(g);

	g = get(NULL, port, "127.0.0.1");
	is_str(verdict(g), "tls/certificate", "one that is not");
	ok(g->r.conn_ns == -1 && g->sents == 0, "gets no request");
	printf("# %s\n", g->message);
	free(g);

	g = get(&opts, port, "localhost");
	is_str(verdict(g), "tls/certificate", "one of another name");
	free(g);

	opts = (struct tape_http_opts){ .insecure = true };
	g = get(&opts, port, "localhost");
	is_str(verdict(g), "none/", "any, when told so");
	free(g);
}

static void
test_no_tls(void)
{
	struct peer peer;
	struct got *g;

	peer_start(&peer);
	g = get(NULL, peer.port, "127.0.0.1");
	ok(g->finishes == 1 && g->r.class == TAPE_HTTP_TLS &&
		strcmp(g->cause, "handshake") == 0,
	    "a server without TLS: %s", verdict(g));
	free(g);
	peer_stop(&peer);
}

int
main(void)
{
	int port;

	(void)signal(SIGPIPE, SIG_IGN);
	test_no_tls();
	port = tls_start("-www", STDIN_FILENO);
	if (port > 0)
		test_server(port);
	else
		ok(true, "# SKIP no openssl command");
	tls_stop();
	return done_testing();
}
