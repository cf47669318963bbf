/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prompt: the text of a prompt that is made of blocks (neutral.h).
 *
 * Block ids[i] has size words; the last one has the rest of tokens, which must
 * be 1 to size.  The word at a position of a block (from 0) depends on seed,
 * id, position and salt alone, so equal blocks are equal text:
 *
 *	r = philox4x32-10(key = (seed low, seed high),
 *	    counter = (id low, id high, position, salt))[0]
 *	word = words[floor(r * number of words / 2^32)]
 *
 * Negative seeds and ids count as their two's complement.  The first word of
 * the prompt is first[floor(r * number of first / 2^32)] instead, and each word
 * but that one has a space before it.
 */
#ifndef TAPE_API_PROMPT_H
#define TAPE_API_PROMPT_H

#include "api/neutral.h"
#include "base/buf.h"

struct tape_vocab_words; /* one vocabulary */

/* Vocabularies by name, in memory of their own.  A zeroed set is empty. */
struct tape_vocab_set {
	struct tape_vocab_words **v;
	size_t n;
	size_t cap;
};

void tape_vocab_set_init(struct tape_vocab_set *set);
void tape_vocab_set_release(struct tape_vocab_set *set);

/*
 * Copies a vocabulary in.  TAPE_E_FORMAT, and the set as it was, when the name
 * or a list is empty, an index of first is out of range, or a word is empty or
 * has anything but printable ASCII without space, quote and backslash: words
 * go into JSON strings as they are.  A name that is there already must have
 * the same words (TAPE_E_FORMAT otherwise); nothing is added then.
 */
enum tape_status tape_vocab_set_add(struct tape_vocab_set *set,
    struct tape_str name, struct tape_strs words, struct tape_i64s first,
    struct tape_err *err) TAPE_NODISCARD;

/* NULL when there is none of that name. */
const struct tape_vocab_words *tape_vocab_set_find(
    const struct tape_vocab_set *set, struct tape_str name);

/* r above. */
uint32_t tape_prompt_draw(
    int64_t seed, int64_t id, uint32_t position, uint32_t salt);

/*
 * Checks that blocks can be rendered: their vocabulary is there (TAPE_E_FORMAT
 * says which is not), there are ids, size is 1 to 2^31 - 1, and tokens fits the
 * number of ids.  seed, size and tokens are present.
 */
enum tape_status tape_prompt_check(const struct tape_vocab_set *set,
    const struct tape_blocks *blocks, struct tape_err *err) TAPE_NODISCARD;

/*
 * Appends the text, which needs no escape in JSON.  No memory but out's.  On
 * failure out is cut back to what it held.
 */
enum tape_status tape_prompt_render(const struct tape_vocab_set *set,
    const struct tape_blocks *blocks, uint32_t salt, struct tape_buf *out,
    struct tape_err *err) TAPE_NODISCARD;

#endif
