/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve: how late the model server is by itself, and what an event costs it.
 *
 *	serve [-b] [-m MERGE] [-s SPIN] [-w WARM_S] STREAMS TOKENS_PER_S SECONDS
 *
 * The server runs in a process of its own on core SERVER_CORE (0), and a client
 * that only reads, by epoll, on CLIENT_CORE (1).  Every stream is 100
 * tokens long, then the next request goes out on the same connection.  Streams
 * start one after the other and are on their own clocks, which deviate by 5 %;
 * -b has them all tick together.  Counted is what is sent in SECONDS, after
 * WARM_S (2) in which the streams are opened.  0 tokens a second saturates.
 * Prints a JSON object.
 */
#include "engine/serve.h"
#include "base/spin.h"
#include "bench/bench.h"
#include "codec/server.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define OPENING_S 0.8 /* share of the warm-up in which streams are opened */

static const char body[] =
    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Tell me "
    "something about rivers\"}],\"max_tokens\":100,\"stream\":true,"
    "\"stream_options\":{\"include_usage\":true}}";
static char request[1024];
static size_t request_len;

static double warm_s = 2, span_s;

/* What the server's process tells of the time that counts. */
static struct shared {
	atomic_bool done;
	struct tape_serve_stats before, after;
	double cpu_s, wall_s;
} * shared;

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

/* Serves for the warm-up and the time that counts; the exit code. */
static int
serve(const struct tape_serve_conf *conf)
{
	struct tape_serve *server = NULL;
	struct tape_err err = { 0 };
	int64_t at_ns = bench_now_ns() + (int64_t)(warm_s * 1e9);

	pin("SERVER_CORE", 0);
	if (tape_serve_open(&server, conf, &err) != TAPE_OK ||
	    tape_serve_run_until(server, at_ns, &err) != TAPE_OK)
		bench_die(err.text);
	shared->before = *tape_serve_get_stats(server);
	shared->cpu_s = bench_cpu_s();
	at_ns = bench_now_ns();
	if (tape_serve_run_until(
		server, at_ns + (int64_t)(span_s * 1e9), &err) != TAPE_OK)
		bench_die(err.text);
	shared->after = *tape_serve_get_stats(server);
	shared->cpu_s = bench_cpu_s() - shared->cpu_s;
	shared->wall_s = 1e-9 * (double)(bench_now_ns() - at_ns);
	atomic_store(&shared->done, true);
	tape_serve_free(server);
	return 0;
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
	while (!atomic_load(&shared->done)) {
		n = epoll_wait(*epoll_fd, ev, 64, 50);
		for (i = 0; i < n; i++) {
			got = recv(ev[i].data.fd, buf, sizeof(buf), 0);
			if (got <= 0 && atomic_load(&shared->done))
				return NULL;
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
open_streams(int epoll_fd, uint16_t port, int64_t streams)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct sockaddr_in to = bench_address(port);
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
	const struct tape_hist *late = &shared->after.late;
	double n = (double)late->n;

	if (q * n > n - 0.5)
		q = (n - 0.5) / n;
	return 1e-3 * (double)tape_hist_quantile(late, q);
}

static void
print(int64_t streams, double rate, const struct tape_serve_conf *conf)
{
	double events = (double)(shared->after.events - shared->before.events);

	subtract(&shared->after.late, &shared->before.late);
	(void)printf("{\"streams\":%" PRId64 ",\"tokens_per_s\":%g,"
		     "\"cadence\":\"%s\",\"merge\":%u,\"spin\":\"%s\","
		     "\"events_per_s\":%.0f,\"late_p50_us\":%.1f,"
		     "\"late_p99_us\":%.1f,\"late_max_us\":%.1f,"
		     "\"cpu_us\":%.3f,\"cpu_percent\":%.1f,\"n\":%.0f}\n",
	    streams, rate,
	    conf->cadence == TAPE_SERVE_BATCH ? "batch" : "steady", conf->merge,
	    conf->spin_ns != 0 ? "on" : "off", events / shared->wall_s,
	    late_us(0.5), late_us(0.99), late_us(1),
	    events > 0 ? 1e6 * shared->cpu_s / events : 0,
	    100 * shared->cpu_s / shared->wall_s, events);
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
			if (tape_spin_parse(optarg, TAPE_SERVE_SPIN_MAX_NS,
				&conf->spin_ns, &err) != TAPE_OK)
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

/* The port that the server will listen on, whose socket is in conf. */
static uint16_t
open_socket(struct tape_serve_conf *conf)
{
	struct tape_err err = { 0 };
	uint16_t port = (uint16_t)(10000 + getpid() * 37 % 20000);

	while (tape_server_socket("127.0.0.1", port, &conf->listen_fd, NULL,
		   &err) != TAPE_OK) {
		if (err.sys != EADDRINUSE)
			bench_die(err.text);
		tape_err_clear(&err);
		port = (uint16_t)(10000 + (port + 1237) % 20000);
	}
	return port;
}

static pid_t
start_server(struct tape_serve_conf *conf)
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		bench_die("cannot start");
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(serve(conf));
	}
	if (pid < 0)
		bench_die("cannot start");
	(void)close(conf->listen_fd);
	return pid;
}

int
main(int argc, char **argv)
{
	struct tape_serve_conf conf;
	int64_t streams;
	double rate;
	pthread_t th;
	pid_t pid;
	uint16_t port;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC), status = 0;

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
	conf.stamp = true;
	conf.ttft.mean = rate > 0 ? 20e6 : 0;
	conf.itl.mean = rate > 0 ? 1e9 / rate : 0;
	conf.itl.sd = conf.itl.mean / 20;
	port = open_socket(&conf);
	pid = start_server(&conf);
	if (epoll_fd < 0 || pthread_create(&th, NULL, read_all, &epoll_fd) != 0)
		bench_die("cannot start");
	open_streams(epoll_fd, port, streams);
	(void)pthread_join(th, NULL);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		bench_die("the server failed");
	print(streams, rate, &conf);
	return 0;
}
