/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http: CPU time of codec/http, for a request on a kept connection and for an
 * event that comes in a segment of its own.
 *
 *	http [REQUESTS [STREAMS [EVENTS]]]
 *
 * A bare epoll server runs as a process of its own on the first CPU, the client
 * on the last.  First REQUESTS (20000) requests over 32 connections, each
 * answered at once with one event.  Then STREAMS (1000) streams of EVENTS (100)
 * events, 20 ms apart, staggered.  A bare epoll reader takes the same streams
 * for comparison.  CPU is the client thread's, user and system.
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
static int events = 100; /* of a stream */
static int queue[FDS], queue_head, queue_n;

static void
put(int fd)
{
	queue[(queue_head + queue_n++) % FDS] = fd;
}

static void
say(int fd, const char *s)
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
		say(fd, HEAD EVENT LAST);
		return;
	}
	say(fd, HEAD);
	served[fd].left = events;
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
		say(fd, EVENT);
		s->due_ns += ITL_NS;
		if (--s->left > 0)
			put(fd);
		else
			say(fd, LAST);
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
	long to_start, done, failed, reads;
};

static void
on_read(void *arg, void *user, const struct tape_http_read *read)
{
	struct load *l = arg;

	(void)user;
	l->reads += read->first;
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
run(struct load *l, int streams, int64_t gap_ns)
{
	struct tape_err err = { .status = TAPE_OK };
	int64_t next_ns = now();
	enum tape_status st = TAPE_OK;

	while (
	    st == TAPE_OK && (l->to_start > 0 || tape_http_running(l->h) > 0)) {
		int64_t wait_ns = now() + TAPE_NS_PER_S;

		for (int i = 0; i < 16 && l->to_start > 0 && next_ns <= now() &&
				tape_http_running(l->h) < (size_t)streams;
		     i++) {
			st = tape_http_start(l->h, &l->req, NULL, NULL, &err);
			l->to_start--;
			next_ns += gap_ns;
		}
		if (l->to_start > 0 && gap_ns > 0)
			wait_ns = next_ns;
		if (st == TAPE_OK)
			st = tape_http_poll(l->h, wait_ns, &err);
	}
	if (st != TAPE_OK)
		(void)fprintf(stderr, "http: %s\n", err.text);
}

static void
bench(const char *name, int port, const char *path, long requests, int streams,
    int64_t gap_ns, bool user_clock)
{
	static const struct tape_http_calls calls = { .read = on_read,
		.finish = on_finish };
	static const char *const headers[] = { "Authorization: Bearer token",
		"Content-Type: application/json", "Accept: text/event-stream" };
	static const char body[] = "{\"model\":\"model\",\"stream\":true,"
				   "\"max_tokens\":100,\"prompt\":\"hello\"}";
	struct tape_http_opts opts = { .max_connections = (size_t)streams,
		.user_clock = user_clock };
	struct load l = { .req = { .headers = headers,
			      .headers_n = 3,
			      .body = body,
			      .body_bytes = sizeof(body) - 1 } };
	struct tape_err err = { .status = TAPE_OK };
	char url[128];
	int64_t from_ns;
	double us;

	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
	l.req.url = url;
	if (tape_http_open(&l.h, &opts, &calls, &l, &err) != TAPE_OK) {
		(void)fprintf(stderr, "http: %s\n", err.text);
		return;
	}
	/* Connections are opened before. */
	l.to_start = gap_ns == 0 ? streams : 0;
	run(&l, streams, 0);
	l.done = l.reads = 0;
	l.to_start = requests;
	from_ns = now();
	us = cpu_us();
	run(&l, streams, gap_ns);
	us = cpu_us() - us;
	printf("%-12s %7ld requests %8ld reads %5ld failed %6.2f s "
	       "%7.2f us/request %6.2f us/read\n",
	    name, l.done, l.reads, l.failed, 1e-9 * (double)(now() - from_ns),
	    us / (double)l.done, us / (double)l.reads);
	tape_http_free(l.h);
}

/* The least that a reader can do: wait, receive. */
static void
bare(int port, int streams)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct epoll_event ev[128] = { { .events = EPOLLIN } };
	static const char text[] = "POST /events/ HTTP/1.1\r\n\r\n";
	char buf[16384];
	long reads = 0;
	int left = streams;
	double us;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a.sin_port = htons((uint16_t)port);
	for (int i = 0; i < streams; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct timespec ts = { .tv_nsec = ITL_NS / streams };

		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
			left--;
		say(fd, text);
		ev[0].data.fd = fd;
		(void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev[0]);
		(void)nanosleep(&ts, NULL);
	}
	us = -cpu_us();
	while (left > 0) {
		int n = epoll_wait(epoll_fd, ev, 128, 1000);

		for (int i = 0; i < n; i++) {
			ssize_t len =
			    recv(ev[i].data.fd, buf, sizeof(buf), MSG_DONTWAIT);

			reads++;
			if (len <= 0 || memcmp(buf + len - 5, LAST, 5) == 0) {
				(void)close(ev[i].data.fd);
				left--;
			}
		}
	}
	us += cpu_us();
	printf("%-12s %7d requests %8ld reads %44.2f us/read\n", "bare reader",
	    streams, reads, us / (double)reads);
}

static long
argument(int argc, char **argv, int at, long otherwise)
{
	struct tape_err err = { .status = TAPE_OK };
	int64_t n;

	if (at >= argc)
		return otherwise;
	if (tape_num_i64(argv[at], 1, 10000000, &n, &err) != TAPE_OK) {
		(void)fprintf(stderr, "http: %s\n", err.text);
		exit(2);
	}
	return (long)n;
}

int
main(int argc, char **argv)
{
	long requests = argument(argc, argv, 1, 20000);
	int streams = (int)argument(argc, argv, 2, 1000);
	int port;
	pid_t server;

	events = (int)argument(argc, argv, 3, events);
	server = start_server(&port);
	(void)signal(SIGPIPE, SIG_IGN);
	pin(true);
	for (int user = 0; user < 2; user++) {
		printf("%s\n", user ? "user clock" : "kernel clock");
		bench(
		    "keep-alive", port, "/one", requests, CONNECTIONS, 0, user);
		bench("streams", port, "/events/", streams, streams,
		    ITL_NS / streams, user);
	}
	bare(port, streams);
	(void)kill(server, SIGTERM);
	(void)waitpid(server, NULL, 0);
	return 0;
}
