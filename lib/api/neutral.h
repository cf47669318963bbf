/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * neutral: what is asked of a server, before any dialect: the input of a
 * request, as a trace carries it.
 *
 * Spans are borrowed from the record that was read.
 */
#ifndef TAPE_API_NEUTRAL_H
#define TAPE_API_NEUTRAL_H

#include "base/span.h"

/*
 * A prompt of shared pieces (Mooncake's hash_ids).  The text of block ids[i] is
 * size words of the named vocabulary (the last block has the rest of tokens),
 * drawn by (seed, id, position, salt); see prompt.h and llmtape-stream(5).
 */
struct tape_blocks {
	struct tape_str vocab;
	int64_t seed;
	int64_t size; /* tokens of a full block */
	struct tape_i64s ids;
	int64_t tokens; /* of the whole prompt */
};

/* Exactly one of text, messages, tokens, blocks, body is present. */
struct tape_input {
	struct tape_str text;
	struct tape_str messages; /* verbatim JSON array */
	struct tape_i64s tokens;  /* token ids */
	struct tape_blocks blocks;
	struct tape_str body; /* verbatim request body */
	struct tape_str path; /* its path */
};

#endif
