/* SPDX-License-Identifier: GPL-3.0-or-later */
/* codec/http: many transfers, large bodies, and memory that runs out. */
#include "base/mem.h"
#include "unit/http_client.h"
#include "unit/http_peer.h"
#include "unit/tap.h"

#define CROWD  500 /* as the path says, too */
#define UPLOAD ((size_t)2 << 20)

static struct peer peer;

/* Starts no more than 16 between passes, as a caller should. */
static void
crowd(struct tape_http *h, struct got **g, const char *path)
{
	struct tape_http_request req = { .url = NULL };

	for (int i = 0; i < CROWD; i++) {
		g[i] = begin(h, &req, peer.port, path);
		if (i % 16 == 15)
			(void)!tape_http_poll(h, now(), &err);
	}
	drain(h);
}

static void
test_crowd(void)
{
	struct tape_http_opts opts = { .max_connections = CROWD };
	struct tape_http *h = client(&opts);
	struct got *g[CROWD];
	int good = 0, reused = 0, before;

	crowd(h, g, "/gather/500");
	for (int i = 0; i < CROWD; i++) {
		good += strcmp(verdict(g[i]), "none/") == 0 &&
			g[i]->body_len == 25 && g[i]->sents == 1;
		free(g[i]);
	}
	is_int(good, CROWD, "%d streams at once, all complete", CROWD);
	is_int(peer.open, CROWD, "each on its connection");

	before = peer.connections;
	crowd(h, g, "/burst");
	good = 0;
	for (int i = 0; i < CROWD; i++) {
		good += strcmp(verdict(g[i]), "none/") == 0 &&
			g[i]->body_len == 100 && g[i]->reads == 1;
		reused += g[i]->r.reused;
		free(g[i]);
	}
	is_int(good, CROWD, "as many again");
	is_int(reused, CROWD, "all on kept connections");
	is_int(peer.connections - before, 0, "none was opened");
	tape_http_free(h);
}

/* One transfer after the other, each started in the finish of the last. */
struct chain {
	struct tape_http *h;
	struct tape_http_request req;
	int left, done;
};

static void
chain_finish(void *arg, void *user, const struct tape_http_result *r)
{
	struct chain *c = arg;

	(void)user;
	c->done += r->class == TAPE_HTTP_NONE;
	if (c->left-- > 0 &&
	    tape_http_start(c->h, &c->req, NULL, NULL, &err) != TAPE_OK)
		c->left = 0;
}

static void
test_chain(void)
{
	static const struct tape_http_calls chained = { .finish =
							    chain_finish };
	struct tape_http_opts opts = { .max_connections = 4 };
	struct chain c = { .left = 299 };
	char url[64];
	int before = peer.connections;

	(void)snprintf(
	    url, sizeof(url), "http://127.0.0.1:%d/fixed", peer.port);
	c.req.url = url;
	opts.libcurl_only = over_libcurl;
	if (tape_http_open(&c.h, &opts, &chained, &c, &err) != TAPE_OK ||
	    tape_http_start(c.h, &c.req, NULL, NULL, &err) != TAPE_OK)
		printf("Bail out! chain\n");
	drain(c.h);
	is_int(c.done, 300, "300 requests started from finish");
	is_int(peer.connections - before, 1, "on one connection");
	tape_http_free(c.h);
}

static unsigned
sum(const char *p, size_t len)
{
	unsigned s = 0;

	for (size_t i = 0; i < len; i++)
		s = s * 31 + (unsigned char)p[i];
	return s;
}

static void
test_upload(const char *path, size_t len)
{
	struct tape_http *h = client(NULL);
	char *body = malloc(len);
	struct tape_http_request req = { .body = body, .body_bytes = len };
	unsigned want;
	struct got *g;

	for (size_t i = 0; i < len; i++)
		body[i] = (char)(i * 7 + i / 251);
	want = sum(body, len);
	g = begin(h, &req, peer.port, path);
	while (g->sents == 0 && g->finishes == 0)
		(void)!tape_http_poll(h, now() + TAPE_NS_PER_S, &err);
	is_int(g->sents, 1, "%zu bytes sent", len);
	is_int(g->heads, 0, "before the answer");
	/* After sent nobody may look at it. */
	memset(body, 0, len);
	free(body);
	drain(h);
	is_str(verdict(g), "none/", "and answered");
	is_int(g->r.body_up_bytes, len, "counted");
	is_int(peer.body_bytes, len, "received");
	is_int(peer.body_sum, want, "unchanged");
	ok(g->r.sent_ns >= g->r.conn_ns && g->r.sent_ns <= g->r.head_ns,
	    "sent between connection and head");
	if (strcmp(path, "/slow-read") == 0)
		ok(g->r.sent_ns - g->r.start_ns > 80 * TAPE_NS_PER_MS,
		    "the last byte waited for the server");
	free(g);
	tape_http_free(h);
}

/* One attempt with the nth allocation failing: open, two requests, close. */
static bool
attempt(uint64_t nth, const char *host)
{
	struct tape_http_opts opts = { .user_agent = "t",
		.max_connections = 2,
		.libcurl_only = over_libcurl };
	struct tape_http_request req = { .body = "x", .body_bytes = 1 };
	struct tape_http *h = NULL;
	struct got g[2];
	enum tape_status st;
	char url[64];
	int good = 0;

	(void)snprintf(url, sizeof(url), "http://%s:%d/echo", host, peer.port);
	req.url = url;
	memset(g, 0, sizeof(g));
	tape_err_clear(&err);
	(void)tape_mem_fail_at(nth);
	st = tape_http_open(&h, &opts, &calls, NULL, &err);
	for (int i = 0; i < 2 && st == TAPE_OK; i++) {
		g[i].order = true;
		req.user = &g[i];
		st = tape_http_start(h, &req, &g[i].x, NULL, &err);
		while (st == TAPE_OK && tape_http_running(h) > 0)
			st = tape_http_poll(h, now() + TAPE_NS_PER_S, &err);
		if (strcmp(verdict(&g[i]), "none/") == 0)
			good++;
		else if (st == TAPE_OK &&
			 strcmp(verdict(&g[i]), "client/memory") != 0)
			ok(false, "allocation %d: %s", (int)nth,
			    verdict(&g[i]));
	}
	if (st != TAPE_OK && (st != TAPE_E_NOMEM || err.status != st))
		ok(false, "allocation %d: status %d", (int)nth, (int)st);
	(void)tape_mem_fail_at(0);
	tape_http_free(h);
	return good == 2;
}

static void
test_memory(const char *host)
{
	uint64_t nth = 1;

	while (nth < 200 && !attempt(nth, host))
		nth++;
	ok(nth > 8 && nth < 200, "%d allocations may fail", (int)nth - 1);
	tape_err_clear(&err);
}

/* Requests alike need none of our allocations. */
static void
test_steady(void)
{
	struct tape_http *h = client(NULL);

	free(fetch(h, peer.port, "/fixed"));
	(void)tape_mem_fail_at(0);
	for (int i = 0; i < 10; i++)
		free(fetch(h, peer.port, "/fixed"));
	is_int(tape_mem_fail_at(0), 0, "no allocation for ten like requests");
	for (int i = 0; i < 40; i++) {
		struct tape_http_request req = { .url = NULL };
		char line[32];
		const char *const lines[] = { line };
		struct got *g;

		(void)snprintf(line, sizeof(line), "X-Id: %d", i % 20);
		req.headers = lines;
		req.headers_n = 1;
		g = begin(h, &req, peer.port, "/fixed");
		drain(h);
		if (strstr(peer.head, line) == NULL)
			ok(false, "%s was not sent", line);
		free(g);
	}
	ok(true, "more header sets than are kept");
	tape_http_free(h);
}

/* More sockets are ready than one pass takes, when the limit of all is over:
   what has come is read first. */
static void
test_behind(void)
{
	enum { N = 200 };
	struct tape_http_opts opts = { .timeouts = {
					   .idle_ns = 2 * TAPE_NS_PER_S } };
	struct tape_http *h = client(&opts);
	struct tape_http_request req = { .url = NULL };
	struct got *g[N];
	int begun = 0, good = 0;

	peer.go = false;
	for (int i = 0; i < N; i++)
		g[i] = begin(h, &req, peer.port, "/prompted");
	for (int i = 0; i < 400 && begun < N; i++) {
		(void)!tape_http_poll(h, now() + TAPE_NS_PER_S / 100, &err);
		begun = 0;
		for (int k = 0; k < N; k++)
			begun += g[k]->reads > 0;
	}
	peer.go = true;
	peer_sleep_ms(2200);
	drain(h);
	for (int i = 0; i < N; i++) {
		good += strcmp(verdict(g[i]), "none/") == 0;
		free(g[i]);
	}
	is_int(good, N, "held up for longer than a limit: all are read");
	tape_http_free(h);
}

static void
test_all(void)
{
	test_crowd();
	test_chain();
	test_upload("/echo", 40000);
	test_upload("/echo", UPLOAD);
	test_upload("/slow-read", (size_t)8 << 20);
	test_memory("127.0.0.1");
	test_memory("localhost");
	test_steady();
	test_behind();
}

int
main(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	peer_start(&peer);
	over_both(test_all);
	peer_stop(&peer);
	return done_testing();
}
