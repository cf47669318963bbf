/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve: how late the model server is by itself, and what an event costs it.
 *
 *	serve [-b] [-m MERGE] [-s SPIN] [-w WARM_S] STREAMS TOKENS_PER_S SECONDS
 *
 * The server runs in a thread on core SERVER_CORE (0), and a client that only
 * reads, by epoll, in another thread on CLIENT_CORE (1).  Every stream is 100
 * tokens long, then the next request goes out on the same connection.  Streams
 * start one after the other and are on their own clocks, which deviate by 5 %;
 * -b has them all tick together.  Counted is what is sent in SECONDS, after
 * WARM_S (2) in which the streams are opened.  0 tokens a second saturates.
 * Prints a JSON object.
 */
#include "engine/serve.h"
#include "bench/bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>

#define OPENING_S 0.8 /* share of the warm-up in which streams are opened */

static const char body[] =
    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Tell me "
    "something about rivers\"}],\"max_tokens\":100,\"stream\":true,"
    "\"stream_options\":{\"include_usage\":true}}";
static char request[1024];
static size_t request_len;

static struct tape_serve *server;
static double warm_s = 2, span_s;
static atomic_bool done;

/* Of the server's thread, over the time that counts. */
static struct tape_serve_stats before, after;
static double cpu_s, wall_s;

static void
pin(const char *variable, int64_t core)
{
	const char *text = getenv(variable);
	cpu_set_t set;

	if (text != NULL)
		core = bench_number(text, 0, CPU_SETSIZE - 1);
	CPU_ZERO(&set);
	CPU_SET((size_t)core, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static double
thread_cpu_s(void)
{
	struct rusage ru;

	(void)getrusage(RUSAGE_THREAD, &ru);
	return bench_seconds(ru.ru_utime) + bench_seconds(ru.ru_stime);
}

static void *
serve(void *arg)
{
	struct tape_err err = { 0 };
	int64_t at_ns = bench_now_ns() + (int64_t)(warm_s * 1e9);

	(void)arg;
	pin("SERVER_CORE", 0);
	if (tape_serve_run_until(server, at_ns, &err) != TAPE_OK)
		bench_die(err.text);
	before = *tape_serve_get_stats(server);
	cpu_s = thread_cpu_s();
	at_ns = bench_now_ns();
	if (tape_serve_run_until(
		server, at_ns + (int64_t)(span_s * 1e9), &err) != TAPE_OK)
		bench_die(err.text);
	after = *tape_serve_get_stats(server);
	cpu_s = thread_cpu_s() - cpu_s;
	wall_s = 1e-9 * (double)(bench_now_ns() - at_ns);
	atomic_store(&done, true);
	return NULL;
}

static void
ask(int fd)
{
	if (send(fd, request, request_len, MSG_NOSIGNAL) !=
	    (ssize_t)request_len)
		bench_die("send");
}

/* Reads, and asks again at the end of an answer, until time is over. */
static void *
read_all(void *arg)
{
	static char buf[65536];
	struct epoll_event ev[64];
	int *epoll_fd = arg, i, n;
	ssize_t got;

	pin("CLIENT_CORE", 1);
	while (!atomic_load(&done)) {
		n = epoll_wait(*epoll_fd, ev, 64, 50);
		for (i = 0; i < n; i++) {
			got = recv(ev[i].data.fd, buf, sizeof(buf), 0);
			if (got <= 0)
				bench_die("the server closed");
			if (got >= 5 &&
			    memcmp(buf + got - 5, "0\r\n\r\n", 5) == 0)
				ask(ev[i].data.fd);
		}
	}
	return NULL;
}

static void
nap_s(double s)
{
	struct timespec ts = { .tv_sec = (time_t)s,
		.tv_nsec = (long)((s - (double)(time_t)s) * 1e9) };

	(void)nanosleep(&ts, NULL);
}

static void
open_streams(int epoll_fd, int64_t streams)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(tape_serve_port(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	double from_s = 1e-9 * (double)bench_now_ns(), late_s;
	int64_t i;

	for (i = 0; i < streams; i++) {
		ev.data.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (ev.data.fd < 0 ||
		    connect(ev.data.fd, (struct sockaddr *)&to, sizeof(to)) !=
			0 ||
		    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ev.data.fd, &ev) != 0)
			bench_die("cannot open a stream");
		ask(ev.data.fd);
		late_s = from_s +
			 OPENING_S * warm_s * (double)i / (double)streams -
			 1e-9 * (double)bench_now_ns();
		if (late_s > 0)
			nap_s(late_s);
	}
}

/* What was added to the histogram meanwhile; its largest to the bucket. */
static void
subtract(struct tape_hist *h, const struct tape_hist *from)
{
	size_t i;

	for (i = 0; i < TAPE_HIST_BUCKETS; i++)
		h->counts[i] -= from->counts[i];
	h->n -= from->n;
	h->max = INT64_MAX;
}

static double
late_us(double q)
{
	double n = (double)after.late.n;

	if (q * n > n - 0.5)
		q = (n - 0.5) / n;
	return 1e-3 * (double)tape_hist_quantile(&after.late, q);
}

static void
print(int64_t streams, double rate, const struct tape_serve_conf *conf)
{
	double events = (double)(after.events - before.events);

	subtract(&after.late, &before.late);
	(void)printf("{\"streams\":%" PRId64 ",\"tokens_per_s\":%g,"
		     "\"cadence\":\"%s\",\"merge\":%u,\"spin\":\"%s\","
		     "\"events_per_s\":%.0f,\"late_p50_us\":%.1f,"
		     "\"late_p99_us\":%.1f,\"late_max_us\":%.1f,"
		     "\"cpu_us\":%.3f,\"cpu_percent\":%.1f,\"n\":%.0f}\n",
	    streams, rate,
	    conf->cadence == TAPE_SERVE_BATCH ? "batch" : "steady", conf->merge,
	    conf->spin_ns != 0 ? "on" : "off", events / wall_s, late_us(0.5),
	    late_us(0.99), late_us(1), events > 0 ? 1e6 * cpu_s / events : 0,
	    100 * cpu_s / wall_s, events);
}

static void
usage(void)
{
	(void)fprintf(stderr, "usage: serve [-b] [-m MERGE] [-s SPIN] [-w "
			      "WARM_S] STREAMS TOKENS_PER_S SECONDS\n");
	exit(2);
}

static void
options(int argc, char **argv, struct tape_serve_conf *conf)
{
	struct tape_err err = { 0 };
	int c;

	while ((c = getopt(argc, argv, "bm:s:w:")) != -1)
		switch (c) {
		case 'b':
			conf->cadence = TAPE_SERVE_BATCH;
			break;
		case 'm':
			conf->merge = (uint32_t)bench_number(
			    optarg, 1, TAPE_SERVE_MERGE_MAX);
			break;
		case 's':
			if (tape_serve_parse_spin(
				optarg, &conf->spin_ns, &err) != TAPE_OK)
				usage();
			break;
		case 'w':
			warm_s = (double)bench_number(optarg, 1, 600);
			break;
		default:
			usage();
		}
	if (argc - optind != 3)
		usage();
}

int
main(int argc, char **argv)
{
	struct tape_serve_conf conf;
	struct tape_err err = { 0 };
	int64_t streams;
	double rate;
	pthread_t th[2];
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	tape_serve_conf_default(&conf);
	options(argc, argv, &conf);
	streams = bench_number(argv[optind], 1, 100000);
	rate = (double)bench_number(argv[optind + 1], 0, 1000000);
	span_s = (double)bench_number(argv[optind + 2], 1, 3600);
	bench_raise_limit();
	request_len = (size_t)snprintf(request, sizeof(request),
	    "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"
	    "content-length: %zu\r\n\r\n%s",
	    sizeof(body) - 1, body);
	conf.port = (uint16_t)(10000 + getpid() * 37 % 20000);
	conf.stamp = true;
	conf.ttft.mean = rate > 0 ? 20e6 : 0;
	conf.itl.mean = rate > 0 ? 1e9 / rate : 0;
	conf.itl.sd = conf.itl.mean / 20;
	while (tape_serve_open(&server, &conf, &err) != TAPE_OK) {
		if (err.sys != EADDRINUSE)
			bench_die(err.text);
		tape_err_clear(&err);
		conf.port = (uint16_t)(10000 + (conf.port + 1237) % 20000);
	}
	if (epoll_fd < 0 || pthread_create(&th[0], NULL, serve, NULL) != 0 ||
	    pthread_create(&th[1], NULL, read_all, &epoll_fd) != 0)
		bench_die("cannot start");
	open_streams(epoll_fd, streams);
	(void)pthread_join(th[0], NULL);
	(void)pthread_join(th[1], NULL);
	print(streams, rate, &conf);
	tape_serve_free(server);
	return 0;
}
