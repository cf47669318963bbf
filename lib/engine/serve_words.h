/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serve_words: what the model server says, a word for each token.
 *
 * Words: of the vocabulary, each as likely as any other; every one is a token
 * in real tokenizers, too.  Prose: frequencies after Zipf's law, in the form of
 * Mandelbrot (weight 1/(rank + 2.7)), the commonest words of English first;
 * some that come again and again in one answer; sentences with capitals and
 * punctuation, paragraphs, and now and then a number, a quotation or letters of
 * other scripts.  In both a token is a run of
 * bytes above 0x20.
 */
#ifndef TAPE_ENGINE_SERVE_WORDS_H
#define TAPE_ENGINE_SERVE_WORDS_H

#include "base/buf.h"
#include "codec/stat_rng.h"
#include "record/record.h"

enum tape_serve_style { TAPE_SERVE_WORDS, TAPE_SERVE_PROSE };

struct tape_serve_words {
	enum tape_serve_style style;
	struct tape_vocab vocab;
	/* of prose, else NULL */
	uint32_t *ranked; /* words, the commonest first */
	uint32_t *upto;   /* share of the ranks up to this one, of 2^32 */
};

/* Release it when it fails, too. */
enum tape_status tape_serve_words_open(struct tape_serve_words *w,
    enum tape_serve_style style, struct tape_err *err) TAPE_NODISCARD;
void tape_serve_words_release(struct tape_serve_words *w);

/* Who speaks; a zeroed one with a stream of random numbers has said nothing. */
struct tape_serve_voice {
	struct tape_rng rng;
	uint64_t said;
	uint32_t left;    /* words of the sentence */
	uint32_t subject; /* which words come again and again */
	bool paragraph;
};

/*
 * Appends the next word with what separates it from the one before, as the
 * content of a JSON string.  The first word of an answer has nothing before it;
 * of words it is one that is a token so, too.
 */
void tape_serve_say(const struct tape_serve_words *w,
    struct tape_serve_voice *v, struct tape_buf *b);

#endif
