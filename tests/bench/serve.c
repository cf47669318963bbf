/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve: how late the model server is, and what an event costs it.
 *
 *	serve STREAMS TOKENS_PER_S SECONDS
 *
 * The server runs in a thread on one core, a client that only reads in another
 * thread on another core.  Every stream is 100 tokens long, then the next
 * request goes out on the same connection; they start spread over 100 ms.
 * Prints one line: streams, tokens/s of each, events/s reached, lateness of
 * token events p50, p99, max, and CPU of the server's thread an event.
 */
#include "engine/serve.h"
#include "base/mem.h"
#include "base/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TOKENS 100

static const char body[] =
    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Tell me "
    "something about rivers\"}],\"max_tokens\":100,\"stream\":true,"
    "\"stream_options\":{\"include_usage\":true}}";
static char request[1024];
static size_t request_len;

static struct tape_serve *server;
static double server_cpu_s;
static atomic_bool done;

static void
die(const char *what)
{
	(void)fprintf(stderr, "serve: %s: %s\n", what, strerror(errno));
	exit(4);
}

static void
pin(size_t core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static double
seconds(struct timeval tv)
{
	return (double)tv.tv_sec + 1e-6 * (double)tv.tv_usec;
}

static void *
serve(void *arg)
{
	struct tape_err err = { 0 };
	struct rusage ru;

	(void)arg;
	pin(0);
	if (tape_serve_run(server, &err) != TAPE_OK)
		(void)fprintf(stderr, "serve: %s\n", err.text);
	(void)getrusage(RUSAGE_THREAD, &ru);
	server_cpu_s = seconds(ru.ru_utime) + seconds(ru.ru_stime);
	return NULL;
}

static void
ask(int fd)
{
	if (send(fd, request, request_len, MSG_NOSIGNAL) !=
	    (ssize_t)request_len)
		die("send");
}

static int
dial(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		die("connect");
	return fd;
}

/* Reads, and asks again at the end of an answer, until time is over. */
static void *
read_all(void *arg)
{
	static char buf[65536];
	struct epoll_event ev[64];
	int *epoll_fd = arg, i, n;
	ssize_t got;

	pin(1);
	while (!atomic_load(&done)) {
		n = epoll_wait(*epoll_fd, ev, 64, 50);
		for (i = 0; i < n; i++) {
			got = recv(ev[i].data.fd, buf, sizeof(buf), 0);
			if (got <= 0 && atomic_load(&done))
				return NULL;
			if (got <= 0)
				die("the server closed");
			if (got >= 5 &&
			    memcmp(buf + got - 5, "0\r\n\r\n", 5) == 0)
				ask(ev[i].data.fd);
		}
	}
	return NULL;
}

static void
nap_ms(double ms)
{
	struct timespec ts = { .tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms * 1e6) % 1000000000 };

	(void)nanosleep(&ts, NULL);
}

static void
open_streams(int epoll_fd, uint64_t streams)
{
	struct epoll_event ev = { .events = EPOLLIN };
	uint64_t i;

	for (i = 0; i < streams; i++) {
		ev.data.fd = dial(tape_serve_port(server));
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ev.data.fd, &ev) != 0)
			die("epoll_ctl");
		ask(ev.data.fd);
		nap_ms(100.0 / (double)streams);
	}
}

static void
print(uint64_t streams, double rate, double span_s)
{
	const struct tape_serve_stats *s = tape_serve_get_stats(server);

	printf("%6" PRIu64 " %8.0f %10.0f %9.1f %9.1f %9.1f %9.2f\n", streams,
	    rate, (double)s->tokens / span_s,
	    (double)tape_hist_quantile(&s->late, 0.5) / 1e3,
	    (double)tape_hist_quantile(&s->late, 0.99) / 1e3,
	    (double)s->late.max / 1e3,
	    1e6 * server_cpu_s / (double)(s->events > 0 ? s->events : 1));
}

int
main(int argc, char **argv)
{
	struct tape_serve_conf conf;
	struct tape_err err = { 0 };
	struct rlimit lim;
	uint64_t streams = 0;
	double rate = 0, span_s = 0;
	pthread_t th[2];
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	tape_serve_conf_default(&conf);
	if (argc != 4 ||
	    tape_num_u64(argv[1], 1, 100000, &streams, &err) != TAPE_OK ||
	    tape_num_double(argv[2], 0.1, 1e6, &rate, &err) != TAPE_OK ||
	    tape_num_double(argv[3], 0.1, 3600, &span_s, &err) != TAPE_OK) {
		(void)fprintf(stderr,
		    "usage: serve STREAMS TOKENS_PER_S SECONDS %s\n", err.text);
		return 2;
	}
	(void)getrlimit(RLIMIT_NOFILE, &lim);
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
	request_len = (size_t)snprintf(request, sizeof(request),
	    "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"
	    "content-length: %zu\r\n\r\n%s",
	    sizeof(body) - 1, body);
	conf.port = 0;
	conf.stamp = true;
	conf.drain_ns = 1; /* what is counted ends with the time */
	conf.ttft.mean = 20e6;
	conf.itl.mean = 1e9 / rate;
	conf.itl.sd = conf.itl.mean / 20;
	if (epoll_fd < 0 || tape_serve_open(&server, &conf, &err) != TAPE_OK ||
	    pthread_create(&th[0], NULL, serve, NULL) != 0 ||
	    pthread_create(&th[1], NULL, read_all, &epoll_fd) != 0) {
		(void)fprintf(stderr, "serve: %s\n", err.text);
		return 4;
	}
	open_streams(epoll_fd, streams);
	nap_ms(span_s * 1000);
	atomic_store(&done, true);
	tape_serve_stop(server);
	(void)pthread_join(th[0], NULL);
	(void)pthread_join(th[1], NULL);
	print(streams, rate, span_s + 0.1);
	tape_serve_free(server);
	return 0;
}
