/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_pump: a server that sends prepared events as fast as they are taken, or
 * at a steady rate, so that a client is what limits, and two clients get the
 * same.
 *
 *	event_pump -p PORT -P PORT_FILE [-k EVENTS_PER_WRITE] [-r RATE]
 *	    [-t SECONDS]
 *
 * To each POST it answers with max_tokens events, chunked, EVENTS_PER_WRITE (1)
 * of them in a chunk and a write, then a finish reason, usage and [DONE]; to
 * anything else with 404.  With -r it sends RATE events a second in all, to the
 * open streams in turn; without, to each as much as it takes.  It ends after -t
 * seconds (600) or on SIGTERM.
 */
#include "bench/bench.h"

#include <signal.h>
#include <sys/epoll.h>

#define STREAMS_MAX  20000
#define TEXTS        20011 /* so many that a compressor finds no period */
#define WRITE_MAX    ((size_t)64 << 10)
#define BURST_MAX_NS INT64_C(20000000) /* a late pump catches up so far */
#define REQUEST_ROOM 8192

static const char head[] = "HTTP/1.1 200 OK\r\n"
			   "content-type: text/event-stream\r\n"
			   "transfer-encoding: chunked\r\n\r\n";
static const char none[] = "HTTP/1.1 404 Not Found\r\n"
			   "content-length: 0\r\n\r\n";

struct stream {
	int fd;
	int64_t left;  /* events to send; 0: waits for a request */
	size_t ring;   /* its place among the active */
	size_t got;    /* of the head in hand */
	unsigned text; /* the next event's */
	char *pending; /* what a full socket did not take */
	size_t pending_len;
	char in[REQUEST_ROOM];
};

static struct stream *active[STREAMS_MAX];
static size_t active_n, turn;
static char *events[TEXTS];
static size_t event_len[TEXTS];
static char tail[1024];
static size_t tail_len;
static int64_t per_write = 1, rate;
static int epoll_fd;
static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Words of pseudo-random letters: what they compress to is like real text's. */
static void
prepare(void)
{
	uint64_t seed = 88172645463325252U;
	char text[16];

	for (size_t i = 0; i < TEXTS; i++) {
		size_t len = 2 + i % 8;

		for (size_t j = 0; j < len; j++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			text[j] = "etaoinshrdlucmfwypvbgkjqxz"[seed % 20];
		}
		text[len] = '\0';
		if (asprintf(&events[i],
			"data: {\"id\":\"chatcmpl-0123456789abcdef\","
			"\"object\":\"chat.completion.chunk\","
			"\"created\":1716000000,\"model\":\"Qwen/Qwen3-8B\","
			"\"choices\":[{\"index\":0,\"delta\":{\"content\":"
			"\" %s\"},\"logprobs\":null,"
			"\"finish_reason\":null}]}\n\n",
			text) < 0)
			bench_die("memory");
		event_len[i] = strlen(events[i]);
	}
}

static void
prepare_tail(void)
{
	static const char last[] =
	    "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":"
	    "\"chat.completion.chunk\",\"created\":1716000000,\"model\":"
	    "\"Qwen/Qwen3-8B\",\"choices\":[{\"index\":0,\"delta\":{},"
	    "\"logprobs\":null,\"finish_reason\":\"length\"}]}\n\n"
	    "data: [DONE]\n\n";

	tail_len = (size_t)snprintf(tail, sizeof(tail),
	    "%zx\r\n%s\r\n0\r\n\r\n", sizeof(last) - 1, last);
}

static void
drop(struct stream *s)
{
	if (s->left > 0) {
		active[s->ring] = active[--active_n];
		active[s->ring]->ring = s->ring;
	}
	(void)close(s->fd);
	free(s->pending);
	free(s);
}

static void
watch(struct stream *s, uint32_t what, int op)
{
	struct epoll_event ev = { .events = what, .data.ptr = s };

	if (epoll_ctl(epoll_fd, op, s->fd, &ev) != 0)
		bench_die("epoll_ctl");
}

/* Sends, and keeps what the socket does not take; false when it is gone. */
static bool
put(struct stream *s, const char *p, size_t len)
{
	ssize_t n = send(s->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN)
		return false;
	if (n < 0)
		n = 0;
	if ((size_t)n == len)
		return true;
	s->pending_len = len - (size_t)n;
	s->pending = malloc(s->pending_len);
	if (s->pending == NULL)
		bench_die("memory");
	memcpy(s->pending, p + n, s->pending_len);
	watch(s, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
	return true;
}

static bool
flush(struct stream *s)
{
	ssize_t n = send(
	    s->fd, s->pending, s->pending_len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN;
	s->pending_len -= (size_t)n;
	memmove(s->pending, s->pending + n, s->pending_len);
	if (s->pending_len == 0) {
		free(s->pending);
		s->pending = NULL;
		watch(s, EPOLLIN, EPOLL_CTL_MOD);
	}
	return true;
}

/* One write to a stream: a chunk of events, the last one with the end. */
static void
pump(struct stream *s)
{
	static char out[WRITE_MAX];
	int64_t n = s->left < per_write ? s->left : per_write;
	size_t len = 10, body = 0;
	char size[16];

	for (int64_t i = 0; i < n; i++) {
		size_t t = s->text++ % TEXTS;

		memcpy(out + len, events[t], event_len[t]);
		len += event_len[t];
		body += event_len[t];
	}
	/* The size goes in front, in as many digits as there is room for. */
	(void)snprintf(size, sizeof(size), "%08zx\r\n", body);
	memcpy(out, size, 10);
	memcpy(out + len, "\r\n", 2);
	len += 2;
	s->left -= n;
	if (s->left == 0) {
		memcpy(out + len, tail, tail_len);
		len += tail_len;
		active[s->ring] = active[--active_n];
		active[s->ring]->ring = s->ring;
	}
	if (!put(s, out, len))
		drop(s);
}

/* Answers the request in hand; false when the connection is gone. */
static bool
answer(struct stream *s)
{
	const char *p;
	char saved = s->in[s->got - 1];

	s->in[s->got - 1] = '\0';
	p = strstr(s->in, "\"max_tokens\":");
	if (p == NULL)
		p = strstr(s->in, "\"max_completion_tokens\":");
	if (memcmp(s->in, "POST ", 5) != 0 || p == NULL)
		return put(s, none, sizeof(none) - 1);
	s->left = strtoll(strchr(p, ':') + 1, NULL, 10);
	s->in[s->got - 1] = saved;
	if (s->left < 1 || active_n == STREAMS_MAX)
		return false;
	s->ring = active_n;
	active[active_n++] = s;
	return put(s, head, sizeof(head) - 1);
}

/* Reads a request, which must fit in what there is room for. */
static bool
take(struct stream *s)
{
	char *end, *length;
	size_t need;
	ssize_t n;

	if (s->got == sizeof(s->in) - 1)
		return false;
	n = recv(
	    s->fd, s->in + s->got, sizeof(s->in) - 1 - s->got, MSG_DONTWAIT);
	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	s->got += (size_t)n;
	s->in[s->got] = '\0';
	end = strstr(s->in, "\r\n\r\n");
	if (end == NULL)
		return true;
	length = strcasestr(s->in, "content-length:");
	need = (size_t)(end + 4 - s->in);
	if (length != NULL && length < end)
		need += strtoul(length + 15, NULL, 10);
	if (s->got < need)
		return true;
	if (!answer(s))
		return false;
	s->got = 0;
	return true;
}

static void
accept_all(int listen_fd)
{
	struct stream *s;
	int fd;

	while ((fd = accept4(listen_fd, NULL, NULL,
		    SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		bench_no_delay(fd);
		s = calloc(1, sizeof(*s));
		if (s == NULL)
			bench_die("memory");
		s->fd = fd;
		s->text = (unsigned)fd * 2654435761U;
		watch(s, EPOLLIN, EPOLL_CTL_ADD);
	}
}

static void
look(int listen_fd, int wait_ms)
{
	struct epoll_event ev[256];
	int n = epoll_wait(epoll_fd, ev, 256, wait_ms);

	for (int i = 0; i < n; i++) {
		struct stream *s = ev[i].data.ptr;

		if (s == NULL) {
			accept_all(listen_fd);
			continue;
		}
		if (((ev[i].events & EPOLLOUT) && s->pending != NULL &&
			!flush(s)) ||
		    ((ev[i].events & ~(uint32_t)EPOLLOUT) && !take(s)))
			drop(s);
	}
}

/* All streams once, those that are full left out. */
static bool
pump_all(void)
{
	bool any = false;

	for (size_t i = active_n; i-- > 0;)
		if (i < active_n && active[i]->pending == NULL) {
			pump(active[i]);
			any = true;
		}
	return any;
}

/* So many writes as are due, to the streams in turn. */
static int64_t
pump_due(int64_t due)
{
	int64_t sent = 0;

	while (sent < due && active_n > 0) {
		if (turn >= active_n)
			turn = 0;
		if (active[turn]->pending == NULL)
			pump(active[turn]);
		turn++;
		sent += per_write;
	}
	return sent;
}

/* At a rate: the deadline of each write is absolute, but while no stream is
   open, and beyond a burst, time is not made up for. */
static void
serve_paced(int listen_fd, int64_t end_ns)
{
	int64_t at_ns = bench_now_ns(), now, step = BENCH_NS_PER_S / rate;

	while (!stop && (now = bench_now_ns()) < end_ns) {
		if (active_n == 0 || now - at_ns > BURST_MAX_NS)
			at_ns = now;
		if (now >= at_ns)
			at_ns += step * pump_due((now - at_ns) / step + 1);
		look(listen_fd, active_n == 0 ? 10 : 0);
	}
}

static void
serve_all(int listen_fd, int64_t end_ns)
{
	while (!stop && bench_now_ns() < end_ns)
		look(listen_fd, pump_all() ? 0 : 10);
}

int
main(int argc, char **argv)
{
	struct epoll_event ev = { .events = EPOLLIN };
	const char *port_file = NULL;
	int64_t port = 0, limit_s = 600;
	int c, fd;

	while ((c = getopt(argc, argv, "p:P:k:r:t:")) != -1)
		if (c == 'p')
			port = bench_number(optarg, 1, 32767);
		else if (c == 'P')
			port_file = optarg;
		else if (c == 'k')
			per_write = bench_number(optarg, 1, 100);
		else if (c == 'r')
			rate = bench_number(optarg, 1, 100000000);
		else if (c == 't')
			limit_s = bench_number(optarg, 1, 86400);
		else
			return 2;
	if (port == 0 || port_file == NULL)
		return 2;
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	bench_raise_limit();
	prepare();
	prepare_tail();
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	fd = bench_listen((uint16_t)port, port_file);
	if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) != 0)
		bench_die("epoll");
	if (rate > 0)
		serve_paced(fd, bench_now_ns() + limit_s * BENCH_NS_PER_S);
	else
		serve_all(fd, bench_now_ns() + limit_s * BENCH_NS_PER_S);
	return 0;
}
