/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Server and raw clients in one thread: pump lets the server do what there is
 * to do.  Its clock is a fake one, so that a minute of idling takes no time.
 */
#include "codec/server.h"

#include "base/mem.h"
#include "unit/ports.h"
#include "unit/raw_client.h"
#include "unit/tap.h"

#include <pthread.h>
#include <sys/resource.h>

#define MS TAPE_NS_PER_MS

static struct tape_server *srv;
static struct tape_clock_fake fake;
static struct tape_clock fake_clock;

/* What the handler below saw and holds. */
static struct {
	struct tape_server_conn *c;
	struct tape_server_timer timer;
	int closes[TAPE_SERVER_END_STOPPED + 1];
	int ticks;
	size_t streamed;
	enum tape_status last; /* of a send */
} held;

static void
tick(void *arg)
{
	(void)arg;
	if (held.c == NULL)
		return;
	if (++held.ticks > 3)
		(void)tape_server_end(held.c);
	else {
		(void)tape_server_send(held.c, "tick\n", 5);
		if (tape_server_at(srv, &held.timer,
			held.timer.deadline_ns + 10 * MS, tick,
			NULL) != TAPE_OK)
			abort();
	}
}

static void
echo(struct tape_server_conn *c, const struct tape_server_request *req)
{
	struct tape_buf b;

	tape_buf_init(&b, 1 << 20);
	(void)tape_buf_add_fmt(&b, "%s %s %s %zu:", req->method, req->path,
	    req->query, req->body_bytes);
	(void)tape_buf_add(&b, req->body, req->body_bytes);
	if (b.status != TAPE_OK)
		tape_server_close(c);
	else
		(void)tape_server_reply(c, 200, "x-a: b\r\n", b.data, b.len);
	tape_buf_release(&b);
}

/* As much as is taken, in pieces of a MiB. */
static void
flood(struct tape_server_conn *c)
{
	char *p = tape_mem_calloc(1, 1 << 20);

	(void)tape_server_head(c, 200, "", TAPE_SERVER_CHUNKED, 0);
	do
		held.last = tape_server_send(c, p, 1 << 20);
	while (held.last == TAPE_OK);
	tape_mem_free(p);
}

static void
on_request(void *arg, struct tape_server_conn *c,
    const struct tape_server_request *req)
{
	(void)arg;
	held.c = c;
	tape_server_conn_set(c, &held);
	if (strcmp(req->path, "/hold") == 0)
		return;
	if (strcmp(req->path, "/ticks") == 0) {
		held.ticks = 0;
		(void)tape_server_head(c, 200, "", TAPE_SERVER_CHUNKED, 0);
		if (tape_server_at(srv, &held.timer,
			tape_server_now_ns(srv) + 10 * MS, tick,
			NULL) != TAPE_OK)
			abort();
	} else if (strcmp(req->path, "/flood") == 0)
		flood(c);
	else if (strcmp(req->path, "/close") == 0)
		tape_server_close(c);
	else if (strcmp(req->path, "/reset") == 0) {
		(void)tape_server_head(c, 200, "", TAPE_SERVER_CHUNKED, 0);
		(void)tape_server_send(c, "part", 4);
		tape_server_reset(c);
	} else if (strcmp(req->path, "/short") == 0) {
		(void)tape_server_head(c, 200, "", TAPE_SERVER_LENGTH, 9);
		(void)tape_server_send(c, "part", 4);
		(void)tape_server_end(c);
	} else if (strcmp(req->path, "/raw") == 0) {
		(void)tape_server_raw(c, "rubbish\r\n", 9);
		tape_server_close(c);
	} else if (strcmp(req->path, "/streamed") == 0)
		(void)tape_server_reply(c, 200, "", "done", 4);
	else
		echo(c, req);
}

static bool
on_head(void *arg, struct tape_server_conn *c,
    const struct tape_server_request *req)
{
	(void)arg;
	if (strcmp(req->path, "/early") == 0)
		(void)tape_server_reply(c, 401, "", "no", 2);
	held.streamed = 0;
	return strcmp(req->path, "/streamed") == 0;
}

static void
on_body(void *arg, struct tape_server_conn *c, const char *p, size_t len)
{
	(void)arg;
	(void)c;
	(void)p;
	held.streamed += len;
}

static void
on_close(void *arg, struct tape_server_conn *c, enum tape_server_end why)
{
	(void)arg;
	held.closes[why]++;
	if (held.c == c) {
		held.c = NULL;
		tape_server_cancel(srv, &held.timer);
	}
}

static const struct tape_server_handler handler = {
	.on_head = on_head,
	.on_body = on_body,
	.on_request = on_request,
	.on_close = on_close,
};

static void
start(struct tape_server_conf conf)
{
	struct tape_err err = { 0 };
	enum tape_status st;

	memset(&held, 0, sizeof(held));
	fake.now_ns = 1000 * TAPE_NS_PER_S;
	fake_clock = tape_clock_from_fake(&fake);
	conf.handler = handler;
	conf.clock = &fake_clock;
	st = tape_server_open(&srv, &conf, &err);
	for (int i = 0; srv != NULL && i < PORTS_TRIES; i++) {
		tape_err_clear(&err);
		st = tape_server_listen(
		    srv, "127.0.0.1", ports_next(), &port, &err);
		if (st != TAPE_E_IO)
			break;
	}
	if (st != TAPE_OK) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
}

static void
stop(void)
{
	tape_server_free(srv);
	srv = NULL;
}

/* One ms of the server's time; what has come is handled first. */
static void
pump(void)
{
	struct tape_err err = { 0 };

	if (tape_server_run(srv, fake.now_ns + MS, &err) != TAPE_OK)
		printf("# %s\n", err.text);
}

#define GET(path)  "GET " path " HTTP/1.1\r\nhost: h\r\n\r\n"
#define OK_HEAD(n) "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: " n "\r\n\r\n"

static void
test_cuts(void)
{
	static const char req[] = "POST /x?y HTTP/1.1\r\nHost: h\r\n"
				  "Content-Length: 5\r\n\r\nhello";
	static const char chunked[] = "POST /x?y HTTP/1.1\r\nHost: h\r\n"
				      "Transfer-Encoding: chunked\r\n\r\n"
				      "2\r\nhe\r\n3;x\r\nllo\r\n0\r\n\r\n";
	static const char want[] = OK_HEAD("17") "POST /x y 5:hello";
	const char *in[2] = { req, chunked };
	size_t k, cut, len, wrong;
	int fd;

	start((struct tape_server_conf){ 0 });
	fd = dial();
	for (k = 0; k < 2; k++) {
		len = strlen(in[k]);
		wrong = 0;
		for (cut = 1; cut < len; cut++) {
			say(fd, in[k], cut);
			pump();
			say(fd, in[k] + cut, len - cut);
			wrong += strcmp(hear(fd, "hello"), want) != 0;
		}
		is_int(wrong, 0, "every cut of %s request",
		    k == 0 ? "a plain" : "a chunked");
	}
	is_int(tape_server_stats(srv).conns, 1, "on one kept connection");
	is_int(tape_server_stats(srv).requests,
	    strlen(req) + strlen(chunked) - 2, "each counted once");
	(void)close(fd);
	stop();
	is_int(held.closes[TAPE_SERVER_END_PEER] +
		   held.closes[TAPE_SERVER_END_STOPPED],
	    1, "on_close came once");
}

static void
test_pipelining(void)
{
	struct tape_buf many;
	const char *got;
	int fd, i;

	start((struct tape_server_conf){ 0 });
	fd = dial();
	SAY(fd, GET("/a") GET("/ticks") GET("/b"));
	got = hear(fd, "GET /b  0:");
	is_str(got,
	    OK_HEAD(
		"10") "GET /a  0:"
		      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
		      "5\r\ntick\n\r\n5\r\ntick\n\r\n5\r\ntick\n\r\n0\r\n\r\n" OK_HEAD(
			  "10") "GET /b  0:",
	    "pipelined requests are answered in order");
	/* more than the server holds while one is in hand */
	tape_buf_init(&many, 1 << 20);
	(void)tape_buf_add_str(&many, GET("/ticks"));
	for (i = 0; i < 4000; i++)
		(void)tape_buf_add_str(&many, GET("/b"));
	(void)tape_buf_add_str(&many, GET("/last"));
	say(fd, many.data, many.len);
	for (i = 0; i < 100; i++) {
		got = hear(fd, "GET /last  0:");
		if (strstr(got, "GET /last  0:") != NULL)
			break;
	}
	ok(i < 100, "160 KB of pipelined requests, too");
	is_int(tape_server_stats(srv).requests, 4005, "none is lost");
	/* and with the FIN right behind them */
	SAY(fd, GET("/ticks") GET("/b"));
	(void)shutdown(fd, SHUT_WR);
	got = hear(fd, "<eof>");
	ok(strstr(got, "GET /b  0:<eof>") != NULL,
	    "a half-closed client gets its answers");
	tape_buf_release(&many);
	(void)close(fd);
	stop();
}

static void
test_framing(void)
{
	start((struct tape_server_conf){ 0 });
	is_str(ask("GET /a HTTP/1.0\r\n\r\n", "<eof>"),
	    "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 10\r\n"
	    "connection: close\r\n\r\nGET /a  0:<eof>",
	    "HTTP/1.0 closes");
	is_str(ask("GET /ticks HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
		   "<eof>"),
	    "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"
	    "tick\ntick\ntick\n<eof>",
	    "and gets no chunks");
	is_str(ask("GET /a HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n",
		   "<eof>"),
	    "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 10\r\n"
	    "connection: close\r\n\r\nGET /a  0:<eof>",
	    "connection: close is honoured");
	is_str(ask("HEAD /a HTTP/1.1\r\nhost: h\r\n\r\n", "\r\n\r\n"),
	    OK_HEAD("11"), "HEAD has no body");
	is_str(ask(GET("/close"), "<eof>"), "<eof>", "closed without a word");
	is_str(ask(GET("/reset"), "<rst>"),
	    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
	    "4\r\npart\r\n<rst>",
	    "reset in mid-answer");
	is_str(ask(GET("/short"), "<eof>"),
	    "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\npart<eof>",
	    "an answer that is too short closes");
	is_str(ask(GET("/raw"), "<eof>"), "rubbish\r\n<eof>", "raw bytes");
	stop();
}

static void
test_expect_and_streaming(void)
{
	int fd;

	start((struct tape_server_conf){ 0 });
	fd = dial();
	SAY(fd, "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n"
		"expect: 100-continue\r\n\r\n");
	is_str(hear(fd, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n",
	    "100-continue");
	SAY(fd, "ab");
	is_str(
	    hear(fd, ":ab"), OK_HEAD("13") "POST /x  2:ab", "then the answer");
	SAY(fd, "POST /streamed HTTP/1.1\r\nhost: h\r\n"
		"content-length: 10\r\n\r\n01234");
	pump();
	pump();
	is_int(held.streamed, 5, "a streamed body comes in pieces");
	SAY(fd, "56789");
	is_str(hear(fd, "done"),
	    "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone",
	    "and is answered");
	is_int(held.streamed, 10, "all of it came");
	SAY(fd, "POST /early HTTP/1.1\r\nhost: h\r\ncontent-length: 100000\r\n"
		"expect: 100-continue\r\n\r\n");
	is_str(hear(fd, "<eof>"),
	    "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n"
	    "connection: close\r\n\r\nno<eof>",
	    "answered before the body: no 100, and closed");
	(void)close(fd);
	stop();
}

/* The answer must get through although the client goes on sending. */
static void
test_refusal_lingers(void)
{
	static char body[8192];
	struct tape_server_conf conf = { .body_cap_bytes = 4096 };
	const char *got;
	int fd, i;

	start(conf);
	fd = dial();
	SAY(fd,
	    "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 5000000\r\n\r\n");
	for (i = 0; i < 10; i++) {
		say(fd, body, sizeof(body));
		pump();
	}
	got = hear(fd, "<eof>");
	is_str(got,
	    "HTTP/1.1 413 Content Too Large\r\ncontent-type: text/plain\r\n"
	    "content-length: 22\r\nconnection: close\r\n\r\n"
	    "request body too large<eof>",
	    "413 gets through");
	is_int(tape_server_stats(srv).open, 1,
	    "what is under way is still taken, which a closed socket resets");
	for (i = 0; i < 2000 && tape_server_stats(srv).open > 0; i++)
		pump();
	is_int(tape_server_stats(srv).open, 0,
	    "and the connection does not linger for ever");
	is_int(held.closes[TAPE_SERVER_END_OURS], 1, "closed by us");
	(void)close(fd);
	is_str(ask("\x16\x03\x01", "<eof>"),
	    "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\n"
	    "content-length: 19\r\nconnection: close\r\n\r\n"
	    "not an HTTP request<eof>",
	    "TLS is told so at once");
	is_int(tape_server_stats(srv).bad, 2, "both counted");
	stop();
}

static void
test_peer_goes(void)
{
	struct tape_server_conf conf = { .eof_cancels = true };
	int fd, i;

	start(conf);
	fd = dial();
	SAY(fd, GET("/hold"));
	for (i = 0; i < 1000 && held.c == NULL; i++)
		pump();
	ok(held.c != NULL, "a request is in hand");
	(void)close(fd);
	for (i = 0; i < 1000 && held.c != NULL; i++)
		pump();
	is_int(
	    held.closes[TAPE_SERVER_END_PEER], 1, "the peer's end cancels it");
	fd = dial();
	SAY(fd, GET("/hold"));
	for (i = 0; i < 1000 && held.c == NULL; i++)
		pump();
	fake.now_ns += 1000 * TAPE_NS_PER_S;
	pump();
	ok(held.c != NULL, "a handler may think for long");
	tape_server_reset(held.c);
	is_int(tape_server_send(held.c, "x", 1), TAPE_E_IO,
	    "nothing can be sent on a dead connection");
	is_int(tape_server_head(held.c, 200, "", TAPE_SERVER_CHUNKED, 0),
	    TAPE_E_IO, "nor begun");
	is_str(hear(fd, "<rst>"), "<rst>", "reset");
	(void)close(fd);
	stop();
}

static void
test_idle(void)
{
	struct tape_server_conf conf = { .idle_ns = 10 * TAPE_NS_PER_S };
	int fd, half;

	start(conf);
	fd = dial();
	half = dial();
	SAY(fd, GET("/a"));
	SAY(half, "GET /");
	(void)hear(fd, "0:");
	fake.now_ns += 9 * TAPE_NS_PER_S;
	pump();
	is_int(tape_server_stats(srv).open, 2, "kept for a while");
	SAY(fd, GET("/a"));
	(void)hear(fd, "0:");
	fake.now_ns += 2 * TAPE_NS_PER_S;
	pump();
	is_int(tape_server_stats(srv).open, 1,
	    "half a request is not waited for longer");
	is_int(held.closes[TAPE_SERVER_END_IDLE], 1, "idle");
	fake.now_ns += 9 * TAPE_NS_PER_S;
	pump();
	is_int(tape_server_stats(srv).open, 0, "nor an idle connection");
	is_str(hear(fd, "<eof>"), "<eof>", "closed in order");
	(void)close(fd);
	(void)close(half);
	stop();
}

static void
test_slow_reader(void)
{
	static char sink[1 << 20];
	struct tape_server_conf conf = { .idle_ns = 10 * TAPE_NS_PER_S };
	size_t total = 0;
	ssize_t n;
	int fd, i;

	start(conf);
	fd = dial();
	SAY(fd, GET("/flood"));
	for (i = 0; i < 1000 && held.last == TAPE_OK; i++)
		pump();
	is_int(held.last, TAPE_E_LIMIT, "a reader that does not read: refused");
	ok(tape_server_conn_pending(held.c) > ((size_t)3 << 20) &&
		tape_server_conn_pending(held.c) <= ((size_t)4 << 20) + 64,
	    "at the cap of 4 MiB");
	(void)tape_server_end(held.c);
	for (i = 0; i < 20000; i++) {
		pump();
		n = recv(fd, sink, sizeof(sink), MSG_DONTWAIT);
		total += n > 0 ? (size_t)n : 0;
		if (n > 4 && memcmp(sink + n - 5, "0\r\n\r\n", 5) == 0)
			break;
	}
	ok(i < 20000 && total > ((size_t)4 << 20),
	    "all that was taken arrives, to the last chunk");
	SAY(fd, GET("/flood"));
	held.last = TAPE_OK;
	for (i = 0; i < 1000 && held.last == TAPE_OK; i++)
		pump();
	fake.now_ns += 11 * TAPE_NS_PER_S;
	pump();
	is_int(held.closes[TAPE_SERVER_END_IDLE], 1,
	    "who takes nothing for idle_ns is cut off");
	(void)close(fd);
	stop();
}

static void
test_many(void)
{
	enum { N = 500 };
	struct tape_server_conf conf = { .max_conns = N };
	static int fd[N];
	size_t i, right = 0;
	int extra, round;

	start(conf);
	for (i = 0; i < N; i++) {
		fd[i] = dial();
		if (i % 50 == 0)
			pump();
	}
	for (i = 0; i < 2000 && tape_server_stats(srv).open < N; i++)
		pump();
	is_int(tape_server_stats(srv).open, N, "500 connections");
	extra = dial();
	ok(strcmp(hear(extra, "<"), "<eof>") == 0, "one too many is closed");
	is_int(tape_server_stats(srv).refused, 1, "and counted");
	for (round = 0; round < 2; round++) {
		for (i = 0; i < N; i++)
			SAY(fd[i], GET("/a"));
		for (i = 0; i < N; i++)
			right += strcmp(hear(fd[i], "0:"),
				     OK_HEAD("10") "GET /a  0:") == 0;
	}
	is_int(right, 2 * N, "all are answered, twice");
	for (i = 0; i < N; i++)
		(void)close(fd[i]);
	(void)close(extra);
	for (i = 0; i < 2000 && tape_server_stats(srv).open > 0; i++)
		pump();
	is_int(held.closes[TAPE_SERVER_END_PEER], N, "and gone");
	stop();
}

static void
test_descriptors(void)
{
	struct rlimit old, low;
	int fd[8], i, closed = 0;

	start((struct tape_server_conf){ 0 });
	for (i = 0; i < 8; i++)
		fd[i] = dial();
	(void)getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = (rlim_t)fd[7] + 3;
	(void)setrlimit(RLIMIT_NOFILE, &low);
	for (i = 0; i < 100; i++)
		pump();
	(void)setrlimit(RLIMIT_NOFILE, &old);
	ok(tape_server_stats(srv).open >= 1 && tape_server_stats(srv).open < 8,
	    "without descriptors some are served");
	is_int(tape_server_stats(srv).open + tape_server_stats(srv).refused, 8,
	    "and the others refused, not left to spin");
	for (i = 0; i < 8; i++) {
		char c;

		closed += recv(fd[i], &c, 1, MSG_DONTWAIT) == 0;
		(void)close(fd[i]);
	}
	is_int(closed, tape_server_stats(srv).refused, "by closing");
	stop();
}

static void
test_stop(void)
{
	struct tape_err err = { 0 };
	int idle, busy, hung, i;

	start((struct tape_server_conf){ 0 });
	idle = dial();
	busy = dial();
	hung = dial();
	SAY(idle, GET("/a"));
	(void)hear(idle, "0:");
	SAY(hung, GET("/hold"));
	for (i = 0; i < 100 && held.c == NULL; i++)
		pump();
	SAY(busy, GET("/ticks"));
	(void)hear(busy, "tick");
	tape_server_stop(srv);
	is_int(tape_server_run(srv, INT64_MAX, &err), TAPE_EOF, "stopped");
	is_int(fake.now_ns >= 1002 * TAPE_NS_PER_S, 1, "after the drain");
	is_int(held.closes[TAPE_SERVER_END_OURS], 2,
	    "the idle one and the one that was answered");
	is_int(held.closes[TAPE_SERVER_END_STOPPED], 1, "one was cut off");
	is_int(tape_server_run(srv, INT64_MAX, &err), TAPE_EOF, "stays so");
	(void)close(idle);
	(void)close(busy);
	(void)close(hung);
	stop();
}

static void *
stop_soon(void *arg)
{
	(void)usleep(20000);
	tape_server_stop(arg);
	return NULL;
}

static struct {
	struct tape_server_timer t;
	int64_t late[50];
	int n;
} ticker;

static void
measure(void *arg)
{
	(void)arg;
	ticker.late[ticker.n++] =
	    tape_server_now_ns(srv) - ticker.t.deadline_ns;
	if (ticker.n < 50 &&
	    tape_server_at(srv, &ticker.t, ticker.t.deadline_ns + 2 * MS,
		measure, NULL) != TAPE_OK)
		abort();
}

static int
by_value(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

static void
test_real_clock(void)
{
	struct tape_server_conf conf = { .handler = handler };
	struct tape_err err = { 0 };
	pthread_t th;
	int64_t t0, past, bound;

	if (tape_server_open(&srv, &conf, &err) != TAPE_OK ||
	    tape_server_listen(srv, "localhost", 0, &port, &err) != TAPE_OK)
		ok(false, "open: %s", err.text);
	t0 = tape_server_now_ns(srv);
	if (tape_server_at(srv, &ticker.t, t0 + 2 * MS, measure, NULL) !=
	    TAPE_OK)
		ok(false, "no memory");
	is_int(tape_server_run(srv, t0 + 150 * MS, &err), TAPE_OK,
	    "runs until then");
	past = tape_server_now_ns(srv) - t0;
	ok(past >= 150 * MS, "not shorter");
	is_int(ticker.n, 50, "50 timers of 2 ms ran meanwhile");
	qsort(ticker.late, 50, sizeof(ticker.late[0]), by_value);
	printf("# lateness of timers: p50 %lld us, max %lld us\n",
	    (long long)ticker.late[25] / 1000,
	    (long long)ticker.late[49] / 1000);
	ok(ticker.late[0] >= 0, "never early");
	bound = 20 * TAPE_NS_PER_S;
	if (pthread_create(&th, NULL, stop_soon, srv) != 0)
		abort();
	is_int(tape_server_run(srv, t0 + bound, &err), TAPE_EOF,
	    "stopped by another thread");
	ok(tape_server_now_ns(srv) - t0 < bound, "in time");
	(void)pthread_join(th, NULL);
	stop();
}

static void
test_no_listening(void)
{
	struct tape_server_conf conf = { .handler = handler };
	struct tape_server *other = NULL;
	struct tape_err err = { 0 };

	start((struct tape_server_conf){ 0 });
	is_int(tape_server_open(&other, &conf, &err), TAPE_OK, "another one");
	is_int(tape_server_listen(other, "127.0.0.1", port, NULL, &err),
	    TAPE_E_IO, "a taken port");
	is_int(err.sys, EADDRINUSE, "says so");
	tape_err_clear(&err);
	is_int(tape_server_listen(other, "no.such.host.invalid", 0, NULL, &err),
	    TAPE_E_USAGE, "a bad address");
	tape_server_free(other);
	tape_server_free(NULL);
	stop();
}

/* Whatever allocation fails, the server survives and frees all. */
static void
test_no_memory(void)
{
	struct tape_server_conf conf = { .handler = handler,
		.clock = &fake_clock };
	struct tape_err err = { 0 };
	const char *got = "";
	uint64_t nth;
	int fd;

	for (nth = 1; nth < 100; nth++) {
		srv = NULL;
		tape_err_clear(&err);
		(void)tape_mem_fail_at(nth);
		if (tape_server_open(&srv, &conf, &err) != TAPE_OK ||
		    tape_server_listen(srv, "127.0.0.1", ports_next(), &port,
			&err) != TAPE_OK) {
			(void)tape_mem_fail_at(0);
			stop();
			continue;
		}
		fd = dial();
		SAY(fd,
		    "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 3\r\n\r\n"
		    "abc" GET("/b"));
		got = hear(fd, "GET /b  0:");
		(void)tape_mem_fail_at(0);
		(void)close(fd);
		stop();
		if (strstr(got, "GET /b  0:") != NULL)
			break;
	}
	ok(nth > 5 && nth < 100, "each of %d failing allocations is survived",
	    (int)nth - 1);
}

int
main(void)
{
	client_pump = pump;
	test_cuts();
	test_pipelining();
	test_framing();
	test_expect_and_streaming();
	test_refusal_lingers();
	test_peer_goes();
	test_idle();
	test_slow_reader();
	test_many();
	test_descriptors();
	test_stop();
	test_real_clock();
	test_no_listening();
	test_no_memory();
	return done_testing();
}
