/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool: a trace, read once and checked as a whole before anything is sent,
 * and then read any number of times in constant memory.
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
 * While it is filled it needs about 24 bytes of memory a request, afterwards
 * nothing that grows.  One thread.
 */
#ifndef TAPE_ENGINE_SPOOL_H
#define TAPE_ENGINE_SPOOL_H

#include "api/prompt.h"
#include "base/hash.h"
#include "record/reader.h"

#define TAPE_SPOOL_INPUTS 5 /* text, messages, tokens, blocks, body */

struct tape_spool_info {
	uint64_t requests;
	bool timed;         /* requests have t_ns */
	int64_t first_t_ns; /* with timed */
	int64_t last_t_ns;
	uint64_t waiting;  /* requests with predecessors */
	uint64_t verbatim; /* prompts that no salt changes */
	uint64_t bodies;   /* of these, whole bodies */
	/* Place + 1 of the first request of each kind of input, 0 none. */
	uint64_t first_of[TAPE_SPOOL_INPUTS];
	/* FNV-1a of the vocab and request lines, each with its LF. */
	char hash[TAPE_HASH_TEXT];
	enum tape_ending ending; /* of the trace */
};

/* A request's place among others. */
struct tape_spool_entry {
	uint64_t key;        /* digest of its id */
	uint32_t dependents; /* requests that name it */
};

struct tape_spool;

/* The temporary files are made in dir. */
enum tape_status tape_spool_open(struct tape_spool **out, const char *dir,
    struct tape_err *err) TAPE_NODISCARD;
void tape_spool_free(struct tape_spool *s);

/*
 * Reads all of r.  interrupts (may be NULL) is asked before each record; when
 * it is not 0, that is all, with TAPE_OK.  Failures have the trace's name and line; TAPE_E_DATA
 * when there is no request in it.
 */
enum tape_status tape_spool_fill(struct tape_spool *s, struct tape_reader *r,
    int (*interrupts)(void), struct tape_err *err) TAPE_NODISCARD;

/*
 * Opens in dir (NULL or "": /tmp) and fills.  A failure of reading after an
 * interrupt is none; a trace whose making failed is TAPE_E_TRUNC unless that is
 * allowed.
 */
enum tape_status tape_spool_take(struct tape_spool **out, const char *dir,
    struct tape_reader *r, int (*interrupts)(void), bool allow_failed,
    struct tape_err *err) TAPE_NODISCARD;

/* The chains of programs (record/prov.h) of the trace's segments; valid as
   long as the spool. */
struct tape_strs tape_spool_chains(const struct tape_spool *s);

const struct tape_spool_info *tape_spool_info(const struct tape_spool *s);
const struct tape_vocab_set *tape_spool_vocabs(const struct tape_spool *s);

/* Request seq (from 0) into rec, valid until the next call. */
enum tape_status tape_spool_read(struct tape_spool *s, uint64_t seq,
    struct tape_record *rec, struct tape_spool_entry *entry,
    struct tape_err *err) TAPE_NODISCARD;

#endif
