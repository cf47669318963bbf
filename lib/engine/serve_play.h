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
#include "engine/serve_script.h"
#include "engine/serve_text.h"

#define TAPE_SERVE_JSON       "content-type: application/json\r\n"
#define TAPE_SERVE_OUT_BYTES  ((size_t)64 << 20) /* of an answer */
#define TAPE_SERVE_LINES      512                /* room for header lines */
#define TAPE_SERVE_FAULT_TEXT "a fault was asked for (trace-serve --fault)"

enum tape_serve_place {
	TAPE_SERVE_NOWHERE,
	TAPE_SERVE_WAITING, /* in the queue */
	TAPE_SERVE_RUNNING  /* in a slot */
};

/* An event that goes out in pieces. */
struct tape_serve_pieces {
	struct tape_buf rest; /* what was not yet given to the connection */
	uint64_t tokens;      /* of the event */
	uint32_t left;        /* writes to go; 0: no event is on its way */
};

/* Where an answer by script stands. */
struct tape_serve_act {
	const struct tape_script_rule *rule; /* NULL: there is none */
	size_t step;
	uint64_t sent;  /* bytes of the step */
	uint64_t write; /* writes of the step */
};

/* A chat or completion, or an answer by script, in hand; the connection's user
   pointer. */
struct tape_serve_request {
	struct tape_serve *s;
	struct tape_server_conn *conn;
	struct tape_serve_request *prev, *next; /* in the queue or batch */
	enum tape_serve_place place;
	char *path; /* for the log */
	struct tape_serve_ask ask;
	struct tape_serve_plan plan;
	struct tape_serve_text text;
	struct tape_serve_fault fault;
	struct tape_serve_entry log;
	struct tape_server_timer timer;
	int64_t due_ns;   /* of what comes next */
	int64_t event_ns; /* the same, but for the pieces of a split event */
	uint64_t tokens;  /* that are out */
	uint64_t timed;   /* of a whole answer: that are said */
	uint64_t merge;   /* events of the write that comes next */
	uint64_t steps;   /* of the batch until then */
	uint64_t joined;  /* the step at which it came into the batch */
	struct tape_serve_pieces pieces;
	struct tape_buf whole; /* an answer that is not streamed, or what was
	                          said where the dialect keeps it */
	struct tape_serve_act act;
	bool in_batch;
	bool decodes; /* has had a step of the batch */
	bool struck;  /* the fault has happened */
};

/* The clock of batch cadence; see serve_batch.c. */
struct tape_serve_batch {
	struct tape_server_timer timer;
	struct tape_serve_request *first, *last;
	struct tape_serve_request *at; /* next of the step in hand */
	bool stepping;                 /* a step is in hand */
	uint64_t steps;                /* that have begun */
	uint64_t decoding;             /* members that decode */
	int64_t due_ns;                /* of the step in hand, or the next */
};

struct tape_serve {
	struct tape_serve_conf conf;
	struct tape_server *http;
	uint16_t port;
	struct tape_serve_model model;
	struct tape_json json;
	struct tape_buf name; /* the model's, as a JSON string */
	struct tape_buf out;  /* scratch: an event or a body */
	struct tape_buf line; /* scratch: a line of the log */
	struct tape_serve_words words;
	struct tape_serve_batch batch;
	int64_t created_s;
	struct tape_serve_request *first, *last; /* the queue */
	uint64_t n_waiting;
	uint64_t n_running;
	uint64_t n_seen; /* requests of any kind */
	uint64_t n_asks; /* chats and completions */
	struct tape_serve_stats stats;
	struct tape_err err; /* why serving had to end */
	bool failed;         /* serving ends for err */
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

/* serve_generate.c: what the model answers */

/* Answers a request of a dialect. */
void tape_serve_generate(struct tape_serve *s, struct tape_server_conn *c,
    const struct tape_server_request *req, struct tape_serve_entry *e,
    const struct tape_serve_asked *asked);

/* serve_play.c: queue and slots */

/* Takes a request in hand, for finish to end; NULL when memory is out, which
   the client was told. */
struct tape_serve_request *tape_serve_take(struct tape_serve *s,
    struct tape_server_conn *c, struct tape_serve_entry *e);

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

/* serve_batch.c: all streams at a time */

/* The request decodes from its due_ns on; tape_serve_tick is called at steps,
   with due_ns set to that of the step. */
void tape_serve_batch_join(struct tape_serve_request *r);
/* Fine when it is not in the batch. */
void tape_serve_batch_leave(struct tape_serve_request *r);

/* serve_stream.c: what is sent when */

/* The request has its slot, and due_ns is that of its first token event. */
void tape_serve_begin(struct tape_serve_request *r);

/* Something of the request, which is arg, is due. */
void tape_serve_tick(void *arg);

/* Now, and how late that is for what is due. */
struct tape_serve_stamp tape_serve_stamp_now(
    const struct tape_serve_request *r);

/* Counts a token event, or a whole answer, as sent. */
void tape_serve_took(struct tape_serve_request *r, uint64_t tokens,
    const struct tape_serve_stamp *at);

/* Sends the scratch buffer as a chunk of its own, with the next flush. */
enum tape_status tape_serve_put_event(struct tape_serve_request *r);
/* The events before the first token. */
enum tape_status tape_serve_put_role(
    struct tape_serve_request *r, struct tape_serve_stamp *at);
enum tape_status tape_serve_put_done(struct tape_serve_request *r);

/* The token events of a write are in the connection's buffer, or it is st why
   not: sends them, with the tail if it is time, and sees to what comes next.
   The request may be gone on return. */
void tape_serve_sent(struct tape_serve_request *r, struct tape_serve_stamp *at,
    enum tape_status st);

/* The answer is complete in the connection's buffer; the request is gone, or
   will go with its connection. */
void tape_serve_complete(struct tape_serve_request *r);

/* A token event of so many tokens, without its stamp. */
void tape_serve_say_event(
    struct tape_serve_request *r, uint64_t tokens, struct tape_buf *out);

/* All is said: puts counts and times into the text. */
void tape_serve_sum_up(struct tape_serve_request *r);

/* serve_whole.c: answers that are not streamed */

void tape_serve_tick_whole(struct tape_serve_request *r);

/* serve_split.c: events in pieces */

/* The next token event, whose first piece goes out now. */
void tape_serve_split(struct tape_serve_request *r);

/* Sends what is still missing of the event on its way. */
void tape_serve_split_end(struct tape_serve_request *r);

/* serve_act.c: answers by script */

/* Answers as the rule says; the entry is of a request that is complete. */
void tape_serve_act(struct tape_serve *s, struct tape_server_conn *c,
    struct tape_serve_entry *e, const struct tape_script_rule *rule);

/* serve_strike.c: faults in mid-answer */

bool tape_serve_fault_comes(const struct tape_serve_request *r);

/* The fault happens; true when the answer goes on nevertheless. */
bool tape_serve_strike(struct tape_serve_request *r);

#endif
