/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: connections of its own, how they are kept, chosen and lost. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#define MS TAPE_NS_PER_MS

static struct peer peer;

static void
test_leftovers(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/extra");

	is_str(verdict(g), "none/", "bytes behind an answer");
	is_str(g->body, "hello", "are not of it");
	free(g);
	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "nor of the next");
	ok(!g->r.reused, "which has another connection");
	free(g);
	tape_http_free(h);
}

static void
test_pieces(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/pieces");

	is_str(verdict(g), "none/", "an answer byte by byte");
	is_str(g->body, "hello!", "its body");
	is_str(g->fields,
	    "Content-Type=text/event-stream;X-Test=a b;"
	    "Transfer-Encoding=chunked;T=v;",
	    "its fields");
	free(g);
	tape_http_free(h);
}

/* It is closed while nobody uses it. */
static void
test_left(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/leave");

	is_str(verdict(g), "none/", "a server that closes behind its answer");
	free(g);
	pass(h, 100);
	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "seen at once");
	ok(!g->r.reused, "so the next request has a new connection");
	free(g);

	g = fetch(h, peer.port, "/leave");
	free(g);
	peer_sleep_ms(100);
	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "or when the next request goes out");
	ok(!g->r.reused, "on a new connection");
	free(g);
	tape_http_free(h);
}

static void
test_early(void)
{
	struct tape_http *h = client(NULL);
	size_t len = (size_t)16 << 20;
	char *body = calloc(1, len);
	struct tape_http_request req = { .body = body, .body_bytes = len };
	struct got *g = begin(h, &req, peer.port, "/early");

	drain(h);
	is_str(
	    verdict(g), "http/status", "an answer before the request is out");
	is_int(g->r.status, 413, "is heeded");
	ok(g->r.body_up_bytes < len, "and the rest is not sent");
	free(g);
	g = fetch(h, peer.port, "/fixed");
	ok(!g->r.reused, "nor the connection used again");
	free(g);
	free(body);
	tape_http_free(h);
}

/* A long body goes out over many passes, between which others have theirs. */
static void
test_long_body(void)
{
	struct tape_http *h = client(NULL);
	size_t len = (size_t)8 << 20;
	char *body = calloc(1, len);
	struct tape_http_request req = { .body = body, .body_bytes = len };
	struct got *g = begin(h, &req, peer.port, "/echo");
	int passes = 0;

	while (g->sents == 0 && g->finishes == 0 && passes < 100000) {
		(void)!tape_http_poll(h, now() + TAPE_NS_PER_S, &err);
		passes++;
	}
	ok(passes >= 128, "8 MiB took %d passes", passes);
	drain(h);
	is_str(verdict(g), "none/", "and were answered");
	is_int(g->r.body_up_bytes, (int64_t)len, "all of them");
	free(g);
	free(body);
	tape_http_free(h);
}

static struct got *
of_session(struct tape_http *h, uint64_t session, const char *path)
{
	struct tape_http_request req = { .conn = TAPE_HTTP_SESSION,
		.session = session };
	struct got *g = begin(h, &req, peer.port, path);

	drain(h);
	return g;
}

static void
test_sessions(void)
{
	struct tape_http *h = client(NULL);
	int ports[2];
	struct got *g;

	for (int i = 0; i < 2; i++) {
		/* The same place in a table, but another session. */
		g = of_session(h, 7 + (uint64_t)i * 1024, "/fixed");
		ok(!g->r.reused, "session %d: its own connection", i);
		ports[i] = g->r.local_port;
		free(g);
	}
	for (int i = 0; i < 4; i++) {
		g = of_session(h, 7 + (uint64_t)(i % 2) * 1024, "/fixed");
		ok(g->r.reused && g->r.local_port == ports[i % 2],
		    "session %d: again", i % 2);
		free(g);
	}
	g = fetch(h, peer.port, "/fixed");
	ok(!g->r.reused, "nobody else gets it");
	free(g);

	tape_http_free(h);
}

static void
test_session_usage(void)
{
	struct tape_http_opts opts = { .libcurl_only = true };
	struct tape_http *h = client(&opts);
	struct tape_http_request req = { .url = "http://127.0.0.1:1/",
		.conn = TAPE_HTTP_SESSION };

	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
	    "no session over libcurl");
	tape_err_clear(&err);
	tape_http_free(h);
	h = client(NULL);
	req.url = "https://127.0.0.1:1/";
	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
	    "nor with TLS");
	tape_err_clear(&err);
	req.url = "http://[::1%25lo]:1/";
	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
	    "nor with an address that has a zone, which is libcurl's");
	tape_err_clear(&err);
	is_int(tape_http_running(h), 0, "nothing runs");
	tape_http_free(h);
}

/* More idle connections than are kept: the oldest go. */
static void
test_bound(void)
{
	struct tape_http_opts opts = { .max_connections = 1 };
	struct tape_http *h = client(&opts);
	struct got *g;
	int open;

	for (uint64_t i = 0; i < 100; i++)
		free(of_session(h, i, "/fixed"));
	for (int i = 0; i < 200 && peer.open > 65; i++)
		peer_sleep_ms(10);
	open = peer.open;
	is_int(open, 65, "100 idle sessions, of which so many are kept");
	g = of_session(h, 99, "/fixed");
	ok(g->r.reused, "the youngest");
	free(g);
	g = of_session(h, 0, "/fixed");
	ok(!g->r.reused, "not the oldest");
	free(g);
	tape_http_free(h);
}

/* A head that is too long is not called out of memory. */
static void
test_long_head(void)
{
	struct tape_http *h = client(NULL);
	size_t len = (size_t)2 << 20;
	char *line = malloc(len);
	const char *const lines[] = { line };
	struct tape_http_request req = {
		.url = "http://127.0.0.1:1/", .headers = lines, .headers_n = 1
	};

	(void)snprintf(line, len, "X-Long:%*d", (int)len - 8, 1);
	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_LIMIT,
	    "a head of 2 MiB");
	printf("# %s\n", err.text);
	tape_err_clear(&err);
	free(line);
	tape_http_free(h);
}

/* The server names the client's address in nothing, so the kernel is asked. */
static void
test_sources(void)
{
	static const char *const two[] = { "127.0.0.2", "127.0.0.3" };
	static const char *const mixed[] = { "127.0.0.2", "::1" };
	static const char *const none[] = { "localhost" };
	struct tape_http_opts opts = { .sources = two, .sources_n = 2 };
	struct tape_http_request req = { .conn = TAPE_HTTP_FRESH };
	int port, fd = peer_bind(&port), seen[4] = { 0 };
	struct tape_http *h = client(&opts);

	(void)listen(fd, 8);
	for (int i = 0; i < 4; i++) {
		struct sockaddr_in a = { .sin_family = AF_UNSPEC };
		socklen_t len = sizeof(a);
		struct got *g = begin(h, &req, port, "/");
		int conn;

		pass(h, 20);
		conn = accept(fd, (struct sockaddr *)&a, &len);
		seen[ntohl(a.sin_addr.s_addr) & 3]++;
		(void)close(conn);
		drain(h);
		free(g);
	}
	ok(seen[2] == 2 && seen[3] == 2, "two addresses in turn");
	(void)close(fd);
	tape_http_free(h);

	opts.sources = mixed;
	opts.libcurl_only = over_libcurl;
	is_int(tape_http_open(&h, &opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "of two families");
	tape_err_clear(&err);
	opts = (struct tape_http_opts){ .sources = none, .sources_n = 1 };
	is_int(tape_http_open(&h, &opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "a name");
	ok(strstr(err.text, "localhost") != NULL, "is refused: %s", err.text);
	tape_err_clear(&err);
}

static void
test_no_source(void)
{
	static const char *const foreign[] = { "192.0.2.1" };
	struct tape_http_opts opts = { .sources = foreign, .sources_n = 1 };
	struct tape_http *h = client(&opts);
	struct got *g = fetch(h, peer.port, "/fixed");

	is_str(verdict(g), "connect/no-address",
	    "an address that this host has not");
	free(g);
	tape_http_free(h);
}

/* libcurl resolves a name once; when the address fails, again. */
static void
test_name(void)
{
	struct tape_http *h = client(NULL);
	char url[64];
	struct tape_http_request req = { .url = url };
	int port, fd;
	struct got *g;

	(void)snprintf(
	    url, sizeof(url), "http://localhost:%d/fixed", peer.port);
	for (int i = 0; i < 3; i++) {
		req.conn = i == 2 ? TAPE_HTTP_POOLED : TAPE_HTTP_FRESH;
		g = begin(h, &req, 0, "");
		drain(h);
		is_str(verdict(g), "none/", "a name, request %d", i);
		ok(!g->r.reused && g->r.dns_ns >= 0 && g->r.connect_ns >= 0 &&
			g->r.local_port > 0,
		    "and its steps");
		is_str(g->remote, "127.0.0.1", "and address");
		free(g);
	}
	g = begin(h, &req, 0, "");
	drain(h);
	ok(g->r.reused, "and its kept connection");
	free(g);

	fd = peer_bind(&port);
	(void)close(fd);
	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	for (int i = 0; i < 2; i++) {
		g = begin(h, &req, 0, "");
		drain(h);
		is_str(verdict(g), "connect/refused", "nobody there: %d", i);
		free(g);
	}
	tape_http_free(h);
}

/* What finish starts may be cancelled there, too. */
static struct tape_http *again_h;
static int again_left, again_cancelled, again_done;

static void
again(void *arg, void *user, const struct tape_http_result *r)
{
	char url[64];
	struct tape_http_request req = { .url = url };
	struct tape_http_xfer *x;

	(void)arg;
	(void)user;
	again_done++;
	again_cancelled += r->class == TAPE_HTTP_CANCELLED;
	(void)snprintf(
	    url, sizeof(url), "http://127.0.0.1:%d/fixed", peer.port);
	if (again_left-- <= 0 ||
	    tape_http_start(again_h, &req, &x, NULL, &err) != TAPE_OK)
		return;
	if (again_left % 2 == 0)
		tape_http_cancel(again_h, x);
}

static void
test_again(void)
{
	static const struct tape_http_calls once_more = { .finish = again };
	struct tape_http_request req = { .url = NULL };

	again_left = 20;
	again_done = again_cancelled = 0;
	again_h = client_of(NULL, &once_more);
	free(begin(again_h, &req, peer.port, "/fixed"));
	drain(again_h);
	is_int(again_done, 21, "started and cancelled in finish");
	is_int(again_cancelled, 10, "half of them");
	tape_http_free(again_h);
}

/* A line that says so, or is there without a value. */
static void
test_lines(void)
{
	static const char *const lines[] = { "Connection: x , Close",
		"Accept:", "Host: other", "X-Empty: " };
	struct tape_http_opts opts = { .user_agent = "tester/1" };
	struct tape_http *h = client(&opts);
	struct tape_http_request req = { .headers = lines, .headers_n = 4 };
	struct got *g = begin(h, &req, peer.port, "/fixed?a=b%20c#part");

	drain(h);
	ok(strncmp(peer.head, "GET /fixed?a=b%20c HTTP/1.1\r\n", 29) == 0,
	    "no fragment");
	ok(strstr(peer.head, "\r\nHost: other\r\n") != NULL &&
		strstr(peer.head, "127.0.0.1") == NULL,
	    "another host");
	ok(strstr(peer.head, "Accept:") == NULL &&
		strstr(peer.head, "X-Empty") == NULL,
	    "nothing without a value");
	ok(strstr(peer.head, "\r\nConnection: x , Close\r\n") != NULL,
	    "closing, as one of two words");
	free(g);
	if (!over_libcurl) {
		g = begin(h, &req, peer.port, "/fixed");
		drain(h);
		ok(!g->r.reused, "is heeded");
		free(g);
	}
	tape_http_free(h);
}

static void
test_both(void)
{
	test_leftovers();
	test_pieces();
	test_left();
	test_early();
	test_long_body();
	test_sources();
	test_no_source();
	test_name();
	test_again();
	test_lines();
}

int
main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	peer_start(&peer);
	over_both(test_both);
	over_libcurl = false;
	test_sessions();
	test_session_usage();
	test_long_head();
	test_bound();
	peer_stop(&peer);
	return done_testing();
}
