/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_plain: HTTP/1.1 in the clear without libcurl's request path; only the
 * files of the HTTP client include it.
 *
 * libcurl costs two to three times the system calls that a request needs: it
 * polls before each receive, looks for more after it, and keeps a large record
 * for each transfer.  Here a request is one send, a readiness event one
 * receive, which brings the kernel's time along.
 *
 * A transfer is *pending* from its start to the next pass, which gives it a
 * kept connection, opens one, or, for a name that was not resolved before, has
 * libcurl open one.  A connection belongs to one transfer or to the pool; it is
 * watched for reading all its life, so that one which ends in the pool goes.
 */
#ifndef TAPE_CODEC_HTTP_PLAIN_H
#define TAPE_CODEC_HTTP_PLAIN_H

#include "codec/http_loop.h"

#include <sys/socket.h>

/* A server: what a connection can be used for. */
struct tape_http_origin {
	char *host; /* without brackets */
	char port_text[8];
	int64_t port;
	size_t refs;                  /* templates and connections */
	struct sockaddr_storage addr; /* the one that answered last */
	socklen_t addr_len;           /* 0: not resolved */
	bool numeric;
	bool doubted;      /* it failed since: a name is resolved anew */
	int64_t lookup_ns; /* but not before this time */
	char text[TAPE_HTTP_ADDR_TEXT]; /* addr, for records */
	struct tape_http_conn *idle;    /* the most recently used first */
	struct tape_http_origin *next;
};

struct tape_http_conn {
	struct tape_http *h;
	struct tape_http_origin *origin;
	struct tape_http_xfer *x; /* NULL: idle, in the pool */
	int fd;
	int local_port;
	bool connecting;
	bool used;  /* answered a request before */
	bool taken; /* a session's */
	uint64_t session;
	/* Idle ones of one origin, or of sessions with one place in the
	   table; and all idle ones by age. */
	struct tape_http_conn *next, *prev, *older, *newer;
};

#define TAPE_HTTP_PLACES 1024 /* of sessions */

struct tape_http_pool {
	struct tape_http_origin *origins;
	struct tape_http_conn *newest, *oldest;
	size_t idle;
	struct tape_http_conn *session[TAPE_HTTP_PLACES];
};

/* http_request.c */
/* Fills origin and head of t where its requests can be framed here. */
enum tape_status tape_http_request_fill(struct tape_http *h,
    struct tape_http_template *t, struct tape_err *err) TAPE_NODISCARD;
/* Makes the lines that are this request's only; false: out of memory. */
bool tape_http_request_more(
    struct tape_http_xfer *x, const struct tape_http_request *req);
/* Writes the line with the body's length, and the end of the head. */
void tape_http_request_length(struct tape_http_xfer *x);

/* http_plain.c */
/* A clean record for t; NULL: out of memory. */
struct tape_http_xfer *tape_http_plain_get(struct tape_http *h,
    struct tape_http_template *t, const struct tape_http_request *req);
/* Puts it in line for the next pass. */
void tape_http_plain_add(struct tape_http_xfer *x);
/* Sends off all that wait. */
void tape_http_plain_launch(struct tape_http *h);
/* libcurl has opened the connection that x needs. */
void tape_http_plain_adopt(struct tape_http_xfer *x);
/* x is finished: what it still holds goes. */
void tape_http_plain_drop(struct tape_http_xfer *x);
void tape_http_plain_keep(struct tape_http_xfer *x);

/* http_conn.c */
/* A connection for x on fd, or one that is being opened; false: x has failed.
 */
bool tape_http_conn_adopt(struct tape_http_xfer *x, int fd);
bool tape_http_conn_open(struct tape_http_xfer *x);
/* What came of opening; true: it is open. */
bool tape_http_conn_opened(struct tape_http_conn *c);
/* Watched for reading, and for writing. */
bool tape_http_conn_watch(struct tape_http_conn *c, bool writing);
void tape_http_conn_close(struct tape_http_conn *c);
/* The address failed: of a name, another may do better. */
void tape_http_conn_doubt(struct tape_http_origin *o);
/* Nothing came on it while it was idle. */
bool tape_http_conn_is_quiet(const struct tape_http_conn *c);
void tape_http_conn_hold(struct tape_http_conn *c, struct tape_http_xfer *x);

/* http_pool.c */
enum tape_status tape_http_pool_open(
    struct tape_http *h, struct tape_err *err) TAPE_NODISCARD;
void tape_http_pool_free(struct tape_http *h);
/* The origin of a host and port, with a reference; NULL: out of memory. */
struct tape_http_origin *tape_http_pool_origin(
    struct tape_http *h, const char *host, const char *port);
void tape_http_pool_drop(struct tape_http *h, struct tape_http_origin *o);
/* A kept connection for x, now its own, or NULL. */
struct tape_http_conn *tape_http_pool_take(struct tape_http_xfer *x);
/* x is done with c, which may be used again. */
void tape_http_pool_give(struct tape_http_conn *c);
/* Takes an idle one out. */
void tape_http_pool_remove(struct tape_http_conn *c);
/* A descriptor could not be had because of why.  Where there are too many, the
   connection that is idle for longest is closed; true: try once more. */
bool tape_http_pool_spare(struct tape_http *h, int why);

/* http_talk.c */
void tape_http_talk_begin(struct tape_http_xfer *x);
void tape_http_talk_event(struct tape_http_conn *c, uint32_t events);

/* Ends x, with a sentence. */
void tape_http_plain_fail(struct tape_http_xfer *x, enum tape_http_class class,
    const char *cause, const char *fmt, ...) TAPE_PRINTF(4, 5);

#endif
