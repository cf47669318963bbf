/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flight: one request on its way: made by the feeder with its body, sent and
 * filled by the network loop, written and freed by the sink.
 *
 * It belongs to one thread at a time.  What has come in is in its piece in
 * hand; a piece that is large or old enough is cut off and handed on while the
 * flight goes on, so that memory is bounded whatever a server sends.  A read
 * stands in one piece, and a piece ends on a character boundary unless the
 * bytes are not UTF-8.
 *
 * Fields above the line are set by the feeder and do not change after it has
 * handed the flight on, so the sink may read them while the loop still runs
 * the flight; the last piece of a flight is handed on last and owns it.
 */
#ifndef TAPE_ENGINE_FLIGHT_H
#define TAPE_ENGINE_FLIGHT_H

#include "base/buf.h"
#include "codec/http.h"
#include "engine/own_lines.h"
#include "engine/sched.h"
#include "record/record.h"

/* From when on a piece is cut. */
#define TAPE_FLIGHT_PIECE_NS (10 * TAPE_NS_PER_S)

/* What all flights of a run share; outlives them. */
struct tape_course {
	int64_t run;
	const char *api;
	const char *model;  /* NULL: as the body has it */
	const char *target; /* redacted */
	bool stream;
	bool keep_bodies;
};

struct tape_flight_read {
	int64_t t_ns; /* from start_ns */
	int64_t lag_ns;
	int64_t bytes;
};

/* What is known of the transfer; absolute times, TAPE_ABSENT_I64 unknown. */
struct tape_flight_state {
	int64_t conn_ns, sent_ns, head_ns, end_ns;
	int64_t head_lag_ns; /* of head_ns, which is less by it */
	int64_t dns_ns, connect_ns, tls_ns; /* durations */
	int8_t reused;
	int64_t status;
	int64_t redirects;
	int http_version; /* as in struct tape_http_result */
};

enum tape_piece_kind {
	TAPE_PIECE_PART, /* the flight goes on */
	TAPE_PIECE_LAST, /* the flight has ended and belongs to the piece */
	TAPE_PIECE_LINE  /* no flight: body is a whole record as text */
};

/* Bytes that came in together with their times. */
struct tape_piece {
	enum tape_piece_kind kind;
	int line_kind; /* enum tape_kind of a line */
	struct tape_flight *flight;
	int64_t seq;                    /* of a part */
	struct tape_flight_state state; /* as of the cut */
	/* Of the answer: name, LF, value, LF and so on; in the first piece and
	   in the last. */
	struct tape_buf headers;
	struct tape_buf body;
	struct tape_flight_read *reads;
	size_t reads_n, reads_cap;
};

struct tape_flight {
	struct tape_turn turn; /* seq: place in the run's stage */
	const struct tape_course *course;
	char *text; /* what the spans below point into */
	struct tape_str id, session, labels;
	int64_t turn_no, pass;
	int64_t output_tokens, input_tokens;
	uint64_t key; /* for order: turn.seq */
	bool measured;
	bool doomed;   /* a predecessor failed */
	bool followed; /* others may wait for it */
	bool cancels;  /* on purpose: see attempts.h */
	/* From 1.  Of later ones, what the first one had. */
	int64_t attempt;
	int64_t origin_due_ns, origin_start_ns;
	char *url;
	const char *target; /* the server, redacted; NULL: the course's */
	uint64_t hash;
	size_t bytes;
	/* --- */
	char *body;   /* freed as soon as it was sent, unless it is kept */
	bool sending; /* the network still needs it */
	int64_t x;    /* set by the loop, as start_ns */
	char request_id[TAPE_OWN_ID_TEXT]; /* sent in a header, or "" */
	int64_t start_ns;
	struct tape_http_xfer *xfer;
	struct tape_flight *prev, *next; /* of those running */
	struct tape_piece *hand;
	struct tape_buf headers;
	struct tape_flight_state state;
	int64_t pieces; /* handed on */
	int64_t piece_ns;
	bool broken; /* memory ran out while it was read */
	enum tape_http_class class;
	const char *cause; /* static */
	char *message;
	char *tls; /* of a new connection, or NULL */
	/* When it is to be cancelled on purpose; absent: not, or not yet. */
	int64_t cancel_ns;
	bool cutting;                            /* that was done */
	struct tape_flight *cut_prev, *cut_next; /* of those still to be */
	bool cut_listed;
	int64_t retry_ns; /* it failed, and is sent again then; or absent */
};

/* A flight for a request, whose strings are copied; course is borrowed. */
enum tape_status tape_flight_open(struct tape_flight **f,
    const struct tape_course *course, const struct tape_request *request,
    struct tape_err *err) TAPE_NODISCARD;
void tape_flight_free(struct tape_flight *f);

void tape_flight_drop_body(struct tape_flight *f);

/*
 * One more attempt of a flight that has ended, at retry_ns: the same request,
 * with nothing of what came.  Its url and body stay with f until hand_down,
 * after which f has only a body that is kept.  NULL: no memory, and nothing
 * changed.
 */
struct tape_flight *tape_flight_again(const struct tape_flight *f);
void tape_flight_hand_down(struct tape_flight *f, struct tape_flight *next);

/* The head began to come, at that user time; lag_ns is -1 unknown. */
void tape_flight_head(struct tape_flight *f, int64_t t_ns, int64_t lag_ns);

/* What the transport says.  A failing allocation sets broken. */
void tape_flight_header(struct tape_flight *f, const char *name,
    size_t name_len, const char *value, size_t value_len);
void tape_flight_read(struct tape_flight *f, const struct tape_http_read *r);
void tape_flight_finish(
    struct tape_flight *f, const struct tape_http_result *r);

/* It ended without a transport. */
void tape_flight_fail(struct tape_flight *f, enum tape_http_class class,
    const char *cause, const char *message, int64_t end_ns);

/* True when a piece should be cut before anything is added. */
bool tape_flight_ripe(const struct tape_flight *f, int64_t now_ns);

/* The piece in hand, the caller's now; a new one takes its place.  NULL: no
   memory, and nothing changed. */
struct tape_piece *tape_flight_cut(struct tape_flight *f, int64_t now_ns);

/* After finish or fail: the last piece, which owns the flight. */
struct tape_piece *tape_flight_last(struct tape_flight *f);

/* A record as text; NULL: no memory. */
struct tape_piece *tape_piece_line(int kind, const char *text, size_t len);

/* Frees a piece, and the flight with its last one. */
void tape_piece_free(struct tape_piece *p);

size_t tape_piece_weight(const struct tape_piece *p); /* bytes of memory */

#endif
