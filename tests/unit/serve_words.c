/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the model server says: a word a token, the same for a seed, and neither
 * poorer nor richer than what a model would say.
 */
#include "engine/serve_words.h"

#include "base/mem.h"
#include "codec/json.h"
#include "unit/tap.h"

#include <zstd.h>

#define LONG 20000

/* n words of seed as the content of a JSON string, in quotes. */
static struct tape_buf
speech(enum tape_serve_style style, uint64_t seed, int n)
{
	struct tape_serve_words w;
	struct tape_serve_voice v = { 0 };
	struct tape_err err = { 0 };
	struct tape_buf b;

	tape_buf_init(&b, 1 << 24);
	if (tape_serve_words_open(&w, style, &err) != TAPE_OK)
		printf("# %s\n", err.text);
	tape_rng_init(&v.rng, seed, TAPE_RNG_SERVE_TEXT, 0, 0);
	(void)tape_buf_add_char(&b, '"');
	while (n-- > 0)
		tape_serve_say(&w, &v, &b);
	(void)tape_buf_add_char(&b, '"');
	tape_serve_words_release(&w);
	return b;
}

struct counts {
	int words, capitals, stops, commas, paragraphs, wide;
	size_t len;
	double ratio; /* of zstd, level 1 */
};

static struct counts
look(struct tape_buf *b)
{
	struct counts c = { 0 };
	struct tape_json r;
	struct tape_json_token tok = { 0 };
	size_t i, bound = ZSTD_compressBound(b->len);
	void *dst = tape_mem_calloc(1, bound);
	bool in = false;

	tape_json_init(&r);
	tape_json_open(&r, b->data, b->len, TAPE_JSON_OURS);
	if (tape_json_next(&r, &tok, NULL) != TAPE_OK ||
	    tok.type != TAPE_JSON_STRING)
		printf("# not a string\n");
	c.len = tok.len;
	for (i = 0; i < tok.len; i++) {
		unsigned char p = (unsigned char)tok.str[i];

		c.words += !in && p > 0x20;
		in = p > 0x20;
		c.capitals += p >= 'A' && p <= 'Z';
		c.stops += p == '.' || p == '!' || p == '?';
		c.commas += p == ',';
		c.paragraphs += p == '\n';
		c.wide += p >= 0xc0;
	}
	c.ratio = (double)tok.len /
		  (double)ZSTD_compress(dst, bound, tok.str, tok.len, 1);
	tape_mem_free(dst);
	tape_json_release(&r);
	return c;
}

static void
test_words(void)
{
	struct tape_buf b = speech(TAPE_SERVE_WORDS, 1, LONG);
	struct counts c = look(&b);

	is_int(c.words, LONG, "words: as many as were said");
	is_int(c.capitals + c.stops + c.commas + c.wide, 0, "and nothing else");
	printf("# words: %zu bytes, zstd -1 %.2f\n", c.len, c.ratio);
	ok(c.ratio > 2.2 && c.ratio < 2.9, "they shrink as text does");
	tape_buf_release(&b);
}

static void
test_prose(void)
{
	struct tape_buf b = speech(TAPE_SERVE_PROSE, 1, LONG), same, other;
	struct counts c = look(&b);

	is_int(c.words, LONG, "prose: as many words as were said");
	ok(c.stops > LONG / 30 && c.stops < LONG / 10, "sentences: %d",
	    c.stops);
	is_near(c.capitals, c.stops, 0.1, "which begin with a capital");
	ok(c.commas > LONG / 30 && c.commas < LONG / 5, "commas: %d", c.commas);
	ok(c.paragraphs > LONG / 300, "paragraphs: %d", c.paragraphs / 2);
	ok(c.wide > LONG / 100, "characters that are not ASCII: %d", c.wide);
	printf("# prose: %zu bytes, zstd -1 %.2f\n", c.len, c.ratio);
	ok(c.ratio > 2.1 && c.ratio < 2.9, "it shrinks as text does");
	same = speech(TAPE_SERVE_PROSE, 1, LONG);
	other = speech(TAPE_SERVE_PROSE, 2, LONG);
	is_str(same.data, b.data, "one seed says the same");
	ok(strcmp(other.data, b.data) != 0, "another one does not");
	tape_buf_release(&b);
	tape_buf_release(&same);
	tape_buf_release(&other);
}

/* Zipf: the commonest word is about twice as common as the fourth or so, and
   all of the vocabulary is used. */
static void
test_frequencies(void)
{
	struct tape_buf b = speech(TAPE_SERVE_PROSE, 3, 10 * LONG);
	struct counts c = look(&b);
	const char *p;
	int the = 0, and = 0;

	printf("# prose: %zu bytes, zstd -1 %.2f\n", c.len, c.ratio);
	for (p = b.data; (p = strstr(p, " the ")) != NULL; p++)
		the++;
	for (p = b.data; (p = strstr(p, " and ")) != NULL; p++)
		and++;
	ok(the > 10 * LONG / 50, "the: %d", the);
	/* weights 1/3.7 and 1/5.7 */
	is_near(and, the * 3.7 / 5.7, 0.1, "and: %d", and);
	tape_buf_release(&b);
}

static void
test_no_memory(void)
{
	struct tape_serve_words w;
	int nth, failed = 0;

	for (nth = 1; nth < 10; nth++) {
		(void)tape_mem_fail_at((uint64_t)nth);
		if (tape_serve_words_open(&w, TAPE_SERVE_PROSE, NULL) !=
		    TAPE_OK)
			failed++;
		(void)tape_mem_fail_at(0);
		tape_serve_words_release(&w);
	}
	is_int(failed, 3, "each of three allocations may fail");
}

int
main(void)
{
	test_words();
	test_prose();
	test_frequencies();
	test_no_memory();
	return done_testing();
}
