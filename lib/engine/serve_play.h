/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_play: one chat or completion in hand, from its arrival to its last
 * event; what the serve_*.c files share.  Nobody else includes it.
 */
#ifndef TAPE_ENGINE_SERVE_PLAY_H
#define TAPE_ENGINE_SERVE_PLAY_H

#include "codec/json.h"
#include "codec/server.h"
#include "engine/serve.h"
#include "engine/serve_log.h"
#include "engine/serve_model.h"
#include "engine/serve_text.h"

#define TAPE_SERVE_JSON       "content-type: application/json\r\n"
#define TAPE_SERVE_LINES      512 /* room for header lines */
#define TAPE_SERVE_FAULT_TEXT "a fault was asked for (trace-serve --fault)"

enum tape_serve_place {
	TAPE_SERVE_NOWHERE,
	TAPE_SERVE_WAITING, /* in the queue */
	TAPE_SERVE_RUNNING  /* in a slot */
};

/* A chat or completion in hand; the connection's user pointer. */
struct tape_serve_request {
	struct tape_serve *s;
	struct tape_server_conn *conn;
	struct tape_serve_request *prev, *next; /* in the queue */
	enum tape_serve_place place;
	struct tape_serve_ask ask;
	struct tape_serve_plan plan;
	struct tape_serve_text text;
	struct tape_serve_fault fault;
	struct tape_serve_entry log;
	struct tape_server_timer timer;
	int64_t due_ns;  /* of what comes next */
	uint64_t tokens; /* that are out; of a whole answer: that are timed */
	bool struck;     /* the fault has happened */
};

struct tape_serve {
	struct tape_serve_conf conf;
	struct tape_server *http;
	uint16_t port;
	struct tape_serve_model model;
	struct tape_json json;
	struct tape_buf name;    /* the model's, as a JSON string */
	struct tape_buf out;     /* scratch: an event or a body */
	struct tape_buf line;    /* scratch: a line of the log */
	struct tape_vocab vocab; /* what it speaks */
	int64_t created_s;
	struct tape_serve_request *first, *last; /* the queue */
	uint64_t n_waiting;
	uint64_t n_running;
	uint64_t n_seen; /* requests of any kind */
	uint64_t n_asks; /* chats and completions */
	struct tape_serve_stats stats;
	struct tape_err err; /* why serving had to end */
	bool log_failed;
};

/* serve.c */

/* Counts an entry as ended now and writes it to the log. */
void tape_serve_record(
    struct tape_serve *s, struct tape_serve_entry *e, const char *outcome);

/* serve_route.c: paths */

/* Header lines and the one with the request's id.  Returns dst. */
const char *tape_serve_lines(char dst[TAPE_SERVE_LINES],
    const struct tape_serve_entry *e, const char *headers);

/* An answer with an error object, its status into e; headers are further
   lines. */
void tape_serve_error(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e, int status, const char *message,
    const char *headers);

/* What codec/server calls; arg is the server. */
void tape_serve_on_request(void *arg, struct tape_server_conn *c,
    const struct tape_server_request *req);
void tape_serve_on_bad(
    void *arg, struct tape_server_conn *c, int status, const char *why);
void tape_serve_on_close(
    void *arg, struct tape_server_conn *c, enum tape_server_end why);

/* serve_play.c: queue and slots */

/* The request is planned: gives it a slot or a place in the queue, or refuses
   it.  It may be gone on return. */
void tape_serve_play(struct tape_serve_request *r);

/* Ends it as outcome: logs, frees the slot, frees r.  at_ns is when its slot
   became free. */
void tape_serve_finish(
    struct tape_serve_request *r, const char *outcome, int64_t at_ns);

/* It cannot be answered for st: the peer is gone, or takes no more although it
   has a lot to read, or memory is out.  It ends when the connection does. */
void tape_serve_give_up(struct tape_serve_request *r, enum tape_status st);

/* Has tape_serve_tick called at due_ns. */
void tape_serve_arm(struct tape_serve_request *r);

/* Addition that stops at the end of time. */
void tape_serve_add_ns(int64_t *t_ns, int64_t more_ns);

/* serve_stream.c: what is sent when */

/* Something of the request, which is arg, is due. */
void tape_serve_tick(void *arg);

/* Now, and how late that is for what is due. */
struct tape_serve_stamp tape_serve_stamp_now(
    const struct tape_serve_request *r);

/* Sends the scratch buffer as a chunk of its own, with the next flush. */
enum tape_status tape_serve_put_event(struct tape_serve_request *r);
enum tape_status tape_serve_put_role(
    struct tape_serve_request *r, struct tape_serve_stamp *at);
enum tape_status tape_serve_put_done(struct tape_serve_request *r);

/* serve_strike.c: faults in mid-answer */

bool tape_serve_fault_comes(const struct tape_serve_request *r);

/* The fault happens; true when the answer goes on nevertheless. */
bool tape_serve_strike(struct tape_serve_request *r);

#endif
