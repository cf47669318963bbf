/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Eight bytes at a time: in a word of flags, the top bit of each byte says
 * something about that byte of the text.
 */
#include "engine/serve_count.h"

#include "base/mem.h"

#include <endian.h>
#include <string.h>

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define TOPS       EACH(0x80)

#define BREATH_STEPS  2048 /* of text: about 10 us */
#define BREATH_TOKENS 1024 /* the same by number */

void
tape_serve_count_clear(struct tape_serve_count *c, uint32_t block_tokens)
{
	c->tokens = 0;
	c->digest = 0;
	c->n_blocks = 0;
	c->block = block_tokens;
	c->breathe = NULL;
	c->steps = 0;
	c->in_word = c->no_memory = false;
}

void
tape_serve_count_release(struct tape_serve_count *c)
{
	tape_mem_free(c->blocks);
	*c = (struct tape_serve_count){ 0 };
}

uint64_t
tape_serve_mix(uint64_t digest, uint64_t x)
{
	digest = (digest ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ (digest >> 32);
}

/* Called when a token has ended that may complete a block. */
static void
end_block(struct tape_serve_count *c)
{
	void *blocks = c->blocks;

	if (tape_mem_grow(
		&blocks, &c->cap, c->n_blocks + 1, sizeof(*c->blocks)) != 0) {
		c->no_memory = true;
		return;
	}
	c->blocks = blocks;
	c->blocks[c->n_blocks++] = c->digest;
}

/* How many tokens are missing to the end of the block in hand. */
static uint64_t
to_go(const struct tape_serve_count *c)
{
	return c->block == 0 ? UINT64_MAX : c->block - c->tokens % c->block;
}

/* Flags of the bytes up to 0x20. */
static uint64_t
spaces(uint64_t x)
{
	return ~((x | TOPS) - EACH(0x21)) & ~x & TOPS;
}

/* Takes n <= 8 bytes, or those up to the end of a block; says how many.  Less
   than 8 are the end of a text. */
static size_t
take(struct tape_serve_count *c, const char *p, size_t n)
{
	uint64_t x = EACH(' '), sp, ends, left = to_go(c);
	size_t words, at;

	memcpy(&x, p, n);
	x = le64toh(x);
	sp = spaces(x);
	/* a word ends at a space behind another byte */
	ends = sp & ((~sp & TOPS) << 8 | (c->in_word ? 0x80 : 0));
	words = (size_t)__builtin_popcountll(ends);
	if (words < left) {
		c->tokens += words;
		c->in_word = (sp >> 63) == 0;
		c->digest = tape_serve_mix(c->digest + n, x);
		return n;
	}
	for (c->tokens += left; left > 1; left--)
		ends &= ends - 1;
	at = (size_t)__builtin_ctzll(ends) / 8;
	c->in_word = false;
	if (at > 0)
		x &= UINT64_MAX >> (64 - 8 * at);
	c->digest = tape_serve_mix(c->digest + at, at > 0 ? x : 0);
	end_block(c);
	return at;
}

void
tape_serve_count_text(struct tape_serve_count *c, const char *p, size_t len)
{
	size_t n;

	while (len > 0 || c->in_word) {
		n = take(c, p, len < 8 ? len : 8);
		p += n;
		len -= n;
		if (++c->steps % BREATH_STEPS == 0 && c->breathe != NULL)
			c->breathe(c->breathe_arg);
	}
	/* so that it matters where one text ends and the next begins */
	c->digest = tape_serve_mix(c->digest, 1);
}

void
tape_serve_count_token(struct tape_serve_count *c, int64_t id)
{
	bool last = to_go(c) == 1;

	c->tokens++;
	c->digest = tape_serve_mix(c->digest, (uint64_t)id);
	if (last)
		end_block(c);
	if (c->tokens % BREATH_TOKENS == 0 && c->breathe != NULL)
		c->breathe(c->breathe_arg);
}

enum tape_status
tape_serve_count_status(const struct tape_serve_count *c, struct tape_err *err)
{
	return c->no_memory ? tape_err_nomem(err) : TAPE_OK;
}
