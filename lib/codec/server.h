/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server: small HTTP/1.1 server on epoll, with timers at absolute deadlines.
 *
 * One loop, one thread: every callback runs inside tape_server_run, and every
 * function but tape_server_stop belongs to that thread.  No TLS, no HTTP/2.
 *
 * A connection has at most one request in hand.  What a client sends behind it
 * waits, so that answers keep the order of the requests.  A request is answered
 * by head, then any number of put and send, then end, from its callback or
 * later.  Calls on a connection that is already gone return TAPE_E_IO and do
 * nothing; a connection's memory is valid until on_close has returned.
 *
 * Nothing waits for a client: what a socket does not take is buffered up to
 * out_cap_bytes, and a peer that takes or sends nothing for idle_ns is cut off.
 */
#ifndef TAPE_CODEC_SERVER_H
#define TAPE_CODEC_SERVER_H

#include "base/clock.h"
#include "codec/server_parse.h"
#include "codec/server_timer.h"

struct tape_server;
struct tape_server_conn;

enum tape_server_end {
	TAPE_SERVER_END_OURS,   /* closed or reset by us, or after a reply */
	TAPE_SERVER_END_PEER,   /* closed by the peer */
	TAPE_SERVER_END_ERROR,  /* reset by the peer, or a socket error */
	TAPE_SERVER_END_IDLE,   /* nothing moved for idle_ns */
	TAPE_SERVER_END_STOPPED /* cut off when the server stopped */
};

/* Callbacks; those that may be NULL say so. */
struct tape_server_handler {
	/*
	 * May be NULL.  The head of a request is there, its body is not.  True
	 * passes the body to on_body as it comes; otherwise it is stored.  The
	 * handler may answer here already: the body is then thrown away, and
	 * the connection closes after the answer.
	 */
	bool (*on_head)(void *arg, struct tape_server_conn *c,
	    const struct tape_server_request *req);
	/* May be NULL when on_head never returns true. */
	void (*on_body)(
	    void *arg, struct tape_server_conn *c, const char *p, size_t len);
	/* The request is complete.  req lives until the answer's end. */
	void (*on_request)(void *arg, struct tape_server_conn *c,
	    const struct tape_server_request *req);
	/*
	 * May be NULL: a plain text answer is then sent.  What came is no
	 * request that we take; status and why are the parser's.  The handler
	 * answers at once; the connection closes after the answer.
	 */
	void (*on_bad)(
	    void *arg, struct tape_server_conn *c, int status, const char *why);
	/*
	 * May be NULL.  The connection is gone, whoever ended it; called once
	 * for each, from the loop, never from within a call on it.
	 */
	void (*on_close)(
	    void *arg, struct tape_server_conn *c, enum tape_server_end why);
	void *arg;
};

struct tape_server_conf {
	struct tape_server_handler handler;
	const struct tape_clock *clock; /* NULL: the system's */
	size_t head_cap_bytes;          /* 0: TAPE_CAP_HEADERS */
	size_t body_cap_bytes;          /* 0: TAPE_CAP_REQUEST */
	size_t out_cap_bytes;           /* 0: 4 MiB */
	int64_t idle_ns;                /* 0: 75 s */
	int64_t drain_ns;               /* 0: 2 s, between stop and cut-off */
	uint32_t max_conns;             /* 0: no limit but the descriptors */
	/* How long before a timer's deadline the loop stops sleeping and looks
	   without a pause instead: it then wakes within a microsecond, at the
	   price of the core.  0: it sleeps; TAPE_SPIN_AUTO: measured by
	   wake_ns. */
	int64_t spin_ns;
	/* The peer's FIN while it waits for an answer: true takes it for a
	   cancelled request, false for a half-closed connection. */
	bool eof_cancels;
};

/* *srv_out is the caller's; nothing listens yet. */
enum tape_status tape_server_open(struct tape_server **srv_out,
    const struct tape_server_conf *conf, struct tape_err *err) TAPE_NODISCARD;

/* Ends every connection (on_close is called) and frees all.  NULL is fine. */
void tape_server_free(struct tape_server *srv);

/*
 * Listens on a numeric address or a local name; port 0 lets the kernel choose.
 * *bound (may be NULL) is the port.  Once per server.
 */
enum tape_status tape_server_listen(struct tape_server *srv, const char *host,
    uint16_t port, uint16_t *bound, struct tape_err *err) TAPE_NODISCARD;

/*
 * The two halves of listen, for a caller that wants the socket before there is
 * a server: to tell its port, and to let clients connect, while a child process
 * is still being set up.  socket gives a listening socket, which is the
 * caller's; adopt makes it the server's, unless it fails.
 */
enum tape_status tape_server_socket(const char *host, uint16_t port,
    int *fd_out, uint16_t *bound, struct tape_err *err) TAPE_NODISCARD;
enum tape_status tape_server_adopt(struct tape_server *srv, int fd,
    uint16_t *bound, struct tape_err *err) TAPE_NODISCARD;

/*
 * Runs until until_ns of the clock (INT64_MAX: no limit), or until stopped.
 * TAPE_OK when the time has come: it can be called again.  TAPE_EOF when the
 * server was stopped: it then listens no more, idle connections were closed at
 * once and the others when their answer was out, or after drain_ns.
 */
enum tape_status tape_server_run(struct tape_server *srv, int64_t until_ns,
    struct tape_err *err) TAPE_NODISCARD;

/* Asks run to stop.  From any thread, and from a signal handler. */
void tape_server_stop(struct tape_server *srv);

int64_t tape_server_now_ns(const struct tape_server *srv);

/*
 * Calls fn(arg) from the loop at or soon after deadline_ns.  The timer is the
 * caller's and must stay where it is while armed; arming it again moves it.
 * Timers of one deadline run in the order in which they were armed.
 */
enum tape_status tape_server_at(struct tape_server *srv,
    struct tape_server_timer *t, int64_t deadline_ns, void (*fn)(void *arg),
    void *arg) TAPE_NODISCARD;
/* Fine on a timer that is not armed. */
void tape_server_cancel(struct tape_server *srv, struct tape_server_timer *t);

/*
 * Runs what timers are due, from within a callback that takes long: called now
 * and then, it keeps them on time.  Not from a timer's function.
 */
void tape_server_run_due(struct tape_server *srv);

/* How late the system wakes a thread that sleeps for a time: the 99th
   percentile of what sleeping for about 30 ms shows, at most 300 us. */
int64_t tape_server_wake_ns(void);

/* The margin that run spins for, measured if it was to be; 0 before run. */
int64_t tape_server_spin_ns(const struct tape_server *srv);

struct tape_server_stats {
	uint64_t conns;    /* accepted */
	uint64_t refused;  /* over max_conns or the descriptor limit */
	uint64_t requests; /* complete ones */
	uint64_t bad;
	uint64_t open; /* connections now */
};
struct tape_server_stats tape_server_stats(const struct tape_server *srv);

/* ---- one connection ---- */

enum tape_server_mode {
	TAPE_SERVER_LENGTH,     /* exactly length_bytes follow */
	TAPE_SERVER_CHUNKED,    /* each put or send is a chunk of its own */
	TAPE_SERVER_UNTIL_CLOSE /* ends with the connection */
};

/*
 * Status line and headers, into the output buffer: they go out with the first
 * send, flush or end.  headers is "" or lines "name: value\r\n"; the framing
 * fields and Connection are added here.  A client of HTTP/1.0 gets UNTIL_CLOSE
 * for CHUNKED.
 */
enum tape_status tape_server_head(struct tape_server_conn *c, int status,
    const char *headers, enum tape_server_mode mode, uint64_t length_bytes);

/*
 * Body bytes: put leaves them in the buffer, send writes at once what the
 * socket takes.  TAPE_E_LIMIT, with nothing taken, when more than
 * out_cap_bytes would wait.  An answer to HEAD drops them.
 */
enum tape_status tape_server_put(
    struct tape_server_conn *c, const void *p, size_t len);
enum tape_status tape_server_send(
    struct tape_server_conn *c, const void *p, size_t len);
enum tape_status tape_server_flush(struct tape_server_conn *c);

/* Flushes all but the last keep bytes, framing included: the cut is for tests
   of clients.  The next flush takes what was kept. */
enum tape_status tape_server_flush_but(struct tape_server_conn *c, size_t keep);

/* As send, but outside any framing and uncounted: for deliberate faults. */
enum tape_status tape_server_raw(
    struct tape_server_conn *c, const void *p, size_t len);

/*
 * Ends the answer: last chunk, and on to the next request.  The connection is
 * closed instead when client or caller asked for it, in mode UNTIL_CLOSE, and
 * when less than the announced length was sent.
 */
enum tape_status tape_server_end(struct tape_server_conn *c);

/* head, body and end in one write. */
enum tape_status tape_server_reply(struct tape_server_conn *c, int status,
    const char *headers, const void *body, size_t len);

/* The connection closes after this answer; before head, the client is told. */
void tape_server_last(struct tape_server_conn *c);

/* Closes in order when what is buffered is out, without ending the answer. */
void tape_server_close(struct tape_server_conn *c);

/* Closes at once with a RST; drops what is buffered. */
void tape_server_reset(struct tape_server_conn *c);

/* Number of the connection, from 1. */
uint64_t tape_server_conn_id(const struct tape_server_conn *c);

/* Bytes that wait for the peer. */
size_t tape_server_conn_pending(const struct tape_server_conn *c);

/* The handler's own pointer; NULL at first. */
void tape_server_conn_set(struct tape_server_conn *c, void *user);
void *tape_server_conn_user(const struct tape_server_conn *c);

#endif
