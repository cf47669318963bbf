/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/prompt.h"

#include "base/mem.h"
#include "codec/stat_rng.h"
#include "unit/tap.h"

static struct tape_err err;

static const struct tape_str animal_words[] = { { "ant", 3 }, { "bee", 3 },
	{ "cow", 3 }, { "dog", 3 }, { "eel", 3 }, { "fox", 3 }, { "gnu", 3 } };
static const int64_t animal_first[] = { 1, 4, 6 };
static const struct tape_strs words = { animal_words, 7 };
static const struct tape_i64s first = { animal_first, 3 };

/* The vectors of llmtape-stream(5), made with another implementation. */
static void
test_vectors(void)
{
	static const struct {
		int64_t seed, id;
		uint32_t position, salt, r, of_4000, of_2126;
	} v[] = {
		{ 0, 0, 0, 0, 0x6627e8d5, 1596, 848 },
		{ 1, 46, 511, 0, 0x1b8070f5, 429, 228 },
		{ 42, 4294967303, 3, 2, 0x503a5a90, 1253, 666 },
		{ -1, -1, 2147483647, 4294967295, 0xb68d10df, 2852, 1516 },
		{ 1, 0, 0, 0, 0xe3e80670, 3561, 1892 },
		{ 1, 46, 511, 3, 0xf006aaf7, 3750, 1993 },
		{ 9007199254740991, 4294967297, 7, 4294967295, 0x0b120495, 172,
		    91 },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		uint32_t r = tape_prompt_draw(
		    v[i].seed, v[i].id, v[i].position, v[i].salt);

		is_int(r, v[i].r, "draw of vector %zu", i);
		is_int(tape_rng_mulhi(r, 4000), v[i].of_4000, "of 4000 words");
		is_int(tape_rng_mulhi(r, 2126), v[i].of_2126, "of 2126 words");
	}
}

static struct tape_blocks
blocks_of(const int64_t *ids, size_t n, int64_t tokens)
{
	struct tape_blocks b = { tape_str_of("zoo"), 7, 4, { ids, n }, tokens };

	return b;
}

static void
open_zoo(struct tape_vocab_set *set)
{
	tape_err_clear(&err);
	tape_vocab_set_init(set);
	is_int(tape_vocab_set_add(set, tape_str_of("zoo"), words, first, &err),
	    TAPE_OK, "a vocabulary is taken");
}

static void
renders(const struct tape_vocab_set *set, const int64_t *ids, size_t n,
    int64_t tokens, uint32_t salt, const char *want)
{
	struct tape_blocks b = blocks_of(ids, n, tokens);
	struct tape_buf out;

	tape_buf_init(&out, 4096);
	(void)tape_buf_add_str(&out, "<");
	is_int(tape_prompt_render(set, &b, salt, &out, &err), TAPE_OK,
	    "%zu blocks are rendered", n);
	is_str(out.data, want, "as they should be");
	tape_buf_release(&out);
}

static void
test_text(void)
{
	static const int64_t a[] = { 0, 1, 2 }, b[] = { 0, 1, 3 }, c[] = { 1 };
	struct tape_vocab_set set;

	open_zoo(&set);
	renders(&set, a, 3, 10, 0, "<gnu dog gnu eel cow gnu gnu eel ant cow");
	renders(&set, a, 3, 10, 1, "<gnu dog fox gnu fox gnu ant fox gnu ant");
	renders(&set, b, 3, 9, 0, "<gnu dog gnu eel cow gnu gnu eel cow");
	renders(&set, c, 1, 1, 0, "<eel");
	ok(tape_vocab_set_find(&set, tape_str_of("zo")) == NULL,
	    "no other vocabulary is there");
	tape_vocab_set_release(&set);
}

static void
refuses(
    const struct tape_vocab_set *set, struct tape_blocks b, const char *text)
{
	struct tape_buf out;

	tape_err_clear(&err);
	tape_buf_init(&out, 4096);
	(void)tape_buf_add_str(&out, "kept");
	is_int(tape_prompt_render(set, &b, 0, &out, &err), TAPE_E_FORMAT,
	    "refused: %s", text);
	is_str(err.text, text, "and says why");
	is_str(out.data, "kept", "and appends nothing");
	tape_buf_release(&out);
}

static void
test_bad_blocks(void)
{
	static const int64_t ids[] = { 5, 6, 7 };
	struct tape_vocab_set set;
	struct tape_blocks b;

	open_zoo(&set);
	refuses(&set, blocks_of(ids, 3, 8), "8 tokens are not 3 blocks of 4");
	refuses(&set, blocks_of(ids, 3, 13), "13 tokens are not 3 blocks of 4");
	refuses(&set, blocks_of(ids, 3, INT64_MIN + 1),
	    "-9223372036854775807 tokens are not 3 blocks of 4");
	refuses(&set, blocks_of(ids, 0, 4), "blocks without ids");
	b = blocks_of(ids, 3, 12);
	b.size = 0;
	refuses(&set, b, "block size is not 1 to 2147483647");
	b.size = (int64_t)1 << 31;
	refuses(&set, b, "block size is not 1 to 2147483647");
	b = blocks_of(ids, 3, 12);
	b.vocab = tape_str_of("en2");
	refuses(&set, b, "no vocabulary \"en2\" came before its request");
	tape_vocab_set_release(&set);
}

static void
bad_vocab(struct tape_vocab_set *set, const char *name, const char *word,
    int64_t one, const char *text)
{
	struct tape_str w[2] = { { "good", 4 }, tape_str_of(word) };
	struct tape_strs ws = { w, 2 };
	struct tape_i64s f = { &one, 1 };

	tape_err_clear(&err);
	is_int(tape_vocab_set_add(set, tape_str_of(name), ws, f, &err),
	    TAPE_E_FORMAT, "refused: %s", text);
	is_str(err.text, text, "and says why");
}

static void
test_bad_vocabularies(void)
{
	static const char *const bad[] = { "", "two words", "q\"q", "b\\b",
		"t\t", "\x7f", "caf\xc3\xa9" };
	struct tape_vocab_set set;
	struct tape_strs none = { animal_words, 0 };

	open_zoo(&set);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad_vocab(&set, "x", bad[i], 0,
		    "word 1 of a vocabulary is not plain text");
	bad_vocab(&set, "", "word", 0, "a vocabulary without a name");
	bad_vocab(&set, "x", "word", 2,
	    "first word 0 of a vocabulary is none of its words");
	bad_vocab(&set, "x", "word", -1,
	    "first word 0 of a vocabulary is none of its words");
	bad_vocab(&set, "zoo", "word", 0, "two vocabularies are named \"zoo\"");
	is_int(tape_vocab_set_add(&set, tape_str_of("x"), none, first, &err),
	    TAPE_E_FORMAT, "no words at all are refused");
	tape_err_clear(&err);
	is_int(tape_vocab_set_add(&set, tape_str_of("zoo"), words, first, &err),
	    TAPE_OK, "the same vocabulary once more is taken");
	is_int(set.n, 1, "and stands there once");
	tape_vocab_set_release(&set);
}

static void
test_limits(void)
{
	static const int64_t ids[] = { 5 };
	struct tape_vocab_set set;
	struct tape_blocks b = blocks_of(ids, 1, INT32_MAX);
	struct tape_buf out;

	b.size = INT32_MAX;
	open_zoo(&set);
	tape_buf_init(&out, 1000);
	is_int(tape_prompt_render(&set, &b, 0, &out, &err), TAPE_E_LIMIT,
	    "a prompt beyond the buffer's cap stops there");
	is_int(out.len, 0, "and nothing is left of it");
	tape_buf_release(&out);
	tape_vocab_set_release(&set);
}

static void
test_memory(void)
{
	struct tape_vocab_set set;
	enum tape_status st = TAPE_E_NOMEM;
	uint64_t n = 0;

	tape_vocab_set_init(&set);
	while (st == TAPE_E_NOMEM && n < 100) {
		tape_err_clear(&err);
		(void)tape_mem_fail_at(++n);
		st = tape_vocab_set_add(
		    &set, tape_str_of("zoo"), words, first, &err);
		(void)tape_mem_fail_at(0);
	}
	is_int(st, TAPE_OK, "an add works when memory is there");
	is_int(n, 6, "and failed before in each of its allocations");
	is_int(set.n, 1, "and the set has it once");
	tape_vocab_set_release(&set);
}

int
main(void)
{
	test_vectors();
	test_text();
	test_bad_blocks();
	test_bad_vocabularies();
	test_limits();
	test_memory();
	return done_testing();
}
