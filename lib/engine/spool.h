/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool: a trace, checked as it is read, and then there to be read any number
 * of times in constant memory.
 *
 * Request records go as plain lines into an unnamed temporary file, with an
 * index beside it; vocabularies stay in memory.  What is checked:
 *
 *	ids are there once; exactly one input, which can be rendered: blocks
 *	fit their vocabulary; after names earlier requests of the same session;
 *	delays are not negative, output_tokens positive; either no request has
 *	t_ns, or all have but those that wait for others; t_ns never goes
 *	back.
 *
 * Ids are known for the last TAPE_RECENT requests (recent.h): one that after
 * names must be among them, and one that comes again later is not noticed.
 *
 * The head start of a trace is what is read before anything is sent: up to
 * TAPE_SPOOL_HEAD requests, or TAPE_SPOOL_HEAD_BYTES of their lines, or, when
 * whoever makes the trace has to be waited for, what comes within
 * TAPE_SPOOL_HEAD_NS after its first request; in any case as much as a warm-up
 * needs.  A trace that ends there is checked as a whole before anything is
 * sent.  A longer one is streamed: a thread reads on, so far ahead of what is
 * taken and no further, so that it neither disturbs a measurement more than
 * need be nor asks for memory; whoever writes into a pipe waits that long.
 *
 * Memory: that of the ids, of the vocabularies, and of a few buffers.
 *
 * Two threads: the one that reads the trace is inside; all functions are for
 * one other, but where it says otherwise.
 */
#ifndef TAPE_ENGINE_SPOOL_H
#define TAPE_ENGINE_SPOOL_H

#include "api/prompt.h"
#include "base/clock.h"
#include "base/hash.h"
#include "record/reader.h"

#define TAPE_SPOOL_HEAD       4096
#define TAPE_SPOOL_HEAD_BYTES ((uint64_t)16 << 20)
#define TAPE_SPOOL_HEAD_NS    (50 * TAPE_NS_PER_MS)
#define TAPE_SPOOL_INPUTS     5 /* text, messages, tokens, blocks, body */
#define TAPE_SPOOL_BLOCKS     3 /* which of them */

/* As much as is known, which changes with each call that reads or looks. */
struct tape_spool_info {
	bool ended;    /* this is all of it, and what follows is final */
	bool streamed; /* it went on behind the head start */
	uint64_t head; /* requests of the head start */
	uint64_t requests;
	bool timed;         /* requests have t_ns: all or none; final at once */
	int64_t first_t_ns; /* with timed; final at once */
	int64_t last_t_ns;
	uint64_t waiting;  /* requests with predecessors */
	uint64_t reusing;  /* with a block whose id is not above all earlier */
	int64_t top_block; /* largest id so far, with blocks */
	uint64_t verbatim; /* prompts that no salt changes */
	uint64_t bodies;   /* of these, whole bodies */
	/* Place + 1 of the first request of each kind of input, 0 none. */
	uint64_t first_of[TAPE_SPOOL_INPUTS];
	/* Segments whose chains came too late for tape_spool_chains. */
	uint64_t late_segments;
	/* FNV-1a of the vocab and request lines, each with its LF; empty until
	   it has ended. */
	char hash[TAPE_HASH_TEXT];
	enum tape_ending ending; /* of the trace, once it has ended */
};

/* A request's place among others; valid until the next read. */
struct tape_spool_entry {
	const uint64_t *after; /* places of its predecessors, from 0 */
	size_t after_n;
};

struct tape_spool;

/* The temporary files are made in dir; NULL or "": /tmp. */
enum tape_status tape_spool_open(struct tape_spool **out, const char *dir,
    struct tape_err *err) TAPE_NODISCARD;

/* Ends the thread first, where there is one: then r is the caller's again. */
void tape_spool_free(struct tape_spool *s);

/*
 * Reads all of r in this thread.  interrupts (may be NULL) is asked before each
 * record; when it is not 0, that is all, with TAPE_OK.  Failures have the
 * trace's name and line; TAPE_E_FORMAT when there is no request in it.
 */
enum tape_status tape_spool_fill(struct tape_spool *s, struct tape_reader *r,
    int (*interrupts)(void), struct tape_err *err) TAPE_NODISCARD;

struct tape_spool_start {
	uint64_t least; /* requests that the head start has, if there are */
	bool partial;   /* a trace whose making failed will do */
	bool whole; /* all of it is the head start, and there is no thread */
	int (*interrupts)(void); /* not 0: wait no longer; may be NULL */
};

/*
 * Reads the head start of r, which belongs to the spool's thread from now on.
 * Failures as of fill, of what was read by then; later ones are told by look.
 * A failure of reading after an interrupt is none; a trace whose making failed
 * is TAPE_E_TRUNC unless it will do.
 */
enum tape_status tape_spool_start(struct tape_spool *s, struct tape_reader *r,
    const struct tape_spool_start *how, struct tape_err *err) TAPE_NODISCARD;

/* Opens and starts. */
enum tape_status tape_spool_take(struct tape_spool **out, const char *dir,
    struct tape_reader *r, const struct tape_spool_start *how,
    struct tape_err *err) TAPE_NODISCARD;

/*
 * Whether the request at this place can be read: TAPE_OK with *there, which is
 * false when it has not come yet; TAPE_EOF, the trace ended before it; or why
 * the trace could not be read so far, with its name and line.  Tells the thread
 * to read on from there.
 */
enum tape_status tape_spool_look(struct tape_spool *s, uint64_t index,
    bool *there, struct tape_err *err) TAPE_NODISCARD;

/* fn is called, in the spool's thread, when what look did not find has come or
   will not come.  NULL: nobody waits any more. */
void tape_spool_notify(struct tape_spool *s, void (*fn)(void *arg), void *arg);

/* The chains of programs (record/prov.h) of the segments of the head start;
   valid as long as the spool. */
struct tape_strs tape_spool_chains(const struct tape_spool *s);

/* Valid as long as the spool, and so is the set of vocabularies, which has those
   that the requests read so far need. */
const struct tape_spool_info *tape_spool_info(const struct tape_spool *s);
const struct tape_vocab_set *tape_spool_vocabs(const struct tape_spool *s);

/* The request at this place (from 0), which is there, into rec, valid until the
   next call. */
enum tape_status tape_spool_read(struct tape_spool *s, uint64_t index,
    struct tape_record *rec, struct tape_spool_entry *entry,
    struct tape_err *err) TAPE_NODISCARD;

#endif
