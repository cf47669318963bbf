/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http: an HTTP client for one network loop.  It sends requests, delivers
 * what comes back with its arrival time, and ends every request with exactly
 * one result.
 *
 * One struct tape_http belongs to one thread; only tape_http_wake may be
 * called from elsewhere.  Several loops share nothing.  Nothing is retried, and
 * nothing redirected unless that is asked for: one start is at most one request
 * on the wire, whatever happens to the connection.  Compression is neither asked
 * for nor undone.  Cookies, .netrc and the environment's proxies are not used.
 *
 * Requests in the clear, without a proxy and without a user in the URL, go over
 * connections of our own, with the framing of HTTP/1.1 done here; all others,
 * and the resolving of names, are libcurl's.  A caller sees no difference but
 * the cost, and the number of calls for a read.
 *
 * HTTP/2 is libcurl's, too.  Requests share connections then, so that bytes in a
 * socket are nobody's before they are looked at: there are no kernel times.
 *
 * All callbacks run inside tape_http_poll.  The order for one transfer is
 * sent, head, header..., read..., finish; a server may answer before it has
 * read the request, so sent may come anywhere before finish or not at all;
 * finish comes always, last, and once.  In finish every function but
 * tape_http_poll and tape_http_free may be called; in the other callbacks only
 * tape_http_cancel, tape_http_running and tape_http_wake.
 *
 * A *read* is all body bytes that one readiness event of the socket delivers
 * for a transfer, in however many calls of the read callback (libcurl makes one
 * for each HTTP chunk, here it is one); its time is taken once, before the
 * first.  Bytes that come while those of the same event are looked at are a
 * further read with their own time, so no byte has a time from before it came.
 * Here, when this thread may be late, what waits is received up to each empty
 * line, and what has a stamp of its own is a read of its own.
 *
 * lag_ns is how long before that time the kernel had the last byte of the read,
 * by its own stamp: t_ns - lag_ns does not depend on how busy this thread is.
 * It is -1 where the kernel gives no stamp, for bytes that came while others
 * of the same event were handled, for those that libcurl receives without a
 * readiness event (at once after sending, or when a timer of its own goes off,
 * as one does for each new connection), and for a second after the wall clock
 * was set.  Neither t_ns nor t_ns - lag_ns decreases from read to read of a
 * transfer.  Over TLS a record that was not complete when it was looked at, and
 * was some microseconds later, has the stamp of that look.
 *
 * All times are int64 nanoseconds of the clock given, which must run as
 * CLOCK_MONOTONIC does; -1 where there is none.  The process must ignore
 * SIGPIPE.  Header values and bodies are never part of a message; URLs in
 * messages lose user, password and query.
 */
#ifndef TAPE_CODEC_HTTP_H
#define TAPE_CODEC_HTTP_H

#include "base/clock.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAPE_HTTP_BUFFER_BYTES ((size_t)16 << 10)  /* default: one recv */
#define TAPE_HTTP_HEADER_BYTES ((size_t)256 << 10) /* cap of a response head */
#define TAPE_HTTP_HEADERS      64                  /* cap of request lines */
#define TAPE_HTTP_OWN_LINES    4 /* of those of one request only */

struct tape_http;      /* one loop */
struct tape_http_xfer; /* one request from start to finish */

/* How a transfer ended.  The names are those of the wire format. */
enum tape_http_class {
	TAPE_HTTP_NONE = 0,  /* complete, status 200 to 299 */
	TAPE_HTTP_DNS,       /* name not resolved */
	TAPE_HTTP_CONNECT,   /* no TCP connection (or refused by the proxy) */
	TAPE_HTTP_TLS,       /* handshake or certificate */
	TAPE_HTTP_SEND,      /* the request could not be written */
	TAPE_HTTP_TIMEOUT,   /* one of the four limits below */
	TAPE_HTTP_RESET,     /* the connection broke, or closed unanswered */
	TAPE_HTTP_HTTP,      /* complete, but the status is not 2xx */
	TAPE_HTTP_TRUNCATED, /* framing: cut short, or not HTTP */
	TAPE_HTTP_CANCELLED, /* tape_http_cancel */
	TAPE_HTTP_CLIENT     /* this side failed: memory, descriptors, ... */
};

/* "dns", "connect", ...; "none" for NONE. */
const char *tape_http_class_text(enum tape_http_class c);

/*
 * Limits, each at most so long; 0 takes the loop's value, and there the
 * default.  None can be turned off: no transfer hangs.
 *
 *	limit		from			to		cause
 *	connect_ns	start			request written	connect-timeout
 *	first_byte_ns	connection ready	first body byte	first-byte; send
 *						while the request is not out
 *	idle_ns		a body byte		the next	idle
 *	total_ns	start			the end		total
 *
 * A head without a body byte does not end first_byte_ns: servers send it
 * before the request leaves their queue.
 */
struct tape_http_timeouts {
	int64_t connect_ns;    /* 10 s */
	int64_t first_byte_ns; /* 600 s */
	int64_t idle_ns;       /* 120 s */
	int64_t total_ns;      /* 3600 s */
};

struct tape_http_opts {
	const struct tape_clock *clock; /* NULL: the system's */
	struct tape_http_timeouts timeouts;
	/* Streams expected at once; so many connections (and a margin) are
	   kept open between requests, no limit on transfers.  0: 256. */
	size_t max_connections;
	/* One receive; 0: TAPE_HTTP_BUFFER_BYTES over libcurl, four times as
	   much for what is framed here. */
	size_t buffer_bytes;
	const char *user_agent; /* NULL: none is sent */
	const char *proxy;      /* URL; NULL or "": none, never from environ */
	const char *no_proxy;   /* hosts without it, "a,.b.c,*"; NULL: none */
	/* Authorities, a PEM file and a directory of hashed ones; both NULL: the
	   system's. */
	const char *cacert, *capath;
	/* This side's certificate and its key, PEM files; key NULL: it is in
	   cert.  key_pass opens it, and is a secret; NULL: it is open. */
	const char *cert, *key, *key_pass;
	bool insecure;           /* accept any certificate */
	const char *unix_socket; /* connect there, whatever a URL's host */
	/* Over TLS HTTP/2 where the server agrees, else 1.1; in the clear HTTP/2
	   from the first byte. */
	bool http2;
	/* Follow a redirect, at most five times, with the same request: to the
	   same host and port only, or from http to https of the same host. */
	bool follow;
	bool user_clock;   /* do not ask for the kernel's times */
	bool libcurl_only; /* frame nothing here */
	/* Numeric local addresses of one family, used in turn for new
	   connections; none: the system chooses. */
	const char *const *sources;
	size_t sources_n;
};

struct tape_http_head {
	int status;
	int64_t t_ns;   /* of the read that ended the status line */
	int64_t lag_ns; /* user minus kernel time; -1 unknown */
};

struct tape_http_read {
	int64_t t_ns;     /* of the read, the same in all its callbacks */
	int64_t lag_ns;   /* user minus kernel time of the read; -1 unknown */
	const char *data; /* valid during the call */
	size_t len;       /* > 0 */
	bool first;       /* the first callback of a read */
};

/* Strings are valid during the finish callback. */
struct tape_http_result {
	enum tape_http_class class;
	/* One word, static; NULL for NONE.  connect: refused, unreachable,
	   no-address, proxy, failed.  tls: certificate, ca-file, handshake,
	   client-certificate (this side's cannot be used).
	   send, reset: rst, closed, and stale-connection (a kept connection
	   was closed as the request went out, or within a second; whether the
	   server has seen it is unknown, it was not sent again).  truncated:
	   content-length, chunked, malformed, header-limit.  http: status, and
	   redirect (one that was not followed).
	   client: memory, descriptors, internal.  dns: unresolved.  cancelled:
	   cancelled.
	   timeout: see above. */
	const char *cause;
	const char *message; /* one sentence; "" for NONE */
	int status;          /* 0 when no head came */

	int64_t start_ns;
	int64_t conn_ns; /* connection ready, request about to go out */
	int64_t sent_ns; /* last byte of the request handed to the kernel */
	int64_t head_ns, head_lag_ns;
	int64_t end_ns; /* time of the read that completed it, or of failure */

	/* Durations within [start_ns, conn_ns]; -1 when not done for this
	   request, as on a kept connection. */
	int64_t dns_ns, connect_ns, tls_ns;

	bool reused;      /* a kept connection; meaningful with conn_ns */
	int http_version; /* 10, 11, 20; 0 unknown */
	int redirects;    /* followed */
	/* "TLSv1.3 / TLS_AES_256_GCM_SHA384" of a new connection; "" unknown. */
	const char *tls;
	const char *remote_addr;     /* numeric, "" unknown */
	int remote_port, local_port; /* 0 unknown */
	uint64_t body_up_bytes, body_down_bytes;
};

/*
 * arg is the one given to open, user that of the request.  finish is needed;
 * the others may be NULL.
 */
struct tape_http_calls {
	/* The body's memory is not touched any more. */
	void (*sent)(void *arg, void *user);
	/* A final status line has come (1xx answers are dropped). */
	void (*head)(void *arg, void *user, const struct tape_http_head *head);
	/* One field, as sent, value trimmed; neither is terminated.  Also
	   trailers, after the body.  Nothing is filtered here. */
	void (*header)(void *arg, void *user, const char *name, size_t name_len,
	    const char *value, size_t value_len);
	void (*read)(void *arg, void *user, const struct tape_http_read *read);
	/* The transfer is gone when this returns. */
	void (*finish)(
	    void *arg, void *user, const struct tape_http_result *result);
};

enum tape_http_conn_mode {
	TAPE_HTTP_POOLED, /* a kept connection if there is one */
	TAPE_HTTP_FRESH,  /* a new one, closed afterwards */
	/* The one that this session's last request left, if it did and it was
	   not closed since, as the oldest of too many; nobody else gets it.
	   Only for requests that are framed here. */
	TAPE_HTTP_SESSION
};

/*
 * Nothing but body needs to live longer than the call of tape_http_start.
 * Requests alike in method, url and headers are cheaper: what is made of
 * these is kept between them.
 */
struct tape_http_request {
	const char *method;         /* NULL: POST with a body, else GET */
	const char *url;            /* http or https; no scheme is http */
	const char *const *headers; /* "Name: value" lines */
	size_t headers_n;           /* at most TAPE_HTTP_HEADERS */
	/* More of them, which may differ from request to request at little
	   cost; no names of headers again. */
	const char *const *more;
	size_t more_n; /* at most TAPE_HTTP_OWN_LINES */
	/* Not copied: must live until sent or finish is called. */
	const void *body; /* NULL: none */
	size_t body_bytes;
	struct tape_http_timeouts timeouts;
	enum tape_http_conn_mode conn;
	uint64_t session; /* with TAPE_HTTP_SESSION */
	void *user;
};

/*
 * Opens a loop; *out is the caller's, tape_http_free ends it.  calls must live
 * as long.  TAPE_E_NOMEM, TAPE_E_IO (descriptors), TAPE_E_USAGE (a certificate
 * file that cannot be read, a bad proxy, a source that is no address, a path
 * that is too long for a socket, HTTP/2 without a library for it).  On failure
 * *out is NULL.
 */
enum tape_status tape_http_open(struct tape_http **out,
    const struct tape_http_opts *opts, const struct tape_http_calls *calls,
    void *arg, struct tape_err *err) TAPE_NODISCARD;

/* Closes all connections.  Transfers still running get no finish: cancel and
   poll before if that matters.  NULL is taken. */
void tape_http_free(struct tape_http *h);

/*
 * Whether requests can go to this URL, as far as is known before one does.
 * TAPE_E_USAGE: it is none; or it is one in the clear and HTTP/2 was asked for,
 * which the libcurl at hand cannot (below 8.0.0 all requests but the first on a
 * connection fail, curl issue 10634) or a proxy cannot carry.
 */
enum tape_status tape_http_check(
    struct tape_http *h, const char *url, struct tape_err *err) TAPE_NODISCARD;

/*
 * Starts a request.  The bytes go out in the next tape_http_poll, which does
 * not wait before that.  *out (may be NULL) names the transfer until its
 * finish; *start_ns (may be NULL) is when it was handed on, as in its result.
 *
 * TAPE_E_USAGE: URL, method or header line cannot be sent (a header line with
 * control characters or of Content-Length or Transfer-Encoding, which are
 * made here), or a session over libcurl; TAPE_E_LIMIT: a head of over 1 MiB;
 * TAPE_E_NOMEM; TAPE_E_IO.  After a failure there is no transfer, no callback
 * comes, and the body stays the caller's.
 */
enum tape_status tape_http_start(struct tape_http *h,
    const struct tape_http_request *req, struct tape_http_xfer **out,
    int64_t *start_ns, struct tape_err *err) TAPE_NODISCARD;

/*
 * Ends a transfer: its connection is closed, no sent, head, header or read
 * comes any more, and the next (or current) tape_http_poll calls finish with
 * class cancelled, unless the end had already come.  Harmless when repeated.
 */
void tape_http_cancel(struct tape_http *h, struct tape_http_xfer *x);
void tape_http_cancel_all(struct tape_http *h);

/*
 * One pass of the loop: sends what was started, waits until deadline_ns, a
 * socket event, a limit, or a wake, whichever is first and at most a second,
 * handles all that is ready, and returns.  A deadline in the past does not
 * wait.  Sets the calling thread's timer slack to 1 ns.
 *
 * A failed transfer is not an error here.  TAPE_E_IO and TAPE_E_NOMEM mean
 * that the loop itself is broken.
 */
enum tape_status tape_http_poll(struct tape_http *h, int64_t deadline_ns,
    struct tape_err *err) TAPE_NODISCARD;

/* Makes the current or the next wait return.  Any thread; signal handlers. */
void tape_http_wake(struct tape_http *h);

/* Transfers started and not finished. */
size_t tape_http_running(const struct tape_http *h);

/* How the kernel's times fared since open. */
struct tape_http_clock_stats {
	uint64_t kernel, user; /* times with a lag, and without */
	uint64_t steps;        /* of the wall clock, over 50 us */
	int64_t step_max_ns;
	/* Of the measurements of wall minus monotonic, the widest bracket:
	   the error of a lag is at most half of it. */
	int64_t width_max_ns;
};
const struct tape_http_clock_stats *tape_http_clock_stats(
    const struct tape_http *h);

#define TAPE_HTTP_VERSION_TEXT 128
/* "libcurl/7.88.1 OpenSSL/3.0.15", for provenance.  Returns dst. */
char *tape_http_version_text(char dst[TAPE_HTTP_VERSION_TEXT]);

#endif
