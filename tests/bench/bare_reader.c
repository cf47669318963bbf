/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bare_reader: the least that a client of event streams can do, to set
 * trace-replay against: it sends the same request on each of N connections,
 * counts the events of what comes by their blank lines, and sends again at the
 * end of an answer.  No time is kept, no byte either.
 *
 *	bare_reader -p PORT -n STREAMS -r REQUESTS -e MAX_TOKENS [-k] [-w FILE]
 *
 * -k has the kernel stamp each read, and takes the stamp.  -w is the least that
 * a client which keeps its bytes can do: all of them go as they come, of
 * whatever stream, into FILE by zstd at level 1.  One JSON object goes to
 * standard output: requests, events, reads, stamped, bytes, wall_s,
 * cpu_s.
 */
#include "bench/bench.h"
#include "codec/stream_out.h"

#include <inttypes.h>
#include <sys/epoll.h>

#define STREAMS_MAX 20000

static struct stream {
	int fd;
	char last[5]; /* of the read before: marks may be cut */
	size_t last_n;
	bool busy;
} streams[STREAMS_MAX];

static char request[1024];
static size_t request_len;
static int64_t to_send, open_n;
static uint64_t events, reads, bytes, done, stamped;
static bool stamps;
static struct tape_out *kept; /* of -w */
static struct tape_err err;

static void
ask(struct stream *s)
{
	s->busy = to_send > 0;
	s->last_n = 0;
	if (!s->busy)
		return;
	to_send--;
	open_n++;
	if (send(s->fd, request, request_len, MSG_NOSIGNAL) !=
	    (ssize_t)request_len)
		bench_die("send");
}

static int
dial(uint16_t port)
{
	struct sockaddr_in to = bench_address(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		bench_die("connect");
	if (stamps &&
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) != 0)
		bench_die("SO_TIMESTAMPNS");
	bench_no_delay(fd);
	return fd;
}

static ssize_t
receive(int fd, char *buf, size_t size)
{
	char control[64];
	struct iovec v = { .iov_base = buf, .iov_len = size };
	struct msghdr m = { .msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	ssize_t n;

	if (!stamps)
		return recv(fd, buf, size, MSG_DONTWAIT);
	n = recvmsg(fd, &m, MSG_DONTWAIT);
	stamped += n > 0 && CMSG_FIRSTHDR(&m) != NULL;
	return n;
}

static void
count(const char *p, size_t len)
{
	const char *end = p + len, *at = p;

	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		if (at == end)
			return;
		if (*at == '\n')
			events++;
	}
}

/* The events of a read, and whether it ended the answer.  buf has 5 bytes of
   room in front, where the end of the read before is put. */
static bool
look(struct stream *s, char *buf, size_t n)
{
	char *p = buf + 5 - s->last_n;
	size_t len = n + s->last_n;
	bool end;

	memcpy(p, s->last, s->last_n);
	/* A blank line was counted if both of its line ends were there. */
	if (s->last_n > 0)
		count(buf + 4, n + 1);
	else
		count(buf + 5, n);
	end = len >= 5 && memcmp(p + len - 5, "0\r\n\r\n", 5) == 0;
	s->last_n = len < 5 ? len : 5;
	memcpy(s->last, p + len - s->last_n, s->last_n);
	return end;
}

static void
must(enum tape_status st)
{
	if (st == TAPE_OK)
		return;
	(void)fprintf(stderr, "bare_reader: %s\n", err.text);
	exit(4);
}

static void
keep_in(const char *path)
{
	/* as trace-replay has it, but for the index */
	struct tape_out_opts opts = { .level = 1,
		.frame_bytes = (size_t)4 << 20 };
	int fd =
	    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t)0666);

	if (fd < 0)
		bench_die(path);
	must(tape_out_open_fd(&kept, fd, path, &opts, &err));
}

static void
readable(struct stream *s)
{
	static char buf[5 + 65536];
	ssize_t n = receive(s->fd, buf + 5, 65536);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		bench_die("the server closed");
	reads++;
	bytes += (uint64_t)n;
	if (kept != NULL)
		must(tape_out_write(kept, buf + 5, (size_t)n, &err));
	if (!look(s, buf, (size_t)n))
		return;
	done++;
	open_n--;
	ask(s);
}

static void
run(int epoll_fd)
{
	struct epoll_event ev[256];

	while (open_n > 0) {
		int n = epoll_wait(epoll_fd, ev, 256, 60000);

		if (n <= 0)
			bench_die("nothing came");
		for (int i = 0; i < n; i++)
			readable(ev[i].data.ptr);
	}
}

static void
prepare(int64_t max_tokens)
{
	char body[512];
	int len = snprintf(body, sizeof(body),
	    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
	    "\"Tell me something about rivers\"}],\"stream\":true,"
	    "\"stream_options\":{\"include_usage\":true},"
	    "\"max_tokens\":%" PRId64 "}",
	    max_tokens);

	request_len = (size_t)snprintf(request, sizeof(request),
	    "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"
	    "content-type: application/json\r\n"
	    "content-length: %d\r\n\r\n%s",
	    len, body);
}

int
main(int argc, char **argv)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int64_t port = 0, n = 1, max_tokens = 1, start_ns;
	int c, epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	double cpu_s;

	to_send = 1;
	while ((c = getopt(argc, argv, "p:n:r:e:kw:")) != -1)
		if (c == 'p')
			port = bench_number(optarg, 1, 65535);
		else if (c == 'n')
			n = bench_number(optarg, 1, STREAMS_MAX);
		else if (c == 'r')
			to_send = bench_number(optarg, 1, 1000000000);
		else if (c == 'e')
			max_tokens = bench_number(optarg, 1, 10000000);
		else if (c == 'k')
			stamps = true;
		else if (c == 'w')
			keep_in(optarg);
		else
			return 2;
	if (port == 0 || epoll_fd < 0)
		return 2;
	bench_raise_limit();
	prepare(max_tokens);
	start_ns = bench_now_ns();
	for (int64_t i = 0; i < n; i++) {
		streams[i].fd = dial((uint16_t)port);
		ev.data.ptr = &streams[i];
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, streams[i].fd, &ev) != 0)
			bench_die("epoll_ctl");
		ask(&streams[i]);
	}
	run(epoll_fd);
	if (kept != NULL)
		must(tape_out_close(kept, &err));
	cpu_s = bench_cpu_s();
	printf("{\"requests\":%" PRIu64 ",\"events\":%" PRIu64
	       ",\"reads\":%" PRIu64 ",\"stamped\":%" PRIu64
	       ",\"bytes\":%" PRIu64 ",\"wall_s\":%.6f,\"cpu_s\":%.6f}\n",
	    done, events, reads, stamped, bytes,
	    1e-9 * (double)(bench_now_ns() - start_ns), cpu_s);
	return 0;
}
