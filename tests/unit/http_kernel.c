/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * codec/http: the kernel's times are right while the client is busy.
 *
 * A stream gets an event just before the callback of another one holds the
 * loop up: its user time is late by that, its kernel time is not.
 */
#include "unit/http_client.h"
#include "unit/http_openssl.h"
#include "unit/tap.h"

#define MS      TAPE_NS_PER_MS
#define HELD_MS 100
#define NEAR_NS (40 * MS) /* a machine may be very busy */

#define FIRST                                                                  \
 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"

static struct peer peer;

/* What the busy one does in its read. */
static int feed_fd = -1;
static const char *feed;
static int64_t fed_ns;
static void *busy;

/* The stream's second read. */
static int64_t seen_ns, seen_lag_ns;

static void
hold_up(void *arg, void *user, const struct tape_http_read *read)
{
	struct got *g = user;

	on_read(arg, user, read);
	if (user == busy) {
		fed_ns = now();
		if (write(feed_fd, feed, strlen(feed)) < 0)
			printf("# cannot write\n");
		peer_sleep_ms(HELD_MS);
	} else if (g->reads == 2) {
		seen_ns = read->t_ns;
		seen_lag_ns = read->lag_ns;
	}
}

static struct tape_http *
open_held(const struct tape_http_opts *opts)
{
	static struct tape_http_calls held;

	held = calls;
	held.read = hold_up;
	return client_of(opts, &held);
}

/* Until the stream has its first event. */
static void
wait_first(struct tape_http *h, const struct got *g)
{
	int64_t end_ns = now() + 10 * TAPE_NS_PER_S;

	while (g->reads == 0 && g->finishes == 0 && now() < end_ns)
		(void)!tape_http_poll(h, now() + MS, &err);
}

static void
run_busy(struct tape_http *h)
{
	struct tape_http_request req = { .url = NULL };
	struct got *b;

	/* It is known before its callback can come. */
	seen_ns = -1;
	b = begin(h, &req, peer.port, "/fixed");
	busy = b;
	drain(h);
	is_str(verdict(b), "none/", "the busy one");
	free(b);
	busy = NULL;
}

static void
check_held(const char *what, bool kernel)
{
	int64_t late_ns = seen_ns - fed_ns;

	ok(late_ns >= HELD_MS * MS, "%s: the user time is late by %d us", what,
	    (int)(late_ns / TAPE_NS_PER_US));
	if (!kernel) {
		is_int(seen_lag_ns, -1, "%s: and there is no other", what);
		return;
	}
	late_ns -= seen_lag_ns;
	ok(seen_lag_ns >= 0 && late_ns >= 0 && late_ns < NEAR_NS,
	    "%s: the kernel's only by %d us", what,
	    (int)(late_ns / TAPE_NS_PER_US));
}

static void
test_plain(const struct tape_http_opts *opts, const char *what, bool kernel)
{
	struct tape_http *h = open_held(opts);
	struct tape_http_request req = { .url = NULL };
	int port, fd = peer_bind(&port);
	struct got *g;

	(void)listen(fd, 4);
	g = begin(h, &req, port, "/");
	for (int i = 0; i < 5; i++)
		(void)!tape_http_poll(h, now() + MS, &err);
	feed_fd = accept(fd, NULL, NULL);
	(void)peer_say(feed_fd, FIRST);
	wait_first(h, g);
	feed = "5\r\nworld\r\n0\r\n\r\n";
	run_busy(h);
	is_str(verdict(g), "none/", "%s: a stream", what);
	is_str(g->body, "helloworld", "%s: its body", what);
	check_held(what, kernel);
	if (kernel)
		ok(tape_http_clock_stats(h)->kernel >= 3 &&
			tape_http_clock_stats(h)->steps == 0,
		    "%s: counted", what);
	else
		is_int(
		    tape_http_clock_stats(h)->kernel, 0, "%s: counted", what);
	free(g);
	(void)close(feed_fd);
	(void)close(fd);
	tape_http_free(h);
}

static void
test_tls(
    const struct tape_http_opts *opts, int port, const char *what, bool kernel)
{
	struct tape_http *h = open_held(opts);
	char url[64];
	struct tape_http_request req = { .url = url };
	struct got *g;
	int64_t end_ns = now() + 10 * TAPE_NS_PER_S;

	(void)snprintf(url, sizeof(url), "https://127.0.0.1:%d/", port);
	g = begin(h, &req, 0, "");
	while (g->sents == 0 && g->finishes == 0 && now() < end_ns)
		(void)!tape_http_poll(h, now() + MS, &err);
	/* The server throws away what is in its input while a client connects,
	   and libcurl has a timer of 200 ms for a connection: what it receives
	   on its occasion nobody has looked at before. */
	for (int i = 0; i < 400; i++)
		(void)!tape_http_poll(h, now() + MS, &err);
	(void)!write(feed_fd, FIRST, strlen(FIRST));
	wait_first(h, g);
	feed = "5\r\nworld\r\n0\r\n\r\n";
	run_busy(h);
	is_str(verdict(g), "none/", "%s: a stream", what);
	is_str(g->body, "helloworld", "%s: its body", what);
	check_held(what, kernel);
	free(g);
	tape_http_free(h);
}

/* More than one receive takes at once: each is a read, with its own stamp. */
static void
test_large(void)
{
	struct tape_http_opts opts = { .buffer_bytes = 1024 };
	struct tape_http *h = client(&opts);
	struct tape_http_request req = { .url = NULL };
	int port, fd = peer_bind(&port);
	static char body[8192];
	struct got *g;
	int conn;

	memset(body, 'x', sizeof(body));
	(void)listen(fd, 4);
	g = begin(h, &req, port, "/");
	for (int i = 0; i < 5; i++)
		(void)!tape_http_poll(h, now() + MS, &err);
	conn = accept(fd, NULL, NULL);
	(void)peer_say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 8197\r\n\r\n");
	(void)peer_say(conn, "hello");
	wait_first(h, g);
	(void)peer_send(conn, body, sizeof(body));
	drain(h);
	is_str(verdict(g), "none/", "more than a buffer at once");
	is_int(g->body_len, 8197, "all bytes");
	ok(g->reads >= 1 + 8 && g->reads < 64, "are a read a buffer: %d",
	    g->reads);
	is_int(g->lagged, g->reads, "each with its kernel time");
	free(g);
	(void)close(conn);
	(void)close(fd);
	tape_http_free(h);
}

static void
test_all_plain(void)
{
	struct tape_http_opts opts = { .user_clock = false };

	test_plain(&opts, "plain", true);
	test_large();
	opts.user_clock = true;
	test_plain(&opts, "plain, user clock", false);
}

int
main(void)
{
	struct tape_http_opts opts;
	int pipe_fd[2], port;

	(void)signal(SIGPIPE, SIG_IGN);
	peer_start(&peer);
	over_both(test_all_plain);
	if (pipe(pipe_fd) != 0)
		return 1;
	opts = (struct tape_http_opts){ .cacert = tls_cert };
	port = tls_start(NULL, pipe_fd[0]);
	feed_fd = pipe_fd[1];
	if (port > 0) {
		test_tls(&opts, port, "TLS", true);
		opts.user_clock = true;
		test_tls(&opts, port, "TLS, user clock", false);
	} else {
		ok(true, "# SKIP no openssl command");
	}
	tls_stop();
	peer_stop(&peer);
	return done_testing();
}
