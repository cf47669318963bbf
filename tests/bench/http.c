/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http: what codec/http costs.
 *
 *	http CLIENT WHAT N
 *
 * CLIENT is own (requests framed by codec/http), libcurl, or bare, an epoll
 * loop that does the least.  WHAT is
 *
 *	kept	N requests over 32 kept connections: CPU us each
 *	new	N requests, each over a new connection, 32 at once: CPU us each
 *	streams	N streams of 100 events, 20 ms apart: CPU us for a read
 *	memory	N streams at once: resident bytes for each
 *	burst	N streams that end and restart together, five times: CPU us for
 *		a read, and the longest time of one pass of the loop
 *
 * A bare epoll server runs as a process of its own on the first CPU, the client
 * on the last.  CPU is the client thread's, user and system.  Prints a line of
 * JSON.
 */
#include "codec/http.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ITL_NS      (20 * TAPE_NS_PER_MS)
#define CONNECTIONS 32
#define FDS         20000
#define HEAD                                                                   \
 "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"                      \
 "Transfer-Encoding: chunked\r\n\r\n"
#define EVENT                                                                  \
 "df\r\ndata: {\"id\":\"chatcmpl-0123456789abcdef0123456789abcdef\","          \
 "\"object\":\"chat.completion.chunk\",\"created\":1700000000,"                \
 "\"model\":\"model\",\"choices\":[{\"index\":0,\"delta\":{\"content\":"       \
 "\" token\"},\"logprobs\":null,\"finish_reason\":null}]}     \n\n\r\n"
#define LAST "0\r\n\r\n"

static int64_t
now(void)
{
	return tape_clock_now_ns(&tape_clock_system);
}

static double
cpu_us(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_THREAD, &u);
	return 1e6 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void
pin(bool last)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(last ? (size_t)(n - 1) : 0, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

/* The server: one queue of streams in the order in which they are due. */
struct served {
	int left; /* events */
	int64_t due_ns;
};

static struct served served[FDS];
#define EVENTS 100 /* of a stream */
static int queue[FDS], queue_head, queue_n;

static void
put(int fd)
{
	queue[(queue_head + queue_n++) % FDS] = fd;
}

static void
tell(int fd, const char *s)
{
	ssize_t n = send(fd, s, strlen(s), MSG_NOSIGNAL | MSG_DONTWAIT);

	(void)n;
}

/* Requests come whole: they are small. */
static void
answer(int fd)
{
	char buf[4096];
	ssize_t n = recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT);
	static const char streams[] = "POST /events/";

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			(void)close(fd);
		return;
	}
	buf[n] = '\0';
	if (strncmp(buf, streams, sizeof(streams) - 1) != 0) {
		tell(fd, HEAD EVENT LAST);
		return;
	}
	tell(fd, HEAD);
	served[fd].left = EVENTS;
	served[fd].due_ns = now() + ITL_NS;
	put(fd);
}

static void
serve_due(int64_t at_ns)
{
	while (queue_n > 0) {
		int fd = queue[queue_head];
		struct served *s = &served[fd];

		if (s->due_ns > at_ns)
			return;
		queue_head = (queue_head + 1) % FDS;
		queue_n--;
		tell(fd, EVENT);
		s->due_ns += ITL_NS;
		if (--s->left > 0)
			put(fd);
		else
			tell(fd, LAST);
	}
}

static void
accept_one(int epoll_fd, int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct epoll_event ev = { .events = EPOLLIN };
	int one = 1;

	if (fd < 0 || fd >= FDS)
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	ev.data.fd = fd;
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static void
serve(int listen_fd)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev[256] = { { .events = EPOLLIN } };

	pin(false);
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	ev[0].data.fd = listen_fd;
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listen_fd, &ev[0]);
	for (;;) {
		int64_t wait_ns = TAPE_NS_PER_S;
		struct timespec ts;
		int n;

		if (queue_n > 0)
			wait_ns = served[queue[queue_head]].due_ns - now();
		ts.tv_sec = wait_ns > 0 ? wait_ns / TAPE_NS_PER_S : 0;
		ts.tv_nsec = wait_ns > 0 ? wait_ns % TAPE_NS_PER_S : 0;
		n = epoll_pwait2(epoll_fd, ev, 256, &ts, NULL);
		for (int i = 0; i < n; i++) {
			if (ev[i].data.fd == listen_fd)
				accept_one(epoll_fd, listen_fd);
			else
				answer(ev[i].data.fd);
		}
		serve_due(now());
	}
}

static pid_t
start_server(int *port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = { .sin_family = AF_INET };
	pid_t pid;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (*port = 21000; *port < 32000; (*port)++) {
		a.sin_port = htons((uint16_t)*port);
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			break;
	}
	(void)listen(fd, 4096);
	pid = fork();
	if (pid == 0)
		serve(fd);
	(void)close(fd);
	return pid;
}

/* The client. */
struct load {
	struct tape_http *h;
	struct tape_http_request req;
	long to_start, done, failed, reads, streaming;
	int64_t pass_max_ns;
};

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct load *l = arg;

	(void)user;
	l->reads += read->first;
}

static void
on_head(void *arg, void *user, const struct tape_http_head *head)
{
	struct load *l = arg;

	(void)user;
	(void)head;
	l->streaming++;
}

static void
on_finish(void *arg, void *user, const struct tape_http_result *r)
{
	struct load *l = arg;

	(void)user;
	l->done++;
	l->failed += r->class != TAPE_HTTP_NONE;
}

static void
check(enum tape_status st, const struct tape_err *err)
{
	if (st == TAPE_OK)
		return;
	(void)fprintf(stderr, "http: %s\n", err->text);
	exit(4);
}

/* One pass, timed without its wait when nothing has to be waited for. */
static void
pass(struct load *l, int64_t until_ns)
{
	struct tape_err err = { .status = TAPE_OK };
	int64_t from_ns = now();
	int64_t took_ns;
	enum tape_status st = tape_http_poll(l->h, until_ns, &err);

	check(st, &err);
	took_ns = now() - from_ns;
	if (until_ns == 0 && took_ns > l->pass_max_ns)
		l->pass_max_ns = took_ns;
}

/* Until all have ended, or all stream. */
static void
run(struct load *l, int streams, int64_t gap_ns, bool to_head)
{
	struct tape_err err = { .status = TAPE_OK };
	int64_t next_ns = now();

	while (l->to_start > 0 || (tape_http_running(l->h) > 0 &&
				      !(to_head && l->streaming >= streams))) {
		int64_t until_ns = now() + TAPE_NS_PER_S;

		for (int i = 0; i < 16 && l->to_start > 0 && next_ns <= now() &&
				tape_http_running(l->h) < (size_t)streams;
		     i++) {
			check(tape_http_start(l->h, &l->req, NULL, NULL, &err),
			    &err);
			l->to_start--;
			next_ns += gap_ns;
			until_ns = 0;
		}
		if (l->to_start > 0 && gap_ns > 0)
			until_ns = next_ns;
		pass(l, until_ns);
	}
}

static long
resident_bytes(void)
{
	char line[128] = "";
	FILE *f = fopen("/proc/self/statm", "r");
	char *pages;
	struct tape_err err = { .status = TAPE_OK };
	int64_t n = 0;

	if (f != NULL && fgets(line, sizeof(line), f) != NULL &&
	    (pages = strchr(line, ' ')) != NULL) {
		*strchr(++pages, ' ') = '\0';
		(void)!tape_num_i64(pages, 0, INT64_MAX, &n, &err);
	}
	if (f != NULL)
		(void)fclose(f);
	return (long)n * sysconf(_SC_PAGESIZE);
}

static void
say(const char *client, const char *what, long n, const char *unit, double each,
    const struct load *l)
{
	printf("{\"cell\":\"%s, %s\",\"n\":%ld,\"%s\":%.3f,\"reads\":%ld,"
	       "\"failed\":%ld,\"pass_max_us\":%.1f}\n",
	    what, client, n, unit, each, l->reads, l->failed,
	    1e-3 * (double)l->pass_max_ns);
}

static void
measure(struct load *l, const char *client, const char *what, long n)
{
	bool fresh = strcmp(what, "new") == 0;
	bool kept = strcmp(what, "kept") == 0;
	bool memory = strcmp(what, "memory") == 0;
	bool burst = strcmp(what, "burst") == 0;
	int streams = kept || fresh ? CONNECTIONS : (int)n;
	long before = 0;
	double us;

	if (!fresh && !memory) {
		/* Connections are opened before. */
		l->req.conn = TAPE_HTTP_POOLED;
		l->to_start = streams;
		run(l, streams, 0, false);
	}
	l->done = l->reads = l->streaming = 0;
	l->pass_max_ns = 0;
	l->to_start = burst ? n * 5 : n;
	if (memory)
		before = resident_bytes();
	us = cpu_us();
	run(l, streams, kept || fresh || burst || memory ? 0 : ITL_NS / n,
	    memory);
	us = cpu_us() - us;
	if (memory)
		say(client, what, n, "bytes",
		    (double)(resident_bytes() - before) / (double)n, l);
	else
		say(client, what, n, "us",
		    us / (double)(kept || fresh ? l->done : l->reads), l);
}

static void
with_codec(const char *client, const char *what, long n, int port)
{
	static const struct tape_http_calls calls = {
		.head = on_head, .read = on_read, .finish = on_finish
	};
	static const char *const headers[] = { "Authorization: Bearer token",
		"Content-Type: application/json", "Accept: text/event-stream" };
	static const char body[] = "{\"model\":\"model\",\"stream\":true,"
				   "\"max_tokens\":100,\"prompt\":\"hello\"}";
	bool one = strcmp(what, "kept") == 0 || strcmp(what, "new") == 0;
	struct tape_http_opts opts = { .max_connections = (size_t)n,
		.libcurl_only = strcmp(client, "libcurl") == 0 };
	struct load l = { .req = { .headers = headers,
			      .headers_n = 3,
			      .body = body,
			      .body_bytes = sizeof(body) - 1 } };
	struct tape_err err = { .status = TAPE_OK };
	char url[128];

	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port,
	    one ? "/one" : "/events/");
	l.req.url = url;
	if (strcmp(what, "new") == 0)
		l.req.conn = TAPE_HTTP_FRESH;
	check(tape_http_open(&l.h, &opts, &calls, &l, &err), &err);
	measure(&l, client, what, n);
	tape_http_free(l.h);
}

/* The least that a client can do: send, wait, receive. */
struct bare {
	int epoll_fd, port;
	bool fresh, streams;
	long to_start, left, reads;
};

static void
ask(int fd)
{
	static const char one[] = "POST /one HTTP/1.1\r\n\r\n";

	tell(fd, one);
}

static void
bare_open(struct bare *b)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT };
	int one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)b->port);
	ev.data.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	(void)setsockopt(
	    ev.data.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(ev.data.fd, (struct sockaddr *)&a, sizeof(a)) != 0 &&
	    errno != EINPROGRESS)
		perror("connect");
	(void)epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, ev.data.fd, &ev);
	b->to_start--;
}

static void
bare_sends(struct bare *b, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = fd };

	(void)epoll_ctl(b->epoll_fd, EPOLL_CTL_MOD, fd, &ev);
	if (b->streams)
		tell(fd, "POST /events/ HTTP/1.1\r\n\r\n");
	else
		ask(fd);
}

static void
bare_reads(struct bare *b, int fd)
{
	static char buf[65536];
	ssize_t len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (len < 0)
		return;
	b->reads++;
	if (len > 0 && memcmp(buf + len - 5, LAST, 5) != 0)
		return;
	b->left--;
	if (!b->fresh && !b->streams && b->to_start > 0) {
		b->to_start--;
		ask(fd);
		return;
	}
	(void)close(fd);
	if (b->to_start > 0)
		bare_open(b);
}

static void
bare_run(struct bare *b, int streams)
{
	struct epoll_event ev[128];

	for (int i = 0; i < streams; i++) {
		struct timespec ts = { .tv_nsec = ITL_NS / streams };

		bare_open(b);
		if (b->streams)
			(void)nanosleep(&ts, NULL);
	}
	while (b->left > 0) {
		int n = epoll_wait(b->epoll_fd, ev, 128, 1000);

		for (int i = 0; i < n; i++)
			if ((ev[i].events & EPOLLOUT) != 0)
				bare_sends(b, ev[i].data.fd);
			else
				bare_reads(b, ev[i].data.fd);
	}
}

static void
bare(const char *what, long n, int port)
{
	struct bare b = { .epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.port = port,
		.fresh = strcmp(what, "new") == 0,
		.streams = strcmp(what, "streams") == 0,
		.to_start = n,
		.left = n };
	struct load l = { .reads = 0 };
	double us;

	if (strcmp(what, "memory") == 0 || strcmp(what, "burst") == 0)
		return;
	us = -cpu_us();
	bare_run(&b, b.streams ? (int)n : CONNECTIONS);
	us += cpu_us();
	l.reads = b.reads;
	say("bare", what, n, "us", us / (double)(b.streams ? b.reads : n), &l);
}

int
main(int argc, char **argv)
{
	struct tape_err err = { .status = TAPE_OK };
	int64_t n = 0;
	pid_t server;
	int port;

	if (argc != 4 ||
	    tape_num_i64(argv[3], 1, 1000000, &n, &err) != TAPE_OK) {
		(void)fprintf(stderr, "usage: http CLIENT WHAT N\n");
		return 2;
	}
	server = start_server(&port);
	(void)signal(SIGPIPE, SIG_IGN);
	pin(true);
	if (strcmp(argv[1], "bare") == 0)
		bare(argv[2], n, port);
	else
		with_codec(argv[1], argv[2], n, port);
	(void)kill(server, SIGTERM);
	(void)waitpid(server, NULL, 0);
	return 0;
}
