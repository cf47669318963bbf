/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http_loop: what the files of the HTTP client share; nobody else includes it.
 *
 *	http.c           names and defaults
 *	http_open.c      life of a loop
 *	http_opts.c      its options, checked and copied
 *	http_poll.c      one pass: wait, sockets, timers, finishes
 *	http_sock.c      sockets as libcurl opens, watches and closes them
 *	http_deadline.c  heap of the transfers' limits
 *	http_template.c  what is made of method, URL and headers, kept
 *	http_easy.c      libcurl handles: made, set up, kept
 *	http_xfer.c      start, cancel, finish
 *	http_place.c     where a redirect leads to
 *	http_split.c     where events end in what waits in a socket
 *	http_tell.c      what came goes into the record and to the caller
 *	http_wire.c      libcurl's callbacks for what comes and goes
 *	http_peek.c      the kernel's times of what libcurl is about to receive
 *	http_clock.c     from the kernel's clock to ours
 *	http_error.c     libcurl's codes to classes and causes
 *
 * and for what needs no libcurl, see http_plain.h,
 *
 *	http_plain.c     a request on a connection of our own
 *	http_talk.c      it is sent, and its answer received
 *	http_answer.c    HTTP/1.x answers, without I/O
 *	http_request.c   URLs and heads of requests
 *	http_conn.c      connections: opened, watched, closed
 *	http_pool.c      those that are kept
 *
 * libcurl's handles are void pointers here, as they are in its own header, so
 * that this file does not include it.
 *
 * The first callback of a readiness event (h->event) takes the clock for its
 * transfer, the others of the same event share it.  But libcurl looks after
 * each receive whether there is more and then receives again, in the same
 * event: what came only after the socket had been found empty must not have a
 * time from before, so it gets a new one and is a read of its own; http_peek.c
 * knows exactly where it begins, without it the sizes of receives tell.
 */
#ifndef TAPE_CODEC_HTTP_LOOP_H
#define TAPE_CODEC_HTTP_LOOP_H

#include "base/span.h"
#include "codec/http_answer.h"
#include "codec/http_clock.h"

#include <sys/types.h>

#define TAPE_HTTP_TEMPLATES    72         /* kept at most: one per server */
#define TAPE_HTTP_ADDR_TEXT    64         /* numeric address with zone */
#define TAPE_HTTP_MESSAGE_TEXT 256        /* CURL_ERROR_SIZE */
#define TAPE_HTTP_TLS_TEXT     64         /* version and cipher */
#define TAPE_HTTP_REDIRECTS    5          /* followed at most */
#define TAPE_HTTP_KEEP_MARGIN  64         /* idle ones beyond keep */
#define TAPE_HTTP_WAKE_ID      UINT64_MAX /* no socket has it */

struct curl_slist;
struct tape_http_conn;
struct tape_http_origin;
struct tape_http_pool;

/* One method, URL and header list, in libcurl's form. */
struct tape_http_template {
	char *method; /* "" when the request has none */
	char *url;    /* as given */
	char *full;   /* with scheme */
	bool has_body;
	size_t lines; /* of header are the caller's, the first ones */
	struct curl_slist *header;
	/* For a connection of our own: where to, and the head up to the length
	   of the body.  NULL: it is libcurl's. */
	struct tape_http_origin *origin;
	char *head;
	size_t head_len;
	bool closes; /* a line says so */
	size_t refs; /* handles set up with it, and the table */
};

/* A socket, found by its descriptor. */
struct tape_http_sock {
	uint32_t serial; /* tells uses of one descriptor apart */
	uint32_t watch;  /* epoll events that libcurl wants; 0 none */
	uint32_t set;    /* epoll events registered; 0 not registered */
	bool ours;       /* opened here, so its close is seen here, too */
	/* Who had it watched last; of use while watch is set. */
	struct tape_http_xfer *x;
	struct tape_http_conn *conn; /* of our own; NULL: libcurl's */
};

/* What was looked at in the socket of the readiness event in hand. */
struct tape_http_peek {
	struct tape_http_xfer *x; /* whose it is; NULL: nothing was */
	int fd;
	int64_t kernel_ns; /* wall time of the last of the bytes covered */
	size_t covered;    /* of those that libcurl takes next; over TLS a
			      bound */
	bool full;         /* there may be more behind */
	bool anew;         /* the next bytes have another time */
};

enum tape_http_phase {
	TAPE_HTTP_CONNECTING,
	TAPE_HTTP_WAITING, /* for the first body byte */
	TAPE_HTTP_BODY
};

/* The part of a transfer that is framed here. */
struct tape_http_own {
	bool on;
	enum tape_http_conn_mode mode;
	uint64_t session;
	struct tape_http_conn *conn;
	/* Waiting for the next pass. */
	bool pending;
	struct tape_http_xfer *next, *prev;
	const char *body;
	size_t out;      /* bytes that are out, of head, length line and body */
	char length[48]; /* its line, and the end of the head */
	size_t length_len;
	char *more; /* lines of this request only; NULL none */
	size_t more_len;
	int send_errno;
	int64_t connect_from_ns;
	struct tape_http_answer answer;
};

struct tape_http_xfer {
	struct tape_http *h;
	void *easy;                          /* NULL: not needed */
	struct tape_http_template *template; /* that easy is set up with */
	struct curl_slist *more; /* likewise, before the template's lines */
	bool fresh;              /* easy is set up for it */
	bool in_multi;
	void *user;
	struct tape_http_own own; /* when it goes without libcurl */

	struct tape_http_xfer *next, *prev; /* running, or idle (next only) */
	struct tape_http_xfer *next_done;

	/* The time taken last, and in which readiness event. */
	uint64_t event;
	int64_t event_ns, event_lag_ns;
	int64_t floor_ns;    /* when the last bytes came */
	uint64_t stamps;     /* how many were taken */
	uint64_t read_stamp; /* the one of the last body bytes */
	uintptr_t in_at;     /* where the last receive put its body bytes */
	bool in_drained;     /* it left nothing in the socket */
	bool tls;            /* then that cannot be told */

	size_t heap_at; /* place in h->heap */
	int64_t key_ns; /* order there; at most deadline_ns */
	int64_t deadline_ns;
	int64_t total_end_ns;
	struct tape_http_timeouts limits;
	enum tape_http_phase phase;

	size_t body_bytes, head_bytes;
	bool has_body, told_sent;
	bool interim; /* lines of a 1xx answer, or one to follow, are coming */
	bool moved;   /* an answer told libcurl to go elsewhere */
	int interim_status, interim_version; /* of that answer */
	bool ready; /* the request was allowed out, once */
	bool done;  /* class or code is known, finish is due */
	bool broke; /* ended here: result.class says how */
	int code;   /* CURLcode when it ended there */
	int open_errno;
	int lost_errno; /* told to a look, so libcurl does not know it */

	char *place; /* where a redirect leads to, redacted; or NULL */
	struct tape_http_result result;
	char tls_text[TAPE_HTTP_TLS_TEXT];
	char remote[TAPE_HTTP_ADDR_TEXT];
	char message[TAPE_HTTP_MESSAGE_TEXT];
};

struct tape_http {
	void *multi;
	const struct tape_clock *clock;
	const struct tape_http_calls *calls;
	void *arg;
	struct tape_http_timeouts timeouts;
	size_t keep; /* idle connections and handles */
	size_t buffer_bytes;
	char *user_agent, *proxy, *no_proxy, *unix_socket;
	char *cacert, *capath, *cert, *key, *key_pass;
	bool insecure, user_clock, libcurl_only, http2, follow;
	char **sources; /* local addresses, used in turn */
	size_t sources_n, source_at;

	int epoll_fd, wake_fd;
	bool slack_set, no_pwait2, global;
	size_t full_batches; /* of events, one after the other */
	int broken_errno;    /* a callback could not watch a socket */

	int64_t curl_due_ns; /* libcurl's timer; INT64_MAX none */

	uint64_t event;   /* the readiness event in hand */
	int64_t woken_ns; /* when the last wait returned */
	bool late;        /* what is ready may have been for a while */
	int64_t wall_ns;  /* the kernel's time of the last receive */
	struct tape_http_peek peek;
	struct tape_http_clock times;
	/* For receiving; for a look, where a kernel copies what is seen. */
	char *room;
	size_t room_bytes;
	struct tape_http_pool *pool;

	struct tape_http_sock *sock; /* by descriptor */
	size_t sock_cap;

	struct tape_http_xfer **heap;
	size_t heap_n, heap_cap;

	/* Idle are those with a handle of libcurl's, and those without. */
	struct tape_http_xfer *running_list, *idle_list, *own_list;
	size_t running, idle, own_idle;
	struct tape_http_xfer *pending_head, *pending_tail;
	struct tape_http_xfer *done_head, *done_tail;

	struct tape_http_template *template[TAPE_HTTP_TEMPLATES];
	size_t templates; /* the most recently used first */
};

/* a + b for b >= 0, at most INT64_MAX. */
int64_t tape_http_after_ns(int64_t a, int64_t b);

/* limits with 0 replaced by those of base; negative ones become 1. */
struct tape_http_timeouts tape_http_limits(const struct tape_http_timeouts *own,
    const struct tape_http_timeouts *base);

/* http_opts.c */
enum tape_status tape_http_opts_copy(struct tape_http *h,
    const struct tape_http_opts *opts, struct tape_err *err) TAPE_NODISCARD;
void tape_http_opts_release(struct tape_http *h);
/* Whether libcurl can speak HTTP/2 in the clear; TAPE_E_USAGE. */
enum tape_status tape_http_opts_clear2(
    const struct tape_http *h, struct tape_err *err) TAPE_NODISCARD;

/* http_place.c */
/* Notes the value of a Location field of an answer to x. */
void tape_http_place_note(struct tape_http_xfer *x, struct tape_str value);
bool tape_http_place_is_field(struct tape_str name);

/* http_tell.c */
/* Takes the time of what comes next; wall_ns is the kernel's, -1 none. */
void tape_http_tell_time(struct tape_http_xfer *x, int64_t wall_ns);
void tape_http_tell_ready(struct tape_http_xfer *x, bool reused);
void tape_http_tell_sent(struct tape_http_xfer *x);
void tape_http_tell_head(struct tape_http_xfer *x, int status, int version);
void tape_http_tell_field(
    struct tape_http_xfer *x, struct tape_str name, struct tape_str value);
void tape_http_tell_body(
    struct tape_http_xfer *x, const char *data, size_t len);

/* http_sock.c */
/* Makes room for descriptor fd. */
bool tape_http_sock_room(struct tape_http *h, int fd);
/* What epoll has as the name of a socket. */
uint64_t tape_http_sock_id(int fd, const struct tape_http_sock *s);
/* Watches it for these events; false with errno. */
bool tape_http_sock_watch(
    struct tape_http *h, int fd, struct tape_http_sock *s, uint32_t events);
void tape_http_sock_unwatch(
    struct tape_http *h, int fd, struct tape_http_sock *s);
/* A new use of the descriptor, and its end, with close. */
void tape_http_sock_opened(struct tape_http *h, int fd);
int tape_http_sock_close(struct tape_http *h, int fd);
/* Installs the callbacks that are the loop's. */
int tape_http_sock_install(struct tape_http *h);
/* Installs those that are a handle's; returns CURLcode. */
int tape_http_sock_setup(struct tape_http_xfer *x);
/* What epoll reported for a socket goes to libcurl; returns CURLMcode. */
int tape_http_sock_action(struct tape_http *h, uint64_t id, uint32_t events);

/* http_deadline.c: a binary heap whose keys may be too early, never too late,
   so that moving a deadline on, as every read does, costs nothing. */
bool tape_http_deadline_reserve(struct tape_http *h);
void tape_http_deadline_add(struct tape_http_xfer *x, int64_t deadline_ns);
void tape_http_deadline_set(struct tape_http_xfer *x, int64_t deadline_ns);
void tape_http_deadline_remove(struct tape_http_xfer *x);
/* When to look again; INT64_MAX never. */
int64_t tape_http_deadline_next(const struct tape_http *h);
/* One transfer whose deadline has passed, or NULL. */
struct tape_http_xfer *tape_http_deadline_passed(
    struct tape_http *h, int64_t now_ns);

/* http_template.c */
/* One line of a head, the number-th.  TAPE_E_USAGE. */
enum tape_status tape_http_template_check_line(
    const char *line, size_t number, struct tape_err *err) TAPE_NODISCARD;
/* *t is kept by the table; take a reference to hold it. */
enum tape_status tape_http_template_get(struct tape_http *h,
    const struct tape_http_request *req, struct tape_http_template **t,
    struct tape_err *err) TAPE_NODISCARD;
void tape_http_template_drop(struct tape_http *h, struct tape_http_template *t);

/* http_easy.c */
/* An idle handle or a new one, set up for t and the rest of req; its record
   is clean.  NULL: out of memory.  Goes back by keep or discard. */
struct tape_http_xfer *tape_http_easy_get(struct tape_http *h,
    struct tape_http_template *t, const struct tape_http_request *req);
void tape_http_easy_keep(struct tape_http_xfer *x);
/* From now on it only connects, for a request of our own. */
bool tape_http_easy_connect_only(struct tape_http_xfer *x);
void tape_http_easy_discard(struct tape_http_xfer *x);
/* What the last request left that is not for the next. */
void tape_http_easy_clear(struct tape_http_xfer *x);

/* http_wire.c */
/* Installs its callbacks on a new handle; returns CURLcode. */
int tape_http_wire_setup(struct tape_http_xfer *x);
/* The time of the event in hand for x, taken now if it has none. */
int64_t tape_http_wire_time_ns(struct tape_http_xfer *x);

/* http_peek.c */
/* Asks for the kernel's times on a new socket. */
void tape_http_peek_ask(int fd);
/* recvmsg without waiting; *wall_ns is the kernel's time of the last of these
   bytes, on the wall clock; -1 none. */
ssize_t tape_http_peek_receive(
    int fd, void *room, size_t most, int flags, int64_t *wall_ns);
/* A new event: of x on fd, or of a socket that is not looked at. */
void tape_http_peek_begin(
    struct tape_http *h, struct tape_http_xfer *x, int fd);
void tape_http_peek_none(struct tape_http *h);
/* libcurl has received len bytes.  Ask before their time is taken whether it
   is another than that of the bytes before, and tell then that they are
   gone. */
bool tape_http_peek_is_new(struct tape_http *h, size_t len);
void tape_http_peek_took(struct tape_http *h, size_t len);

/* http_xfer.c */
/* Ends x here and now; finish is called at the end of the pass.  x->message
   is made of class and cause where it is empty. */
void tape_http_xfer_break(
    struct tape_http_xfer *x, enum tape_http_class class, const char *cause);
/* Durations of the steps to a connection, from libcurl. */
void tape_http_xfer_steps(struct tape_http_xfer *x);
/* A kept connection was lost before an answer: whether the server may just have
   closed it as the request went out; and the end of such a transfer. */
bool tape_http_xfer_is_stale(const struct tape_http_xfer *x);
void tape_http_xfer_lost(struct tape_http_xfer *x);
/* It is at its end. */
void tape_http_xfer_end(struct tape_http_xfer *x);
/* libcurl has ended x with a CURLcode. */
void tape_http_xfer_done(struct tape_http_xfer *x, int code);
/* x's limit has passed. */
void tape_http_xfer_expire(struct tape_http_xfer *x, int64_t now_ns);
/* Finishes whatever is done. */
void tape_http_xfer_reap(struct tape_http *h);

/* http_error.c */
/* Fills class, cause and message of x->result. */
void tape_http_error_fill(struct tape_http_xfer *x);
/* Why there is no connection. */
enum tape_http_class tape_http_error_connect(int why, const char **cause);

#endif
