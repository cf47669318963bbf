/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * busy_server: a server whose tokens cost real work, as a small model's on a
 * CPU do: two threads multiply for each token, on whatever cores they get, and
 * what else runs there slows it down.
 *
 *	busy_server -p PORT -P PORT_FILE -l LOG [-u TOKEN_US] [-t SECONDS]
 *
 * One request at a time is answered with max_tokens events.  The work for a
 * token is fixed at the start: what takes TOKEN_US (10000) then, the best of
 * several.  Each answer is a JSON object in LOG: tokens, decode_s from the
 * first token's send to the last one's, total_s from the request to its end;
 * it is there before the client has the end.
 * It ends after -t seconds (600) or on SIGTERM.
 */
#include "bench/bench.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define CONNS   16
#define ROOM    8192
#define WEIGHTS 65536 /* floats of each thread: 256 KiB, as of a cached layer */

struct conn {
	int fd;
	size_t got;
	char in[ROOM];
};

static struct conn conns[CONNS];
static float weights[2][WEIGHTS];
static volatile float sink[2];
static int64_t passes;
static pthread_barrier_t begin, end;
static FILE *log_file;
static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void
work(int half)
{
	float sum[8] = { 0 };

	for (int64_t p = 0; p < passes; p++)
		for (size_t i = 0; i < WEIGHTS; i += 8)
			for (size_t j = 0; j < 8; j++)
				sum[j] += weights[half][i + j] * (float)p;
	for (size_t j = 0; j < 8; j++)
		sink[half] += sum[j];
}

static void *
second_thread(void *arg)
{
	(void)arg;
	for (;;) {
		(void)pthread_barrier_wait(&begin);
		work(1);
		(void)pthread_barrier_wait(&end);
	}
	return NULL;
}

static void
token(void)
{
	(void)pthread_barrier_wait(&begin);
	work(0);
	(void)pthread_barrier_wait(&end);
}

/* How many passes take so long, undisturbed. */
static void
calibrate(int64_t token_us)
{
	int64_t best_ns = INT64_MAX, start_ns, took_ns;

	passes = 20;
	for (int i = 0; i < 200; i++) {
		start_ns = bench_now_ns();
		token();
		took_ns = bench_now_ns() - start_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	passes = passes * token_us * 1000 / best_ns;
	if (passes < 1)
		passes = 1;
}

static bool
put(int fd, const char *p, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
put_event(int fd, const char *data)
{
	char out[600];
	int n = snprintf(out, sizeof(out), "%zx\r\ndata: %s\n\n\r\n",
	    strlen(data) + 8, data);

	return put(fd, out, (size_t)n);
}

static bool
answer(int fd, int64_t tokens)
{
	static const char head[] = "HTTP/1.1 200 OK\r\n"
				   "content-type: text/event-stream\r\n"
				   "transfer-encoding: chunked\r\n\r\n";
	static const char text[] =
	    "{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":"
	    "1716000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
	    "{\"content\":\" word\"},\"finish_reason\":null}]}";
	static const char last[] =
	    "{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":"
	    "1716000000,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},"
	    "\"finish_reason\":\"length\"}]}";
	int64_t start_ns = bench_now_ns(), first_ns = 0, last_ns = 0;

	if (!put(fd, head, sizeof(head) - 1))
		return false;
	for (int64_t i = 0; i < tokens && !stop; i++) {
		token();
		last_ns = bench_now_ns();
		if (i == 0)
			first_ns = last_ns;
		if (!put_event(fd, text))
			return false;
	}
	if (!put_event(fd, last) || !put_event(fd, "[DONE]"))
		return false;
	(void)fprintf(log_file,
	    "{\"tokens\":%lld,\"decode_s\":%.9f,\"total_s\":%.9f}\n",
	    (long long)tokens, 1e-9 * (double)(last_ns - first_ns),
	    1e-9 * (double)(bench_now_ns() - start_ns));
	(void)fflush(log_file);
	return put(fd, "0\r\n\r\n", 5);
}

/* Serves the request in hand, if it is whole; false: close. */
static bool
serve(struct conn *c)
{
	static const char none[] = "HTTP/1.1 404 Not Found\r\n"
				   "content-length: 0\r\n\r\n";
	char *head_end = strstr(c->in, "\r\n\r\n"), *p;
	size_t need;

	if (head_end == NULL)
		return c->got < ROOM - 1;
	need = (size_t)(head_end + 4 - c->in);
	p = strcasestr(c->in, "content-length:");
	if (p != NULL && p < head_end)
		need += strtoul(p + 15, NULL, 10);
	if (c->got < need)
		return c->got < ROOM - 1;
	c->got = 0;
	p = strstr(c->in, "\"max_tokens\":");
	if (memcmp(c->in, "POST ", 5) != 0 || p == NULL)
		return put(c->fd, none, sizeof(none) - 1);
	return answer(c->fd, strtoll(p + 13, NULL, 10));
}

static void
readable(struct conn *c)
{
	ssize_t n = recv(c->fd, c->in + c->got, ROOM - 1 - c->got, 0);

	if (n > 0) {
		c->got += (size_t)n;
		c->in[c->got] = '\0';
	}
	if (n > 0 && serve(c))
		return;
	(void)close(c->fd);
	c->fd = -1;
	c->got = 0;
}

static void
accept_one(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	for (size_t i = 0; i < CONNS && fd >= 0; i++)
		if (conns[i].fd < 0) {
			bench_no_delay(fd);
			conns[i].fd = fd;
			return;
		}
	if (fd >= 0)
		(void)close(fd);
}

static void
look(int listen_fd)
{
	struct pollfd fds[CONNS + 1] = { { listen_fd, POLLIN, 0 } };

	for (size_t i = 0; i < CONNS; i++)
		fds[i + 1] = (struct pollfd){ conns[i].fd, POLLIN, 0 };
	if (poll(fds, CONNS + 1, 100) <= 0)
		return;
	for (size_t i = 0; i < CONNS; i++)
		if (conns[i].fd >= 0 && fds[i + 1].revents != 0)
			readable(&conns[i]);
	if (fds[0].revents != 0)
		accept_one(listen_fd);
}

int
main(int argc, char **argv)
{
	const char *port_file = NULL, *log_path = NULL;
	int64_t port = 0, token_us = 10000, limit_s = 600, end_ns;
	pthread_t thread;
	int c, fd;

	while ((c = getopt(argc, argv, "p:P:l:u:t:")) != -1)
		if (c == 'p')
			port = bench_number(optarg, 1, 32767);
		else if (c == 'P')
			port_file = optarg;
		else if (c == 'l')
			log_path = optarg;
		else if (c == 'u')
			token_us = bench_number(optarg, 10, 10000000);
		else if (c == 't')
			limit_s = bench_number(optarg, 1, 86400);
		else
			return 2;
	if (port == 0 || port_file == NULL || log_path == NULL)
		return 2;
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	log_file = fopen(log_path, "w");
	if (log_file == NULL)
		bench_die(log_path);
	for (size_t i = 0; i < CONNS; i++)
		conns[i].fd = -1;
	for (size_t i = 0; i < WEIGHTS; i++)
		weights[0][i] = weights[1][i] = 1.0f / (float)(i + 1);
	if (pthread_barrier_init(&begin, NULL, 2) != 0 ||
	    pthread_barrier_init(&end, NULL, 2) != 0 ||
	    pthread_create(&thread, NULL, second_thread, NULL) != 0)
		bench_die("threads");
	calibrate(token_us);
	fd = bench_listen((uint16_t)port, port_file);
	end_ns = bench_now_ns() + limit_s * BENCH_NS_PER_S;
	while (!stop && bench_now_ns() < end_ns)
		look(fd);
	return 0;
}
