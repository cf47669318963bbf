/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/serve_count.h"

#include "base/mem.h"
#include "codec/stat_rng.h"
#include "unit/tap.h"

static struct tape_serve_count a, b;

static void
count(struct tape_serve_count *c, uint32_t block, const char *text)
{
	tape_serve_count_clear(c, block);
	tape_serve_count_text(c, text, strlen(text));
}

static void
test_words(void)
{
	static const struct {
		const char *text;
		uint64_t tokens;
	} cases[] = {
		{ "", 0 },
		{ " ", 0 },
		{ "a", 1 },
		{ "seven77", 1 },
		{ "eight888", 1 },
		{ "nine99999", 1 },
		{ "eight888 ", 1 },
		{ "two words", 2 },
		{ "  two \t\n words  ", 2 },
		{ "a b c d e f g h i j", 10 },
		{ "\xc3\xa4 \xe2\x82\xac\xc2\xa0x", 2 },
		{ "0123456 89abcde ghijklm", 3 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		count(&a, 0, cases[i].text);
		is_int(a.tokens, cases[i].tokens, "text %zu", i);
	}
	count(&a, 0, "two words");
	tape_serve_count_text(&a, "and three more", 14);
	is_int(a.tokens, 5, "texts add up, and a word ends with its text");
	is_int(a.n_blocks, 0, "no blocks when none are wanted");
}

/* The obvious way to count. */
static uint64_t
slowly(const char *p, size_t len)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < len; i++)
		n += (unsigned char)p[i] > ' ' &&
		     (i == 0 || (unsigned char)p[i - 1] <= ' ');
	return n;
}

static void
test_random(void)
{
	struct tape_rng rng;
	char text[200];
	size_t i, k, len, wrong = 0, blocks = 0;
	uint32_t block;

	tape_rng_init(&rng, 1, 0, 0, 0);
	for (i = 0; i < 20000; i++) {
		len = tape_rng_below(&rng, sizeof(text));
		for (k = 0; k < len; k++)
			text[k] = " \t\x80\xff!aZ~"[tape_rng_below(&rng, 8)];
		block = tape_rng_below(&rng, 5) + 1;
		tape_serve_count_clear(&a, block);
		tape_serve_count_text(&a, text, len);
		wrong += a.tokens != slowly(text, len);
		blocks += a.n_blocks != a.tokens / block;
	}
	is_int(wrong, 0, "20,000 random texts are counted right");
	is_int(blocks, 0, "and have as many blocks as fit");
}

static size_t
shared(void)
{
	size_t n = 0;

	while (n < a.n_blocks && n < b.n_blocks && a.blocks[n] == b.blocks[n])
		n++;
	return n;
}

static void
test_blocks(void)
{
	char one[800], two[800];
	size_t i, k, at = 0, wrong = 0;

	count(&a, 2, "aa bb cc dd");
	count(&b, 2, "aa bb cc dd");
	is_int(shared(), 2, "equal texts, equal blocks");
	ok(a.digest == b.digest, "and digests");
	count(&b, 2, "aa bb cc dd ee ff");
	is_int(shared(), 2, "a longer text begins with them");
	count(&b, 2, "aa bb cc d");
	is_int(shared(), 1, "another last word");
	count(&b, 2, "aa bb ccc dd");
	is_int(shared(), 1, "another word in the middle");
	count(&b, 2, "ab bb cc dd");
	is_int(shared(), 0, "another first word");
	count(&b, 2, "aabb cc dd");
	is_int(shared(), 0, "other words of the same letters");
	tape_serve_count_clear(&a, 2);
	tape_serve_count_text(&a, "aa bb", 5);
	tape_serve_count_text(&a, "cc dd", 5);
	tape_serve_count_clear(&b, 2);
	tape_serve_count_text(&b, "aa bb", 5);
	tape_serve_count_text(&b, "cc dd ee", 8);
	is_int(shared(), 2, "several texts");
	count(&b, 2, "aa bb cc dd");
	is_int(shared(), 1, "but it matters where one ends");
	/* a word of each length in turn, so that blocks end at every offset */
	for (i = 0; i < 60; i++)
		at += (size_t)snprintf(one + at, sizeof(one) - at, "%.*s ",
		    (int)(i % 11 + 1), "abcdefghijklmno");
	for (k = 1; k < at; k++) {
		memcpy(two, one, at + 1);
		two[k] = '\0';
		count(&a, 1, one);
		count(&b, 1, two);
		/* all but a last word that was cut are the same */
		wrong += shared() < b.n_blocks - 1 ||
			 (one[k] == ' ' && shared() != b.n_blocks);
	}
	is_int(wrong, 0, "a text's beginning has its blocks, wherever it ends");
}

static void
test_tokens(void)
{
	int i;

	tape_serve_count_clear(&a, 2);
	tape_serve_count_clear(&b, 2);
	for (i = 0; i < 7; i++) {
		tape_serve_count_token(&a, i);
		tape_serve_count_token(&b, i == 5 ? 99 : i);
	}
	is_int(a.tokens, 7, "token numbers count");
	is_int(a.n_blocks, 3, "and make blocks");
	is_int(shared(), 2, "equal up to the first that differs");
}

static void
test_no_memory(void)
{
	struct tape_err err = { 0 };
	struct tape_serve_count c = { 0 };

	(void)tape_mem_fail_at(1);
	count(&c, 1, "a b c");
	(void)tape_mem_fail_at(0);
	is_int(tape_serve_count_status(&c, &err), TAPE_E_NOMEM, "no memory");
	count(&c, 1, "a b c");
	is_int(tape_serve_count_status(&c, &err), TAPE_OK, "forgotten");
	is_int(c.n_blocks, 3, "and right");
	tape_serve_count_release(&c);
}

static void
breathe(void *arg)
{
	++*(int *)arg;
}

/* A long prompt lets others have their turn, and is counted as without. */
static void
test_breath(void)
{
	static char text[800000];
	int breaths = 0;
	size_t i;

	for (i = 0; i + 8 < sizeof(text); i += 8)
		memcpy(text + i, "fishery ", 8);
	count(&a, 64, text);
	tape_serve_count_clear(&b, 64);
	b.breathe = breathe;
	b.breathe_arg = &breaths;
	tape_serve_count_text(&b, text, strlen(text));
	ok(breaths > 40, "%d breaths in 100,000 words", breaths);
	ok(a.tokens == b.tokens && a.digest == b.digest &&
		a.n_blocks == b.n_blocks &&
		a.blocks[a.n_blocks - 1] == b.blocks[b.n_blocks - 1],
	    "and they are counted alike");
	breaths = 0;
	for (i = 0; i < 1000; i++)
		tape_serve_count_text(&b, text, 800);
	ok(breaths > 40, "%d in many short texts", breaths);
	breaths = 0;
	for (i = 0; i < 100000; i++)
		tape_serve_count_token(&b, (int64_t)i);
	ok(breaths > 40, "%d in as many numbers", breaths);
	tape_serve_count_clear(&b, 0);
	ok(b.breathe == NULL, "a new prompt has nobody to ask");
}

int
main(void)
{
	test_words();
	test_random();
	test_blocks();
	test_tokens();
	test_no_memory();
	tape_serve_count_release(&a);
	tape_serve_count_release(&b);
	test_breath();
	return done_testing();
}
