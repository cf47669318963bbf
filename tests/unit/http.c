/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: answers that arrive whole, their times, and the loop itself. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

static struct peer peer;

static void
test_times(const struct got *g)
{
	const struct tape_http_result *r = &g->r;

	ok(r->start_ns == g->start_ns && r->start_ns <= r->conn_ns &&
		r->conn_ns <= r->sent_ns && r->sent_ns <= r->head_ns &&
		r->head_ns <= r->end_ns && r->end_ns <= now(),
	    "the times of a transfer are in their order");
	ok(g->head_t_ns == r->head_ns, "the head's time is the result's");
	ok(g->read_ns[0] >= r->head_ns && g->read_ns[0] <= r->end_ns,
	    "the read is between head and end");
	/* Unknown when it was there as soon as the request was out. */
	ok(r->head_lag_ns >= -1 && r->head_ns - r->head_lag_ns >= r->start_ns,
	    "the kernel had the head after the start");
}

static void
test_fixed(void)
{
	struct tape_http *h = client(NULL);
	int before = peer.connections;
	struct got *g = fetch(h, peer.port, "/fixed");

	is_str(verdict(g), "none/", "a plain answer");
	is_str(g->message, "", "no message");
	is_int(g->r.status, 200, "its status");
	is_int(g->head_status, 200, "and at the head");
	is_str(g->body, "hello", "its body");
	is_int(g->r.body_down_bytes, 5, "counted");
	is_int(g->reads, 1, "in one read");
	is_str(g->fields, "Content-Length=5;", "fields by name and value");
	is_int(g->sents, 1, "sent once");
	is_int(g->r.http_version, 11, "version");
	is_str(g->remote, "127.0.0.1", "remote address");
	is_int(g->r.remote_port, peer.port, "remote port");
	ok(g->r.local_port > 0 && g->r.local_port != peer.port, "local port");
	ok(!g->r.reused && g->r.connect_ns >= 0 && g->r.dns_ns >= 0 &&
		g->r.tls_ns == -1,
	    "a new connection and its durations");
	ok(g->r.dns_ns + g->r.connect_ns <=
		g->r.conn_ns - g->r.start_ns + TAPE_NS_PER_MS,
	    "which fit in before it was ready");
	test_times(g);
	free(g);

	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "once more");
	ok(g->r.reused && g->r.connect_ns == -1 && g->r.dns_ns == -1,
	    "on the kept connection");
	test_times(g);
	is_int(peer.connections - before, 1, "the server saw one connection");
	free(g);
	tape_http_free(h);
}

static void
test_reads(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/burst");
	bool rising = true;

	is_str(verdict(g), "none/", "chunks in one segment");
	is_int(g->callbacks, over_libcurl ? 20 : 1,
	    over_libcurl ? "are as many callbacks" : "are one callback");
	is_int(g->reads, 1, "and one read");
	is_int(g->body_len, 100, "all bytes");
	is_str(g->fields,
	    "Content-Type=text/event-stream;X-Test=a b;"
	    "Transfer-Encoding=chunked;",
	    "values are trimmed");
	is_int(g->r.end_ns, g->read_ns[0], "which is also the end");
	free(g);

	g = fetch(h, peer.port, "/slow");
	is_str(verdict(g), "none/", "slow chunks");
	is_int(g->reads, 5, "are as many reads");
	for (int i = 1; i < 5; i++)
		rising &= g->read_ns[i] - g->read_ns[i - 1] > 10000000;
	ok(rising, "each later than the one before");
	ok(g->r.end_ns - g->read_ns[4] > 10000000,
	    "the end is that of the last chunk, not of the last byte");
	free(g);
	tape_http_free(h);
}

static void
prompt(void *arg, void *user, const struct tape_http_read *read)
{
	on_read(arg, user, read);
	peer.go = true;
	peer_sleep_ms(50);
}

/* Bytes that come while the callback for those before them runs: libcurl
   receives them in the same readiness event. */
static void
test_late_bytes(void)
{
	struct tape_http_calls slow = calls;
	struct tape_http *h;
	struct got *g;

	slow.read = prompt;
	peer.go = false;
	h = client_of(NULL, &slow);
	g = fetch(h, peer.port, "/prompted");
	is_str(verdict(g), "none/", "bytes that come while others are read");
	is_int(g->reads, 2, "are a read of their own");
	ok(g->read_ns[1] - g->read_ns[0] >= 40 * TAPE_NS_PER_MS,
	    "with a time that is not from before they came");
	ok(g->r.end_ns >= g->read_ns[1], "and so is the end");
	free(g);
	tape_http_free(h);
}

static void
test_answers(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/until-close");

	is_str(verdict(g), "none/", "a body that ends with the connection");
	is_str(g->body, "hello", "is whole");
	is_int(g->r.http_version, 10, "of HTTP/1.0");
	free(g);

	g = fetch(h, peer.port, "/interim");
	is_str(verdict(g), "none/", "an interim answer");
	is_int(g->heads, 1, "is no head");
	is_str(g->fields, "X-Late=2;Content-Length=2;", "and has no fields");
	free(g);

	g = fetch(h, peer.port, "/trailer");
	is_str(verdict(g), "none/", "trailers");
	ok(strstr(g->fields, "X-Trailer=t;") != NULL, "are fields");
	free(g);

	g = fetch(h, peer.port, "/empty");
	is_str(verdict(g), "none/", "an empty body");
	ok(g->reads == 0 && g->heads == 1, "is no read");
	free(g);
	tape_http_free(h);
}

static void
test_statuses(void)
{
	static const int status[] = { 302, 401, 404, 429, 500, 503 };
	struct tape_http *h = client(NULL);

	for (size_t i = 0; i < 6; i++) {
		char path[32], text[64];
		struct got *g;

		(void)snprintf(path, sizeof(path), "/status/%d", status[i]);
		(void)snprintf(
		    text, sizeof(text), "The server answered %d", status[i]);
		g = fetch(h, peer.port, path);
		is_str(verdict(g), "http/status", "status %d", status[i]);
		is_int(g->r.status, status[i], "is told");
		is_str(g->message, text, "and said");
		is_str(g->body, "sorry", "with its body");
		ok(i == 0 || g->r.reused, "and keeps the connection");
		free(g);
	}
	tape_http_free(h);
}

static void
test_request(void)
{
	static const char *const headers[] = { "Authorization: Bearer s3cret",
		"Content-Type: application/json", "accept: text/event-stream" };
	struct tape_http_opts opts = { .user_agent = "tester/1" };
	struct tape_http *h = client(&opts);
	struct tape_http_request req = { .headers = headers,
		.headers_n = 3,
		.body = "{\"a\":1}",
		.body_bytes = 7 };
	struct got *g = begin(h, &req, peer.port, "/echo?q=1");

	drain(h);
	is_str(verdict(g), "none/", "a request with a body");
	is_int(g->r.body_up_bytes, 7, "counted");
	is_int(peer.body_bytes, 7, "and received");
	is_int(g->sents, 1, "sent");
	ok(strncmp(peer.head, "POST /echo?q=1 HTTP/1.1\r\n", 25) == 0, "POST");
	ok(strstr(peer.head, "\r\nAuthorization: Bearer s3cret\r\n") != NULL &&
		strstr(peer.head, "\r\naccept: text/event-stream\r\n") &&
		strstr(peer.head, "\r\nContent-Type: application/json\r\n"),
	    "the lines given");
	ok(strstr(peer.head, "\r\nAccept-Encoding: identity\r\n") != NULL,
	    "no compression");
	ok(strstr(peer.head, "\r\nUser-Agent: tester/1\r\n") != NULL, "agent");
	ok(strstr(peer.head, "xpect") == NULL, "no Expect");
	free(g);

	req = (struct tape_http_request){ .method = "DELETE" };
	g = begin(h, &req, peer.port, "/fixed");
	drain(h);
	ok(strncmp(peer.head, "DELETE /fixed ", 14) == 0, "another method");
	free(g);

	req = (struct tape_http_request){ .method = "HEAD" };
	g = begin(h, &req, peer.port, "/status/200");
	drain(h);
	ok(strncmp(peer.head, "HEAD ", 5) == 0, "HEAD");
	is_str(verdict(g), "none/", "has no body to wait for");
	free(g);

	g = fetch(h, peer.port, "/fixed");
	ok(strncmp(peer.head, "GET /fixed ", 11) == 0, "and GET again");
	is_str(g->body, "hello", "with its body");
	free(g);
	tape_http_free(h);
}

static void
test_fresh(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .conn = TAPE_HTTP_FRESH };
	int before = peer.connections;

	for (int i = 0; i < 3; i++) {
		struct got *g = begin(h, &req, peer.port, "/fixed");

		drain(h);
		ok(g->finishes == 1 && !g->r.reused, "a connection of its own");
		free(g);
	}
	is_int(peer.connections - before, 3, "as the server saw");
	tape_http_free(h);
}

static void
test_usage(void)
{
	static const char *const bad_line[] = { "no colon", ": empty",
		"A: b\r\nC: d", "Content-Length: 5",
		"transfer-encoding: chunked", "na me: v" };
	static const char *const bad_url[] = { "ftp://x/", "http://", "",
		"http://[::1/", "http://h:99999/", "file:///etc/passwd" };
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .url = "http://127.0.0.1:1/" };
	int64_t start_ns;

	for (size_t i = 0; i < 6; i++) {
		req.headers = &bad_line[i];
		req.headers_n = 1;
		tape_err_clear(&err);
		is_int(tape_http_start(h, &req, NULL, &start_ns, &err),
		    TAPE_E_USAGE, "header line %zu is refused", i);
		ok(strstr(err.text, "b\r\n") == NULL, "without its value");
	}
	req.headers_n = 0;
	for (size_t i = 0; i < 6; i++) {
		req.url = bad_url[i];
		tape_err_clear(&err);
		is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
		    "URL '%s' is refused", bad_url[i]);
	}
	req.url = "http://127.0.0.1/";
	req.method = "GET /x HTTP/1.1\r\n";
	is_int(tape_http_start(h, &req, NULL, NULL, &err), TAPE_E_USAGE,
	    "a bad method is refused");
	is_int(tape_http_running(h), 0, "nothing runs");
	tape_err_clear(&err);
	tape_http_free(h);
}

static void
test_no_scheme(void)
{
	struct tape_http *h = client(NULL);
	char url[64];
	struct tape_http_request req = { .url = url };
	struct got *g;

	(void)snprintf(url, sizeof(url), "localhost:%d/fixed", peer.port);
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "none/", "no scheme is http, and a name resolves");
	free(g);
	tape_http_free(h);
}

static void
test_proxy(void)
{
	char proxy[64];
	struct tape_http_opts opts = { .proxy = proxy };
	struct tape_http_request req = { .url =
					     "http://nowhere.invalid/fixed" };
	struct tape_http *h;
	struct got *g;

	(void)snprintf(
	    proxy, sizeof(proxy), "http://me:s3cret@127.0.0.1:%d", peer.port);
	(void)setenv("no_proxy", "*", 1);
	h = client(&opts);
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "none/", "a proxy that was asked for");
	ok(strncmp(peer.head, "GET http://nowhere.invalid/fixed ", 33) == 0,
	    "gets the whole URL");
	free(g);
	tape_http_free(h);

	(void)snprintf(proxy, sizeof(proxy), "http://me:s3cret@127.0.0.1:1");
	h = client(&opts);
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "connect/refused", "one that is not there");
	ok(strstr(g->message, "s3cret") == NULL, "no secret: %s", g->message);
	free(g);
	tape_http_free(h);

	opts.proxy = "http://me:s3cret@[::1:99";
	is_int(tape_http_open(&h, &opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "one that is no URL");
	ok(strstr(err.text, "s3cret") == NULL, "no secret: %s", err.text);
	tape_err_clear(&err);
}

static void *
waker(void *arg)
{
	peer_sleep_ms(50);
	tape_http_wake(arg);
	return NULL;
}

static void
test_waits(void)
{
	struct tape_http *h = client(NULL);
	int64_t from_ns = now();
	int64_t took_ns;
	pthread_t t;

	ok(tape_http_poll(h, from_ns + 30 * TAPE_NS_PER_MS, &err) == TAPE_OK,
	    "an idle loop");
	took_ns = now() - from_ns;
	ok(took_ns >= 30 * TAPE_NS_PER_MS && took_ns < 500 * TAPE_NS_PER_MS,
	    "waits until the deadline");
	from_ns = now();
	ok(tape_http_poll(h, from_ns - 1, &err) == TAPE_OK &&
		tape_http_poll(h, INT64_MIN, &err) == TAPE_OK,
	    "a past deadline");
	ok(now() - from_ns < 20 * TAPE_NS_PER_MS, "does not wait");

	from_ns = now();
	(void)pthread_create(&t, NULL, waker, h);
	ok(tape_http_poll(h, from_ns + 900 * TAPE_NS_PER_MS, &err) == TAPE_OK,
	    "a wake");
	took_ns = now() - from_ns;
	ok(took_ns >= 40 * TAPE_NS_PER_MS && took_ns < 500 * TAPE_NS_PER_MS,
	    "ends the wait");
	(void)pthread_join(t, NULL);
	tape_http_wake(h);
	tape_http_wake(h);
	from_ns = now();
	ok(tape_http_poll(h, from_ns + 900 * TAPE_NS_PER_MS, &err) == TAPE_OK &&
		now() - from_ns < 500 * TAPE_NS_PER_MS,
	    "an earlier one, too");
	from_ns = now();
	ok(tape_http_poll(h, from_ns + 30 * TAPE_NS_PER_MS, &err) == TAPE_OK &&
		now() - from_ns >= 30 * TAPE_NS_PER_MS,
	    "and only once");
	tape_http_free(h);
}

static void
test_all(void)
{
	test_fixed();
	test_reads();
	test_late_bytes();
	test_answers();
	test_statuses();
	test_request();
	test_fresh();
	test_usage();
	test_no_scheme();
}

int
main(void)
{
	char version[TAPE_HTTP_VERSION_TEXT];

	(void)signal(SIGPIPE, SIG_IGN);
	/* None of this may be heeded. */
	(void)setenv("http_proxy", "http://127.0.0.1:1/", 1);
	(void)setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	peer_start(&peer);
	over_both(test_all);
	test_proxy();
	test_waits();
	ok(strncmp(tape_http_version_text(version), "libcurl/", 8) == 0,
	    "version: %s", version);
	peer_stop(&peer);
	return done_testing();
}
