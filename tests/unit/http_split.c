/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * codec/http: events that wait together in a socket are received one by one,
 * each with the time at which it came.
 *
 * On loopback the kernel joins what waits, and keeps the last time only, once
 * it has acknowledged it, which it puts off by up to 40 ms: so it is tried
 * until that does not come between.
 */

#include "codec/http_split.h"

#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#define MS      TAPE_NS_PER_MS
#define GAP_MS  4
#define NEAR_NS (3 * MS)
#define EVENTS  3
#define FIRST   40 /* events that the loop takes in time */
#define TRIES   20

static int64_t seen_ns[16];
static size_t seen_len[16];
static int seen;

static void
note(void *arg, void *user, const struct tape_http_read *read)
{
	on_read(arg, user, read);
	if (read->first && seen < 15) {
		seen_ns[seen] = read->t_ns - read->lag_ns;
		seen_len[seen++] = 0;
	}
	if (seen > 0)
		seen_len[seen - 1] += read->len;
}

static void
cuts_are(const char *text, const char *want)
{
	size_t cut[TAPE_HTTP_SPLIT_CUTS];
	size_t n = tape_http_split_find(text, strlen(text), cut);
	char got[128] = "";

	for (size_t i = 0; i < n; i++)
		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got),
		    "%s%zu", i > 0 ? " " : "", cut[i]);
	is_str(got, want, "cuts");
}

static void
test_find(void)
{
	char many[400];
	size_t cut[TAPE_HTTP_SPLIT_CUTS];

	cuts_are("a", "1");
	cuts_are("\n", "1");
	cuts_are("\n\n", "2");
	cuts_are("a\n\n", "3");
	cuts_are("a\n\nb", "3 4");
	cuts_are("a\n\nb\n\n", "3 6");
	cuts_are("a\r\n\r\nb\r\n\r\n", "5 10");
	cuts_are("5\r\na\n\n\r\n5\r\nb\n\n\r\n", "8 16");
	cuts_are("a\n\n\r", "3 4");
	cuts_are("a\nb\nc", "5");
	memset(many, '\n', sizeof(many));
	is_int((int64_t)tape_http_split_find(many, sizeof(many), cut),
	    TAPE_HTTP_SPLIT_CUTS, "no more than so many");
	is_int((int64_t)cut[TAPE_HTTP_SPLIT_CUTS - 1], sizeof(many),
	    "the last has the rest");
}

/* A stream that has begun, and whose loop is not looking. */
static struct tape_http *
begun(const struct tape_http_opts *opts, int fd, int port, struct got **g,
    int *conn)
{
	static struct tape_http_calls noting;
	struct tape_http_request req = { .url = NULL };
	struct tape_http *h;
	int64_t end_ns = now() + 10 * TAPE_NS_PER_S;

	noting = calls;
	noting.read = note;
	h = client_of(opts, &noting);
	*g = begin(h, &req, port, "/");
	for (int i = 0; i < 5; i++)
		(void)!tape_http_poll(h, now() + MS, &err);
	*conn = accept(fd, NULL, NULL);
	(void)setsockopt(
	    *conn, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	(void)peer_say(*conn,
	    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	    "3\r\n0\n\n\r\n");
	for (int i = 0; i < FIRST && now() < end_ns; i++) {
		while ((*g)->reads <= i && now() < end_ns)
			(void)!tape_http_poll(h, now() + MS, &err);
		(void)peer_say(*conn, "1\r\n.\r\n");
	}
	while ((*g)->reads <= FIRST && now() < end_ns)
		(void)!tape_http_poll(h, now() + MS, &err);
	/* All of that is acknowledged. */
	end_ns = now() + 60 * MS;
	while (now() < end_ns)
		(void)!tape_http_poll(h, now() + MS, &err);
	seen = 0;
	return h;
}

/* Three events while the loop does not look. */
static void
come_late(const struct tape_http_opts *opts, int64_t sent_ns[EVENTS])
{
	int port, fd = peer_bind(&port), conn;
	struct tape_http *h;
	struct got *g;

	(void)listen(fd, 4);
	h = begun(opts, fd, port, &g, &conn);
	for (int i = 0; i < EVENTS; i++) {
		sent_ns[i] = now();
		(void)peer_say(conn, "3\r\nx\n\n\r\n");
		peer_sleep_ms(GAP_MS);
	}
	(void)peer_say(conn, "0\r\n\r\n");
	drain(h);
	is_str(verdict(g), "none/", "a stream whose loop came late");
	is_int((int64_t)g->body_len, 3 + FIRST + 3 * EVENTS, "its body");
	free(g);
	(void)close(conn);
	(void)close(fd);
	tape_http_free(h);
}

static bool
has_its_time(int i, const int64_t sent_ns[EVENTS])
{
	return seen_len[i] == 3 && seen_ns[i] >= sent_ns[i] &&
	       seen_ns[i] - sent_ns[i] < NEAR_NS;
}

static void
test_late(void)
{
	const struct tape_http_opts opts = { .user_clock = false };
	int64_t sent_ns[EVENTS];
	bool near = false;

	for (int i = 0; i < TRIES && !near; i++) {
		come_late(&opts, sent_ns);
		near = seen == EVENTS;
		for (int k = 0; k < EVENTS; k++)
			near = near && has_its_time(k, sent_ns);
	}
	ok(near, "each of %d events has its own time", EVENTS);
}

static void
test_user_clock(void)
{
	const struct tape_http_opts opts = { .user_clock = true };
	int64_t sent_ns[EVENTS];

	come_late(&opts, sent_ns);
	is_int(seen, 1, "without the kernel's times it is one read");
}

/* Two events of one send are one segment, which no look can cut. */
static void
test_together(void)
{
	const struct tape_http_opts opts = { .user_clock = false };
	int port, fd = peer_bind(&port), conn;
	struct tape_http *h;
	struct got *g;

	(void)listen(fd, 4);
	h = begun(&opts, fd, port, &g, &conn);
	(void)peer_say(conn, "3\r\nx\n\n\r\n3\r\ny\n\n\r\n");
	peer_sleep_ms(GAP_MS);
	(void)peer_say(conn, "0\r\n\r\n");
	drain(h);
	is_str(verdict(g), "none/", "two events at once");
	is_int(seen, 1, "are one read");
	is_int((int64_t)seen_len[0], 6, "with the bytes of both");
	free(g);
	(void)close(conn);
	(void)close(fd);
	tape_http_free(h);
}

/* What is too long to be cut is taken as it is. */
static void
test_long(void)
{
	const struct tape_http_opts opts = { .user_clock = false };
	static char body[TAPE_HTTP_SPLIT_BYTES + 100];
	int port, fd = peer_bind(&port), conn;
	struct tape_http *h;
	struct got *g;
	char size[16];

	memset(body, '\n', sizeof(body));
	(void)snprintf(size, sizeof(size), "%zx\r\n", sizeof(body));
	(void)listen(fd, 4);
	h = begun(&opts, fd, port, &g, &conn);
	(void)peer_say(conn, size);
	(void)peer_send(conn, body, sizeof(body));
	peer_sleep_ms(GAP_MS);
	(void)peer_say(conn, "\r\n0\r\n\r\n");
	drain(h);
	is_str(verdict(g), "none/", "a long piece of empty lines");
	is_int((int64_t)g->body_len, 3 + FIRST + sizeof(body), "is there");
	ok(seen < TAPE_HTTP_SPLIT_CUTS, "in few reads: %d", seen);
	free(g);
	(void)close(conn);
	(void)close(fd);
	tape_http_free(h);
}

int
main(void)
{
	/* Used by other tests of the client. */
	(void)peer_start;
	(void)peer_stop;
	(void)signal(SIGPIPE, SIG_IGN);
	test_find();
	test_late();
	test_user_clock();
	test_together();
	test_long();
	return done_testing();
}
