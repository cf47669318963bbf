/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spool_impl: what the files of spool share. */
#ifndef TAPE_ENGINE_SPOOL_IMPL_H
#define TAPE_ENGINE_SPOOL_IMPL_H

#include "base/arena.h"
#include "engine/recent.h"
#include "engine/spool.h"
#include "engine/spool_file.h"

#include <pthread.h>

enum spool_state { SPOOL_READING, SPOOL_ENDED, SPOOL_FAILED };

/* A request in the index.  Its line is followed by the places of its
   predecessors, eight bytes each. */
struct spool_row {
	uint64_t offset;
	uint32_t len;
	uint32_t after_n;
};

/* What the thread that reads the trace has to itself. */
struct spool_filler {
	struct tape_reader *reader;
	struct tape_record rec;
	struct tape_spool_info info;
	struct tape_recent ids;
	uint64_t hash;
	uint64_t *after; /* of the request in hand */
	size_t after_n, after_cap;
	struct tape_arena arena; /* of the chains: none is added behind the head
	                            start */
	struct tape_str *chains;
	size_t chains_n, chains_cap;
	bool partial;
};

/* Whoever takes requests. */
struct spool_taker {
	struct tape_spool_info info;
	struct tape_vocab_set vocabs; /* a view of those below */
	struct tape_buf line;
	uint64_t *after;
	size_t after_cap;
	uint64_t offset; /* of the line that was read last */
};

struct tape_spool {
	struct spool_filler fill;
	struct spool_taker take;
	struct tape_spool_file lines;
	struct tape_spool_file index;
	/* What both see, under the lock. */
	pthread_mutex_t lock;
	pthread_cond_t room;  /* for the filler: go on, or quit */
	pthread_cond_t moved; /* for whoever waits for the head start */
	struct tape_spool_info info;
	struct tape_vocab_set vocabs;
	uint64_t bytes; /* of lines */
	enum spool_state state;
	struct tape_err err; /* why it failed */
	uint64_t least;      /* requests of the head start */
	bool head_done;      /* the head start is over */
	uint64_t head;
	bool streamed;
	int64_t first_ns; /* when the first request had come; 0 not yet */
	bool waited;      /* for more of the trace, since then */
	uint64_t wanted;  /* the place that was looked at, the last of all */
	uint64_t wanted_offset;
	bool hungry; /* look found nothing */
	bool resting;
	bool quit;
	void (*notify)(void *arg);
	void *notify_arg;
	pthread_t thread;
	bool running;
	int wake_fd; /* readable: quit */
};

/* Checks a request and finds its predecessors. */
enum tape_status tape_spool_check(struct spool_filler *f,
    const struct tape_vocab_set *vocabs, const struct tape_request *r,
    uint64_t key, uint64_t session, struct tape_err *err) TAPE_NODISCARD;

/* Reads one record of the trace; false when there will be no more. */
bool tape_spool_step(struct tape_spool *s);

/* With the lock held: the head start was so long, if it is not over yet. */
void tape_spool_end_head(
    struct tape_spool *s, uint64_t requests, bool streamed);

/* Ends the thread, if there is one. */
void tape_spool_stop(struct tape_spool *s);

/* With the lock held: the thread goes on if it is not far enough ahead. */
void tape_spool_wake(struct tape_spool *s);

/* With the lock held: the taker's view is as new as can be; a failure to read
   the trace. */
enum tape_status tape_spool_sync(
    struct tape_spool *s, struct tape_err *err) TAPE_NODISCARD;

#endif
