/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_peer: a scripted HTTP server for tests.  Each connection has a thread;
 * the path of a request says what happens to it.
 *
 *	struct peer p;
 *	peer_start(&p);
 *	... "http://127.0.0.1:<p.port>/fixed" ...
 *	peer_stop(&p);
 */
#ifndef TAPE_UNIT_HTTP_PEER_H
#define TAPE_UNIT_HTTP_PEER_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PEER_HEAD 4096

struct peer {
	int fd;
	int port;
	pthread_t thread;
	atomic_int connections, open;
	atomic_int gone; /* requests for /gone and /gone-late */
	atomic_bool stop;
	atomic_bool go;            /* lets /prompted say the rest */
	_Atomic size_t body_bytes; /* of the last request */
	_Atomic unsigned body_sum;
	pthread_mutex_t lock;
	char head[PEER_HEAD]; /* of the last request, under lock */
};

struct peer_conn {
	struct peer *p;
	int fd;
	char buf[PEER_HEAD];
	size_t len;
};

static void
peer_sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* False when the client has gone. */
static bool
peer_send(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
peer_say(int fd, const char *s)
{
	return peer_send(fd, s, strlen(s));
}

/* Until the client closes, the peer is stopped, or 10 s. */
static void
peer_hold(struct peer_conn *c)
{
	for (int i = 0; i < 1000 && !c->p->stop; i++) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };

		if (poll(&p, 1, 10) > 0)
			return;
	}
}

static void
peer_reset(struct peer_conn *c)
{
	struct linger l = { .l_onoff = 1, .l_linger = 0 };

	(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

#define PEER_CHUNKED                                                           \
 "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"                      \
 "X-Test:  a b \r\nTransfer-Encoding: chunked\r\n\r\n"

#define PEER_FIVE                                                              \
 "5\r\nhello\r\n5\r\nhello\r\n5\r\nhello\r\n5\r\nhello\r\n5\r\nhello\r\n"

static bool
peer_burst(int fd)
{
	return peer_say(fd,
	    PEER_CHUNKED PEER_FIVE PEER_FIVE PEER_FIVE PEER_FIVE "0\r\n\r\n");
}

/* The decimal number behind spaces. */
static size_t
peer_number(const char *s)
{
	size_t n = 0;

	while (*s == ' ')
		s++;
	for (; *s >= '0' && *s <= '9' && n < SIZE_MAX / 20; s++)
		n = n * 10 + (size_t)(*s - '0');
	return n;
}

static bool
peer_slow(int fd)
{
	bool up = peer_say(fd, PEER_CHUNKED);

	for (int i = 0; i < 5 && up; i++) {
		peer_sleep_ms(20);
		up = peer_say(fd, "5\r\nhello\r\n");
	}
	peer_sleep_ms(20);
	return up && peer_say(fd, "0\r\n\r\n");
}

/* An answer byte by byte. */
static bool
peer_pieces(int fd)
{
	static const char answer[] =
	    PEER_CHUNKED "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nT: v\r\n\r\n";
	bool up = true;

	for (size_t i = 0; i < sizeof(answer) - 1 && up; i++) {
		up = peer_send(fd, answer + i, 1);
		if (i % 8 == 0)
			peer_sleep_ms(1);
	}
	return up;
}

/* A byte each 10 ms until the client has enough. */
static bool
peer_drip(struct peer_conn *c)
{
	bool up = peer_say(c->fd, PEER_CHUNKED);

	for (int i = 0; i < 1000 && up && !c->p->stop; i++) {
		peer_sleep_ms(10);
		up = peer_say(c->fd, "1\r\nx\r\n");
	}
	return false;
}

static bool
peer_status(int fd, const char *code)
{
	char text[128];

	(void)snprintf(text, sizeof(text),
	    "HTTP/1.1 %.3s Word\r\nContent-Length: 5\r\n\r\nsorry", code);
	return peer_say(fd, text);
}

static bool
peer_endless_head(struct peer_conn *c)
{
	bool up = peer_say(c->fd, "HTTP/1.1 200 OK\r\n");

	for (int i = 0; i < 100000 && up; i++)
		up = peer_say(c->fd,
		    "X-Filler: 0123456789012345678901234567890123456789\r\n");
	return false;
}

static bool
peer_endless_line(struct peer_conn *c)
{
	bool up = peer_say(c->fd, "HTTP/1.1 200 OK\r\nX-Filler: ");

	for (int i = 0; i < 100000 && up; i++)
		up =
		    peer_say(c->fd, "0123456789012345678901234567890123456789");
	return false;
}

/* Answers when as many connections are open as the path says. */
static bool
peer_gather(struct peer_conn *c, const char *number)
{
	int want = (int)peer_number(number);

	for (int i = 0; i < 500 && c->p->open < want; i++)
		peer_sleep_ms(10);
	return peer_slow(c->fd);
}

static bool
peer_prompted(struct peer_conn *c)
{
	(void)peer_say(c->fd, PEER_CHUNKED "5\r\nhello\r\n");
	for (int i = 0; i < 500 && !c->p->go; i++)
		peer_sleep_ms(10);
	return peer_say(c->fd, "5\r\nworld\r\n0\r\n\r\n");
}

static bool
peer_is(const char *path, const char *name)
{
	return strncmp(path, name, strlen(name)) == 0;
}

/* To what the path ends with. */
static bool
peer_redirect(int fd, const char *place)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
	    "HTTP/1.1 307 Elsewhere\r\nLocation: %s\r\n"
	    "Content-Length: 5\r\n\r\nmoved",
	    place);
	return peer_say(fd, text);
}

/* Answers that leave the connection usable return true. */
static bool
peer_answer_fault(struct peer_conn *c, const char *path)
{
	if (peer_is(path, "/rst")) {
		(void)peer_say(c->fd, PEER_CHUNKED "5\r\nhello\r\n");
		peer_sleep_ms(30);
		peer_reset(c);
	} else if (peer_is(path, "/cut-chunk")) {
		(void)peer_say(c->fd, PEER_CHUNKED "5\r\nhel");
	} else if (peer_is(path, "/cut-end")) {
		(void)peer_say(c->fd, PEER_CHUNKED "5\r\nhello\r\n");
	} else if (peer_is(path, "/bad-chunk")) {
		(void)peer_say(c->fd, PEER_CHUNKED "zz\r\nhello\r\n");
	} else if (peer_is(path, "/cut-length")) {
		(void)peer_say(c->fd,
		    "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello");
	} else if (peer_is(path, "/garbage")) {
		(void)peer_say(c->fd, "what is this?\r\n\r\n");
	} else if (peer_is(path, "/never")) {
		peer_hold(c);
	} else if (peer_is(path, "/head-only")) {
		(void)peer_say(c->fd, PEER_CHUNKED);
		peer_hold(c);
	} else if (peer_is(path, "/stall")) {
		(void)peer_say(c->fd, PEER_CHUNKED "5\r\nhello\r\n");
		peer_hold(c);
	} else if (peer_is(path, "/endless-head")) {
		(void)peer_endless_head(c);
	} else if (peer_is(path, "/endless-line")) {
		(void)peer_endless_line(c);
	}
	if (peer_is(path, "/gone-late"))
		peer_sleep_ms(1300);
	/* /gone, and what is not known: closed unanswered */
	return false;
}

static bool
peer_answer(struct peer_conn *c, const char *path)
{
	int fd = c->fd;

	if (peer_is(path, "/fixed") || peer_is(path, "/echo"))
		return peer_say(
		    fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	if (peer_is(path, "/extra"))
		return peer_say(fd,
		    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
		    "hello and nobody asked for this");
	if (peer_is(path, "/pieces"))
		return peer_pieces(fd);
	if (peer_is(path, "/leave")) {
		(void)peer_say(
		    fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
		peer_sleep_ms(30);
		return false;
	}
	if (peer_is(path, "/to/"))
		return peer_redirect(fd, path + strlen("/to/"));
	if (peer_is(path, "/burst"))
		return peer_burst(fd);
	if (peer_is(path, "/slow"))
		return peer_slow(fd);
	if (peer_is(path, "/gather/"))
		return peer_gather(c, path + strlen("/gather/"));
	if (peer_is(path, "/prompted"))
		return peer_prompted(c);
	if (peer_is(path, "/drip"))
		return peer_drip(c);
	if (peer_is(path, "/status/"))
		return peer_status(fd, path + strlen("/status/"));
	if (peer_is(path, "/interim"))
		return peer_say(fd, "HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n"
				    "HTTP/1.1 200 OK\r\nX-Late: 2\r\n"
				    "Content-Length: 2\r\n\r\nok");
	if (peer_is(path, "/trailer"))
		return peer_say(
		    fd, PEER_CHUNKED "2\r\nok\r\n0\r\nX-Trailer: t\r\n\r\n");
	if (peer_is(path, "/empty"))
		return peer_say(
		    fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	if (peer_is(path, "/until-close")) {
		(void)peer_say(fd, "HTTP/1.0 200 OK\r\n\r\nhello");
		return false;
	}
	return peer_answer_fault(c, path);
}

/* Head into c->buf up to its end; returns its length, 0 at end of file. */
static size_t
peer_read_head(struct peer_conn *c)
{
	for (;;) {
		char *end;
		ssize_t n;

		c->buf[c->len] = '\0';
		end = strstr(c->buf, "\r\n\r\n");
		if (end != NULL)
			return (size_t)(end + 4 - c->buf);
		if (c->len + 1 >= sizeof(c->buf))
			return 0;
		n = recv(
		    c->fd, c->buf + c->len, sizeof(c->buf) - 1 - c->len, 0);
		if (n <= 0)
			return 0;
		c->len += (size_t)n;
		/* a TLS handshake */
		if (c->buf[0] == 0x16) {
			(void)peer_status(c->fd, "400");
			return 0;
		}
	}
}

static void
peer_sum(struct peer *p, const char *data, size_t len)
{
	unsigned sum = p->body_sum;

	for (size_t i = 0; i < len; i++)
		sum = sum * 31 + (unsigned char)data[i];
	p->body_sum = sum;
	p->body_bytes += len;
}

/* The body, of which a part may be in c->buf behind the head. */
static bool
peer_read_body(struct peer_conn *c, size_t head, size_t left)
{
	size_t here = c->len - head < left ? c->len - head : left;
	char *block;

	c->p->body_bytes = 0;
	c->p->body_sum = 0;
	peer_sum(c->p, c->buf + head, here);
	left -= here;
	c->len -= head + here;
	memmove(c->buf, c->buf + head + here, c->len);
	block = malloc(65536);
	while (left > 0 && block != NULL) {
		ssize_t n = recv(c->fd, block, left < 65536 ? left : 65536, 0);

		if (n <= 0)
			break;
		peer_sum(c->p, block, (size_t)n);
		left -= (size_t)n;
	}
	free(block);
	return left == 0;
}

/* From the request line, which has a whole URL when it is for a proxy. */
static void
peer_path(const char *line, char *path, size_t size)
{
	const char *from = line + strcspn(line, " ");
	size_t len;

	if (peer_is(from, " http://"))
		from += strlen(" http://");
	from += strcspn(from, "/\r");
	len = strcspn(from, " \r");
	if (len < size)
		memcpy(path, from, len);
}

static bool
peer_read_some(struct peer_conn *c)
{
	peer_sleep_ms(50);
	return recv(c->fd, c->buf, 100, 0) > 0;
}

static bool
peer_request(struct peer_conn *c)
{
	size_t head = peer_read_head(c);
	char path[256] = "";
	char *length;
	size_t body = 0;

	if (head == 0)
		return false;
	peer_path(c->buf, path, sizeof(path));
	(void)pthread_mutex_lock(&c->p->lock);
	memcpy(c->p->head, c->buf, head);
	c->p->head[head] = '\0';
	(void)pthread_mutex_unlock(&c->p->lock);
	length = strcasestr(c->buf, "\r\nContent-Length:");
	if (length != NULL && length < c->buf + head)
		body = peer_number(length + 17);
	c->p->gone += peer_is(path, "/gone");
	if (peer_is(path, "/slow-read"))
		peer_sleep_ms(100);
	if (peer_is(path, "/early"))
		/* The body is not read: closing resets the connection. */
		return peer_status(c->fd, "413") && peer_read_some(c) && false;
	if (peer_is(path, "/no-read")) {
		/* poll would see the body at once */
		for (int i = 0; i < 200 && !c->p->stop; i++)
			peer_sleep_ms(10);
		return false;
	}
	if (!peer_read_body(c, head, body))
		return false;
	if (peer_is(path, "/slow-read"))
		return peer_answer(c, "/fixed");
	return peer_answer(c, path);
}

static void *
peer_serve(void *arg)
{
	struct peer_conn *c = arg;

	while (!c->p->stop && peer_request(c))
		;
	(void)close(c->fd);
	c->p->open--;
	free(c);
	return NULL;
}

static void
peer_accept(struct peer *p, int fd, const pthread_attr_t *attr)
{
	struct peer_conn *c = calloc(1, sizeof(*c));
	pthread_t t;
	int one = 1;

	if (c == NULL)
		abort();
	c->p = p;
	c->fd = fd;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	p->connections++;
	p->open++;
	if (pthread_create(&t, attr, peer_serve, c) != 0)
		abort();
}

static void *
peer_main(void *arg)
{
	struct peer *p = arg;
	pthread_attr_t attr;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, 262144);
	while (!p->stop) {
		struct pollfd pfd = { .fd = p->fd, .events = POLLIN };

		if (poll(&pfd, 1, 20) > 0) {
			int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC);

			if (fd >= 0)
				peer_accept(p, fd, &attr);
		}
	}
	(void)pthread_attr_destroy(&attr);
	return NULL;
}

/* A socket bound to a free port below the range that clients use. */
static int
peer_bind(int *port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = { .sin_family = AF_INET };
	int one = 1;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	for (int i = 0; i < 2000; i++) {
		*port = 20000 + (int)((getpid() * 37 + i) % 12000);
		a.sin_port = htons((uint16_t)*port);
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			return fd;
	}
	abort();
}

/* On a socket that is bound, as one of another family. */
static void
peer_start_on(struct peer *p, int fd, int port)
{
	memset(p, 0, sizeof(*p));
	(void)pthread_mutex_init(&p->lock, NULL);
	p->fd = fd;
	p->port = port;
	if (listen(p->fd, 1024) != 0 ||
	    pthread_create(&p->thread, NULL, peer_main, p) != 0)
		abort();
}

static void
peer_start(struct peer *p)
{
	int port;
	int fd = peer_bind(&port);

	peer_start_on(p, fd, port);
}

/* The connections' threads end when the client has closed its side. */
static void
peer_stop(struct peer *p)
{
	p->stop = true;
	(void)pthread_join(p->thread, NULL);
	for (int i = 0; i < 500 && p->open > 0; i++)
		peer_sleep_ms(10);
	(void)close(p->fd);
	(void)pthread_mutex_destroy(&p->lock);
}

#endif
