/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: everything that can go wrong with a transfer, by name. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#include <sys/resource.h>

#define MS TAPE_NS_PER_MS

static struct peer peer;

static void
test_framing(void)
{
	static const struct {
		const char *path, *verdict, *body;
	} cases[] = {
		{ "/rst", "reset/rst", "hello" },
		{ "/cut-chunk", "truncated/chunked", "hel" },
		{ "/cut-end", "truncated/chunked", "hello" },
		{ "/cut-length", "truncated/content-length", "hello" },
		{ "/bad-chunk", "truncated/malformed", "" },
		{ "/garbage", "truncated/malformed", "" },
		{ "/gone", "reset/closed", "" },
		{ "/endless-head", "truncated/header-limit", "" },
		{ "/endless-line", "truncated/header-limit", "" },
	};
	struct tape_http *h = client(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct got *g = fetch(h, peer.port, cases[i].path);

		is_str(verdict(g), cases[i].verdict, "%s", cases[i].path);
		is_str(g->body, cases[i].body, "with what came before");
		ok(strlen(g->message) > 5, "and a sentence: %s", g->message);
		ok(g->r.end_ns >= g->r.conn_ns && g->r.conn_ns > 0, "ended");
		free(g);
	}
	tape_http_free(h);
}

static void
test_limits(void)
{
	static const struct {
		const char *path, *cause, *message;
		struct tape_http_timeouts limits;
		int64_t ms;
	} cases[] = {
		{ "/never", "first-byte", "No byte of a body within 60.0 ms",
		    { .first_byte_ns = 60 * MS }, 60 },
		{ "/head-only", "first-byte",
		    "No byte of a body within 60.0 ms",
		    { .first_byte_ns = 60 * MS, .idle_ns = 20 * MS }, 60 },
		{ "/stall", "idle", "No further byte within 60.0 ms",
		    { .idle_ns = 60 * MS }, 60 },
		/* The server may pause, on a machine with much to do. */
		{ "/drip", "total", "Not complete within 1.20 s",
		    { .total_ns = 1200 * MS, .idle_ns = 900 * MS }, 1200 },
		{ "/never", "total", "Not complete within 70.0 ms",
		    { .total_ns = 70 * MS }, 70 },
	};
	struct tape_http *h = client(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tape_http_request req = { .timeouts = cases[i].limits };
		struct got *g = begin(h, &req, peer.port, cases[i].path);
		int64_t took_ns;
		char want[32];

		drain(h);
		took_ns = g->r.end_ns - g->r.start_ns;
		(void)snprintf(
		    want, sizeof(want), "timeout/%s", cases[i].cause);
		is_str(verdict(g), want, "%s", cases[i].path);
		is_str(g->message, cases[i].message, "says so");
		ok(took_ns >= cases[i].ms * MS &&
			took_ns < (cases[i].ms + 5000) * MS,
		    "in time");
		free(g);
	}
	tape_http_free(h);
}

/* A loop's own limits, and a limit that moves on with each byte. */
static void
test_loop_limits(void)
{
	struct tape_http_opts opts = { .timeouts = { .idle_ns = 1500 * MS } };
	struct tape_http *h = client(&opts);
	struct got *g = fetch(h, peer.port, "/slow");

	is_str(verdict(g), "none/", "20 ms gaps within 1.5 s");
	free(g);
	g = fetch(h, peer.port, "/stall");
	is_str(verdict(g), "timeout/idle", "a longer one is not");
	free(g);
	tape_http_free(h);
}

static void
test_send_limit(void)
{
	struct tape_http *h = client(NULL);
	size_t len = (size_t)32 << 20;
	char *body = calloc(1, len);
	struct tape_http_request req = { .body = body, .body_bytes = len };
	struct got *g;

	req.timeouts.first_byte_ns = 100 * MS;
	g = begin(h, &req, peer.port, "/no-read");
	drain(h);
	is_str(verdict(g), "timeout/send", "a server that does not read");
	ok(g->sents == 0 && g->r.body_up_bytes < len, "the body is not out");
	free(g);
	free(body);
	tape_http_free(h);
}

/* libcurl would send the second request again on a new connection. */
static void
test_stale(const char *method, const char *body)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .method = method,
		.body = body,
		.body_bytes = body != NULL ? strlen(body) : 0 };
	struct got *g = fetch(h, peer.port, "/fixed");
	int gone = peer.gone, connections = peer.connections;

	free(g);
	g = begin(h, &req, peer.port, "/gone");
	drain(h);
	is_str(verdict(g), "reset/stale-connection",
	    "a kept connection closed under a %s", method);
	ok(g->r.reused && g->r.sent_ns > 0 && g->r.head_ns == -1,
	    "after it was sent");
	peer_sleep_ms(50);
	is_int(peer.gone - gone, 1, "the server saw it once");
	is_int(peer.connections - connections, 0, "and no other connection");
	is_int(g->sents, 1, "the body was let go once");
	free(g);

	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "the next request works");
	ok(!g->r.reused, "on a new connection");
	free(g);
	tape_http_free(h);
}

/* The same when there is another kept connection that it could take. */
static void
test_stale_of_two(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .url = NULL };
	struct got *g[2];
	int gone = peer.gone;

	for (int i = 0; i < 2; i++)
		g[i] = begin(h, &req, peer.port, "/slow");
	drain(h);
	free(g[0]);
	g[0] = fetch(h, peer.port, "/gone");
	is_str(verdict(g[0]), "reset/stale-connection", "one of two closed");
	peer_sleep_ms(50);
	is_int(peer.gone - gone, 1, "the server saw it once");
	free(g[0]);
	free(g[1]);
	g[0] = fetch(h, peer.port, "/fixed");
	is_str(verdict(g[0]), "none/", "the next request works");
	free(g[0]);
	tape_http_free(h);
}

/* A server that closes long after the request does so because of it. */
static void
test_not_stale(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/fixed");
	int gone = peer.gone;

	free(g);
	g = fetch(h, peer.port, "/gone-late");
	is_str(verdict(g), "reset/closed",
	    "a kept connection closed a second after the request");
	ok(g->r.reused && strstr(g->message, "sent again") == NULL,
	    "is not called stale: %s", g->message);
	is_int(peer.gone - gone, 1, "the server saw it once");
	free(g);
	tape_http_free(h);
}

/* One that the server closed long before is not used at all. */
static void
test_closed_idle(void)
{
	struct tape_http *h = client(NULL);
	struct got *g = fetch(h, peer.port, "/until-close");

	free(g);
	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "a connection closed between requests");
	free(g);
	tape_http_free(h);
}

static void
test_connect(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .url = NULL };
	struct got *g;
	int port, fd = peer_bind(&port);

	g = fetch(h, port, "/");
	is_str(verdict(g), "connect/refused", "nobody listens");
	ok(g->r.conn_ns == -1 && g->r.sent_ns == -1 && g->r.status == 0,
	    "and nothing was sent");
	printf("# %s\n", g->message);
	free(g);

	/* A listener whose queue is full lets new connections hang. */
	if (listen(fd, 0) == 0) {
		struct tape_http_opts opts = { .timeouts = {
						   .connect_ns = 300 * MS } };
		struct tape_http *crowd = client(&opts);
		struct got *all[4];
		int timeouts = 0;

		for (int i = 0; i < 4; i++)
			all[i] = begin(crowd, &req, port, "/");
		for (int i = 0; i < 100 && tape_http_running(crowd) > 1; i++)
			(void)!tape_http_poll(crowd, now() + 10 * MS, &err);
		for (int i = 0; i < 4; i++) {
			timeouts += all[i]->finishes == 1 &&
				    strcmp(verdict(all[i]),
					"timeout/connect-timeout") == 0;
		}
		ok(timeouts >= 1, "no connection in time");
		tape_http_free(crowd);
		for (int i = 0; i < 4; i++)
			free(all[i]);
	}
	(void)close(fd);
	tape_http_free(h);
}

static void
test_descriptors(void)
{
	struct tape_http *h = client(NULL);
	struct rlimit before, none;
	int next = dup(0);
	struct got *g;

	(void)close(next);
	(void)getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)next;
	(void)setrlimit(RLIMIT_NOFILE, &none);
	g = fetch(h, peer.port, "/fixed");
	(void)setrlimit(RLIMIT_NOFILE, &before);
	is_str(verdict(g), "client/descriptors", "no descriptor left");
	free(g);
	g = fetch(h, peer.port, "/fixed");
	is_str(verdict(g), "none/", "and again with some");
	free(g);
	tape_http_free(h);
}

static void
test_name(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = {
		.url = "http://user:s3cret@a.label.of.more.than.63.characters."
		       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		       "aaaaaaaaaaaaaaaaaaaaaa.invalid/p?key=s3cret",
		.timeouts = { .connect_ns = 5 * TAPE_NS_PER_S }
	};
	struct got *g = begin(h, &req, 0, "");

	drain(h);
	is_str(verdict(g), "dns/unresolved", "a name that is none");
	ok(strstr(g->message, "s3cret") == NULL, "no secret: %s", g->message);
	free(g);
	tape_http_free(h);
}

static void
test_cancel(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .url = NULL };
	struct got *g = begin(h, &req, peer.port, "/fixed");

	tape_http_cancel(h, g->x);
	is_int(g->finishes, 0, "cancel itself does not finish");
	drain(h);
	is_str(verdict(g), "cancelled/cancelled", "cancelled before it began");
	is_str(g->message, "Cancelled", "says so");
	is_int(g->heads, 0, "nothing else came");
	free(g);

	g = begin(h, &req, peer.port, "/drip");
	while (g->reads < 3 && g->finishes == 0)
		(void)!tape_http_poll(h, now() + MS, &err);
	tape_http_cancel(h, g->x);
	tape_http_cancel(h, g->x);
	drain(h);
	is_str(verdict(g), "cancelled/cancelled", "cancelled in mid-stream");
	ok(g->r.body_down_bytes >= 3, "what came is counted");
	free(g);

	g = begin(h, &req, peer.port, "/burst");
	g->cancel_in_read = true;
	drain(h);
	is_str(verdict(g), "cancelled/cancelled", "cancelled in a callback");
	is_int(g->callbacks, 1, "which was the last");
	free(g);
	tape_http_free(h);
}

static void
test_cancel_all(void)
{
	struct tape_http *h = client(NULL);
	struct tape_http_request req = { .url = NULL };
	struct got *g[10];
	int good = 0;

	for (int i = 0; i < 10; i++)
		g[i] = begin(h, &req, peer.port, "/never");
	for (int i = 0; i < 5; i++)
		(void)!tape_http_poll(h, now() + 10 * MS, &err);
	is_int(tape_http_running(h), 10, "ten in flight");
	tape_http_cancel_all(h);
	(void)!tape_http_poll(h, now(), &err);
	is_int(tape_http_running(h), 0, "none after one pass");
	for (int i = 0; i < 10; i++) {
		good += g[i]->r.class == TAPE_HTTP_CANCELLED;
		free(g[i]);
	}
	is_int(good, 10, "all cancelled");

	g[0] = begin(h, &req, peer.port, "/never");
	(void)!tape_http_poll(h, now(), &err);
	tape_http_free(h);
	is_int(g[0]->finishes, 0, "freeing the loop finishes nothing");
	free(g[0]);
}

/* tests/unit/http_tls.c has the other classes. */
static void
test_open(void)
{
	struct tape_http_opts opts = { .cacert = "/nonexistent/ca.pem" };
	struct tape_http *h;

	is_int(tape_http_open(&h, &opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "a missing certificate file is refused");
	ok(h == NULL && strstr(err.text, "/nonexistent/ca.pem"), "by name");
	tape_err_clear(&err);
	opts = (struct tape_http_opts){ .buffer_bytes = 10 };
	is_int(tape_http_open(&h, &opts, &calls, NULL, &err), TAPE_E_USAGE,
	    "so is a tiny buffer");
	tape_err_clear(&err);
	tape_http_free(NULL);
}

static void
test_all(void)
{
	test_framing();
	test_limits();
	test_loop_limits();
	test_send_limit();
	test_stale("GET", NULL);
	test_stale("POST", "{\"prompt\":\"x\"}");
	test_stale_of_two();
	test_not_stale();
	test_closed_idle();
	test_connect();
	test_descriptors();
	test_name();
	test_cancel();
	test_cancel_all();
}

int
main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	peer_start(&peer);
	over_both(test_all);
	test_open();
	peer_stop(&peer);
	return done_testing();
}
