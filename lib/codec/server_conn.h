/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * server_conn: what server.c (set-up), server_loop.c, server_conn.c (life and
 * reading of a connection) and server_reply.c (writing) share.  Nobody else
 * includes it.
 *
 * A connection's way:
 *
 *	READING --request complete--> ANSWERING --end--> READING ...
 *	   |                              |
 *	   +--answered early, refused-----+--last answer--> CLOSING
 *	   v                                                   |
 *	LINGER (answer out, input thrown away) ----------> DEAD <--
 *
 * DEAD means the descriptor is closed and the connection waits in the list of
 * the dead, so that pointers in the batch of events in hand stay good.
 */
#ifndef TAPE_CODEC_SERVER_CONN_H
#define TAPE_CODEC_SERVER_CONN_H

#include "codec/server.h"

#include <stdatomic.h>

#define TAPE_SERVER_READ_BYTES ((size_t)64 << 10) /* one read(2) */

enum tape_server_state {
	TAPE_SERVER_READING,
	TAPE_SERVER_ANSWERING,
	TAPE_SERVER_CLOSING,
	TAPE_SERVER_LINGER,
	TAPE_SERVER_DEAD
};

struct tape_server_conn {
	struct tape_server *srv;
	struct tape_server_conn *prev, *next; /* all that live */
	struct tape_server_conn *todo;        /* next of the dead or waiting */
	int fd;
	enum tape_server_state state;
	enum tape_server_end why;
	uint64_t id;
	uint64_t requests;
	struct tape_server_parse parse;
	struct tape_buf body;
	struct tape_buf in; /* came while a request was in hand */
	struct tape_buf out;
	struct tape_server_timer idle;
	int64_t active_ns; /* last time that a byte moved */
	uint64_t left;     /* of the announced length */
	uint32_t events;   /* that epoll watches */
	enum tape_server_mode mode;
	bool streaming; /* the body goes to on_body */
	bool began;     /* the answer's head was given */
	bool no_body;   /* answer to HEAD */
	bool last;      /* close after this answer */
	bool eof;       /* the peer sent its FIN, and we go on */
	bool full;      /* the socket takes no more for now */
	bool busy;      /* inside the reading loop: end must not enter it */
	bool waiting;   /* in the list of those with input at hand */
	void *user;
};

struct tape_server {
	struct tape_server_conf conf;
	struct tape_clock clock;
	int epoll_fd, listen_fd, wake_fd, spare_fd;
	struct tape_server_timers timers;
	struct tape_server_conn *conns;
	struct tape_server_conn *dead;
	struct tape_server_conn *waiting;
	struct tape_server_stats stats;
	int64_t pass_ns; /* time of this pass of the loop; for idleness only */
	int64_t stop_ns; /* when what still runs is cut off */
	int64_t spin_ns; /* 0: none, or not yet measured */
	atomic_bool stop;
	bool stopping;
	bool no_pwait2; /* an old kernel */
	char buf[TAPE_SERVER_READ_BYTES];
};

/* server.c */

/* Has epoll watch fd for input; tag comes back with its events. */
int tape_server_watch_new(struct tape_server *srv, int fd, void *tag);

/* server_loop.c */

/* Ends every connection; on_close is called for each. */
void tape_server_cut_off(struct tape_server *srv);

/* server_conn.c */

/* Takes over an accepted descriptor, closing it when that fails. */
void tape_server_conn_open(struct tape_server *srv, int fd);

/* Closes the descriptor and moves the connection to the dead. */
void tape_server_conn_kill(
    struct tape_server_conn *c, enum tape_server_end why);

/* Makes epoll watch what the state needs. */
void tape_server_conn_watch(struct tape_server_conn *c);

/* The socket has something to read, or ended. */
void tape_server_conn_readable(struct tape_server_conn *c);
/* The peer closed its side. */
void tape_server_conn_eof(struct tape_server_conn *c);
/* Goes on with what was read while a request was in hand. */
void tape_server_conn_resume(struct tape_server_conn *c);
/* The answer is complete: the next request, if it is there already. */
void tape_server_conn_next(struct tape_server_conn *c);

/* server_reply.c */

/* Writes what the socket takes, all but the last keep bytes; does what the
   state asks when all is out. */
void tape_server_conn_flush_but(struct tape_server_conn *c, size_t keep);
void tape_server_conn_flush(struct tape_server_conn *c);

/* CLOSING; done at once when nothing waits.  linger: throw input away first,
   since closing over unread input would destroy the answer on its way. */
void tape_server_conn_finish(struct tape_server_conn *c, bool linger);

#endif
