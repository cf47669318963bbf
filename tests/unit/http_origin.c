/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: names whose address is known, fails, or is not to blame; and
   descriptors that run out. */
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#include <sys/resource.h>

#define MS TAPE_NS_PER_MS

static struct peer peer;

static int
listen_at(int port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = { .sin_family = AF_INET };
	int one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(fd, 4) != 0)
		printf("# cannot listen again\n");
	return fd;
}

/* A request to localhost, answered by hand; how long resolving took. */
static int64_t
resolved_in(struct tape_http *h, int fd, int port)
{
	char url[64];
	struct tape_http_request req = { .url = url, .conn = TAPE_HTTP_FRESH };
	struct got *g;
	int64_t ns;
	int conn;

	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	g = begin(h, &req, 0, "");
	for (int i = 0; i < 100 && g->sents == 0 && g->finishes == 0; i++)
		pass(h, 10);
	conn = accept(fd, NULL, NULL);
	(void)peer_say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	drain(h);
	is_str(verdict(g), "none/", "localhost");
	ns = g->r.dns_ns;
	free(g);
	(void)close(conn);
	return ns;
}

static void
test_doubt(void)
{
	struct tape_http *h = client(NULL);
	int port, fd = peer_bind(&port);
	char url[64];
	struct tape_http_request req = { .url = url };
	struct got *g;

	(void)listen(fd, 4);
	ok(resolved_in(h, fd, port) != 0, "is resolved");
	is_int(resolved_in(h, fd, port), 0, "and then known");
	(void)close(fd);
	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "connect/refused", "until it does not answer");
	free(g);
	fd = listen_at(port);
	ok(resolved_in(h, fd, port) != 0, "then it is resolved again");
	(void)close(fd);
	tape_http_free(h);
}

/* A connection that is refused: the address, "" when it was libcurl that looked
   it up and connected. */
static const char *
went_to(struct tape_http *h, const char *url)
{
	static char text[64];
	struct tape_http_request req = { .url = url, .conn = TAPE_HTTP_FRESH };
	struct got *g = begin(h, &req, 0, "");

	drain(h);
	is_str(verdict(g), "connect/refused", "nobody there");
	(void)snprintf(text, sizeof(text), "%s", g->remote);
	free(g);
	return text;
}

/* While the address fails, not each request looks the name up. */
static void
test_few_lookups(void)
{
	struct tape_http *h = client(NULL);
	int port, fd = peer_bind(&port);
	char url[64];

	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	(void)listen(fd, 4);
	(void)resolved_in(h, fd, port);
	(void)close(fd);
	is_str(went_to(h, url), "127.0.0.1", "to the address that is known");
	is_str(went_to(h, url), "", "which failed: looked up");
	is_str(went_to(h, url), "127.0.0.1", "at once again: not looked up");
	pass(h, 1100);
	is_str(went_to(h, url), "", "a second later: looked up");
	tape_http_free(h);
}

/* A known address that lets connections hang. */
static void
test_doubt_by_timeout(void)
{
	struct tape_http *h = client(NULL);
	int port, fd = peer_bind(&port), fill[8];
	struct sockaddr_in a = { .sin_family = AF_INET };
	char url[64];
	struct tape_http_request req = { .url = url, .conn = TAPE_HTTP_FRESH };
	struct got *g;

	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	(void)listen(fd, 0);
	(void)resolved_in(h, fd, port);
	is_int(resolved_in(h, fd, port), 0, "known");
	a.sin_port = htons((uint16_t)port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 8; i++) {
		fill[i] = socket(
		    AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)!connect(fill[i], (struct sockaddr *)&a, sizeof(a));
	}
	req.timeouts.connect_ns = 200 * MS;
	g = begin(h, &req, 0, "");
	drain(h);
	is_str(verdict(g), "timeout/connect-timeout", "until it hangs");
	free(g);
	for (int i = 0; i < 8; i++)
		(void)close(fill[i]);
	(void)close(fd);
	is_str(went_to(h, url), "", "then it is looked up again");
	tape_http_free(h);
}

#define MOST 512

static int filler[MOST];
static int fillers;
static struct rlimit before;

/* No descriptor is left, once the peer has closed what the tests before used:
   so many connections of the client's are open. */
static void
fill_descriptors(int open)
{
	struct rlimit few;
	int fd;

	for (int i = 0; i < 500 && peer.open > open; i++)
		peer_sleep_ms(10);
	is_int(peer.open, open, "connections to the peer");
	(void)getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = MOST;
	(void)setrlimit(RLIMIT_NOFILE, &few);
	fillers = 0;
	while ((fd = dup(0)) >= 0)
		filler[fillers++] = fd;
}

static void
free_descriptors(void)
{
	while (fillers > 0)
		(void)close(filler[--fillers]);
	(void)setrlimit(RLIMIT_NOFILE, &before);
}

static struct got *
session(struct tape_http *h, uint64_t name)
{
	struct tape_http_request req = { .conn = TAPE_HTTP_SESSION,
		.session = name };
	struct got *g = begin(h, &req, peer.port, "/fixed");

	drain(h);
	return g;
}

/* Idle connections make way for those that are needed. */
static void
test_descriptors(void)
{
	struct tape_http *h = client(NULL);
	char url[64];
	struct tape_http_request req = { .url = url };
	struct got *g;

	free(session(h, 1));
	(void)snprintf(
	    url, sizeof(url), "http://localhost:%d/fixed", peer.port);
	g = begin(h, &req, 0, "");
	drain(h);
	free(g);
	fill_descriptors(2);
	for (uint64_t i = 2; i < 4; i++) {
		g = session(h, i);
		is_str(verdict(g), "none/", "an idle one makes way");
		ok(!g->r.reused, "for that of session %d", (int)i);
		free(g);
	}
	free_descriptors();
	g = begin(h, &req, 0, "");
	drain(h);
	ok(!g->r.reused, "also one of another origin");
	free(g);
	tape_http_free(h);
}

/* This side being short of descriptors says nothing about an address. */
static void
test_no_doubt(void)
{
	struct tape_http *h = client(NULL);
	int port, fd = peer_bind(&port);
	char url[64];
	struct tape_http_request req = { .url = url };
	struct got *g;

	(void)snprintf(url, sizeof(url), "http://localhost:%d/", port);
	(void)listen(fd, 4);
	(void)resolved_in(h, fd, port);
	fill_descriptors(0);
	g = begin(h, &req, 0, "");
	drain(h);
	free_descriptors();
	is_str(verdict(g), "client/descriptors", "none, and none to spare");
	free(g);
	is_int(resolved_in(h, fd, port), 0, "the address is not doubted");
	(void)close(fd);
	tape_http_free(h);
}

int
main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	peer_start(&peer);
	test_doubt();
	test_few_lookups();
	test_doubt_by_timeout();
	test_descriptors();
	test_no_doubt();
	peer_stop(&peer);
	return done_testing();
}
