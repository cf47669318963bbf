/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench: what the programs of tests/bench have in common.  They end with a
 * line on standard error, and 2 for wrong use or 4, when something fails.
 */
#ifndef TAPE_TESTS_BENCH_H
#define TAPE_TESTS_BENCH_H

#include "base/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BENCH_NS_PER_S INT64_C(1000000000)

static inline _Noreturn void
bench_die(const char *what)
{
	(void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name,
	    what, strerror(errno));
	exit(4);
}

/* A number of the command line within [min, max]. */
static inline int64_t
bench_number(const char *text, int64_t min, int64_t max)
{
	struct tape_err err = { 0 };
	int64_t n = 0;

	if (tape_num_i64(text, min, max, &n, &err) != TAPE_OK) {
		(void)fprintf(stderr, "%s: %s\n", program_invocation_short_name,
		    err.text);
		exit(2);
	}
	return n;
}

/* CLOCK_MONOTONIC. */
static inline int64_t
bench_now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * BENCH_NS_PER_S + ts.tv_nsec;
}

static inline double
bench_seconds(struct timeval tv)
{
	return (double)tv.tv_sec + 1e-6 * (double)tv.tv_usec;
}

/* CPU of this process so far, user and system. */
static inline double
bench_cpu_s(void)
{
	struct rusage ru;

	(void)getrusage(RUSAGE_SELF, &ru);
	return bench_seconds(ru.ru_utime) + bench_seconds(ru.ru_stime);
}

/* As many descriptors as are allowed. */
static inline void
bench_raise_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
		return;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
}

static inline struct sockaddr_in
bench_address(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return a;
}

static inline void
bench_no_delay(int fd)
{
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Listens on 127.0.0.1, does not block, and says the port in a file that is
   there only when it is whole. */
static inline int
bench_listen(uint16_t port, const char *port_file)
{
	struct sockaddr_in at = bench_address(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1;
	char part[512];
	FILE *f;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 4096) != 0)
		bench_die("listen");
	(void)snprintf(part, sizeof(part), "%s.part", port_file);
	f = fopen(part, "w");
	if (f == NULL || fprintf(f, "%d\n", port) < 0 || fclose(f) != 0 ||
	    rename(part, port_file) != 0)
		bench_die(port_file);
	return fd;
}

#endif
