/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: ways to a server besides the plain one, with their limits of time:
   Unix sockets, IPv6, redirects, proxies with exceptions, HTTP/2; and lines of
   a head that are one request's only. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#include <sys/un.h>

#define MS TAPE_NS_PER_MS

static struct peer peer;
static char dir[] = "/tmp/tape-http-ways-XXXXXX";
static char path[64];

static bool
head_has(const char *line)
{
	bool has;

	(void)pthread_mutex_lock(&peer.lock);
	has = strstr(peer.head, line) != NULL;
	(void)pthread_mutex_unlock(&peer.lock);
	return has;
}

static struct got *
get(const struct tape_http_opts *opts, const char *url)
{
	struct tape_http_request req = { .url = url };
	struct tape_http *h = client(opts);
	struct got *g = begin(h, &req, 0, "");

	drain(h);
	tape_http_free(h);
	return g;
}

static void
test_more(void)
{
	static const char *const all[] = { "X-All: 1" };
	static const char *const own[] = { "X-One: 1", "X-Two: 2" };
	static const char *const bad[] = { "X-One: a\nb" };
	struct tape_http_request req = { .headers = all,
		.headers_n = 1,
		.more = own,
		.more_n = 2,
		.body = "hello",
		.body_bytes = 5 };
	struct tape_http *h = client(NULL);
	struct got *g = begin(h, &req, peer.port, "/echo");

	drain(h);
	is_str(verdict(g), "none/", "lines of one request");
	ok(head_has("\r\nX-All: 1\r\n") && head_has("\r\nX-One: 1\r\n") &&
		head_has("\r\nX-Two: 2\r\n"),
	    "are sent with those of all");
	is_int((int64_t)peer.body_bytes, 5, "and the body");
	is_int((int64_t)g->r.body_up_bytes, 5, "which is counted");
	free(g);
	req.more_n = 1;
	g = begin(h, &req, peer.port, "/echo");
	drain(h);
	ok(head_has("X-One") && !head_has("X-Two"), "the next has its own");
	free(g);
	req.more_n = 0;
	g = begin(h, &req, peer.port, "/echo");
	drain(h);
	ok(head_has("X-All") && !head_has("X-One"), "and one without has none");
	ok(g->r.reused, "on the same connection");
	free(g);
	req.more = bad;
	req.more_n = 1;
	req.url = "127.0.0.1:1";
	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
	    "a broken line is refused");
	tape_err_clear(&err);
	tape_http_free(h);
}

static int
bind_unix(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		abort();
	return fd;
}

static void
test_unix(void)
{
	struct tape_http_opts opts = { .unix_socket = path };
	struct tape_http_request req = { .url = "http://model.test/slow" };
	struct peer there;
	struct tape_http *h;
	struct got *g;

	peer_start_on(&there, bind_unix(), 0);
	h = client(&opts);
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "none/", "a Unix socket");
	is_int((int64_t)g->body_len, 25, "has a server");
	is_int(g->lagged, 0, "but the kernel keeps no times of it");
	ok(strstr(there.head, "\r\nHost: model.test") != NULL,
	    "the URL's host is in the head");
	free(g);
	g = begin(h, &req, 0, "");
	drain(h);
	ok(g->r.reused, "its connection is kept");
	free(g);
	req.url = "http://model.test/never";
	req.timeouts.first_byte_ns = 50 * MS;
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "timeout/first-byte", "with a limit");
	free(g);
	req.url = "http://model.test/stall";
	req.timeouts = (struct tape_http_timeouts){ .idle_ns = 50 * MS };
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "timeout/idle", "or another");
	free(g);
	req.url = "http://model.test/drip";
	req.timeouts = (struct tape_http_timeouts){ .total_ns = 80 * MS };
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "timeout/total", "or the last");
	free(g);
	tape_http_free(h);
	peer_stop(&there);
	g = get(&opts, "http://model.test/fixed");
	is_str(verdict(g), "connect/refused", "one that nobody listens on");
	free(g);
	(void)unlink(path);
	g = get(&opts, "http://model.test/fixed");
	is_str(verdict(g), "connect/refused", "and one that is not there");
	printf("# %s\n", g->message);
	free(g);
}

/* A server that takes no connection: those that its queue has no room for. */
static void
test_unix_full(void)
{
	struct tape_http_opts opts = { .unix_socket = path,
		.timeouts.connect_ns = 300 * MS,
		.timeouts.first_byte_ns = 300 * MS };
	struct tape_http_request req = { .url = "http://model.test/fixed" };
	struct got *g[4];
	int fd = bind_unix(), refused = 0;
	struct tape_http *h = client(&opts);

	(void)listen(fd, 0);
	for (int i = 0; i < 4; i++)
		g[i] = begin(h, &req, 0, "");
	drain(h);
	for (int i = 0; i < 4; i++) {
		refused += strcmp(verdict(g[i]), "none/") != 0;
		free(g[i]);
	}
	is_int(refused, 4, "a queue that is full ends, in time");
	tape_http_free(h);
	(void)close(fd);
	(void)unlink(path);
}

static void
test_ipv6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct peer there;
	char url[64];
	struct got *g;
	int port, on = 1;

	(void)close(peer_bind(&port));
	a.sin6_port = htons((uint16_t)port);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0) {
		ok(true, "# SKIP no ::1");
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	peer_start_on(&there, fd, port);
	(void)snprintf(url, sizeof(url), "http://[::1]:%d/slow", port);
	g = get(NULL, url);
	is_str(verdict(g), "none/", "an address of IPv6");
	is_str(g->remote, "::1", "is the one that answers");
	ok(g->r.remote_port == port && g->r.local_port > 0, "with ports");
	ok(g->lagged > 0, "and kernel times");
	(void)snprintf(url, sizeof(url), "\r\nHost: [::1]:%d\r\n", port);
	ok(strstr(there.head, url) != NULL, "its brackets are in the head");
	free(g);
	peer_stop(&there);
}

static void
test_redirect(void)
{
	struct tape_http_opts follow = { .follow = true };
	char url[256], want[128];
	struct got *g;

	(void)snprintf(url, sizeof(url),
	    "http://127.0.0.1:%d/to//echo?key=s3cret", peer.port);
	(void)snprintf(want, sizeof(want),
	    "a redirect to http://127.0.0.1:%d/echo ", peer.port);
	g = get(NULL, url);
	is_str(verdict(g), "http/redirect", "a redirect is an error");
	is_int(g->r.status, 307, "with its status");
	is_str(g->body, "moved", "and its body");
	ok(strstr(g->message, want) != NULL && !strstr(g->message, "s3cret"),
	    "and names the place: %s", g->message);
	free(g);

	g = get(&follow, url);
	is_str(verdict(g), "none/", "it is followed when that is asked for");
	is_str(g->body, "hello", "to its end");
	ok(g->r.status == 200 && g->heads == 1, "of which alone is told");
	is_int(g->r.redirects, 1, "but the way is counted");
	free(g);

	(void)snprintf(url, sizeof(url),
	    "http://127.0.0.1:%d/to/http://localhost:%d/echo", peer.port,
	    peer.port);
	g = get(&follow, url);
	is_str(verdict(g), "http/redirect", "not to another server");
	is_int(g->r.status, 307, "which has a status, too");
	ok(strstr(g->message, "another server") != NULL, "%s", g->message);
	ok(!head_has("GET /echo"), "nothing was sent there");
	free(g);

	(void)snprintf(url, sizeof(url),
	    "http://127.0.0.1:%d/to//to//to//to//to//to//to//to//echo",
	    peer.port);
	g = get(&follow, url);
	is_str(verdict(g), "http/redirect", "nor for ever");
	free(g);
}

/* The body may have to go out again, so it is needed up to the answer. */
static void
test_redirect_body(void)
{
	struct tape_http_opts follow = { .follow = true };
	char body[] = "hello";
	struct tape_http_request req = { .body = body, .body_bytes = 5 };
	struct tape_http *h = client(&follow);
	struct got *g = begin(h, &req, peer.port, "/echo");
	unsigned sum;

	drain(h);
	sum = peer.body_sum;
	free(g);
	g = begin(h, &req, peer.port, "/to//echo");
	g->wipe = body;

	drain(h);
	is_str(verdict(g), "none/", "a body goes along");
	ok(head_has("POST /echo"), "with its method");
	is_int((int64_t)peer.body_bytes, 5, "whole");
	ok(peer.body_sum == sum && body[0] == '\0', "as it was");
	is_int(g->sents, 1, "and is given back once");
	free(g);
	req.body = NULL;
	for (int i = 0; i < 2; i++) {
		g = begin(h, &req, peer.port, "/echo");
		drain(h);
		ok(head_has("GET /echo"), "one without a body has none");
		free(g);
	}
	g = begin(h, &req, peer.port, "/status/304");
	drain(h);
	is_str(verdict(g), "http/status", "one that leads nowhere");
	ok(g->r.status == 304 && g->heads == 1, "has its status and head");
	free(g);
	tape_http_free(h);
}

static void
test_no_proxy(void)
{
	char proxy[64], url[64];
	struct tape_http_opts opts = { .proxy = proxy,
		.no_proxy = "other.test,127.0.0.1" };
	struct got *g;

	(void)snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", peer.port);
	(void)snprintf(
	    url, sizeof(url), "http://127.0.0.1:%d/fixed", peer.port);
	g = get(&opts, url);
	is_str(verdict(g), "none/", "a host without the proxy");
	ok(head_has("GET /fixed "), "gets a path only");
	free(g);
	opts.no_proxy = "other.test";
	g = get(&opts, url);
	ok(head_has("GET http://"), "the others go through it");
	free(g);
}

static void
refused(const struct tape_http_opts *opts, const char *what)
{
	struct tape_http *h;

	is_int(tape_http_open(&h, opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "%s is refused", what);
	printf("# %s\n", err.text);
	tape_err_clear(&err);
}

static void
test_refused(void)
{
	static char far[200];
	struct tape_http_opts opts = { .unix_socket = far };

	memset(far, 'a', sizeof(far) - 1);
	refused(&opts, "a path that is too long");
	opts.unix_socket = "";
	refused(&opts, "one that is none");
	opts = (struct tape_http_opts){ .unix_socket = path, .proxy = "a:1" };
	refused(&opts, "a socket behind a proxy");
	opts = (struct tape_http_opts){ .cert = "/nowhere/cert.pem" };
	refused(&opts, "a certificate that is not there");
	opts = (struct tape_http_opts){ .key = "/nowhere/key.pem" };
	refused(&opts, "as a key");
	opts = (struct tape_http_opts){ .capath = "/nowhere/certs" };
	refused(&opts, "as a folder of authorities");
}

/* Whether it can be had depends on the library, and is known before. */
static void
test_http2(void)
{
	struct tape_http_opts opts = { .http2 = true };
	char version[TAPE_HTTP_VERSION_TEXT];
	struct tape_http *h = client(&opts);
	bool old;

	old = strncmp(tape_http_version_text(version), "libcurl/7.", 10) == 0;
	is_int(tape_http_check(h, "https://host.test/", &err), TAPE_OK,
	    "HTTP/2 over TLS");
	is_int(tape_http_check(h, "http://host.test/", &err),
	    old ? TAPE_E_USAGE : TAPE_OK, "in the clear, with %s", version);
	ok(!old || strstr(err.text, "8.0.0: with this one, 7.") != NULL,
	    "which is named: %s", err.text);
	tape_err_clear(&err);
	tape_http_free(h);
}

static void
test_both(void)
{
	test_more();
	test_unix();
	test_unix_full();
	test_ipv6();
	test_redirect();
	test_redirect_body();
	test_no_proxy();
}

int
main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	if (mkdtemp(dir) == NULL)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/socket", dir);
	peer_start(&peer);
	over_both(test_both);
	over_libcurl = false;
	test_refused();
	test_http2();
	peer_stop(&peer);
	(void)rmdir(dir);
	return done_testing();
}
