/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vocabulary of traces/vocab, made into arrays by the makefile. */
#include "engine/gen.h"
#include "vocab_en1.h"

void
tape_gen_vocab(struct tape_vocab *v)
{
	tape_schema_init(TAPE_KIND_VOCAB, v);
	v->name = tape_str_of("en1");
	v->words.v = vocab_words;
	v->words.n = sizeof(vocab_words) / sizeof(vocab_words[0]);
	v->first.v = vocab_first;
	v->first.n = sizeof(vocab_first) / sizeof(vocab_first[0]);
}
