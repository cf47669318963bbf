/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_count: a prompt's tokens and digests, in one pass over its text.
 *
 * A token is a word: bytes above 0x20 between others, or between the ends of a
 * text.  Prompts of llmtape are words of one token each, so this is exact for
 * them.  The digest of block i covers everything up to the end of its last
 * word, so it is equal exactly when the prompts agree up to there.  Digests are
 * for lookup, not against an adversary.
 */
#ifndef TAPE_ENGINE_SERVE_COUNT_H
#define TAPE_ENGINE_SERVE_COUNT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tape_serve_count {
	uint64_t tokens;
	uint64_t digest;  /* of all so far */
	uint64_t *blocks; /* digests of the full blocks */
	size_t n_blocks;
	/* Called now and then while a long prompt is counted, unless NULL: a
	   server has others to serve.  Set it after clear. */
	void (*breathe)(void *arg);
	void *breathe_arg;
	/* private */
	size_t cap;
	uint32_t steps; /* so far, for breathe */
	uint32_t block; /* tokens of a block, 0: none are wanted */
	bool in_word;
	bool no_memory;
};

/* Starts a prompt; a zeroed struct is fine, and memory is kept. */
void tape_serve_count_clear(struct tape_serve_count *c, uint32_t block_tokens);
void tape_serve_count_release(struct tape_serve_count *c);

/* A whole text of the prompt: the message of a chat, say. */
void tape_serve_count_text(
    struct tape_serve_count *c, const char *p, size_t len);

/* A token by number. */
void tape_serve_count_token(struct tape_serve_count *c, int64_t id);

/* TAPE_E_NOMEM when block digests were lost. */
enum tape_status tape_serve_count_status(
    const struct tape_serve_count *c, struct tape_err *err) TAPE_NODISCARD;

/* Mixes a number into a digest. */
uint64_t tape_serve_mix(uint64_t digest, uint64_t x);

#endif
